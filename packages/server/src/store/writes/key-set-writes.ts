import type { StoredKeySet } from '../key-signer.ts'
import type { KeySetOwner } from '../reads/key-signer-reads.ts'
import type { Transaction } from '../transaction.ts'

/** Stores the keys of a signer unless newer ones are stored. Returns whether they were stored. */
export async function upsertKeySet(
  { db, now }: Transaction,
  { table, ownerId }: KeySetOwner,
  { url, caDigest, jwks, fetchedAt }: StoredKeySet,
): Promise<boolean> {
  const values = { url, ca_digest: caDigest, jwks, fetched_at: fetchedAt }
  const written = await db
    .insertInto(table)
    .values({ signer_id: ownerId, ...values })
    // Decided in the statement itself, since another node may write at the same time. A set from the future was stored
    // while a clock was wrong: it must not stay until that time.
    .onConflict((conflict) =>
      conflict
        .column('signer_id')
        .doUpdateSet(values)
        .where(({ eb, or }) =>
          or([
            eb(`${table}.url`, '!=', url),
            eb(`${table}.ca_digest`, '!=', caDigest),
            eb(`${table}.fetched_at`, '<', fetchedAt),
            eb(`${table}.fetched_at`, '>', now),
          ]),
        ),
    )
    .returning('signer_id')
    .executeTakeFirst()
  return written !== undefined
}
