import { findTotp, loadWrongCodes } from '../../store/reads/totp-reads.ts'
import type { Transaction } from '../../store/transaction.ts'
import { setLastStep, setSpentRecoveryCodes, storeWrongCodes } from '../../store/writes/totp-writes.ts'

/** A code from a client, already compared with the secrets. */
export interface CodeGuess {
  readonly totpId: string
  /** The matching time step, or the index of the matching recovery code; undefined for a wrong code. */
  readonly match: { readonly step: number } | { readonly recoveryCode: number; readonly of: string } | undefined
}

/** A wrong code is a result and not an error, because an error would roll back the count of wrong codes. */
export type CodeResult = 'right' | 'wrong' | { readonly lockedUntil: number }

const MAX_WRONG = 10
const WRONG_WITHIN_MS = 300_000
const LOCKED_MS = 300_000

/**
 * Accepts a right code that was not used before, and counts any other. Both happen in one transaction: a code works once and the limit holds
 * for concurrent requests on any number of nodes. After 10 wrong codes within 5 minutes every code is refused for 5 minutes.
 */
export async function spendCode(tx: Transaction, identityId: string, guess: CodeGuess): Promise<CodeResult> {
  const { db, now } = tx
  const { wrongAt, lockedUntil } = await loadWrongCodes(db, identityId)
  if (lockedUntil > now) return { lockedUntil }
  if (await consumeMatch(tx, identityId, guess)) return 'right'
  const wrong = [...wrongAt.filter((at) => at > now - WRONG_WITHIN_MS), now]
  const isTooMany = wrong.length >= MAX_WRONG
  await storeWrongCodes(
    tx,
    identityId,
    isTooMany ? { wrongAt: [], lockedUntil: now + LOCKED_MS } : { wrongAt: wrong, lockedUntil: 0 },
  )
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
