import { findTotp, loadWrongCodes } from '../../store/reads/totp-reads.ts'
import type { Transaction } from '../../store/transaction.ts'
import { setLastStep, setSpentRecoveryCodes, storeWrongCodes } from '../../store/writes/totp-writes.ts'

/** A code from a client, with what it matched when the secrets were opened. */
export interface CodeGuess {
  readonly totpId: string
  /** The step that it is the code of, or its index among the recovery codes; undefined when it is neither. */
  readonly match: { readonly step: number } | { readonly recoveryCode: number; readonly of: string } | undefined
}

/** A wrong code is no error: an error would undo the count of wrong codes. */
export type CodeOutcome = 'right' | 'wrong' | { readonly lockedUntil: number }

const MAX_WRONG = 10
const WRONG_WITHIN_MS = 300_000
const LOCKED_MS = 300_000

/**
 * Takes a right code that was not taken before, and counts any other, in one transaction: a code works once and the limit holds however many
 * arrive at a time, on any number of nodes. After 10 wrong codes within 5 minutes every code is refused for 5 minutes.
 */
export async function spendCode(tx: Transaction, identityId: string, guess: CodeGuess): Promise<CodeOutcome> {
  const { db, now } = tx
  const { wrongAt, lockedUntil } = await loadWrongCodes(db, identityId)
  if (lockedUntil > now) return { lockedUntil }
  if (await takeMatch(tx, identityId, guess)) return 'right'
  const wrong = [...wrongAt.filter((at) => at > now - WRONG_WITHIN_MS), now]
  const isTooMany = wrong.length >= MAX_WRONG
  await storeWrongCodes(
    tx,
    identityId,
    isTooMany ? { wrongAt: [], lockedUntil: now + LOCKED_MS } : { wrongAt: wrong, lockedUntil: 0 },
  )
  return 'wrong'
}

async function takeMatch(tx: Transaction, identityId: string, { totpId, match }: CodeGuess): Promise<boolean> {
  if (!match) return false
  const totp = await findTotp(tx.db, identityId)
  if (totp?.id !== totpId) return false
  if ('step' in match) {
    // Later steps only: no code works twice, and no list of used codes is needed.
    if (match.step <= totp.last_step) return false
    await setLastStep(tx, totpId, match.step)
    return true
  }
  const bit = 1 << match.recoveryCode
  if (match.of !== totp.recovery_codes || (totp.spent_recovery_codes & bit) !== 0) return false
  await setSpentRecoveryCodes(tx, totpId, totp.spent_recovery_codes | bit)
  return true
}
