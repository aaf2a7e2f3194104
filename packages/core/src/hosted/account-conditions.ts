import type { AccountKind, AccountSettings } from '@countersign/contract/organization'
import { echoedValue, fieldError } from '../app-error.ts'
import { parseRequiredClaims, type RequiredClaim, requirementText, textsOf } from '../claim/required-claims.ts'
import { selectorPointer } from '../claim/selector.ts'
import type { ReadonlyJson } from '../json/json-value.ts'
import { checkPlainText } from '../text/plain-text.ts'
import { isSameSetting } from '../trust/is-same-setting.ts'
import { isBroad } from './broad-conditions.ts'

const FIELD = 'conditions'
/** Of all claims and values together: those of every account of an organization are compared with a token. */
const MAX_CHARACTERS = 2_048

/** Parses the conditions of an API account. */
export function parseConditions(conditions: ReadonlyJson): readonly RequiredClaim[] {
  const parsed = parseRequiredClaims(conditions)
  if (!parsed.ok) throw fieldError(FIELD, `conditions ${echoedValue(parsed.reason)}`, '')
  return parsed.requiredClaims
}

/** Parses conditions that are written now. Throws when they are invalid by themselves. */
export function checkConditions(conditions: ReadonlyJson): readonly RequiredClaim[] {
  const parsed = parseConditions(conditions)
  const texts = parsed.flatMap(({ selector, accepted }) => [selector.text, ...textsOf(accepted)])
  for (const text of texts) checkPlainText(FIELD, text)
  if (texts.reduce((sum, { length }) => sum + length, 0) > MAX_CHARACTERS) {
    throw fieldError(FIELD, `conditions must have at most ${MAX_CHARACTERS} characters in all: use a pattern`, '')
  }
  return parsed
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

/** The length of the patterns in conditions. */
export function patternLength(conditions: AccountSettings['conditions']): number {
  const parsed = parseConditions(conditions ?? {})
  return parsed.reduce((sum, { accepted }) => sum + ('glob' in accepted ? accepted.glob.length : 0), 0)
}

/** The conditions, patterns last: comparing one with a claim can take milliseconds. */
export function exactFirst(conditions: readonly RequiredClaim[]): readonly RequiredClaim[] {
  return conditions.toSorted((a, b) => Number('glob' in a.accepted) - Number('glob' in b.accepted))
}

/** What identifies each condition, in whatever form it is written. */
export function conditionKeys(conditions: readonly RequiredClaim[]): ReadonlySet<string> {
  return new Set(conditions.map(conditionKey))
}

/** Of several sets of conditions, the one that has all conditions of the others too; undefined when there is none, or more than one. */
export function findMostSpecific<Of extends { readonly conditionKeys: ReadonlySet<string> }>(
  candidates: readonly Of[],
): Of | undefined {
  const most = Math.max(...candidates.map((one) => one.conditionKeys.size))
  const [largest, second] = candidates.filter((one) => one.conditionKeys.size === most)
  if (!largest || second) return undefined
  const includes = (other: Of) => [...other.conditionKeys].every((key) => largest.conditionKeys.has(key))
  return candidates.every(includes) ? largest : undefined
}

function conditionKey({ selector, accepted }: RequiredClaim): string {
  const values = 'glob' in accepted ? accepted.glob : accepted.anyOf.toSorted()
  return JSON.stringify([selectorPointer(selector.text), values])
}
