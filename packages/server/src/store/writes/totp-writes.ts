import type { CodeGuesses } from '@countersign/core'
import type { Transaction } from '../transaction.ts'

export interface NewTotp {
  /** The identity's id. */
  readonly id: string
  readonly totpId: string
  /** The session that sets them up. */
  readonly sessionId: string
  /** Sealed, as are the recovery codes. */
  readonly secret: string
  readonly recoveryCodes: string
}

/** Inserts an unverified TOTP enrollment. */
export async function insertTotp(
  { db, now }: Transaction,
  { id, totpId, sessionId, secret, recoveryCodes }: NewTotp,
): Promise<void> {
  await db
    .insertInto('totps')
    .values({
      id: totpId,
      identity_id: id,
      secret,
      recovery_codes: recoveryCodes,
      spent_recovery_codes: 0,
      last_step: 0,
      session_id: sessionId,
      created_at: now,
      updated_at: now,
    })
    .execute()
}

/** Records that the codes of this time step and earlier ones are used. */
export async function setLastStep({ db, now }: Transaction, totpId: string, step: number): Promise<void> {
  await db.updateTable('totps').set({ last_step: step, updated_at: now }).where('id', '=', totpId).execute()
}

/** Sets which recovery codes are used: bit n for the n-th. */
export async function setSpentRecoveryCodes({ db, now }: Transaction, totpId: string, spent: number): Promise<void> {
  await db.updateTable('totps').set({ spent_recovery_codes: spent, updated_at: now }).where('id', '=', totpId).execute()
}

/** Replaces the recovery codes by new sealed ones, all unused. */
export async function replaceRecoveryCodes(
  { db, now }: Transaction,
  totpId: string,
  recoveryCodes: string,
): Promise<void> {
  await db
    .updateTable('totps')
    .set({ recovery_codes: recoveryCodes, spent_recovery_codes: 0, updated_at: now })
    .where('id', '=', totpId)
    .execute()
}

/** Deletes the TOTP enrollment of an identity and returns its id, if there was one. The count of wrong codes stays. */
export async function deleteTotp({ db }: Transaction, identityId: string): Promise<string | undefined> {
  const deleted = await db.deleteFrom('totps').where('identity_id', '=', identityId).returning('id').executeTakeFirst()
  return deleted?.id
}

export async function storeCodeGuesses(
  { db }: Transaction,
  identityId: string,
  { wrongAt, lockedUntil, locks }: CodeGuesses,
): Promise<void> {
  const values = { wrong_at: JSON.stringify(wrongAt), locked_until: lockedUntil, locks }
  await db
    .insertInto('totp_guesses')
    .values({ identity_id: identityId, ...values })
    .onConflict((conflict) => conflict.column('identity_id').doUpdateSet(values))
    .execute()
}
