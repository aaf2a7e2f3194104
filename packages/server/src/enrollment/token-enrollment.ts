import { ERRORS } from '@countersign/contract'
import {
  AppError,
  buildEnrollingIdentity,
  ENROLLMENT_OBSTACLES,
  type EnrollingIdentity,
  type EnrollmentKind,
  type EnrollmentObstacle,
  enrollPolicyId,
  findEnrollmentObstacles,
  type IdentitySettings,
  newIdInOrder,
  validateIdentity,
} from '@countersign/core'
import { enrollByJwt } from '../operations/enrollment/enroll-by-jwt.ts'
import type { Clock } from '../platform/clock.ts'
import type { ClientCertificates, IssuedCertificate } from '../platform/keys/client-certificates.ts'
import type { RequestSource } from '../store/operation-meta.ts'
import { findEnrolledIdentity } from '../store/reads/identity-reads.ts'
import type { StoredSigner } from '../store/signer-row.ts'
import type { Store } from '../store/store.ts'
import type { DecisionReason } from '../token/decision-reason.ts'
import type { KnownPolicies } from '../token/known-policies.ts'
import {
  type ChooseTokenParts,
  type ChosenToken,
  chooseEnrollingToken,
  type NoToken,
  type PresentedTokens,
} from './choose-enrolling-token.ts'
import { KeyedMutex } from './keyed-mutex.ts'

export interface EnrollmentRequest extends PresentedTokens {
  /** To a certificate for the key in here; to token use when undefined. */
  readonly csrPem: string | undefined
  /** For events and the change log. */
  readonly source: RequestSource
}

export interface Enrolled {
  readonly isEnrolled: true
  readonly kind: EnrollmentKind
  readonly signer: StoredSigner
  readonly identityId: string
  readonly settings: IdentitySettings
  readonly certificate: IssuedCertificate | undefined
}

export interface EnrollmentRefusal extends NoToken {
  readonly kind: EnrollmentKind
  /** The identity that has the token's claim already. */
  readonly identityId: string | undefined
}

type EnrollmentOutcome = Enrolled | ({ readonly isEnrolled: false } & EnrollmentRefusal)

interface TokenEnrollmentParts extends ChooseTokenParts {
  readonly store: Store
  readonly clock: Clock
  readonly clientCertificates: Pick<ClientCertificates, 'issue'>
  readonly policies: KnownPolicies
}

/** The token is valid, but its identity cannot be enrolled. */
class RefusedError extends Error {
  readonly reason: DecisionReason
  readonly refusal: AppError
  readonly identityId: string | undefined

  constructor(reason: DecisionReason, refusal: AppError, identityId?: string) {
    super(reason, { cause: refusal })
    this.reason = reason
    this.refusal = refusal
    this.identityId = identityId
  }
}

/** Creates the identity that a provider's token describes, with exactly what the signer's rules give it. */
export class TokenEnrollment {
  readonly #parts: TokenEnrollmentParts
  /** By claim, so that of many concurrent enrollments with one claim only one has a certificate issued. The operation decides between processes. */
  readonly #byClaim = new KeyedMutex()

  constructor(parts: TokenEnrollmentParts) {
    this.#parts = parts
  }

  async enroll(request: EnrollmentRequest): Promise<EnrollmentOutcome> {
    const kind = request.csrPem === undefined ? 'token' : 'cert'
    const choice = await chooseEnrollingToken(this.#parts, request, kind)
    if (!choice.isChosen) return { isEnrolled: false, ...choice, kind, identityId: undefined }
    const { signer, bearer } = choice
    try {
      const enrolling = await refusedAs('claim-unusable', () => buildEnrollingIdentity(signer.stored, choice.token))
      return await this.#byClaim.run(JSON.stringify(enrolling.key), () => this.#create(choice, enrolling, request))
    } catch (error) {
      if (!(error instanceof RefusedError)) throw error
      const { reason, refusal, identityId } = error
      return { isEnrolled: false, kind, signer, bearer, reason, error: refusal, identityId }
    }
  }

  async #create(
    { signer }: ChosenToken,
    { key, settings }: EnrollingIdentity,
    { csrPem, source }: EnrollmentRequest,
  ): Promise<Enrolled> {
    const { store, clock, clientCertificates, policies } = this.#parts
    const kind = csrPem === undefined ? 'token' : 'cert'
    const [enrolledId, policy] = await Promise.all([
      findEnrolledIdentity(store.db, key),
      policies.find(enrollPolicyId(signer.stored)),
    ])
    const standing = { kind, signer: signer.stored, policy, isEnrolled: enrolledId !== undefined } as const
    refuseObstacle(findEnrollmentObstacles(standing)[0], enrolledId)
    await refusedAs('identity-refused', () => validateIdentity(settings))

    const identityId = key.useExternalId ? newIdInOrder(clock.now()) : key.id
    const certificate =
      csrPem === undefined
        ? undefined
        : await refusedAs('csr-refused', () => clientCertificates.issue(csrPem, identityId))
    const authenticator = certificate && {
      id: newIdInOrder(clock.now()),
      certPem: certificate.chainPem,
      fingerprint: certificate.fingerprint,
      publicKeyDigest: certificate.publicKeyDigest,
    }
    const { obstacle } = await refusedAs('identity-refused', () =>
      store.run(
        enrollByJwt,
        { signerId: signer.id, kind, key, settings, identityId, authenticator },
        { actorId: identityId, now: clock.now(), source: { authorName: settings.name, ...source } },
      ),
    )
    refuseObstacle(obstacle, undefined)
    return { isEnrolled: true, kind, signer: signer.stored, identityId, settings, certificate }
  }
}

function refuseObstacle(obstacle: EnrollmentObstacle | undefined, enrolledId: string | undefined): void {
  if (obstacle) throw new RefusedError(obstacle, new AppError(ENROLLMENT_OBSTACLES[obstacle]), enrolledId)
}

/** Turns errors of the caller into a refusal with this reason; faults of the server pass unchanged. */
async function refusedAs<Result>(reason: DecisionReason, run: () => Result | Promise<Result>): Promise<Result> {
  try {
    return await run()
  } catch (error) {
    if (!(error instanceof AppError) || ERRORS[error.code].status >= 500) throw error
    throw new RefusedError(error.code === 'CERT_IN_USE' ? 'csr-refused' : reason, error)
  }
}
