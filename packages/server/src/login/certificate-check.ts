import { findDateFault, findLeafFault, isLoginAllowed, readLeafCertificate } from '@countersign/core'
import type { Clock } from '../platform/clock.ts'
import type { StoredAuthPolicy } from '../store/auth-policy-row.ts'
import { isDisabled, type StoredIdentity } from '../store/identity-row.ts'
import { findAuthPolicy } from '../store/reads/auth-policy-reads.ts'
import { type CertificateAuthenticator, findCertificateAuthenticator } from '../store/reads/authenticator-reads.ts'
import { findIdentity } from '../store/reads/identity-reads.ts'
import type { Store } from '../store/store.ts'
import type { CertificateRefusal } from '../token/decision-reason.ts'

/** The certificate whose key the client of a connection has proven to hold. Not checked yet. */
export interface PresentedCertificate {
  /** DER. The first certificate that was sent: the only one whose key was used. */
  readonly leaf: Buffer
  /** The certificate sent right behind it, DER; undefined on a resumed connection, which remembers the leaf alone. */
  readonly next: Buffer | undefined
  /** Whether the key was proven by an earlier connection that this one resumes. */
  readonly isResumed: boolean
}

export interface RefusedCertificate {
  readonly accepted: false
  readonly reason: CertificateRefusal
  /** Undefined when there was no certificate that could be read. */
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
 * Checks the client certificate of a connection. Only the leaf counts, and only when it is recorded: a certificate of our CA without an
 * authenticator is of an enrollment that failed or was undone.
 */
export class CertificateCheck {
  readonly #parts: CertificateCheckParts

  constructor(parts: CertificateCheckParts) {
    this.#parts = parts
  }

  /** Reads identity and policy each time: both may have changed since the connection was opened. */
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
    const of = { fingerprint, identity, policy }
    if (!policy || authenticator.public_key_digest !== publicKeyDigest) return refuse('certificate-unknown', of)
    const now = clock.now()
    const dateFault = findDateFault(leaf, now, policy.primary.cert.allowExpiredCerts)
    if (dateFault) return refuse(dateFault, of)
    if (isDisabled(identity, now)) return refuse('disabled', of)
    if (!isLoginAllowed(policy, { method: 'cert' })) return refuse('not-allowed', of)
    return { accepted: true, authenticator, identity, policy }
  }
}

function refuse(reason: CertificateRefusal, of: Partial<RefusedCertificate> = {}): RefusedCertificate {
  return { fingerprint: undefined, identity: undefined, policy: undefined, ...of, accepted: false, reason }
}
