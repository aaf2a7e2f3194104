import type { NewKeySet } from '../key-signer.ts'
import type { KeySetOwner } from '../reads/key-signer-reads.ts'
import type { Transaction } from '../transaction.ts'

/** Stores the keys of a signer unless newer ones are stored. Returns whether they were stored. */
export async function upsertKeySet(
  { db, now }: Transaction,
  { table, ownerId }: Pick<KeySetOwner, 'table' | 'ownerId'>,
  { url, caDigest, jwks, fetchedAt, thumbprints }: NewKeySet,
): Promise<boolean> {
  const values = {
    url,
    ca_digest: caDigest,
    jwks,
    fetched_at: fetchedAt,
    pending_jwks: null,
    pending_at: null,
    // An empty set leaves those that the next one has to continue.
    ...(thumbprints.length > 0 && { good_thumbprints: JSON.stringify(thumbprints) }),
  }
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

/** Notes keys that wait for a confirmation, beside those in use. */
export async function notePendingKeys(
  { db, now }: Transaction,
  { table, ownerId }: Pick<KeySetOwner, 'table' | 'ownerId'>,
  jwks: string,
): Promise<void> {
  const values = { pending_jwks: jwks, pending_at: now }
  await db.updateTable(table).set(values).where('signer_id', '=', ownerId).execute()
}

export async function deleteKeySet({ db }: Transaction, signerId: string): Promise<void> {
  await db.deleteFrom('signer_key_sets').where('signer_id', '=', signerId).execute()
}
