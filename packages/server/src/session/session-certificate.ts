import type { AuthenticatorRow } from '../store/schema.ts'

/** What a session that was opened with a certificate tells its holder about that certificate. */
export interface SessionCertificate {
  /** An administrator wants it renewed … */
  readonly isExtendRequested: boolean
  /** … with another key. */
  readonly isKeyRollRequested: boolean
  /** It came without what leads from it to the root. */
  readonly isChainImproper: boolean
}

export type CertificateState = Pick<
  AuthenticatorRow,
  'extend_requested_at' | 'key_roll_requested' | 'last_auth_resolved_to_root'
>

export function sessionCertificate(row: CertificateState): SessionCertificate {
  return {
    isExtendRequested: row.extend_requested_at !== null,
    isKeyRollRequested: Boolean(row.key_roll_requested),
    isChainImproper: row.last_auth_resolved_to_root !== null && !row.last_auth_resolved_to_root,
  }
}

/** The members of a session that speak of its certificate; those that ask for something are there only when they do. */
export function certificateMembers(certificate: SessionCertificate | undefined) {
  return {
    isCertExtendable: certificate !== undefined,
    ...(certificate?.isExtendRequested && { isCertExtendRequested: true }),
    ...(certificate?.isKeyRollRequested && { isCertKeyRollRequested: true }),
    ...(certificate?.isChainImproper && { improperClientCertChain: true }),
  }
}
