import { type AcceptedValues, accepts, parseRequiredClaims } from '../claim/required-claims.ts'
import { selectorPointer } from '../claim/selector.ts'
import { givenKeys, type KeyRules } from './removed-keys.ts'
import { signerAudiences } from './signer-audiences.ts'
import type { SignerSettings } from './signer-settings.ts'

/** What decides which tokens a signer accepts and which identity they name. */
export interface TokenRules
  extends Pick<
      SignerSettings,
      | 'issuer'
      | 'audience'
      | 'additionalAudiences'
      | 'claimsProperty'
      | 'useExternalId'
      | 'requiredClaims'
      | 'acceptRule'
      | 'maxTokenAgeSeconds'
      | 'requirePossession'
      | 'oneUse'
      | 'jwksEndpoint'
      | 'jwksCaPem'
      | 'pushedKeys'
    >,
    KeyRules {}

/**
 * Whether a change of a signer ends all its sessions: a token that it accepted before could be refused now, or name another identity. What accepts
 * more than before ends none, and neither does the tolerated clock skew, which only shifts a token's end. A key that is taken from several
 * ends only the sessions that rest on it, see `removedKeys`.
 */
export function endsSessions(current: TokenRules, next: TokenRules): boolean {
  return (
    current.issuer !== next.issuer ||
    losesAudience(current, next) ||
    selectorPointer(current.claimsProperty) !== selectorPointer(next.claimsProperty) ||
    current.useExternalId !== next.useExternalId ||
    requiresMore(current, next) ||
    changesRule(current, next) ||
    limitOf(next) < limitOf(current) ||
    requiresMorePossession(current, next) ||
    (next.oneUse && !current.oneUse) ||
    changesKeys(current, next)
  )
}

function losesAudience(current: TokenRules, next: TokenRules): boolean {
  const kept = new Set(signerAudiences(next))
  return signerAudiences(current).some((audience) => !kept.has(audience))
}

/** Whether a claim is required that was not before, or one of the values that met it no longer does. */
function requiresMore(current: TokenRules, next: TokenRules): boolean {
  const before = conditionsOf(current)
  return conditionsOf(next).some(
    ({ pointer, accepted }) =>
      !before.some((known) => known.pointer === pointer && acceptsAll(accepted, known.accepted)),
  )
}

function conditionsOf({ requiredClaims }: TokenRules) {
  const reading = parseRequiredClaims(requiredClaims ?? {})
  if (!reading.ok) throw new TypeError('the required claims are not validated')
  return reading.requiredClaims.map(({ selector, accepted }) => ({ pointer: selectorPointer(selector.text), accepted }))
}

/** Whether every value that `known` accepts is accepted. Of two patterns only equal ones are known to be. */
function acceptsAll(accepted: AcceptedValues, known: AcceptedValues): boolean {
  if ('glob' in known) return 'glob' in accepted && accepted.glob === known.glob
  return known.anyOf.every((value) => accepts(accepted, value))
}

/** Whether a rule refuses more than another one before cannot be computed. */
function changesRule({ acceptRule: current }: TokenRules, { acceptRule: next }: TokenRules): boolean {
  return next !== null && next !== current
}

function limitOf({ maxTokenAgeSeconds }: TokenRules): number {
  return maxTokenAgeSeconds ?? Number.POSITIVE_INFINITY
}

/** Whether a token that proves enough now could be refused then. */
function requiresMorePossession({ requirePossession: current }: TokenRules, { requirePossession: next }: TokenRules) {
  return next !== 'none' && next !== current && !(next === 'any' && current !== 'none')
}

/** Keys are replaced because of a move or because they are compromised, which only the administrator knows. */
function changesKeys(current: TokenRules, next: TokenRules): boolean {
  return (
    current.jwksEndpoint !== next.jwksEndpoint ||
    (current.jwksCaPem !== null && current.jwksCaPem !== next.jwksCaPem) ||
    (current.pushedKeys === null) !== (next.pushedKeys === null) ||
    changesCertificate(current, next)
  )
}

/** Whether the key of `certPem` is gone. It may have moved to `certPems`. */
function changesCertificate(current: TokenRules, next: TokenRules): boolean {
  if (current.certificate === null) return next.certificate !== null && givenKeys(current).length === 0
  const [{ name }] = givenKeys({ ...current, jwks: null, certificates: [] }) as [{ name: string }]
  return !givenKeys({ ...next, jwks: null }).some((key) => key.name === name)
}
