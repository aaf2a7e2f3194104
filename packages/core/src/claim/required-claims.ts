import { isJsonObject, type JsonObject, type ReadonlyJson } from '../json/json-value.ts'
import { parseSelector, type Selector, selectClaim } from './selector.ts'

/** One claim that a token must carry: the selected string, or one element of the selected array, equals one of `anyOf`. */
export interface RequiredClaim {
  readonly selector: Selector
  readonly anyOf: readonly string[]
}

export type RequiredClaimsReading =
  | { readonly ok: true; readonly requiredClaims: readonly RequiredClaim[] }
  | { readonly ok: false; readonly reason: string }

const MAX_CLAIMS = 32
const MAX_VALUES = 64
const MAX_VALUE_LENGTH = 512

/** Parses a signer's `requiredClaims`: an object from selector to a string or an array of strings. An empty object requires nothing. */
export function parseRequiredClaims(value: ReadonlyJson): RequiredClaimsReading {
  if (!isJsonObject(value)) return refused('must be an object of selector to value')
  const members = Object.entries(value)
  if (members.length > MAX_CLAIMS) return refused(`must not name more than ${MAX_CLAIMS} claims`)
  const requiredClaims: RequiredClaim[] = []
  for (const [text, wanted] of members) {
    const reading = parseSelector(text)
    if (!reading.ok) return refused(`selector "${text.slice(0, 64)}" ${reading.reason}`)
    const anyOf: readonly ReadonlyJson[] = Array.isArray(wanted) ? wanted : [wanted]
    if (anyOf.length === 0 || anyOf.length > MAX_VALUES) return refused(`"${text}" must have 1 to ${MAX_VALUES} values`)
    if (!anyOf.every(isUsableValue)) {
      return refused(`"${text}" must have strings of 1 to ${MAX_VALUE_LENGTH} characters as values`)
    }
    requiredClaims.push({ selector: reading.selector, anyOf })
  }
  return { ok: true, requiredClaims }
}

/** The first required claim that the claims do not meet. */
export function findUnmetClaim(
  requiredClaims: readonly RequiredClaim[],
  claims: JsonObject,
): RequiredClaim | undefined {
  return requiredClaims.find(({ selector, anyOf }) => {
    const received = selectClaim(selector, claims)
    const values = Array.isArray(received) ? received : [received]
    return !values.some((value) => typeof value === 'string' && anyOf.includes(value))
  })
}

const refused = (reason: string): RequiredClaimsReading => ({ ok: false, reason })

function isUsableValue(value: ReadonlyJson): value is string {
  return typeof value === 'string' && value !== '' && value.length <= MAX_VALUE_LENGTH
}
