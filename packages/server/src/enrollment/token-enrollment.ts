import { ERRORS } from '@countersign/contract'
import {
  AppError,
  buildEnrollingIdentity,
  clientNetwork,
  ENROLLMENT_REFUSALS,
  type EnrollingIdentity,
  type EnrollmentKind,
  type EnrollmentRefusal,
  enrollPolicyId,
  findEnrollmentRefusals,
  type IdentitySettings,
  issueTime,
  type LoginRequirements,
  newSortableId,
  planTokenSync,
  policyClaims,
  readConfirmation,
  readCsr,
  readSessionClaims,
  requirementsOf,
  revocableToken,
  type SyncWarning,
  sessionClaims,
  thumbprintOf,
  type VerifiedToken,
  validateIdentity,
  waitsAfterDeletion,
} from '@countersign/core'
import type { AttemptLimits } from '../limits/attempt-limits.ts'
import { limitUntrusted } from '../limits/limit-untrusted.ts'
import { enrollByJwt } from '../operations/enrollment/enroll-by-jwt.ts'
import { noteUses, usesOf } from '../operations/possession/use-credentials.ts'
import type { Clock } from '../platform/clock.ts'
import { FairQueue } from '../platform/fair-queue.ts'
import type { ClientCertificates, IssuedCertificate } from '../platform/keys/client-certificates.ts'
import type { OperationMeta, RequestSource } from '../store/operation-meta.ts'
import { findDeletion } from '../store/reads/identity-access-reads.ts'
import { findEnrolledIdentity } from '../store/reads/identity-reads.ts'
import type { StoredSigner } from '../store/signer-row.ts'
import type { Store } from '../store/store.ts'
import type { DecisionReason } from '../token/decision-reason.ts'
import type { KnownPolicies } from '../token/known-policies.ts'
import { NO_PROOFS, type RequestProofs } from '../token/request-proofs.ts'
import { ALL_RULES, policyRuleInTurn } from '../token/rule-turns.ts'
import {
  type ChooseTokenParts,
  type ChosenToken,
  chooseEnrollingToken,
  type EnrollmentCredentials,
  type NoTokenChosen,
} from './choose-enrolling-token.ts'

export interface EnrollmentRequest extends EnrollmentCredentials {
  /** Enrolls to a certificate for this CSR's key; to token use when undefined. */
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
  /** What the token could not set, for a signer whose tokens keep identities up to date. */
  readonly warnings: readonly SyncWarning[]
}

export interface NotEnrolled extends NoTokenChosen {
  readonly kind: EnrollmentKind
  /** The existing identity with the token's claim. */
  readonly identityId: string | undefined
  /** What the policy requires of the login at the identity provider, when that is the reason. */
  readonly requirements: LoginRequirements | undefined
}

/** Why a login enrolled nothing. */
export interface NotProvisioned {
  readonly isEnrolled: false
  readonly reason: DecisionReason
  readonly requirements: LoginRequirements | undefined
}

type CreationRequest = Pick<EnrollmentRequest, 'csrPem' | 'source' | 'tokenContext'> & { readonly isLogin?: boolean }
type AcceptedToken = Pick<ChosenToken, 'signer' | 'token'>

export type EnrollmentResult = Enrolled | ({ readonly isEnrolled: false } & NotEnrolled)

interface TokenEnrollmentParts extends ChooseTokenParts {
  readonly store: Store
  readonly clock: Clock
  readonly clientCertificates: Pick<ClientCertificates, 'issue'>
  readonly policies: KnownPolicies
  readonly limits: Pick<AttemptLimits, 'change'>
}

/** Enrollments with one claim; further ones fail with SERVER_TOO_MANY_REQUESTS. */
const MAX_WAITING = 1_000

/** The token is valid, but its identity cannot be enrolled. */
class EnrollmentRefusedError extends Error {
  readonly reason: DecisionReason
  readonly refusal: AppError
  readonly identityId: string | undefined
  /** What the policy requires of the login at the identity provider, when that is the reason. */
  readonly requirements: LoginRequirements | undefined

  constructor(reason: DecisionReason, refusal: AppError, identityId?: string, requirements?: LoginRequirements) {
    super(reason, { cause: refusal })
    this.reason = reason
    this.refusal = refusal
    this.identityId = identityId
    this.requirements = requirements
  }
}

