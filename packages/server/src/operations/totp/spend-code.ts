import { addWrongCode } from '@countersign/core'
import { findTotp, loadCodeGuesses } from '../../store/reads/totp-reads.ts'
import type { Transaction } from '../../store/transaction.ts'
import { setLastStep, setSpentRecoveryCodes, storeCodeGuesses } from '../../store/writes/totp-writes.ts'

/** A code from a client, already compared with the secrets. */
export interface CodeGuess {
  readonly totpId: string
  /** The matching time step, or the index of the matching recovery code; undefined for a wrong code. */
  readonly match: { readonly step: number } | { readonly recoveryCode: number; readonly of: string } | undefined
}

/** A wrong code is a result and not an error, because an error would roll back the count of wrong codes. */
export type CodeResult = 'right' | 'wrong' | { readonly lockedUntil: number }

/**
 * Accepts a right code that was not used before, and counts any other. Both happen in one transaction: a code works once and the limit holds
 * for concurrent requests on any number of nodes. A right code makes the next lock a short one again.
 */
export async function spendCode(tx: Transaction, identityId: string, guess: CodeGuess): Promise<CodeResult> {
  const { db, now } = tx
  const guesses = await loadCodeGuesses(db, identityId)
  const { lockedUntil, locks } = guesses
  if (lockedUntil > now) return { lockedUntil }
  if (await consumeMatch(tx, identityId, guess)) {
    if (locks > 0) await storeCodeGuesses(tx, identityId, { ...guesses, locks: 0 })
    return 'right'
  }
  await storeCodeGuesses(tx, identityId, addWrongCode(guesses, now))
  return 'wrong'
}

async function consumeMatch(tx: Transaction, identityId: string, { totpId, match }: CodeGuess): Promise<boolean> {
  if (!match) return false
  const totp = await findTotp(tx.db, identityId)
  if (totp?.id !== totpId) return false
  if ('step' in match) {
    // Only later steps are accepted: no code works twice, without a list of used codes.
    if (match.step <= totp.last_step) return false
    await setLastStep(tx, totpId, match.step)
    return true
  }
  const bit = 1 << match.recoveryCode
  if (match.of !== totp.recovery_codes || (totp.spent_recovery_codes & bit) !== 0) return false
  await setSpentRecoveryCodes(tx, totpId, totp.spent_recovery_codes | bit)
  return true
}
