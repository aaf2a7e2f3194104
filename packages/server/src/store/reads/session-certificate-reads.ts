import type { Kysely } from 'kysely'
import type { Database, SessionCertificateRow } from '../schema.ts'

/** One certificate of one session. */
export async function findSessionCertificate(
  db: Kysely<Database>,
  { id, apiSessionId }: { readonly id: string; readonly apiSessionId: string },
): Promise<SessionCertificateRow | undefined> {
  return db
    .selectFrom('api_session_certificates')
    .selectAll()
    .where('id', '=', id)
    .where('api_session_id', '=', apiSessionId)
    .executeTakeFirst()
}
