import { type AccountSettings, fieldError, patternLength } from '@countersign/core'
import { sumPatternLengths } from '../../store/reads/federated-account-reads.ts'
import type { Transaction } from '../../store/transaction.ts'

/** A character of a pattern takes up to a hundred bytes of each process, and every pattern is compared with a token. */
const MAX_PATTERN_CHARACTERS = 65_536

interface ChangedConditions {
  readonly id: string
  readonly organizationId: string
  /** Before the change; null for a new account. */
  readonly current: AccountSettings['conditions']
  readonly next: AccountSettings['conditions']
}

/** Fails with COULD_NOT_VALIDATE when the patterns of an account grow, and those of its organization have too many characters together. */
export async function checkPatternQuota(
  tx: Transaction,
  { id, organizationId, current, next }: ChangedConditions,
): Promise<void> {
  const length = patternLength(next)
  if (length <= patternLength(current)) return
  if (length + (await sumPatternLengths(tx, organizationId, id)) <= MAX_PATTERN_CHARACTERS) return
  const reason = `the patterns of the organization's API accounts can have at most ${MAX_PATTERN_CHARACTERS} characters together: use exact values, or shorter patterns`
  throw fieldError('conditions', reason, '')
}
