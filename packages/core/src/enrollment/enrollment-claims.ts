import { isAccountIdentity } from '@countersign/contract/account-identity'
import { parseSelector, selectClaim } from '../claim/selector.ts'
import type { JsonObject, JsonValue } from '../json/json-value.ts'
import type { SignerSettings } from '../signer/signer-settings.ts'
import type { VerifiedToken } from '../token/verdict.ts'

/** The signer's settings for identities that enroll through it. */
export type EnrollingSigner = Pick<
  SignerSettings,
  'useExternalId' | 'enrollNameClaimsSelector' | 'enrollAttributeClaimsSelector' | 'enrollAuthPolicyId'
>

/** The identity claim becomes the id or the external id, so that the same token logs in afterwards. */
export type EnrollmentKey =
  | { readonly useExternalId: true; readonly externalId: string }
  | { readonly useExternalId: false; readonly id: string }

/** A value from the token for the new identity, or why there is none. The reason repeats nothing of the token or the signer. */
export type EnrollmentClaim<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly reason: string }

/** The token's values for the new identity, in the order in which they are checked. */
export interface EnrollmentClaims {
  readonly key: EnrollmentClaim<EnrollmentKey>
  readonly attributes: EnrollmentClaim<readonly string[]>
  readonly name: EnrollmentClaim<string>
}

/** The claim values that may become the id of an identity. */
const ID_PATTERN = /^[A-Za-z0-9][A-Za-z0-9._@:|+=~-]{0,127}$/

/** Actors in the change log that stand for the controller itself, and for no one. */
const RESERVED_IDS: ReadonlySet<string> = new Set(['system', 'unattributed'])

/**
 * Reads the new identity's values from a token that the signer has accepted. Checks only the type of each value; `validateIdentity` checks
 * names and attributes.
 */
export function readEnrollmentClaims(
  signer: EnrollingSigner,
  { identityClaim, claims, ruleAttributes }: Pick<VerifiedToken, 'identityClaim' | 'claims' | 'ruleAttributes'>,
): EnrollmentClaims {
  return {
    key: readKey(signer, identityClaim),
    attributes: withAttributes(
      readAttributes(selectedClaim(signer.enrollAttributeClaimsSelector, claims)),
      ruleAttributes,
    ),
    name: readName(selectedClaim(signer.enrollNameClaimsSelector, claims)),
  }
}

function readKey({ useExternalId }: EnrollingSigner, claim: string): EnrollmentClaim<EnrollmentKey> {
  if (useExternalId) return usable({ useExternalId, externalId: claim })
  const isReserved = RESERVED_IDS.has(claim) || isAccountIdentity(claim)
  if (ID_PATTERN.test(claim) && !isReserved) return usable({ useExternalId, id: claim })
  return unusable('the identity claim cannot be used as an id: set useExternalId on the signer')
}

/** Accepts a string or an array of strings. Empty strings are dropped; absent and null mean no attributes. */
export function readAttributes(value: JsonValue | undefined): EnrollmentClaim<readonly string[]> {
  const list = value === undefined || value === null ? [] : typeof value === 'string' ? [value] : value
  if (!Array.isArray(list) || !list.every((element) => typeof element === 'string')) {
    return unusable('the claim for the attributes is neither a string nor an array of strings')
  }
  return usable(list.filter((attribute) => attribute !== ''))
}

/** The attributes of a claim together with others. */
export function withAttributes(
  read: EnrollmentClaim<readonly string[]>,
  others: readonly string[],
): EnrollmentClaim<readonly string[]> {
  return read.ok && others.length > 0 ? usable([...new Set([...read.value, ...others])]) : read
}

/** Accepts a string that is not blank. */
export function readName(value: JsonValue | undefined): EnrollmentClaim<string> {
  const isText = typeof value === 'string' && value.trim() !== ''
  return isText ? usable(value) : unusable('the claim for the name is missing or is not a string')
}

/** The value of a stored selector; undefined when it is unset or selects nothing. */
export function selectedClaim(selector: string | null, claims: JsonObject): JsonValue | undefined {
  if (selector === null) return undefined
  const reading = parseSelector(selector)
  if (!reading.ok) throw new TypeError(`the stored selector "${selector}" ${reading.reason}`)
  return selectClaim(reading.selector, claims)
}

const usable = <Value>(value: Value): EnrollmentClaim<Value> => ({ ok: true, value })
const unusable = (reason: string): EnrollmentClaim<never> => ({ ok: false, reason })
