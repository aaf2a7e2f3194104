import { endSession, endSessionsOf } from '../../operations/api-session/end-session.ts'
import type { Clock } from '../../platform/clock.ts'
import { sessionFromRow } from '../../store/api-session-row.ts'
import { API_SESSION_FILTER } from '../../store/filter-tables.ts'
import type { FilterTable } from '../../store/filter-to-sql.ts'
import { notFound } from '../../store/not-found.ts'
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
import { apiSessionView } from '../shared/api-session-view.ts'
import { laterThan } from '../shared/row-conditions.ts'

const ONE = [`${MANAGEMENT}/api-sessions/:id`]

const access = (action: 'read' | 'delete') => ({ entity: 'ops', action }) as const

/** Expired sessions are not listed, even before they are deleted. Callers cannot filter by `expiresAt`. */
const WITH_EXPIRY: FilterTable = {
  ...API_SESSION_FILTER,
  columns: new Map([
    ...API_SESSION_FILTER.columns,
    ['expiresAt', { kind: 'column', column: 'expires_at', type: 'datetime', notNull: true }],
  ]),
}

interface ApiSessionRouteParts {
  readonly store: Store
  readonly clock: Clock
}

/** The API sessions of all identities, without their tokens. */
export function apiSessionRoutes({ store, clock: { now } }: ApiSessionRouteParts): Route[] {
  const show = async (rows: readonly ApiSessionRow[]) => {
    const [identities, certificates] = await Promise.all([
      loadIdentityNames(
        store.db,
        rows.map((row) => row.identity_id),
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
      return identity ? [apiSessionView({ ...sessionFromRow(row), identity, certificate })] : []
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
        const within = { table: WITH_EXPIRY, predicate: laterThan('expiresAt', now()) }
        const countAll = findSessionCounter(store, now())
        return listResponse({ store, table: API_SESSION_FILTER, show, within, countAll }, call)
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
