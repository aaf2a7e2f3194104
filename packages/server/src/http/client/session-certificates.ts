import { SessionCertificateCreate } from '@countersign/contract'
import { issueSessionCertificate, type SessionCertificateParts } from '../../enrollment/issue-session-certificate.ts'
import type { AttemptLimits } from '../../limits/attempt-limits.ts'
import { deleteSessionCertificate } from '../../operations/api-session/session-certificates.ts'
import type { Clock } from '../../platform/clock.ts'
import { SESSION_CERTIFICATE_FILTER } from '../../store/filter-tables.ts'
import { readJsonColumn } from '../../store/json-column.ts'
import { notFound } from '../../store/not-found.ts'
import { findSessionCertificate } from '../../store/reads/session-certificate-reads.ts'
import type { SessionCertificateRow } from '../../store/schema.ts'
import type { Store } from '../../store/store.ts'
import { CLIENT } from '../api-paths.ts'
import { created, detail, done, selfLink, timestamp } from '../pipeline/envelope.ts'
import { listResponse } from '../pipeline/list-response.ts'
import { operationMeta } from '../pipeline/operation-meta.ts'
import { type Route, sessionOf } from '../pipeline/route.ts'
import { describe } from '../pipeline/route-note.ts'
import { equals } from '../shared/row-conditions.ts'

interface SessionCertificateRouteParts extends SessionCertificateParts {
  readonly store: Store
  readonly clock: Clock
  readonly limits: Pick<AttemptLimits, 'sessionCertificate' | 'certificateOfSession'>
}

const COLLECTION = 'current-api-session/certificates'
const ALL = [`${CLIENT}/${COLLECTION}`]
const ONE = [`${CLIENT}/${COLLECTION}/:id`]

/** Certificates for the connections of the caller's own session. Those of other sessions are NOT_FOUND. */
export function sessionCertificateRoutes(parts: SessionCertificateRouteParts): Route[] {
  const { store, clock, limits } = parts
  return [
    {
      method: 'POST',
      paths: ALL,
      access: 'any-session',
      bodyCap: 'anonymous',
      body: { schema: SessionCertificateCreate, optional: false },
      note: {
        summary: 'Issue a certificate for the connections of the session',
        response: { kind: 'one', of: 'NewSessionCertificate', status: 201 },
      },
      handle: async (call) => {
        const { csr: csrPem } = call.body as SessionCertificateCreate
        const { id: apiSessionId, identity } = sessionOf(call)
        limits.certificateOfSession.begin(apiSessionId)
        limits.sessionCertificate.begin(identity.id)
        const request = { apiSessionId, csrPem }
        const { id, certPem, caPem } = await issueSessionCertificate(parts, request, operationMeta(call, clock.now()))
        const { status, json } = created(COLLECTION, id)
        return { status, json: { ...json, data: { ...json.data, certificate: certPem, cas: caPem } } }
      },
    },
    {
      method: 'GET',
      paths: ALL,
      access: 'any-session',
      bodyCap: 'anonymous',
      body: null,
      note: describe.list('SessionCertificate', 'List the certificates of the session'),
      handle: (call) => {
        const show = (rows: readonly SessionCertificateRow[]) => rows.map(certificateView)
        const table = SESSION_CERTIFICATE_FILTER
        return listResponse(
          { store, table, show, within: { table, predicate: equals('apiSession', sessionOf(call).id) } },
          call,
        )
      },
    },
    {
      method: 'GET',
      paths: ONE,
      access: 'any-session',
      bodyCap: 'anonymous',
      body: null,
      note: describe.one('SessionCertificate', 'Get a certificate of the session'),
      handle: async (call) => {
        const { id = '' } = call.params
        const row = await findSessionCertificate(store.db, { id, apiSessionId: sessionOf(call).id })
        if (!row) throw notFound('apiSessionCertificate', id)
        return detail(certificateView(row))
      },
    },
    {
      method: 'DELETE',
      paths: ONE,
      access: 'any-session',
      bodyCap: 'anonymous',
      body: null,
      note: describe.done('Revoke a certificate of the session'),
      handle: async (call) => {
        const { id = '' } = call.params
        const key = { id, apiSessionId: sessionOf(call).id }
        if (!(await store.run(deleteSessionCertificate, key, operationMeta(call, clock.now())))) {
          throw notFound('apiSessionCertificate', id)
        }
        return done()
      },
    },
  ]
}

function certificateView(row: SessionCertificateRow) {
  return {
    _links: selfLink(COLLECTION, row.id),
    id: row.id,
    createdAt: timestamp(row.created_at),
    updatedAt: timestamp(row.updated_at),
    tags: readJsonColumn(row.tags),
    subject: row.subject,
    fingerprint: row.fingerprint,
    validFrom: timestamp(row.not_before),
    validTo: timestamp(row.not_after),
    certificate: row.cert_pem,
  }
}
