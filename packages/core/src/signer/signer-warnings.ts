import { parseSelector, selectorWarning } from '../claim/selector.ts'
import { isSharedClaim } from '../hosted/broad-conditions.ts'
import { readRule } from '../rule/compile-rule.ts'
import type { SignerSettings } from './signer-settings.ts'

const DAY_MS = 86_400_000
/** Days before its expiry from which a certificate causes a warning. */
const EXPIRY_WARNING_DAYS = 30

const SELECTORS = ['claimsProperty', 'enrollNameClaimsSelector', 'enrollAttributeClaimsSelector'] as const

/** Claims about the token, which do not identify its subject. */
const NOT_IDENTIFYING = new Set(['iss', 'aud', 'exp', 'nbf', 'iat'])

/** Issuers that sign tokens for everyone. */
const SHARED_ISSUERS = new Set([
  'https://token.actions.githubusercontent.com',
  'https://gitlab.com',
  'https://accounts.google.com',
  'accounts.google.com',
])
/** Login endpoints of Entra that are not tenants. */
const SHARED_ENTRA = ['common', 'organizations', 'consumers'].map(
  (name) => `https://login.microsoftonline.com/${name}/`,
)

/** Google's claim of the Workspace. Conditions of API accounts need more: everyone in a Workspace has it. */
const WORKSPACE = 'hd'

interface Validity {
  readonly notBefore: number
  readonly notAfter: number
}

interface NamedValidity extends Validity {
  readonly fingerprint: string
}

/** Warns the administrator about settings that are allowed, but probably mistakes. */
export function signerWarnings(
  signer: SignerSettings,
  certificate: Validity | null,
  now: number,
  certificates: readonly NamedValidity[] = [],
): string[] {
  const warnings = certificate ? certificateWarnings(certificate, now) : []
  for (const each of certificates) warnings.push(...certificateWarnings(each, now, each.fingerprint))
  if (signer.kid !== null && certificates.length > 0) {
    warnings.push('kid: it applies to certPem only; the kid of each of certPems is its fingerprint')
  }
  for (const field of SELECTORS) {
    const selector = signer[field]
    const warning = selector && selectorWarning(selector)
    if (warning) warnings.push(`${field}: ${warning}`)
  }
  const claim = signer.claimsProperty.startsWith('/') ? signer.claimsProperty.slice(1) : signer.claimsProperty
  if (NOT_IDENTIFYING.has(claim)) {
    warnings.push(`claimsProperty: "${claim}" is the same in the tokens of many users, so it does not identify one`)
  }
  if (enrolls(signer) && isShared(signer.issuer) && !restrictsOwner(signer)) {
    warnings.push(
      'this issuer signs tokens for everyone, and enrollment is on: set requiredClaims or an acceptRule on a claim that says whose token it is',
    )
  }
  return warnings
}

/**
 * Warns about a certificate that is not valid or expires soon. Both dates are inclusive (RFC 5280 section 4.1.2.5). With `fingerprint`, it is one of
 * several.
 */
export function certificateWarnings({ notBefore, notAfter }: Validity, now: number, fingerprint?: string): string[] {
  const day = (at: number): string => new Date(at).toISOString().slice(0, 10)
  const which = fingerprint === undefined ? 'the certificate' : `the certificate ${fingerprint}`
  const member = fingerprint === undefined ? 'certPem' : 'certPems'
  if (now < notBefore) return [`${which} is not valid before ${day(notBefore)}: until then no token verifies`]
  if (now > notAfter) return [`${which} expired on ${day(notAfter)}: no token verifies`]
  if (notAfter - now > EXPIRY_WARNING_DAYS * DAY_MS) return []
  return [`${which} expires on ${day(notAfter)}, ${timeLeft(notAfter - now)}: PATCH ${member} before then`]
}

function timeLeft(milliseconds: number): string {
  const days = Math.floor(milliseconds / DAY_MS)
  return days === 0 ? 'in less than a day' : days === 1 ? 'in 1 day' : `in ${days} days`
}

function enrolls({ enrollToCertEnabled, enrollToTokenEnabled }: SignerSettings): boolean {
  return enrollToCertEnabled || enrollToTokenEnabled
}

/** Whether the signer checks a claim by which tokens of others differ. A rule on the branch or the event alone accepts those of every repository. */
function restrictsOwner({
  requiredClaims,
  acceptRule,
}: Pick<SignerSettings, 'requiredClaims' | 'acceptRule'>): boolean {
  const required = Object.keys(requiredClaims ?? {}).flatMap((text) => {
    const reading = parseSelector(text)
    return reading.ok ? reading.selector.segments.slice(0, 1) : []
  })
  const rule = acceptRule === null ? undefined : readRule(acceptRule, 'accept', 'signer')
  // A stored rule that is not valid refuses every token.
  if (rule && (!rule.ok || rule.rule.references.readsAllClaims)) return true
  const ruled = rule?.ok ? rule.rule.references.claims.flatMap((path) => path.slice(0, 1)) : []
  return [...required, ...ruled].some((name) => name === WORKSPACE || !isSharedClaim(name))
}

function isShared(issuer: string): boolean {
  const bare = issuer.endsWith('/') ? issuer.slice(0, -1) : issuer
  return SHARED_ISSUERS.has(bare) || SHARED_ENTRA.some((tenant) => issuer.startsWith(tenant))
}
