import { isAccountIdentity } from '@countersign/contract/account-identity'
import { parseSelector, selectClaim } from '../claim/selector.ts'
import type { JsonObject, JsonValue } from '../json/json-value.ts'
import type { SignerSettings } from '../signer/signer-settings.ts'
import type { VerifiedToken } from '../token/verdict.ts'

/** What a signer says about those who enroll through it. */
export type EnrollingSigner = Pick<
  SignerSettings,
  'useExternalId' | 'enrollNameClaimsSelector' | 'enrollAttributeClaimsSelector' | 'enrollAuthPolicyId'
>

/** The claim that names somebody becomes the id or the external id, so that the same token signs in afterwards. */
export type EnrollmentKey =
  | { readonly useExternalId: true; readonly externalId: string }
  | { readonly useExternalId: false; readonly id: string }

/** One thing that a token tells of whoever enrolls, or why it does not; the reason repeats nothing of token or signer. */
export type EnrollmentClaim<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly reason: string }

/** Everything that a token tells of whoever enrolls with it, in the order in which it is looked at. */
export interface EnrollmentClaims {
  readonly key: EnrollmentClaim<EnrollmentKey>
  readonly attributes: EnrollmentClaim<readonly string[]>
  readonly name: EnrollmentClaim<string>
}

/** What may become the id of an identity. */
const ID_FORM = /^[A-Za-z0-9][A-Za-z0-9._@:|+=~-]{0,127}$/

/** By these names the controller itself stands in the change log. */
const RESERVED_IDS: ReadonlySet<string> = new Set(['system'])

/**
 * Reads who would enroll from a token that the signer has accepted. Only the kind of each value is looked at here: whether a name or an
 * attribute may be used is up to the rules of identities.
 */
export function readEnrollmentClaims(
  signer: EnrollingSigner,
  { identityClaim, claims }: Pick<VerifiedToken, 'identityClaim' | 'claims'>,
): EnrollmentClaims {
  return {
    key: readKey(signer, identityClaim),
    attributes: readAttributes(selected(signer.enrollAttributeClaimsSelector, claims)),
    name: readName(selected(signer.enrollNameClaimsSelector, claims)),
  }
}

function readKey({ useExternalId }: EnrollingSigner, claim: string): EnrollmentClaim<EnrollmentKey> {
  if (useExternalId) return taken({ useExternalId, externalId: claim })
  const isReserved = RESERVED_IDS.has(claim) || isAccountIdentity(claim)
  if (ID_FORM.test(claim) && !isReserved) return taken({ useExternalId, id: claim })
  return refused('the claim that names the identity cannot be an id: set useExternalId on the signer')
}

/** Absent and empty are none, one text is one, and of a list of texts the empty ones are left out. */
function readAttributes(value: JsonValue | undefined): EnrollmentClaim<readonly string[]> {
  const list = value === undefined || value === null ? [] : typeof value === 'string' ? [value] : value
  if (!Array.isArray(list) || !list.every((element) => typeof element === 'string')) {
    return refused('the claim that fills the attributes is neither text nor a list of texts')
  }
  return taken(list.filter((attribute) => attribute !== ''))
}

function readName(value: JsonValue | undefined): EnrollmentClaim<string> {
  const isText = typeof value === 'string' && value.trim() !== ''
  return isText ? taken(value) : refused('the claim that fills the name is not there, or not text')
}

function selected(selector: string | null, claims: JsonObject): JsonValue | undefined {
  if (selector === null) return undefined
  const reading = parseSelector(selector)
  if (!reading.ok) throw new TypeError(`a saved signer has the selector "${selector}", which ${reading.reason}`)
  return selectClaim(reading.selector, claims)
}

const taken = <Value>(value: Value): EnrollmentClaim<Value> => ({ ok: true, value })
const refused = (reason: string): EnrollmentClaim<never> => ({ ok: false, reason })
