import { endSession, endSessionsOf } from '../../operations/api-session/end-session.ts'
import type { Clock } from '../../platform/clock.ts'
import { API_SESSION_FILTER } from '../../store/filter-tables.ts'
import { notFound } from '../../store/not-found.ts'
import { loadAuthPolicies } from '../../store/reads/auth-policy-reads.ts'
import { loadCertificateStates } from '../../store/reads/authenticator-reads.ts'
import { loadIdentityNames } from '../../store/reads/identity-reads.ts'
import { findLiveSessionRow, findSessionCounter } from '../../store/reads/session-reads.ts'
import type { ApiSessionRow } from '../../store/schema.ts'
import { sessionCertificate } from '../../store/session-certificate.ts'
import type { Store } from '../../store/store.ts'
import { MANAGEMENT } from '../api-paths.ts'
import { detail, done } from '../pipeline/envelope.ts'
import { listResponse } from '../pipeline/list-response.ts'
import { operationMeta } from '../pipeline/operation-meta.ts'
import type { Route } from '../pipeline/route.ts'
import { describe } from '../pipeline/route-note.ts'
import { listedSessionView } from '../shared/api-session-view.ts'
import { laterThan } from '../shared/row-conditions.ts'

const ONE = [`${MANAGEMENT}/api-sessions/:id`]

const access = (action: 'read' | 'delete') => ({ entity: 'ops', action }) as const

interface ApiSessionRouteParts {
  readonly store: Store
  readonly clock: Clock
}

/** The API sessions of all identities, without their tokens. */
export function apiSessionRoutes({ store, clock: { now } }: ApiSessionRouteParts): Route[] {
  const show = async (rows: readonly ApiSessionRow[]) => {
    const identities = await loadIdentityNames(
      store.db,
      rows.map((row) => row.identity_id),
    )
    const [policies, certificates] = await Promise.all([
      loadAuthPolicies(
        store.db,
        [...identities.values()].map(({ authPolicyId }) => authPolicyId),
      ),
      loadCertificateStates(
        store.db,
        rows.map((row) => row.authenticator_id),
      ),
    ])
    return rows.flatMap((row) => {
      const identity = identities.get(row.identity_id)
      const state = certificates.get(row.authenticator_id)
      const certificate = state && sessionCertificate(state)
      const policy = identity && policies.get(identity.authPolicyId)
      return policy ? [listedSessionView({ row, identity, policy, certificate }, now())] : []
    })
  }
  return [
    {
      method: 'GET',
      paths: [`${MANAGEMENT}/api-sessions`],
      access: access('read'),
      bodyCap: 'management',
      body: null,
      note: describe.list('ApiSession', 'List the sessions of all identities'),
      handle: (call) => {
        // Expired sessions are not listed, even before they are deleted.
        const at = now()
        const within = { table: API_SESSION_FILTER, predicate: laterThan('expiresAt', at) }
        const countAll = findSessionCounter(store, at)
        return listResponse({ store, table: API_SESSION_FILTER, show, within, countAll, now: at }, call)
      },
    },
    {
      method: 'GET',
      paths: ONE,
      access: access('read'),
      bodyCap: 'management',
      body: null,
      note: describe.one('ApiSession', 'Get a session'),
      handle: async ({ params: { id = '' } }) => {
        const row = await findLiveSessionRow(store.db, id, now())
        const [shown] = await show(row ? [row] : [])
        if (!shown) throw notFound('apiSession', id)
        return detail(shown)
      },
    },
    {
      method: 'DELETE',
      paths: ONE,
      access: access('delete'),
      bodyCap: 'management',
      body: null,
      note: describe.done('End a session'),
      handle: async (call) => {
        const { id = '' } = call.params
        if (!(await store.run(endSession, { id }, operationMeta(call, now())))) throw notFound('apiSession', id)
        return done()
      },
    },
    {
      method: 'DELETE',
      paths: [`${MANAGEMENT}/identities/:id/api-sessions`],
      access: access('delete'),
      bodyCap: 'management',
      body: null,
      note: describe.done('End all sessions of an identity'),
      handle: async (call) => {
        await store.run(endSessionsOf, { identityId: call.params.id ?? '' }, operationMeta(call, now()))
        return done()
      },
    },
  ]
}
