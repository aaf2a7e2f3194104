import { findUnmetClaim, parseRequiredClaims, type RequiredClaim, textsOf } from '../claim/required-claims.ts'
import { parseSelector, selectClaim } from '../claim/selector.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../json/json-value.ts'
import type { ExplainSigner } from './explanation.ts'
import { type Hint, hint, quoted, quotedList } from './hint.ts'
import type { HintSubject } from './hint-subject.ts'

const MAX_CLAIM_NAMES = 20

export function identityClaimHints({ jws, signer }: HintSubject): Hint[] {
  const claims = jws.untrustedClaims
  const selector = quoted(signer.claimsProperty)
  const source = `the signer ${quoted(signer.name)} identifies the caller by ${selector} (claimsProperty)`
  const value = select(signer.claimsProperty, claims)
  if (value === undefined) {
    const names = quotedList(Object.keys(claims), MAX_CLAIM_NAMES)
    const text = `${source}, which the token does not have, it has ${names}: set claimsProperty to one of these, or configure the provider to add the claim`
    return [hint('identity-claim-missing', text)]
  }
  const text = `${source}, which is ${kindOf(value)} in the token: select a claim that is a string of 1 to 512 characters`
  return [hint('identity-claim-unusable', text)]
}

/** One hint for each unmet required claim. */
export function requiredClaimHints({ jws, signer }: HintSubject): Hint[] {
  const claims = jws.untrustedClaims
  const reading = parseRequiredClaims(signer.requiredClaims ?? {})
  const required = reading.ok ? reading.requiredClaims : []
  return required.filter((claim) => findUnmetClaim([claim], claims)).map((claim) => unmetHint(claim, claims, signer))
}

function unmetHint({ selector, accepted }: RequiredClaim, claims: JsonObject, signer: ExplainSigner): Hint {
  const value = selectClaim(selector, claims)
  const received = value === undefined ? 'which the token does not have' : `which is ${quoted(value)} in the token`
  const verb = 'glob' in accepted ? 'match' : 'be'
  const text = `the signer ${quoted(signer.name)} requires ${quoted(selector.text)} to ${verb} ${quotedList(textsOf(accepted))}, ${received}: configure the provider to add the value for this account, or change requiredClaims`
  return hint('required-claim-unmet', text)
}

/** Hints for claims that a signer reads, but that the provider replaced by distributed claims (OpenID Connect), as Entra does for many groups. */
export function omittedClaimHints(claims: JsonObject, signers: readonly ExplainSigner[]): Hint[] {
  const read = new Set(signers.flatMap(selectorsOf).map(rootName))
  const omitted = omittedNames(claims).filter((name) => read.has(name) && claims[name] === undefined)
  return omitted.map((name) => {
    const text = `the token omits ${quoted(name)} because there are too many values (group overage): in Entra set the groups claim to "Groups assigned to the application", or use app roles instead`
    return hint('claims-omitted', text)
  })
}

function omittedNames(claims: JsonObject): string[] {
  const { _claim_names: names, hasgroups } = claims
  const named = isJsonObject(names) ? Object.keys(names) : []
  return hasgroups === true || hasgroups === 'true' ? [...new Set([...named, 'groups'])] : named
}

function selectorsOf(signer: ExplainSigner): string[] {
  const { claimsProperty, enrollNameClaimsSelector, enrollAttributeClaimsSelector, requiredClaims } = signer
  const selectors = [claimsProperty, enrollNameClaimsSelector, enrollAttributeClaimsSelector ?? '']
  return [...selectors, ...Object.keys(requiredClaims ?? {})]
}

function rootName(selector: string): string | undefined {
  const reading = parseSelector(selector)
  return reading.ok ? reading.selector.segments[0] : undefined
}

function select(selector: string, claims: JsonObject): JsonValue | undefined {
  const reading = parseSelector(selector)
  return reading.ok ? selectClaim(reading.selector, claims) : undefined
}

function kindOf(value: JsonValue): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'an array'
  if (typeof value === 'string') return value.trim() === '' ? 'an empty string' : 'a string that cannot be used'
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`
}
