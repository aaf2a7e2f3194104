import type { KeptLoginRow } from '../schema.ts'
import type { Transaction } from '../transaction.ts'

/**
 * Stores logins, each in place of an earlier one with the same claims. Leaves out those of signers and identities that do not exist any more. Kept logins
 * are not in the change log, because no cache depends on them.
 */
export async function upsertKeptLogins({ db }: Transaction, logins: readonly KeptLoginRow[]): Promise<void> {
  const idsOf = (ids: readonly (string | null)[]) => [...new Set(ids.filter((id) => id !== null))]
  const signerIds = idsOf(logins.map((login) => login.signer_id))
  const identityIds = idsOf(logins.map((login) => login.identity_id))
  if (signerIds.length === 0) return
  const signers = await db.selectFrom('ext_jwt_signers').select('id').where('id', 'in', signerIds).execute()
  const identities =
    identityIds.length === 0
      ? []
      : await db.selectFrom('identities').select('id').where('id', 'in', identityIds).execute()
  const existing = new Set([...signers, ...identities].map(({ id }) => id))
  const current = logins.filter(
    ({ signer_id: signerId, identity_id: identityId }) =>
      existing.has(signerId) && (identityId === null || existing.has(identityId)),
  )
  if (current.length === 0) return
  await db
    .insertInto('kept_logins')
    .values(current)
    .onConflict((conflict) =>
      conflict.columns(['signer_id', 'digest']).doUpdateSet(({ ref }) => ({
        identity_id: ref('excluded.identity_id'),
        outcome: ref('excluded.outcome'),
        sealed_claims: ref('excluded.sealed_claims'),
        at: ref('excluded.at'),
      })),
    )
    .execute()
}

/** Deletes the oldest logins of a signer beyond `maxKept`. */
export async function deleteSurplusKeptLogins({ db }: Transaction, signerId: string, maxKept: number): Promise<void> {
  const oldest = await db
    .selectFrom('kept_logins')
    .select('at')
    .where('signer_id', '=', signerId)
    .orderBy('at', 'desc')
    .offset(maxKept - 1)
    .limit(1)
    .executeTakeFirst()
  if (!oldest) return
  await db.deleteFrom('kept_logins').where('signer_id', '=', signerId).where('at', '<', oldest.at).execute()
}

/** Deletes up to `limit` logins before `until`. Returns how many it deleted. */
export async function deleteOldKeptLogins({ db }: Transaction, until: number, limit: number): Promise<number> {
  const old = await db
    .selectFrom('kept_logins')
    .select(['signer_id', 'digest'])
    .where('at', '<', until)
    .limit(limit)
    .execute()
  for (const [signerId, rows] of Map.groupBy(old, (row) => row.signer_id)) {
    const digests = rows.map(({ digest }) => digest)
    await db.deleteFrom('kept_logins').where('signer_id', '=', signerId).where('digest', 'in', digests).execute()
  }
  return old.length
}
