import {
  displayValue,
  findMostSpecific,
  isMet,
  type JsonObject,
  type RequiredClaim,
  selectClaim,
} from '@countersign/core'
import type { FederatedAccount } from '../store/reads/federated-account-reads.ts'
import type { RefusedAccess } from './access-verdict.ts'

/** Which account a verified token acts as, or why none. */
export type AccountChoice = FederatedAccount | Pick<RefusedAccess, 'reason' | 'account' | 'unmet' | 'matching'>

/** Pauses before each comparison, which may take milliseconds. It is continued with whether there is time for it. */
export type Comparing<Result> = Generator<undefined, Result, boolean>

/** An account, with its conditions that a token does not meet. */
interface ComparedAccount {
  readonly account: FederatedAccount
  readonly unmet: RequiredClaim[]
}

/**
 * The account whose conditions the claims meet; undefined when there is no time to compare all. Of several, the one that has the conditions of all
 * others too: any other choice would depend on something that its administrators do not see. An account that is disabled, or whose record is, keeps
 * its place and refuses.
 */
export function* chooseAccount(
  accounts: readonly FederatedAccount[],
  claims: JsonObject,
): Comparing<AccountChoice | undefined> {
  const compared = yield* compareInTime(accounts, claims, 1)
  if (compared.length < accounts.length) return undefined
  const matching = compared.filter(({ unmet }) => unmet.length === 0).map(({ account }) => account)
  if (matching.length === 0) {
    const whole = yield* compareInTime(accounts, claims, Number.POSITIVE_INFINITY)
    return nearest(whole.length > 0 ? whole : compared, claims)
  }
  const chosen = findMostSpecific(matching)
  return chosen ?? { reason: 'account-ambiguous', account: matching[0], matching: matching.map(({ name }) => name) }
}

/** Compares accounts until there is no more time. No further condition of an account is compared after `maxUnmet` that are not met. */
function* compareInTime(
  accounts: readonly FederatedAccount[],
  claims: JsonObject,
  maxUnmet: number,
): Comparing<readonly ComparedAccount[]> {
  const compared: ComparedAccount[] = []
  for (const account of accounts) {
    const unmet: RequiredClaim[] = []
    for (const condition of account.conditions) {
      if (unmet.length >= maxUnmet) break
      if (!(yield)) return compared
      if (!isMet(condition, claims)) unmet.push(condition)
    }
    compared.push({ account, unmet })
  }
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
