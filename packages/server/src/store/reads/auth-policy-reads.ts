import type { Kysely } from 'kysely'
import { authPolicyFromRow, type StoredAuthPolicy } from '../auth-policy-row.ts'
import type { AuthPolicyRow, Database } from '../schema.ts'

export async function findAuthPolicy(db: Kysely<Database>, id: string): Promise<StoredAuthPolicy | undefined> {
  const row = await db.selectFrom('auth_policies').selectAll().where('id', '=', id).executeTakeFirst()
  if (!row) return undefined
  const [policy] = await withAllowedSigners(db, [row])
  return policy
}

export async function withAllowedSigners(
  db: Kysely<Database>,
  rows: readonly AuthPolicyRow[],
): Promise<StoredAuthPolicy[]> {
  if (rows.length === 0) return []
  const ids = rows.map(({ id }) => id)
  const links = await db
    .selectFrom('auth_policy_signers')
    .selectAll()
    .where('auth_policy_id', 'in', ids)
    .orderBy('signer_id')
    .execute()
  const signersOf = Map.groupBy(links, (link) => link.auth_policy_id)
  return rows.map((row) => authPolicyFromRow(row, signersOf.get(row.id)?.map((link) => link.signer_id) ?? []))
}
