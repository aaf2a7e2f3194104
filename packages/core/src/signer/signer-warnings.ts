import { selectorWarning } from '../claim/selector.ts'
import type { SignerSettings } from './signer-settings.ts'

const DAY_MS = 86_400_000
/** An operator hears of a certificate that will end this many days ahead. */
const EXPIRY_WARNING_DAYS = 30

const SELECTORS = ['claimsProperty', 'enrollNameClaimsSelector', 'enrollAttributeClaimsSelector'] as const

/** Claims that say something about the token, not about whom it is for. */
const NOT_ABOUT_SOMEBODY = new Set(['iss', 'aud', 'exp', 'nbf', 'iat'])

/** Issuers that sign tokens for anybody who asks. */
const SHARED_ISSUERS = [
  'https://token.actions.githubusercontent.com',
  'https://gitlab.com',
  'https://accounts.google.com',
  'https://login.microsoftonline.com/common/',
  'https://login.microsoftonline.com/organizations/',
]

interface Validity {
  readonly notBefore: number
  readonly notAfter: number
}

/** What is allowed but probably not meant, in words for the administrator. */
export function signerWarnings(signer: SignerSettings, certificate: Validity | null, now: number): string[] {
  const warnings: string[] = []
  if (certificate) warnings.push(...validityWarnings(certificate, now))
  for (const field of SELECTORS) {
    const selector = signer[field]
    const warning = selector && selectorWarning(selector)
    if (warning) warnings.push(`${field}: ${warning}`)
  }
  const claim = signer.claimsProperty.replace(/^\//, '')
  if (NOT_ABOUT_SOMEBODY.has(claim)) {
    warnings.push(`claimsProperty: "${claim}" is the same in the tokens of many people, so it cannot tell who somebody is`)
  }
  if (enrolls(signer) && isShared(signer.issuer) && !signer.requiredClaims) {
    warnings.push(
      'this issuer signs tokens for everybody, and enrollment is on: set requiredClaims to say whose tokens may enroll',
    )
  }
  return warnings
}

function validityWarnings({ notBefore, notAfter }: Validity, now: number): string[] {
  const day = (at: number): string => new Date(at).toISOString().slice(0, 10)
  if (now < notBefore) return [`the certificate is not valid before ${day(notBefore)}: until then no token verifies`]
  if (now >= notAfter) return [`the certificate expired on ${day(notAfter)}: no token verifies`]
  const daysLeft = Math.floor((notAfter - now) / DAY_MS)
  if (daysLeft >= EXPIRY_WARNING_DAYS) return []
  return [`the certificate expires on ${day(notAfter)}, in ${daysLeft} days: PATCH certPem before then`]
}

function enrolls({ enrollToCertEnabled, enrollToTokenEnabled }: SignerSettings): boolean {
  return enrollToCertEnabled || enrollToTokenEnabled
}

function isShared(issuer: string): boolean {
  return SHARED_ISSUERS.some((shared) => issuer === shared || issuer.startsWith(shared))
}
