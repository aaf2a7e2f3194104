import type { AuthPolicySettings } from '@countersign/contract/auth-policy'
import type { Linked } from '../identity/linked-signers.ts'

type CertificatePolicy = Pick<AuthPolicySettings, 'certificate'>

const HOUR_MS = 3_600_000

/** How many days a new certificate is valid: those of the installation, or fewer. */
export function certificateDays({ certificate: { maxDays } }: CertificatePolicy, clientDays: number): number {
  return maxDays === null ? clientDays : Math.min(maxDays, clientDays)
}

/** Whether a renewal needs a token. `tokenSeenAt` is when a token last enrolled or renewed the certificate; null when none did. */
export function needsRenewalToken(
  { certificate: { renewalNeedsToken, renewalGraceHours } }: CertificatePolicy,
  tokenSeenAt: number | null,
  now: number,
): boolean {
  if (!renewalNeedsToken) return false
  return tokenSeenAt === null || now >= tokenSeenAt + renewalGraceHours * HOUR_MS
}

/** The signers whose tokens renew a certificate: the one that enrolled the identity, and without one those that an administrator has linked. */
export function renewalSignersOf({ enrolledBySignerId, linkedSigners }: Linked): readonly string[] {
  return enrolledBySignerId === null ? linkedSigners : [enrolledBySignerId]
}
