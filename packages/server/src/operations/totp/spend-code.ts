import type { WriteContext } from '../../store/write-operation.ts'

/** A code that somebody gave, with what it was found to be when the secrets were opened. */
export interface CodeGuess {
  readonly totpId: string
  /** The step that it is the code of, or its place among the recovery codes; undefined when it is neither. */
  readonly match: { readonly step: number } | { readonly recoveryCode: number; readonly of: string } | undefined
}

/** Wrong codes change the store too, so that none of these is an error that would undo it. */
export type CodeOutcome = 'right' | 'wrong' | { readonly lockedUntil: number }

const MAX_WRONG = 10
const WRONG_WITHIN_MS = 300_000
const LOCKED_MS = 300_000

/**
 * Takes a code if it is good and was never taken before, and counts it if not, in one transaction: however many come at a
 * time and on however many nodes, a code works once and the limit holds. While it holds, right codes are refused as well.
 */
export async function spendCode(context: WriteContext, identityId: string, guess: CodeGuess): Promise<CodeOutcome> {
  const { db, now } = context
  const row = await db.selectFrom('totp_guesses').selectAll().where('identity_id', '=', identityId).executeTakeFirst()
  if (row && row.locked_until > now) return { lockedUntil: row.locked_until }
  if (await takeMatch(context, identityId, guess)) return 'right'
  const earlier: number[] = row ? JSON.parse(row.wrong_at) : []
  const wrong = [...earlier.filter((at) => at > now - WRONG_WITHIN_MS), now]
  const isTooMany = wrong.length >= MAX_WRONG
  const values = { wrong_at: JSON.stringify(isTooMany ? [] : wrong), locked_until: isTooMany ? now + LOCKED_MS : 0 }
  await db
    .insertInto('totp_guesses')
    .values({ identity_id: identityId, ...values })
    .onConflict((conflict) => conflict.column('identity_id').doUpdateSet(values))
    .execute()
  return 'wrong'
}

async function takeMatch(
  { db, now }: WriteContext,
  identityId: string,
  { totpId, match }: CodeGuess,
): Promise<boolean> {
  const totp =
    match &&
    (await db
      .selectFrom('totps')
      .selectAll()
      .where('id', '=', totpId)
      .where('identity_id', '=', identityId)
      .executeTakeFirst())
  if (!totp) return false
  const update = db.updateTable('totps').where('id', '=', totpId)
  if ('step' in match) {
    // Later steps only: that takes no list of the codes used, and no code is good twice.
    if (match.step <= totp.last_step) return false
    await update.set({ last_step: match.step, updated_at: now }).execute()
    return true
  }
  const bit = 1 << match.recoveryCode
  if (match.of !== totp.recovery_codes || (totp.spent_recovery_codes & bit) !== 0) return false
  await update.set({ spent_recovery_codes: totp.spent_recovery_codes | bit, updated_at: now }).execute()
  return true
}
