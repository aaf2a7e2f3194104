import {
  AppError,
  buildEnrolledName,
  checkName,
  commonNameOf,
  findExternalId,
  formatPem,
  isCurrent,
  isTrustedFor,
  type LeafCertificate,
  newSortableId,
  readLeafCertificate,
  secretDigest,
} from '@countersign/core'
import type { Logger } from 'pino'
import type { AttemptLimits } from '../limits/attempt-limits.ts'
import { limitUntrusted } from '../limits/limit-untrusted.ts'
import { noteNewIntermediates } from '../operations/ca/note-intermediates.ts'
import { enrollByCa } from '../operations/enrollment/enroll-by-ca.ts'
import { redeemForeignCertificate } from '../operations/enrollment/redeem-enrollment.ts'
import type { Clock } from '../platform/clock.ts'
import { UNATTRIBUTED_ID } from '../store/actor.ts'
import type { StoredCa } from '../store/ca-row.ts'
import type { RequestSource } from '../store/operation-meta.ts'
import { findCa, hasCas } from '../store/reads/ca-reads.ts'
import { getRedeemable } from '../store/reads/enrollment-reads.ts'
import type { Store } from '../store/store.ts'
import type { PresentedCertificate } from '../token/presented-certificate.ts'
import type { IssuingCa, ThirdPartyCas } from '../token/third-party-cas.ts'

interface CaEnrollmentParts {
  readonly store: Store
  readonly clock: Clock
  readonly log: Logger
  readonly thirdPartyCas: Pick<ThirdPartyCas, 'find'>
  readonly limits: Pick<AttemptLimits, 'change'>
}

type Presented = PresentedCertificate | undefined

/** Enrollment with a certificate of a third-party CA, which the client has presented on its TLS connection. */
export class CaEnrollment {
  readonly #parts: CaEnrollmentParts

  constructor(parts: CaEnrollmentParts) {
    this.#parts = parts
  }

  /**
   * Creates an identity for a certificate of a CA that enrolls automatically. Throws CERT_FAILED_VALIDATION when there is no such CA or the
   * certificate cannot authenticate clients now, MISSING_CERT_CLAIM without the CA's claim, COULD_NOT_VALIDATE for a name that
   * no identity can have, CERT_IN_USE when it has an identity, and TooManyRequests after too many enrollments of CAs that are not trusted.
   */
  async enroll(presented: Presented, requestedName: string | undefined, source: RequestSource): Promise<void> {
    const { store, clock, log, limits } = this.#parts
    if (!(await hasCas(store.db))) throw new AppError('ENROLLMENT_NO_VALID_CAS')
    const found = await this.#find(presented, (ca) => ca.isAutoCaEnrollmentEnabled)
    if (!found) throw new AppError('CERT_FAILED_VALIDATION')
    const { leaf, issuing } = found
    const { ca } = issuing
    const now = clock.now()
    const identityId = newSortableId(now)
    const name = buildEnrolledName(ca.identityNameFormat, {
      caName: ca.name,
      caId: ca.id,
      commonName: commonNameOf(leaf.parsed),
      requestedName: requestedName || identityId,
      identityId,
    })
    const args = {
      caId: ca.id,
      revision: ca.revision,
      identityId,
      name,
      externalId: externalIdOf(leaf, ca),
      authenticator: { id: newSortableId(now), ...recordOf(leaf, issuing) },
    }
    // PostgreSQL would fail on a zero byte when it looks for the name.
    checkName(name)
    await limitUntrusted(limits, ca, async (countedAs) => {
      await noteNewIntermediates(this.#parts, issuing)
      const meta = { actorId: UNATTRIBUTED_ID, now, source: { authorName: '', ...source }, countedAs }
      await store.run(enrollByCa, args, meta)
    })
    log.info({ identityId, method: 'ca', caId: ca.id, fingerprint: leaf.fingerprint }, 'an identity has enrolled')
  }

  /**
   * Records the certificate with the identity of a one-time token. Throws ENROLLMENT_CA_NOT_VALID when the CA of the token does not allow it, and
   * CERTIFICATE_FAILED_VALIDATION when the certificate is not of that CA or cannot authenticate clients now. The token stays valid then.
   */
  async redeem(token: string, presented: Presented, source: RequestSource): Promise<void> {
    const { store, clock, log } = this.#parts
    const tokenDigest = secretDigest(token)
    const now = clock.now()
    const { row, identity } = await getRedeemable(store.db, { tokenDigest, method: 'ottca', now })
    const allowed = await findCa(store.db, row.ca_id ?? '')
    if (!allowed?.isVerified || !allowed.isOttCaEnrollmentEnabled || !isTrustedFor(allowed.trust, identity)) {
      throw new AppError('ENROLLMENT_CA_NOT_VALID')
    }
    const found = await this.#find(presented, ({ id }) => id === allowed.id)
    if (!found) throw new AppError('CERTIFICATE_FAILED_VALIDATION')
    const { leaf, issuing } = found
    const args = {
      tokenDigest,
      revision: issuing.ca.revision,
      externalId: externalIdOf(leaf, issuing.ca),
      authenticator: { id: newSortableId(now), identityId: identity.id, ...recordOf(leaf, issuing) },
    }
    const meta = { actorId: identity.id, now, source: { authorName: identity.name, ...source } }
    await noteNewIntermediates(this.#parts, issuing)
    await store.run(redeemForeignCertificate, args, meta)
    log.info({ identityId: identity.id, method: 'ottca', fingerprint: leaf.fingerprint }, 'an identity has enrolled')
  }

  async #find(presented: Presented, accepts: (ca: StoredCa) => boolean) {
    const leaf = presented && readLeafCertificate(presented.leaf)
    if (!leaf || leaf.isCa || !leaf.mayAuthenticateClients) return undefined
    if (!isCurrent(leaf.parsed, this.#parts.clock.now())) return undefined
    const issuing = await this.#parts.thirdPartyCas.find(leaf, presented, accepts)
    return issuing && { leaf, issuing }
  }
}

/** Null when the CA has no claim. Throws MISSING_CERT_CLAIM when the certificate lacks it. */
function externalIdOf({ parsed }: LeafCertificate, { externalIdClaim }: StoredCa): string | null {
  if (!externalIdClaim) return null
  const externalId = findExternalId(parsed, externalIdClaim)
  if (externalId === undefined) throw new AppError('MISSING_CERT_CLAIM')
  return externalId
}

/** The certificate as it is recorded, with its chain to the CA. */
function recordOf({ parsed, fingerprint, publicKeyDigest }: LeafCertificate, { ca, authority, path }: IssuingCa) {
  const chain = [parsed, ...path.map((one) => one.parsed), authority.parsed]
  const certPem = chain.map(({ der }) => formatPem('CERTIFICATE', der)).join('')
  return { certPem, fingerprint, publicKeyDigest, caFingerprint: ca.fingerprint }
}
