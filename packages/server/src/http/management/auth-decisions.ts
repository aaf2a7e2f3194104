import { testCaseOfLogin } from '@countersign/core'
import type { Clock } from '../../platform/clock.ts'
import { DECISION_RETENTION_MS } from '../../store/decision-retention.ts'
import { AUTH_DECISION_FILTER, CONTROLLER_DECISION_FILTER } from '../../store/filter-tables.ts'
import { notFound } from '../../store/not-found.ts'
import { findAuthDecision } from '../../store/reads/auth-decision-reads.ts'
import type { AuthDecisionRow } from '../../store/schema.ts'
import type { Store } from '../../store/store.ts'
import type { DecisionRecorder } from '../../token/decision-recorder.ts'
import type { KeptLogins } from '../../token/kept-logins.ts'
import type { SignerDirectory } from '../../token/signer-directory.ts'
import { MANAGEMENT } from '../api-paths.ts'
import { detail, timestamp } from '../pipeline/envelope.ts'
import { listResponse } from '../pipeline/list-response.ts'
import type { Route } from '../pipeline/route.ts'
import { describe } from '../pipeline/route-note.ts'
import { isTrue, laterThan } from '../shared/row-conditions.ts'

const COLLECTION = `${MANAGEMENT}/auth-decisions`
const access = { entity: 'admin', action: 'read' } as const

interface AuthDecisionRouteParts {
  readonly store: Store
  readonly clock: Clock
  readonly decisions: Pick<DecisionRecorder, 'flush'>
  readonly keptLogins: Pick<KeptLogins, 'findRefused'>
  readonly signers: Pick<SignerDirectory, 'find'>
}

/** The decisions about refused logins of the last 24 hours. Each call first flushes the decisions that are not stored yet. */
export function authDecisionRoutes({ store, decisions, keptLogins, signers, clock }: AuthDecisionRouteParts): Route[] {
  const keptSince = () => clock.now() - DECISION_RETENTION_MS
  /** From the kept claims of the login. Undefined when there are none: the token was not verified, or keeping is off. */
  const findTestCase = async (row: AuthDecisionRow) => {
    const signer = row.signer_id === null ? undefined : await signers.find(row.signer_id)
    if (!signer || row.method !== 'ext-jwt') return undefined
    const refusal = { reason: row.reason, claimedIdentity: row.claimed_identity, at: row.at }
    const login = await keptLogins.findRefused(signer, refusal)
    const name = `decision ${row.id}: ${row.claimed_identity ?? row.reason}`
    return login && testCaseOfLogin(signer, { name, claims: login.claims, at: login.at })
  }
  return [
    {
      method: 'GET',
      paths: [COLLECTION],
      access,
      bodyCap: 'management',
      body: null,
      note: describe.list('AuthDecision', 'List the refused logins of the last 24 hours'),
      handle: async (call) => {
        await decisions.flush()
        const terms = [laterThan('at', keptSince()), isTrue('isOfController', true)]
        const within = { table: CONTROLLER_DECISION_FILTER, predicate: { kind: 'and', terms } as const }
        const show = (rows: readonly AuthDecisionRow[]) => rows.map(decisionView)
        return listResponse({ store, table: AUTH_DECISION_FILTER, show, within }, call)
      },
    },
    {
      method: 'GET',
      paths: [`${COLLECTION}/:id`],
      access,
      bodyCap: 'management',
      body: null,
      note: describe.one('AuthDecision', 'Get the reason for a refused login, by its request id'),
      handle: async ({ params: { id = '' } }) => {
        await decisions.flush()
        const row = await findAuthDecision(store.db, id, keptSince())
        if (!row) throw notFound('authDecision', id)
        return detail({ ...decisionView(row), testCase: (await findTestCase(row)) ?? null })
      },
    },
  ]
}

function decisionView(row: AuthDecisionRow) {
  return {
    id: row.id,
    at: timestamp(row.at),
    method: row.method,
    reason: row.reason,
    signerId: row.signer_id,
    signerName: row.signer_name,
    claimedIdentity: row.claimed_identity,
    identityId: row.identity_id,
    identityName: row.identity_name,
    remoteAddress: row.remote_address,
    ...JSON.parse(row.explanation),
  }
}
