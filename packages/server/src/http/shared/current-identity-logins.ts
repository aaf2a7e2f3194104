import type { FilterOptions, SymbolType } from '@countersign/core'
import { endOwnSession } from '../../operations/api-session/end-session.ts'
import type { Clock } from '../../platform/clock.ts'
import { DECISION_RETENTION_MS } from '../../store/decision-retention.ts'
import { API_SESSION_FILTER, AUTH_DECISION_FILTER, CONTROLLER_DECISION_FILTER } from '../../store/filter-tables.ts'
import type { FilterTable } from '../../store/filter-to-sql.ts'
import { notFound } from '../../store/not-found.ts'
import { findLiveSessionRow, loadRecentLogins } from '../../store/reads/session-reads.ts'
import { MAX_RECENT_LOGINS, type RecentLogin } from '../../store/recent-login.ts'
import type { ApiSessionRow, AuthDecisionRow } from '../../store/schema.ts'
import type { Store } from '../../store/store.ts'
import type { DecisionRecorder } from '../../token/decision-recorder.ts'
import { onBothApis } from '../api-paths.ts'
import { done, timestamp } from '../pipeline/envelope.ts'
import { listResponse } from '../pipeline/list-response.ts'
import { memoryListResponse } from '../pipeline/memory-list-response.ts'
import { operationMeta } from '../pipeline/operation-meta.ts'
import { type Route, sessionOf } from '../pipeline/route.ts'
import { describe } from '../pipeline/route-note.ts'
import { listedSessionView } from './api-session-view.ts'
import { equals, isTrue, laterThan } from './row-conditions.ts'

interface CurrentIdentityLoginRouteParts {
  readonly store: Store
  readonly clock: Clock
  readonly decisions: Pick<DecisionRecorder, 'flush'>
}

const SESSIONS = 'current-identity/api-sessions'
const LOGINS = 'current-identity/logins'
const DECISIONS = 'current-identity/auth-decisions'

const OWN_SYMBOLS = ['id', 'at', 'createdAt', 'method', 'reason', 'remoteAddress']
const OWN_DECISION_FILTER: FilterTable = {
  ...AUTH_DECISION_FILTER,
  columns: new Map([...AUTH_DECISION_FILTER.columns].filter(([symbol]) => OWN_SYMBOLS.includes(symbol))),
}

/** The caller's own sessions, logins and refused logins. No route here reaches those of another identity. */
export function currentIdentityLoginRoutes({ store, clock, decisions }: CurrentIdentityLoginRouteParts): Route[] {
  return [
    {
      method: 'GET',
      paths: onBothApis(`/${SESSIONS}`),
      access: 'any-session',
      bodyCap: 'anonymous',
      body: null,
      note: describe.list('ApiSession', 'List the caller’s sessions'),
      handle: (call) => {
        const { identity, policy } = sessionOf(call)
        const now = clock.now()
        const show = (rows: readonly ApiSessionRow[]) =>
          rows.map((row) => listedSessionView({ row, identity, policy }, now, SESSIONS))
        const terms = [equals('identity', identity.id), laterThan('expiresAt', now)]
        // Expired sessions are not listed, even before they are deleted.
        const within = { table: API_SESSION_FILTER, predicate: { kind: 'and', terms } as const }
        return listResponse({ store, table: API_SESSION_FILTER, show, within, now }, call)
      },
    },
    {
      method: 'DELETE',
      paths: onBothApis(`/${SESSIONS}/:id`),
      access: 'any-session',
      bodyCap: 'anonymous',
      body: null,
      note: describe.done('End one of the caller’s sessions'),
      handle: async (call) => {
        const { id = '' } = call.params
        const now = clock.now()
        const row = await findLiveSessionRow(store.db, id, now)
        if (row?.identity_id !== sessionOf(call).identity.id) throw notFound('apiSession', id)
        await store.run(endOwnSession, { id }, operationMeta(call, now))
        return done()
      },
    },
    {
      method: 'GET',
      paths: onBothApis(`/${DECISIONS}`),
      access: 'any-session',
      bodyCap: 'anonymous',
      body: null,
      note: describe.list('OwnAuthDecision', 'List the caller’s refused logins of the last 24 hours'),
      handle: async (call) => {
        await decisions.flush()
        const terms = [
          equals('identityId', sessionOf(call).identity.id),
          laterThan('at', clock.now() - DECISION_RETENTION_MS),
          isTrue('isOfController', true),
        ]
        const within = { table: CONTROLLER_DECISION_FILTER, predicate: { kind: 'and', terms } as const }
        const show = (rows: readonly AuthDecisionRow[]) => rows.map(ownDecisionView)
        return listResponse({ store, table: OWN_DECISION_FILTER, show, within }, call)
      },
    },
    {
      method: 'GET',
      paths: onBothApis(`/${LOGINS}`),
      access: 'any-session',
      bodyCap: 'anonymous',
      body: null,
      note: describe.list('OwnLogin', `List the caller’s last ${MAX_RECENT_LOGINS} logins`),
      handle: async (call) => {
        const rows = await loadRecentLogins(store.db, sessionOf(call).identity.id)
        return memoryListResponse({ options: LOGIN_FILTER, rows, read: readLogin, show: ownLoginView }, call)
      },
    },
  ]
}

const LOGIN_FILTER: FilterOptions = {
  symbols: new Map<string, SymbolType>([
    ['id', 'string'],
    ['at', 'datetime'],
    ['method', 'string'],
    ['signerId', 'string'],
    ['remoteAddress', 'string'],
  ]),
  tags: false,
}

function readLogin(login: RecentLogin): (symbol: string) => unknown {
  const values: Readonly<Record<string, unknown>> = { ...login, remoteAddress: login.ipAddress }
  return (symbol) => values[symbol]
}

function ownLoginView({ id, at, method, signerId, ipAddress: remoteAddress }: RecentLogin) {
  return { id, at: timestamp(at), method, signerId, remoteAddress }
}

/** Without the explanation, which shows signers and policies. */
function ownDecisionView({ id, at, method, reason, remote_address: remoteAddress }: AuthDecisionRow) {
  return { id, at: timestamp(at), method, reason, remoteAddress }
}
