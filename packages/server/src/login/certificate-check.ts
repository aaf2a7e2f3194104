import {
  findDateFault,
  findExternalId,
  findLeafFault,
  isLoginAllowed,
  isTrustedFor,
  type LeafCertificate,
  readLeafCertificate,
} from '@countersign/core'
import { noteNewIntermediates } from '../operations/ca/note-intermediates.ts'
import type { Clock } from '../platform/clock.ts'
import type { StoredAuthPolicy } from '../store/auth-policy-row.ts'
import type { StoredCa } from '../store/ca-row.ts'
import { isDisabled, isExpired, type StoredIdentity } from '../store/identity-row.ts'
import { findAuthPolicy } from '../store/reads/auth-policy-reads.ts'
import {
  type CertificateAuthenticator,
  findCertificateAuthenticator,
  isCertificateTrustedFor,
} from '../store/reads/authenticator-reads.ts'
import { isLoginCa } from '../store/reads/ca-reads.ts'
import { findIdentity, findIdentityByExternalId } from '../store/reads/identity-reads.ts'
import type { CaBasis } from '../store/session-basis.ts'
import type { Store } from '../store/store.ts'
import type { CertificateRefusal } from '../token/decision-reason.ts'
import type { PresentedCertificate } from '../token/presented-certificate.ts'
import type { ThirdPartyCas } from '../token/third-party-cas.ts'

export interface RefusedCertificate {
  readonly accepted: false
  readonly reason: CertificateRefusal
  /** Undefined when no certificate could be read. */
  readonly fingerprint: string | undefined
  /** The identity that the certificate was issued to. */
  readonly identity: StoredIdentity | undefined
  readonly policy: StoredAuthPolicy | undefined
  /** The third-party CA that issued it. */
  readonly ca: StoredCa | undefined
  /** The external id in the claim that the CA names. */
  readonly externalId?: string | null | undefined
}

export interface AcceptedCertificate {
  readonly accepted: true
  /** Undefined when a claim in the certificate of a third-party CA names the identity. */
  readonly authenticator: CertificateAuthenticator | undefined
  readonly identity: StoredIdentity
  readonly policy: StoredAuthPolicy
  /** Set for a certificate of a third-party CA. */
  readonly ca: CaBasis | undefined
  /** Infinity when the policy accepts expired certificates. */
  readonly expiresAt: number
}

interface CertificateCheckParts {
  readonly store: Store
  readonly clock: Clock
  /** The trusted CA certificates, DER. */
  readonly authorities: () => readonly Buffer[]
  readonly thirdPartyCas: Pick<ThirdPartyCas, 'find'>
}

/** The owner of a certificate, as far as it was found. */
interface Owner {
  readonly authenticator?: CertificateAuthenticator | undefined
  readonly identity?: StoredIdentity | undefined
}

/**
 * Checks the client certificate of a connection. Only the leaf names an identity. A certificate of our CA must be stored: one without an
 * authenticator comes from an enrollment that failed or was undone. One of a third-party CA must be stored, or have the CA's claim.
 */
export class CertificateCheck {
  readonly #parts: CertificateCheckParts

  constructor(parts: CertificateCheckParts) {
    this.#parts = parts
  }

  /** Reads CA, identity and policy on every call: they may have changed since the connection was opened. */
  async check(presented: PresentedCertificate | undefined): Promise<AcceptedCertificate | RefusedCertificate> {
    if (!presented) return refuse('certificate-missing')
    const leaf = readLeafCertificate(presented.leaf)
    if (!leaf) return refuse('certificate-malformed')
    const fault = findLeafFault(leaf, this.#parts.authorities())
    if (fault === 'certificate-foreign') return this.#checkForeign(leaf, presented)
    if (fault) return refuse(fault, { fingerprint: leaf.fingerprint })
    return this.#checkOwner(leaf, await this.#findRecorded(leaf), undefined, undefined)
  }

  async #checkForeign(
    leaf: LeafCertificate,
    presented: PresentedCertificate,
  ): Promise<AcceptedCertificate | RefusedCertificate> {
    const { fingerprint } = leaf
    const { store, thirdPartyCas } = this.#parts
    const issuing = await thirdPartyCas.find(leaf, presented, isLoginCa)
    if (!issuing) return refuse('certificate-foreign', { fingerprint })
    const { ca } = issuing
    if (leaf.isCa || !leaf.mayAuthenticateClients) return refuse('certificate-not-for-clients', { fingerprint, ca })
    const externalId = (ca.externalIdClaim && findExternalId(leaf.parsed, ca.externalIdClaim)) ?? null
    const owner =
      externalId === null
        ? await this.#findRecorded(leaf)
        : { identity: await findIdentityByExternalId(store.db, externalId) }
    const checked = await this.#checkOwner(leaf, owner, ca, { id: ca.id, revision: ca.revision, externalId })
    if (checked.accepted) await noteNewIntermediates(this.#parts, issuing)
    return checked
  }

  async #findRecorded({ fingerprint, publicKeyDigest }: LeafCertificate): Promise<Owner> {
    const { db } = this.#parts.store
    const authenticator = await findCertificateAuthenticator(db, fingerprint)
    if (authenticator?.public_key_digest !== publicKeyDigest) return {}
    return { authenticator, identity: await findIdentity(db, authenticator.identity_id) }
  }

  async #checkOwner(
    leaf: LeafCertificate,
    { authenticator, identity }: Owner,
    ca: StoredCa | undefined,
    basis: CaBasis | undefined,
  ): Promise<AcceptedCertificate | RefusedCertificate> {
    const { store, clock } = this.#parts
    const policy = identity && (await findAuthPolicy(store.db, identity.authPolicyId))
    const details = { fingerprint: leaf.fingerprint, identity, policy, ca, externalId: basis?.externalId }
    if (!policy) return refuse(basis?.externalId == null ? 'certificate-unknown' : 'certificate-unnamed', details)
    const now = clock.now()
    const { allowExpiredCerts } = policy.primary.cert
    const dateFault = findDateFault(leaf, now, allowExpiredCerts)
    if (dateFault) return refuse(dateFault, details)
    if (isDisabled(identity, now)) return refuse('disabled', details)
    if (isExpired(identity, now)) return refuse('identity-expired', details)
    if (!isLoginAllowed(policy, { method: 'cert' })) return refuse('not-allowed', details)
    if (ca && !isTrustedFor(ca.trust, identity)) return refuse('ca-not-trusted', details)
    if (authenticator && !isCertificateTrustedFor(authenticator, identity)) {
      return refuse('enroller-not-trusted', details)
    }
    const expiresAt = allowExpiredCerts ? Number.POSITIVE_INFINITY : leaf.parsed.notAfter.getTime()
    return { accepted: true, authenticator, identity, policy, ca: basis, expiresAt }
  }
}

function refuse(reason: CertificateRefusal, details: Partial<RefusedCertificate> = {}): RefusedCertificate {
  const none = { fingerprint: undefined, identity: undefined, policy: undefined, ca: undefined }
  return { ...none, ...details, accepted: false, reason }
}
