import {
  displayValue,
  findMostSpecific,
  isMet,
  type JsonObject,
  type RequiredClaim,
  selectClaim,
} from '@countersign/core'
import { mapInTurns } from '../platform/map-in-turns.ts'
import type { FederatedAccount } from '../store/reads/federated-account-reads.ts'
import type { RefusedAccess } from './access-verdict.ts'

/** Which account a verified token acts as, or why none. */
export type AccountChoice = FederatedAccount | Pick<RefusedAccess, 'reason' | 'account' | 'unmet' | 'matching'>

/** An account, with its conditions that a token does not meet. */
interface ComparedAccount {
  readonly account: FederatedAccount
  readonly unmet: RequiredClaim[]
}

/**
 * The account whose conditions the claims meet; undefined when that is not known at `untilMs` of `performance.now()`. Of several, the one that has the
 * conditions of all others too: any other choice would depend on something that its administrators do not see. An account that is disabled, or whose
 * record is, keeps its place and refuses.
 */
export async function chooseAccount(
  accounts: readonly FederatedAccount[],
  claims: JsonObject,
  untilMs: number,
): Promise<AccountChoice | undefined> {
  const compared = await compareInTime(accounts, claims, { untilMs, maxUnmet: 1 })
  if (compared.length < accounts.length) return undefined
  const matching = compared.filter(({ unmet }) => unmet.length === 0).map(({ account }) => account)
  if (matching.length === 0) {
    const whole = await compareInTime(accounts, claims, { untilMs, maxUnmet: Number.POSITIVE_INFINITY })
    return nearest(whole.length > 0 ? whole : compared, claims)
  }
  const chosen = findMostSpecific(matching)
  return chosen ?? { reason: 'account-ambiguous', account: matching[0], matching: matching.map(({ name }) => name) }
}

/**
 * Compares accounts until there is no more time. No further condition of an account is compared after `maxUnmet` that are not met. The turns are of conditions: one may
 * take milliseconds, and an account has many.
 */
async function compareInTime(
  accounts: readonly FederatedAccount[],
  claims: JsonObject,
  { untilMs, maxUnmet }: { readonly untilMs: number; readonly maxUnmet: number },
): Promise<ComparedAccount[]> {
  const compared: ComparedAccount[] = []
  function* comparisons() {
    for (const account of accounts) {
      const unmet: RequiredClaim[] = []
      for (const condition of account.conditions) {
        if (performance.now() > untilMs) return
        if (unmet.length < maxUnmet) yield { condition, unmet }
      }
      compared.push({ account, unmet })
    }
  }
  await mapInTurns(comparisons(), ({ condition, unmet }) => {
    if (!isMet(condition, claims)) unmet.push(condition)
  })
  return compared
}

/** The account with the fewest unmet conditions. */
function nearest(compared: readonly ComparedAccount[], claims: JsonObject): AccountChoice {
  const [first] = compared.toSorted((a, b) => a.unmet.length - b.unmet.length)
  if (!first) return { reason: 'account-unknown' }
  const unmet = first.unmet.map((condition) => {
    return { condition, received: displayValue(selectClaim(condition.selector, claims)) }
  })
  return { reason: 'condition-unmet', account: first.account, unmet }
}
