import { AppError } from '@countersign/core'
import { insertRow } from '../../store/prepared.ts'
import type { WriteOperation } from '../../store/write-operation.ts'

export interface NewSessionCertificate {
  readonly id: string
  readonly apiSessionId: string
  readonly subject: string
  readonly fingerprint: string
  readonly certPem: string
  readonly notBefore: number
  readonly notAfter: number
}

/** More than a client renews while a session lasts. */
const MAX_PER_SESSION = 10

/** Records a certificate with its session; of too many the oldest go. Throws UNAUTHORIZED when the session has ended. */
const createSessionCertificate: WriteOperation<NewSessionCertificate, void> = async ({ db, now }, certificate) => {
  const { apiSessionId } = certificate
  const session = await db.selectFrom('api_sessions').select('id').where('id', '=', apiSessionId).executeTakeFirst()
  if (!session) throw new AppError('UNAUTHORIZED')
  const surplus = await db
    .selectFrom('api_session_certificates')
    .select('id')
    .where('api_session_id', '=', apiSessionId)
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .offset(MAX_PER_SESSION - 1)
    .limit(MAX_PER_SESSION)
    .execute()
  const ids = surplus.map(({ id }) => id)
  if (ids.length > 0) await db.deleteFrom('api_session_certificates').where('id', 'in', ids).execute()
  await insertRow(db, 'api_session_certificates', {
    id: certificate.id,
    api_session_id: apiSessionId,
    subject: certificate.subject,
    fingerprint: certificate.fingerprint,
    cert_pem: certificate.certPem,
    not_before: certificate.notBefore,
    not_after: certificate.notAfter,
    tags: '{}',
    created_at: now,
    updated_at: now,
  })
}

/** Answers whether the session had such a certificate. */
const deleteSessionCertificate: WriteOperation<{ id: string; apiSessionId: string }, boolean> = async (
  { db },
  { id, apiSessionId },
) => {
  const { numDeletedRows } = await db
    .deleteFrom('api_session_certificates')
    .where('id', '=', id)
    .where('api_session_id', '=', apiSessionId)
    .executeTakeFirst()
  return numDeletedRows > 0n
}

export const SESSION_CERTIFICATE_WRITES = {
  'sessionCertificate.create': createSessionCertificate,
  'sessionCertificate.delete': deleteSessionCertificate,
}