/** Creates the identity that a provider's token describes, with exactly the settings that the signer defines. */
export class TokenEnrollment {
  readonly #parts: TokenEnrollmentParts
  /** Keyed by claim: concurrent enrollments with one claim issue one certificate. Between processes the operation decides. */
  readonly #byClaim = new FairQueue({ atOnce: Number.POSITIVE_INFINITY, perKey: 1, maxWaiting: MAX_WAITING })

  constructor(parts: TokenEnrollmentParts) {
    this.#parts = parts
  }

  /** When the signer changes before the identity is created, the token is verified once more, because the change may be one that concerns no token. */
  async enroll(request: EnrollmentRequest, { isRetry = false } = {}): Promise<EnrollmentResult> {
    const kind = request.csrPem === undefined ? 'token' : 'cert'
    const choice = await chooseEnrollingToken(this.#parts, request, kind)
    if (!choice.isChosen) return { isEnrolled: false, ...choice, kind, identityId: undefined, requirements: undefined }
    const { signer, bearer } = choice
    try {
      const enrolling = await refuseAs('claim-unusable', () => buildEnrollingIdentity(signer.stored, choice.token))
      return await this.#create(choice, enrolling, request)
    } catch (error) {
      if (!(error instanceof EnrollmentRefusedError)) throw error
      const { reason, refusal, identityId, requirements } = error
      if (reason === 'signer-changed' && !isRetry) {
        this.#parts.directory.expire(signer.id)
        return this.enroll(request, { isRetry: true })
      }
      return { isEnrolled: false, kind, signer, bearer, reason, error: refusal, identityId, requirements }
    }
  }

  /**
   * Enrolls the unknown subject of a login to token use, when the signer says so and the login is allowed afterwards. Returns the refusal
   * otherwise.
   */
  async provision(
    { signer, token }: AcceptedToken,
    { source, tokenContext }: Pick<EnrollmentRequest, 'source' | 'tokenContext'>,
  ): Promise<Enrolled | NotProvisioned> {
    try {
      const enrolling = await refuseAs('claim-unusable', () => buildEnrollingIdentity(signer.stored, token))
      // The login uses the proof, which is accepted once.
      const request = { csrPem: undefined, source, tokenContext: { ...tokenContext, proofs: NO_PROOFS }, isLogin: true }
      return await this.#create({ signer, token }, enrolling, request)
    } catch (error) {
      if (!(error instanceof EnrollmentRefusedError)) throw error
      const { reason, requirements } = error
      return { isEnrolled: false, reason, requirements }
    }
  }

  #create(accepted: AcceptedToken, enrolling: EnrollingIdentity, request: CreationRequest): Promise<Enrolled> {
    const create = (countedAs?: string) => this.#createNow(accepted, enrolling, { ...request, countedAs })
    const { limits } = this.#parts
    return this.#byClaim.run(JSON.stringify(enrolling.key), () =>
      limitUntrusted(limits, accepted.signer.stored, create),
    )
  }

  async #createNow(
    { signer, token }: AcceptedToken,
    { key, settings }: EnrollingIdentity,
    { csrPem, source, tokenContext, isLogin = false, countedAs }: CreationRequest & Pick<OperationMeta, 'countedAs'>,
  ): Promise<Enrolled> {
    const { store, clock, clientCertificates, policies, verifier } = this.#parts
    const kind = csrPem === undefined ? 'token' : 'cert'
    const [enrolledId, policy, deletedAt] = await Promise.all([
      findEnrolledIdentity(store.db, key),
      policies.find(enrollPolicyId(signer.stored)),
      waitsAfterDeletion({ signer: signer.stored, kind }) ? findDeletion(store.db, key) : undefined,
    ])
    const loginClaims = readSessionClaims(token.claims)
    const isEnrolled = enrolledId !== undefined
    // A policy that changes meanwhile may read further claims: it then refuses, and the caller can try again.
    const facts = {
      ...sessionClaims(signer.id, policy ? policyClaims(policy, token.claims) : null),
      request: tokenContext,
    }
    const identity = { id: key.useExternalId ? '' : key.id, name: settings.name, attributes: settings.attributes }
    const attempt = { kind, signer: signer.stored, policy, isEnrolled, loginClaims, now: clock.now() } as const
    const first = { ...attempt, facts: { ...facts, identity }, isLogin, deletedAt }
    const [early] = await policyRuleInTurn(policy, clientNetwork(tokenContext.address), () =>
      findEnrollmentRefusals(first, ALL_RULES),
    )
    if (early) throw refused(early, requirementsOf(early, policy), enrolledId)
    await refuseAs('identity-refused', () => validateIdentity(settings))
    if (csrPem !== undefined) await refuseAs('csr-refused', () => checkCsrKey(csrPem, token, tokenContext.proofs))

    const identityId = key.useExternalId ? newSortableId(clock.now()) : key.id
    const certificate =
      csrPem === undefined
        ? undefined
        : await refuseAs('csr-refused', () => clientCertificates.issue(csrPem, identityId, policy))
    const authenticator = certificate && {
      id: newSortableId(clock.now()),
      certPem: certificate.chainPem,
      fingerprint: certificate.fingerprint,
      publicKeyDigest: certificate.publicKeyDigest,
    }
    // The rule of the policy may have waited.
    if (!verifier.stillAccepts(signer, token)) throw refused('signer-changed', undefined)
    const issuedAt = issueTime(token.claims)
    const verifiedBy = { signerId: signer.id, signerRevision: signer.stored.revision }
    const { proofUse: _, ...withoutProof } = token
    const uses = usesOf(isLogin ? withoutProof : token)
    const {
      refusal,
      requirements,
      usedBefore,
      name = settings.name,
    } = await refuseAs('identity-refused', () =>
      store.run(
        enrollByJwt,
        {
          ...verifiedBy,
          kind,
          key,
          settings,
          identityId,
          issuedAt,
          token: revocableToken(token),
          loginClaims,
          facts,
          isLogin,
          authenticator,
          uses,
        },
        { actorId: identityId, now: clock.now(), source: { authorName: settings.name, ...source }, countedAs },
      ),
    )
    if (refusal) throw refused(refusal, requirements)
    if (!isLogin) noteUses(token, usedBefore)
    if (usedBefore) throw new EnrollmentRefusedError(usedBefore, new AppError('INVALID_ENROLLMENT_TOKEN'))
    const enrolled = { id: identityId, name, manualAttributes: [], syncedTokens: {} }
    const suppliedAttributes = [{ signerId: signer.id, channel: 'token', attributes: settings.attributes }] as const
    const warnings = planTokenSync(signer.stored, token, { ...enrolled, suppliedAttributes })?.warnings ?? []
    const { stored } = signer
    return {
      isEnrolled: true,
      kind,
      signer: stored,
      identityId,
      settings: { ...settings, name },
      certificate,
      warnings,
    }
  }
}

