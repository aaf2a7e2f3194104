import { findDateFault, findLeafFault, isLoginAllowed, readLeafCertificate } from '@countersign/core'
import type { Clock } from '../platform/clock.ts'
import type { StoredAuthPolicy } from '../store/auth-policy-row.ts'
import { isDisabled, isExpired, type StoredIdentity } from '../store/identity-row.ts'
import { findAuthPolicy } from '../store/reads/auth-policy-reads.ts'
import { type CertificateAuthenticator, findCertificateAuthenticator } from '../store/reads/authenticator-reads.ts'
import { findIdentity } from '../store/reads/identity-reads.ts'
import type { Store } from '../store/store.ts'
import type { CertificateRefusal } from '../token/decision-reason.ts'

/** A certificate whose private key the client proved to hold in the TLS handshake. Not checked yet. */
export interface PresentedCertificate {
  /** DER. The first certificate sent, and the only one whose key was proven. */
  readonly leaf: Buffer
  /** DER. The certificate sent after the leaf; undefined on a resumed connection, which keeps only the leaf. */
  readonly next: Buffer | undefined
  /** Whether this connection resumes an earlier one that proved the key. */
  readonly isResumed: boolean
}

export interface RefusedCertificate {
  readonly accepted: false
  readonly reason: CertificateRefusal
  /** Undefined when no certificate could be read. */
  readonly fingerprint: string | undefined
  /** The identity that the certificate was issued to. */
  readonly identity: StoredIdentity | undefined
  readonly policy: StoredAuthPolicy | undefined
}

export interface AcceptedCertificate {
  readonly accepted: true
  readonly authenticator: CertificateAuthenticator
  readonly identity: StoredIdentity
  readonly policy: StoredAuthPolicy
}

interface CertificateCheckParts {
  readonly store: Store
  readonly clock: Clock
  /** The trusted CA certificates, DER. */
  readonly authorities: () => readonly Buffer[]
}

/**
 * Checks the client certificate of a connection. Only the leaf is checked, and it must be stored: a certificate of our CA without an
 * authenticator comes from an enrollment that failed or was undone.
 */
export class CertificateCheck {
  readonly #parts: CertificateCheckParts

  constructor(parts: CertificateCheckParts) {
    this.#parts = parts
  }

  /** Reads identity and policy on every call: both may have changed since the connection was opened. */
  async check(presented: PresentedCertificate | undefined): Promise<AcceptedCertificate | RefusedCertificate> {
    const { store, clock, authorities } = this.#parts
    if (!presented) return refuse('certificate-missing')
    const leaf = readLeafCertificate(presented.leaf)
    if (!leaf) return refuse('certificate-malformed')
    const { fingerprint, publicKeyDigest } = leaf
    const fault = findLeafFault(leaf, authorities())
    if (fault) return refuse(fault, { fingerprint })
    const authenticator = await findCertificateAuthenticator(store.db, fingerprint)
    const identity = authenticator && (await findIdentity(store.db, authenticator.identity_id))
    const policy = identity && (await findAuthPolicy(store.db, identity.authPolicyId))
    const details = { fingerprint, identity, policy }
    if (!policy || authenticator.public_key_digest !== publicKeyDigest) return refuse('certificate-unknown', details)
    const now = clock.now()
    const dateFault = findDateFault(leaf, now, policy.primary.cert.allowExpiredCerts)
    if (dateFault) return refuse(dateFault, details)
    if (isDisabled(identity, now)) return refuse('disabled', details)
    if (isExpired(identity, now)) return refuse('identity-expired', details)
    if (!isLoginAllowed(policy, { method: 'cert' })) return refuse('not-allowed', details)
    return { accepted: true, authenticator, identity, policy }
  }
}

function refuse(reason: CertificateRefusal, details: Partial<RefusedCertificate> = {}): RefusedCertificate {
  return { fingerprint: undefined, identity: undefined, policy: undefined, ...details, accepted: false, reason }
}
