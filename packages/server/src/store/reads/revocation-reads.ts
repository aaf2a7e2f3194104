import type { Kysely } from 'kysely'
import type { RevocationRow } from '../oidc-schema.ts'
import { prepared } from '../prepared.ts'
import type { Database } from '../schema.ts'

const revocationById = prepared(1, (db, id: string) => db.selectFrom('revocations').selectAll().where('id', '=', id))

/** A revocation that has not expired. */
export async function findRevocation(
  db: Kysely<Database>,
  id: string,
  now: number,
): Promise<RevocationRow | undefined> {
  const [row] = await revocationById(db, id)
  return row && now < row.expires_at ? row : undefined
}

/** Whether a token was revoked by its `jti`, whatever type was given with it. */
export async function isRevoked(db: Kysely<Database>, jti: string): Promise<boolean> {
  const [row] = await revocationById(db, jti)
  return row !== undefined
}
