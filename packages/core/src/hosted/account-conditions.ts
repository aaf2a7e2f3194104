import type { AccountKind, AccountSettings } from '@countersign/contract/organization'
import { echoedValue, fieldError } from '../app-error.ts'
import { parseRequiredClaims, type RequiredClaim, requirementText, textsOf } from '../claim/required-claims.ts'
import { selectorPointer } from '../claim/selector.ts'
import type { ReadonlyJson } from '../json/json-value.ts'
import { checkPlainText } from '../text/plain-text.ts'
import { isSameSetting } from '../trust/is-same-setting.ts'
import { isBroad } from './broad-conditions.ts'

const FIELD = 'conditions'

/** Parses the conditions of an API account. Throws when they are invalid by themselves. */
export function checkConditions(conditions: ReadonlyJson): readonly RequiredClaim[] {
  const parsed = parseRequiredClaims(conditions)
  if (!parsed.ok) throw fieldError(FIELD, `conditions ${echoedValue(parsed.reason)}`, '')
  for (const { selector, accepted } of parsed.requiredClaims) {
    for (const text of [selector.text, ...textsOf(accepted)]) checkPlainText(FIELD, text)
  }
  return parsed.requiredClaims
}

interface WrittenConditions {
  readonly kind: AccountKind
  readonly conditions: AccountSettings['conditions']
  /** Before the change; null for a new account. */
  readonly current: AccountSettings['conditions']
  /** Whether the caller knows that they are broad. */
  readonly confirmBroad: boolean
}

/**
 * Throws unless the conditions fit the kind of the account, and, unless `confirmBroad`, when a repository, namespace or workload of anyone else at the
 * issuer would meet them. Conditions that do not change were confirmed before.
 */
export function checkWrittenConditions({ kind, conditions, current, confirmBroad }: WrittenConditions): void {
  const parsed = conditions === null ? [] : checkConditions(conditions)
  if (kind === 'client') {
    if (parsed.length > 0) throw fieldError(FIELD, 'only a federated account has conditions', '')
    return
  }
  if (parsed.length === 0) throw fieldError(FIELD, 'a federated account needs at least one condition', '')
  if (confirmBroad || isSameSetting(FIELD, current, conditions) || !isBroad(parsed)) return
  const reason =
    'others at this issuer would meet these conditions: name a repository, project or namespace, or repeat the request with confirmBroad=true'
  throw fieldError(FIELD, reason, parsed.map(requirementText).join(', '))
}

/** Whether an account with `conditions` is at least as specific as one with `others`: it has each of their conditions too. */
export function includesConditions(conditions: readonly RequiredClaim[], others: readonly RequiredClaim[]): boolean {
  const own = new Set(conditions.map(conditionKey))
  return others.every((condition) => own.has(conditionKey(condition)))
}

function conditionKey({ selector, accepted }: RequiredClaim): string {
  const values = 'glob' in accepted ? accepted.glob : accepted.anyOf.toSorted()
  return JSON.stringify([selectorPointer(selector.text), values])
}
