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

/**
 * Deletes the oldest logins of a signer beyond `maxKept`. Refused ones displace accepted ones only down to half of these: at an issuer that serves
 * everyone, strangers can cause any number of them.
 */
export async function deleteSurplusKeptLogins(tx: Transaction, signerId: string, maxKept: number): Promise<void> {
  const counts = await tx.db
    .selectFrom('kept_logins')
    .select((eb) => ['outcome', eb.fn.countAll().as('count')] as const)
    .where('signer_id', '=', signerId)
    .groupBy('outcome')
    .execute()
  const sum = (rows: typeof counts) => rows.reduce((total, { count }) => total + Number(count), 0)
  const accepted = sum(counts.filter(({ outcome }) => outcome === ACCEPTED))
  const refused = sum(counts) - accepted
  if (accepted + refused <= maxKept) return
  await deleteOldest(tx, {
    signerId,
    sign: '=',
    surplus: accepted - Math.max(maxKept - refused, Math.ceil(maxKept / 2)),
  })
  await deleteOldest(tx, {
    signerId,
    sign: '!=',
    surplus: refused - Math.max(maxKept - accepted, Math.floor(maxKept / 2)),
  })
}

const ACCEPTED = 'accepted'

interface Surplus {
  readonly signerId: string
  /** Of the accepted logins, or of the others. */
  readonly sign: '=' | '!='
  readonly surplus: number
}

async function deleteOldest({ db }: Transaction, { signerId, sign, surplus }: Surplus): Promise<void> {
  if (surplus <= 0) return
  const oldest = await db
    .selectFrom('kept_logins')
    .select('digest')
    .where('signer_id', '=', signerId)
    .where('outcome', sign, ACCEPTED)
    .orderBy('at')
    .orderBy('digest', 'desc')
    .limit(surplus)
    .execute()
  const digests = oldest.map(({ digest }) => digest)
  await db.deleteFrom('kept_logins').where('signer_id', '=', signerId).where('digest', 'in', digests).execute()
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
