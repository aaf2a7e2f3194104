import { insertRow } from '../prepared.ts'
import type { Transaction } from '../transaction.ts'

export interface NewSessionCertificate {
  readonly id: string
  readonly apiSessionId: string
  readonly subject: string
  readonly fingerprint: string
  readonly certPem: string
  readonly notBefore: number
  readonly notAfter: number
}

export async function insertSessionCertificate(
  { db, now }: Transaction,
  { id, apiSessionId, subject, fingerprint, certPem, notBefore, notAfter }: NewSessionCertificate,
): Promise<void> {
  await insertRow(db, 'api_session_certificates', {
    id,
    api_session_id: apiSessionId,
    subject,
    fingerprint,
    cert_pem: certPem,
    not_before: notBefore,
    not_after: notAfter,
    tags: '{}',
    created_at: now,
    updated_at: now,
  })
}

const SURPLUS_BATCH = 100

/** Keeps the newest `count` certificates of a session and deletes up to 100 older ones. */
export async function keepNewestSessionCertificates(
  { db }: Transaction,
  apiSessionId: string,
  count: number,
): Promise<void> {
  const surplus = await db
    .selectFrom('api_session_certificates')
    .select('id')
    .where('api_session_id', '=', apiSessionId)
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .offset(count)
    .limit(SURPLUS_BATCH)
    .execute()
  const ids = surplus.map(({ id }) => id)
  if (ids.length > 0) await db.deleteFrom('api_session_certificates').where('id', 'in', ids).execute()
}

/** Returns whether the session had such a certificate. */
export async function deleteSessionCertificate(
  { db }: Transaction,
  { id, apiSessionId }: { readonly id: string; readonly apiSessionId: string },
): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('api_session_certificates')
    .where('id', '=', id)
    .where('api_session_id', '=', apiSessionId)
    .executeTakeFirst()
  return numDeletedRows > 0n
}
