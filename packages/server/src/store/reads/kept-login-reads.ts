import type { Kysely } from 'kysely'
import type { Database, KeptLoginRow } from '../schema.ts'

/** The latest logins since `since`, those of `firstSignerIds` before others. */
export async function loadKeptLogins(
  db: Kysely<Database>,
  {
    since,
    limit,
    firstSignerIds,
  }: { readonly since: number; readonly limit: number; readonly firstSignerIds: readonly string[] },
): Promise<KeptLoginRow[]> {
  const latest = (count: number) =>
    db
      .selectFrom('kept_logins')
      .selectAll()
      .where('at', '>=', since)
      .orderBy('at', 'desc')
      .orderBy('digest')
      .limit(count)
  if (firstSignerIds.length === 0) return latest(limit).execute()
  const first = await latest(limit).where('signer_id', 'in', firstSignerIds).execute()
  if (first.length >= limit) return first
  const others = await latest(limit - first.length)
    .where('signer_id', 'not in', firstSignerIds)
    .execute()
  return [...first, ...others]
}

/** The latest logins of a signer with this outcome. */
export function findKeptLogins(
  db: Kysely<Database>,
  { signerId, outcome, limit }: { readonly signerId: string; readonly outcome: string; readonly limit: number },
): Promise<KeptLoginRow[]> {
  const ofSigner = db.selectFrom('kept_logins').selectAll().where('signer_id', '=', signerId)
  return ofSigner.where('outcome', '=', outcome).orderBy('at', 'desc').limit(limit).execute()
}

/**
 * The accepted logins of administrators since `since`, latest first. A refused one says nothing about the next one: it may be that of a thief, and of an
 * untrusted signer there can be any number.
 */
export function loadAdministratorLogins(
  db: Kysely<Database>,
  { since, limit }: { readonly since: number; readonly limit: number },
): Promise<KeptLoginRow[]> {
  return db
    .selectFrom('kept_logins')
    .selectAll()
    .where('identity_id', 'in', (eb) => eb.selectFrom('identities').select('id').where('is_admin', '=', true))
    .where('outcome', '=', 'accepted')
    .where('at', '>=', since)
    .orderBy('at', 'desc')
    .orderBy('digest')
    .limit(limit)
    .execute()
}
