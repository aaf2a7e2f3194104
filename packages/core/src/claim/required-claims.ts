import { isJsonObject, type JsonObject, type ReadonlyJson } from '../json/json-value.ts'
import { type GlobMatcher, globMatcher } from './glob.ts'
import { parseSelector, type Selector, selectClaim } from './selector.ts'

/** The values that meet a requirement: exactly these, or all that match a pattern. */
export type AcceptedValues =
  | { readonly anyOf: readonly string[] }
  | { readonly glob: string; readonly matches: GlobMatcher }

/** One claim that a token must carry: the selected string, or one element of the selected array, is accepted. */
export interface RequiredClaim {
  readonly selector: Selector
  readonly accepted: AcceptedValues
}

export type RequiredClaimsReading =
  | { readonly ok: true; readonly requiredClaims: readonly RequiredClaim[] }
  | { readonly ok: false; readonly reason: string }

const MAX_CLAIMS = 32
const MAX_VALUES = 64
const MAX_VALUE_LENGTH = 512
const TEXT = `strings of 1 to ${MAX_VALUE_LENGTH} characters`

/**
 * Parses the `requiredClaims` of a signer or the `conditions` of an API account: an object from selector to a string, an array of strings, or
 * `{ "glob": pattern }`. An empty object requires nothing.
 */
export function parseRequiredClaims(value: ReadonlyJson): RequiredClaimsReading {
  if (!isJsonObject(value)) return refused('must be an object of selector to value')
  const members = Object.entries(value)
  if (members.length > MAX_CLAIMS) return refused(`must not name more than ${MAX_CLAIMS} claims`)
  const requiredClaims: RequiredClaim[] = []
  for (const [text, wanted] of members) {
    const reading = parseSelector(text)
    if (!reading.ok) return refused(`selector "${text.slice(0, 64)}" ${reading.reason}`)
    const accepted = isJsonObject(wanted) ? readGlob(wanted) : readValues(wanted)
    if (typeof accepted === 'string') return refused(`"${text}" ${accepted}`)
    requiredClaims.push({ selector: reading.selector, accepted })
  }
  return { ok: true, requiredClaims }
}

function readValues(wanted: ReadonlyJson): AcceptedValues | string {
  const anyOf: readonly ReadonlyJson[] = Array.isArray(wanted) ? wanted : [wanted]
  if (anyOf.length === 0 || anyOf.length > MAX_VALUES) return `must have 1 to ${MAX_VALUES} values`
  return anyOf.every(isUsableValue) ? { anyOf } : `must have ${TEXT} as values, or { "glob": pattern }`
}

function readGlob({ glob, ...others }: Readonly<Record<string, ReadonlyJson>>): AcceptedValues | string {
  const [other] = Object.keys(others)
  if (other !== undefined) return `must have only the member glob, not "${other.slice(0, 64)}"`
  if (glob === undefined || !isUsableValue(glob)) return `must have a glob of ${TEXT}`
  return { glob, matches: globMatcher(glob) }
}

/** The first required claim that the claims do not meet. */
export function findUnmetClaim(
  requiredClaims: readonly RequiredClaim[],
  claims: JsonObject,
): RequiredClaim | undefined {
  return requiredClaims.find((claim) => !isMet(claim, claims))
}

/** Whether the claims meet this requirement. */
export function isMet({ selector, accepted }: RequiredClaim, claims: JsonObject): boolean {
  const received = selectClaim(selector, claims)
  const values = Array.isArray(received) ? received : [received]
  return values.some((value) => typeof value === 'string' && accepts(accepted, value))
}

export function accepts(accepted: AcceptedValues, value: string): boolean {
  return 'glob' in accepted ? accepted.matches(value) : accepted.anyOf.includes(value)
}

/** The accepted values or the pattern, as the setting has them. */
export function textsOf(accepted: AcceptedValues): readonly string[] {
  return 'glob' in accepted ? [accepted.glob] : accepted.anyOf
}

/** What a claim must be, for a verdict: `repository is acme/app or acme/web`, `ref matches refs/heads/*`. */
export function requirementText({ selector, accepted }: RequiredClaim): string {
  const verb = 'glob' in accepted ? 'matches' : 'is'
  return `${selector.text} ${verb} ${textsOf(accepted).join(' or ')}`
}

const refused = (reason: string): RequiredClaimsReading => ({ ok: false, reason })

function isUsableValue(value: ReadonlyJson): value is string {
  return typeof value === 'string' && value !== '' && value.length <= MAX_VALUE_LENGTH
}
