import type { RevocationReason } from './revocation-list.ts'

/** What is known of an issued certificate and of what it rests on. */
export interface CertificateState {
  /** The reason for which it is on the list now; null when it is not. */
  readonly reason: RevocationReason | null
  /** Whether its identity has access: undefined when the identity was deleted. */
  readonly hasAccess: boolean | undefined
  /** Whether the authenticator exists that it rests on; undefined when it rests on none. */
  readonly hasAuthenticator: boolean | undefined
  /** Whether it is a certificate that its authenticator accepts, or the renewed one that the client has not confirmed. Always true for one of a session. */
  readonly isCurrent: boolean
}

/**
 * Why a certificate must be on the list of revoked ones; null when it is valid. A disabled or expired identity holds its certificates: they are valid
 * again when it is enabled. Any other reason is final.
 */
export function revocationReasonOf(state: CertificateState): RevocationReason | null {
  const { reason, hasAccess, hasAuthenticator, isCurrent } = state
  if (reason !== null && reason !== 'certificateHold') return reason
  if (hasAccess === undefined) return 'cessationOfOperation'
  if (hasAuthenticator === false) return 'privilegeWithdrawn'
  if (!isCurrent) return 'superseded'
  return hasAccess ? null : 'certificateHold'
}