/**
 * With a token that is bound to a key, the certificate is for that key: a thief of the token must not get a certificate for another one. Fails with
 * COULD_NOT_PROCESS_CSR.
 */
function checkCsrKey(csrPem: string, { claims, boundKey }: VerifiedToken, proofs: RequestProofs): void {
  const confirmation = readConfirmation(claims)
  if (confirmation === undefined || confirmation === 'unsupported') return
  const key = thumbprintOf(readCsr(csrPem).publicKey)
  const isBound =
    (confirmation.jkt === undefined || boundKey === key) &&
    (confirmation.x5t === undefined || proofs.certificateKey() === key)
  if (isBound) return
  const message = 'the token is bound to a key: the certificate request must be for the same key'
  throw new AppError('COULD_NOT_PROCESS_CSR', { message })
}

function refused(refusal: EnrollmentRefusal, requirements: LoginRequirements | undefined, enrolledId?: string) {
  return new EnrollmentRefusedError(refusal, new AppError(ENROLLMENT_REFUSALS[refusal]), enrolledId, requirements)
}

/** Converts client errors (4xx) into a refusal with this reason. Server errors pass unchanged. */
async function refuseAs<Result>(reason: DecisionReason, run: () => Result | Promise<Result>): Promise<Result> {
  try {
    return await run()
  } catch (error) {
    if (!(error instanceof AppError) || ERRORS[error.code].status >= 500) throw error
    throw new EnrollmentRefusedError(error.code === 'CERT_IN_USE' ? 'csr-refused' : reason, error)
  }
}
