import type { Transaction } from '../transaction.ts'

export interface NewPickup {
  readonly accountId: string
  readonly sealedCredentials: string
  readonly expiresAt: number
}

/** Replaces earlier credentials of the account that were not picked up. */
export async function putPickup({ db, now }: Transaction, pickup: NewPickup): Promise<void> {
  const { accountId, sealedCredentials, expiresAt } = pickup
  const cells = { sealed_credentials: sealedCredentials, created_at: now, expires_at: expiresAt }
  await db
    .insertInto('account_pickups')
    .values({ account_id: accountId, ...cells })
    .onConflict((on) => on.column('account_id').doUpdateSet(cells))
    .execute()
}

/** Returns the sealed credentials, which no other call gets; undefined when there are none. */
export async function takePickup({ db, now }: Transaction, accountId: string): Promise<string | undefined> {
  const taken = await db
    .deleteFrom('account_pickups')
    .where('account_id', '=', accountId)
    .where('expires_at', '>', now)
    .returning('sealed_credentials')
    .executeTakeFirst()
  return taken?.sealed_credentials
}

export async function deletePickup({ db }: Transaction, accountId: string): Promise<void> {
  await db.deleteFrom('account_pickups').where('account_id', '=', accountId).execute()
}

/** Deletes up to `limit` credentials that were not picked up in time. Returns how many. */
export async function deleteExpiredPickups({ db, now }: Transaction, limit: number): Promise<number> {
  const old = db.selectFrom('account_pickups').select('account_id').where('expires_at', '<=', now).limit(limit)
  return (await db.deleteFrom('account_pickups').where('account_id', 'in', old).returning('account_id').execute())
    .length
}
