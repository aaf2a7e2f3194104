import type { AuthenticatorRow } from './schema.ts'

/** What a session reports about the certificate that opened it. */
export interface SessionCertificate {
  /** An administrator has requested a renewal. */
  readonly isExtendRequested: boolean
  /** The renewal must have a new key. */
  readonly isKeyRollRequested: boolean
  /** The client did not send the chain to the root. */
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

/** The members of an API session about its certificate; all but the first are present only when true. */
export function certificateMembers(certificate: SessionCertificate | undefined) {
  return {
    isCertExtendable: certificate !== undefined,
    ...(certificate?.isExtendRequested && { isCertExtendRequested: true }),
    ...(certificate?.isKeyRollRequested && { isCertKeyRollRequested: true }),
    ...(certificate?.isChainImproper && { improperClientCertChain: true }),
  }
}
