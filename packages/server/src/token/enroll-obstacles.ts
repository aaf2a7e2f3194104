import {
  AppError,
  buildEnrollingIdentity,
  ENROLLMENT_KINDS,
  type EnrollmentKind,
  type EnrollmentObstacle,
  findEnrollmentObstacles,
  isKindEnabled,
  readEnrollmentClaims,
  type VerifiedToken,
  validateIdentity,
} from '@countersign/core'
import type { StoredAuthPolicy } from '../store/auth-policy-row.ts'
import type { StoredIdentity } from '../store/identity-row.ts'
import type { StoredSigner } from '../store/signer-row.ts'
import { quoted } from './quoted.ts'

/** An enrollment with a token that a signer has accepted. */
export interface EnrollAttempt {
  readonly signer: StoredSigner
  readonly token: Pick<VerifiedToken, 'identityClaim' | 'claims'>
  /** Undefined for whatever the signer allows. */
  readonly kind: EnrollmentKind | undefined
  /** The identity that has the token's claim already. */
  readonly identity: StoredIdentity | undefined
  /** The policy that the new identity would get. */
  readonly policy: StoredAuthPolicy | undefined
  /** Whether another identity has the name that the new one would get. */
  readonly isNameTaken: boolean
}

/** What is missing when several signers take a token. */
export const NAME_THE_SIGNER =
  'the header ziti-token-issuer-id: several signers take this token and enroll, so the caller must say which is meant'

/** Of several signers that take a token and enroll to the same, the caller must name one. */
export function missingChoice(signers: readonly StoredSigner[], kind: EnrollmentKind | undefined): string[] {
  const kinds = kind ? [kind] : ENROLLMENT_KINDS
  const isAmbiguous = kinds.some((one) => signers.filter((signer) => isKindEnabled(signer, one)).length > 1)
  return isAmbiguous ? [NAME_THE_SIGNER] : []
}

/** Everything that stands in the way of an enrollment, in the order in which it is refused, in words for an administrator. */
export function missingForEnrollment(attempt: EnrollAttempt): string[] {
  return [...missingInToken(attempt), ...missingPermission(attempt)]
}

function missingInToken({ signer, token, isNameTaken }: EnrollAttempt): string[] {
  const { key, attributes, name } = readEnrollmentClaims(signer, token)
  const missing: string[] = []
  if (!key.ok) {
    missing.push(
      `an id: ${quoted(token.identityClaim)}, the value of ${quoted(signer.claimsProperty)}, cannot be one, so set useExternalId on the signer ${quoted(signer.name)}`,
    )
  }
  if (!attributes.ok) {
    missing.push(
      `attributes: ${quoted(signer.enrollAttributeClaimsSelector ?? '')} (enrollAttributeClaimsSelector) is neither text nor a list of texts`,
    )
  }
  if (!name.ok) {
    missing.push(
      `a name: the token has no text at ${quoted(signer.enrollNameClaimsSelector)} (enrollNameClaimsSelector)`,
    )
  }
  if (name.ok && isNameTaken) {
    missing.push(
      `another name: somebody is called ${quoted(name.value)}, the value of ${quoted(signer.enrollNameClaimsSelector)} (enrollNameClaimsSelector), already`,
    )
  }
  return missing.length > 0 ? missing : refusedByIdentityRules(signer, token)
}

function refusedByIdentityRules(signer: StoredSigner, token: EnrollAttempt['token']): string[] {
  try {
    validateIdentity(buildEnrollingIdentity(signer, token).settings)
    return []
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return [identityProblem(error)]
  }
}

/** Why the identity that a token describes cannot be created. */
export function identityProblem({ publicCause, code }: AppError): string {
  const reason = publicCause && ('field' in publicCause ? publicCause.reason : publicCause.message)
  return `another identity: this one cannot be made, since ${visibleReason(reason ?? code)}`
}

const visibleReason = (reason: string): string => quoted(reason).slice(1, -1)

/** What the signer and the policy have to say: of the kind that is wanted, else of each that the signer has on. */
function missingPermission(attempt: EnrollAttempt): string[] {
  const { signer, policy, identity } = attempt
  const isEnrolled = identity !== undefined
  const wanted = attempt.kind ? [attempt.kind] : ENROLLMENT_KINDS.filter((kind) => isKindEnabled(signer, kind))
  if (wanted.length === 0) {
    const enrolled = isEnrolled ? [WORDS['already-enrolled'](attempt)] : []
    return [...enrolled, WORDS['enrollment-off'](attempt)]
  }
  const missing = wanted.flatMap((kind) =>
    findEnrollmentObstacles({ kind, signer, policy, isEnrolled }).map((obstacle) => {
      const words = WORDS[obstacle]({ ...attempt, kind })
      return IS_ABOUT_KIND.has(obstacle) ? `to enroll to a ${NAME_OF[kind]}: ${words}` : words
    }),
  )
  return [...new Set(missing)]
}

const NAME_OF = { cert: 'certificate', token: 'token' } as const
const WAY_OF = { cert: 'certificate', token: 'External JWT' } as const
const IS_ABOUT_KIND: ReadonlySet<EnrollmentObstacle> = new Set(['not-allowed', 'signer-not-allowed'])

const WORDS: Readonly<Record<EnrollmentObstacle, (attempt: EnrollAttempt) => string>> = {
  'signer-disabled': ({ signer }) => `the signer ${quoted(signer.name)} is disabled: enable it`,
  'already-enrolled': ({ identity }) =>
    `the identity ${quoted(identity?.name ?? '')} has this claim: it is already enrolled`,
  'enrollment-off': ({ signer, kind }) =>
    kind
      ? `the signer ${quoted(signer.name)} does not enroll to a ${NAME_OF[kind]}: set ${kind === 'cert' ? 'enrollToCertEnabled' : 'enrollToTokenEnabled'}`
      : `the signer ${quoted(signer.name)} enrolls nobody: set enrollToTokenEnabled or enrollToCertEnabled`,
  'policy-unknown': ({ signer }) =>
    `the policy of the signer ${quoted(signer.name)} (enrollAuthPolicyId) does not exist`,
  'not-allowed': ({ policy, kind }) =>
    `the policy ${quoted(policy?.name ?? '')} does not allow ${WAY_OF[kind ?? 'token']} authentication`,
  'signer-not-allowed': ({ signer, policy }) =>
    `the signer ${quoted(signer.name)} is not among the allowed signers of the policy ${quoted(policy?.name ?? '')}`,
}
