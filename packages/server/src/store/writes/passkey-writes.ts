import { insertRow } from '../prepared.ts'
import type { Transaction } from '../transaction.ts'
import { rejectDuplicates } from '../unique-violation.ts'

const ENTITY = 'passkeys'

export interface NewPasskey {
  readonly id: string
  readonly identityId: string
  readonly name: string
  /** The domain below which it works. */
  readonly rpId: string
  /** Base64url, as is the COSE key. */
  readonly credentialId: string
  readonly publicKey: string
  readonly counter: number
  readonly transports: readonly string[]
  readonly aaguid: string
  readonly isBackupEligible: boolean
  readonly isBackedUp: boolean
}

/** Fails with PASSKEY_EXISTS when any identity has it. */
export async function insertPasskey(tx: Transaction, passkey: NewPasskey): Promise<void> {
  await rejectDuplicates({}, () =>
    insertRow(tx.db, 'passkeys', {
      id: passkey.id,
      identity_id: passkey.identityId,
      name: passkey.name,
      rp_id: passkey.rpId,
      credential_id: passkey.credentialId,
      public_key: passkey.publicKey,
      counter: passkey.counter,
      transports: JSON.stringify(passkey.transports),
      aaguid: passkey.aaguid,
      is_backup_eligible: passkey.isBackupEligible,
      is_backed_up: passkey.isBackedUp,
      last_used_at: null,
      created_at: tx.now,
      updated_at: tx.now,
    }),
  )
  tx.changed({ entity: ENTITY, id: passkey.id, action: 'created' })
}

export async function setPasskeyName(tx: Transaction, id: string, name: string): Promise<void> {
  await tx.db.updateTable('passkeys').set({ name, updated_at: tx.now }).where('id', '=', id).execute()
  tx.changed({ entity: ENTITY, id, action: 'updated' })
}

export interface PasskeyUse {
  readonly counter: number
  readonly isBackedUp: boolean
}

/** Not reported as a change: no decision depends on it, and a use changes no settings. */
export async function setPasskeyUse(
  { db, now }: Transaction,
  id: string,
  { counter, isBackedUp }: PasskeyUse,
): Promise<void> {
  await db
    .updateTable('passkeys')
    .set({ counter, is_backed_up: isBackedUp, last_used_at: now })
    .where('id', '=', id)
    .execute()
}

export async function deletePasskey(tx: Transaction, id: string): Promise<void> {
  await tx.db.deleteFrom('passkeys').where('id', '=', id).execute()
  tx.changed({ entity: ENTITY, id, action: 'deleted' })
}

export interface SpentChallenge {
  readonly digest: string
  /** From then on it is refused for its age. */
  readonly expiresAt: number
}

/**
 * Spends a challenge for an identity. Returns false when it is spent. Rows of other identities are never waited for: the challenge of a login names
 * none, and each of them needs a signature of its own passkey.
 */
export async function spendChallenge(
  { db }: Transaction,
  identityId: string,
  { digest, expiresAt }: SpentChallenge,
): Promise<boolean> {
  const spent = await db
    .insertInto('spent_challenges')
    .values({ identity_id: identityId, challenge_digest: digest, expires_at: expiresAt })
    .onConflict((conflict) => conflict.doNothing())
    .returning('challenge_digest')
    .executeTakeFirst()
  return spent !== undefined
}

/** Deletes up to `limit` challenges that have expired. Returns how many. */
export async function deleteExpiredChallenges({ db, now }: Transaction, limit: number): Promise<number> {
  const expired = db
    .selectFrom('spent_challenges')
    .select('challenge_digest')
    .where('expires_at', '<=', now)
    .limit(limit)
  const deleted = await db
    .deleteFrom('spent_challenges')
    .where('challenge_digest', 'in', expired)
    .where('expires_at', '<=', now)
    .returning('challenge_digest')
    .execute()
  return deleted.length
}
