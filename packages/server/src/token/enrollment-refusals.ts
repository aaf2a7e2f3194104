import {
  AppError,
  buildEnrollingIdentity,
  ENROLLMENT_KINDS,
  type EnrollmentAttempt,
  type EnrollmentKind,
  type EnrollmentRefusal,
  findEnrollmentRefusals,
  isKindEnabled,
  policyRefusalText,
  type RuleRequest,
  readEnrollmentClaims,
  readSessionClaims,
  type StepUpReason,
  type VerifiedToken,
  validateIdentity,
  visible,
} from '@countersign/core'
import type { StoredAuthPolicy } from '../store/auth-policy-row.ts'
import type { StoredIdentity } from '../store/identity-row.ts'
import type { Revocation } from '../store/reads/token-revocation-reads.ts'
import type { StoredSigner } from '../store/signer-row.ts'
import { STEP_UP_TEXTS } from './login-refusals.ts'
import { quoted } from './quoted.ts'
import { revokedText } from './revoked-text.ts'

/** An enrollment with a token that a signer has accepted. */
export interface EnrollAttempt {
  readonly signer: StoredSigner
  readonly token: Pick<VerifiedToken, 'identityClaim' | 'claims' | 'ruleAttributes'>
  /** For the rule of the policy. */
  readonly request?: RuleRequest | undefined
  /** Undefined for every kind that the signer allows. */
  readonly kind: EnrollmentKind | undefined
  /** The existing identity with the token's claim. */
  readonly identity: StoredIdentity | undefined
  /** The policy of the new identity. */
  readonly policy: StoredAuthPolicy | undefined
  /** Whether another identity has the name of the new one. */
  readonly isNameTaken: boolean
  readonly now: number
  /** Whether a login enrolls. */
  readonly isLogin: boolean
  /** When the identity with the token's claim was deleted. */
  readonly deletedAt: number | undefined
  /** The revocation by which the token is refused. */
  readonly revocation?: Revocation | undefined
}

/** What is missing when several signers accept a token. */
export const NAME_THE_SIGNER =
  'the header ziti-token-issuer-id: several signers accept this token for enrollment, so the request must name one'

/** When several signers accept a token and enroll to the same kind, the caller must name one. */
export function missingChoice(signers: readonly StoredSigner[], kind: EnrollmentKind | undefined): string[] {
  const kinds = kind ? [kind] : ENROLLMENT_KINDS
  const isAmbiguous = kinds.some((wanted) => signers.filter((signer) => isKindEnabled(signer, wanted)).length > 1)
  return isAmbiguous ? [NAME_THE_SIGNER] : []
}

/** Lists for an administrator everything that prevents the enrollment, in the order of the checks. */
export function missingForEnrollment(attempt: EnrollAttempt): string[] {
  return [...missingInToken(attempt), ...missingPermission(attempt)]
}

function missingInToken({ signer, token, isNameTaken }: EnrollAttempt): string[] {
  const { key, attributes, name } = readEnrollmentClaims(signer, token)
  const missing: string[] = []
  if (!key.ok) {
    missing.push(
      `a valid id: ${quoted(token.identityClaim)}, the value of ${quoted(signer.claimsProperty)}, is not a valid id, so set useExternalId on the signer ${quoted(signer.name)}`,
    )
  }
  if (!attributes.ok) {
    missing.push(
      `attributes: ${quoted(signer.enrollAttributeClaimsSelector ?? '')} (enrollAttributeClaimsSelector) is neither a string nor a list of strings`,
    )
  }
  if (!name.ok) {
    missing.push(
      `a name: the token has no string at ${quoted(signer.enrollNameClaimsSelector)} (enrollNameClaimsSelector)`,
    )
  }
  if (name.ok && isNameTaken && !signer.nameSync) {
    missing.push(
      `another name: an identity named ${quoted(name.value)}, the value of ${quoted(signer.enrollNameClaimsSelector)} (enrollNameClaimsSelector), exists already`,
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
    return [identityRefusalText(error)]
  }
}

/** Explains why the identity that a token describes cannot be created. */
export function identityRefusalText({ publicCause, code }: AppError): string {
  const reason = publicCause && ('field' in publicCause ? publicCause.reason : publicCause.message)
  return `a valid identity: this one cannot be created: ${visibleReason(reason ?? code)}`
}

const visibleReason = (reason: string): string => quoted(reason).slice(1, -1)

/** What the signer and the policy refuse: for the requested kind, or for each kind that the signer has enabled. */
function missingPermission(attempt: EnrollAttempt): string[] {
  const { signer, token, policy, identity, now, isLogin, deletedAt, revocation } = attempt
  const loginClaims = readSessionClaims(token.claims)
  const isEnrolled = identity !== undefined
  const isRevoked = revocation !== undefined
  const wanted = attempt.kind ? [attempt.kind] : ENROLLMENT_KINDS.filter((kind) => isKindEnabled(signer, kind))
  if (wanted.length === 0) {
    const enrolled = isEnrolled ? [REFUSAL_TEXTS['already-enrolled'](attempt)] : []
    const revoked = isRevoked ? [REFUSAL_TEXTS['token-revoked'](attempt)] : []
    return [...enrolled, ...revoked, REFUSAL_TEXTS['enrollment-off'](attempt)]
  }
  const facts = enrollingFacts(attempt)
  const found = { signer, policy, facts, isEnrolled, isRevoked, loginClaims, now, isLogin, deletedAt }
  const missing = wanted.flatMap((kind) =>
    findEnrollmentRefusals({ ...found, kind }).map((refusal) => {
      const text = REFUSAL_TEXTS[refusal]({ ...attempt, kind })
      return KIND_SPECIFIC.has(refusal) ? `to enroll to a ${KIND_NAMES[kind]}: ${text}` : text
    }),
  )
  return [...new Set(missing)]
}

/** What the rule of the policy sees. An identity that is created gets its id later, unless the token names it. */
function enrollingFacts({ signer, token, request }: EnrollAttempt): EnrollmentAttempt['facts'] {
  const { key, name, attributes } = readEnrollmentClaims(signer, token)
  const id = key.ok && !key.value.useExternalId ? key.value.id : ''
  const identity = { id, name: name.ok ? name.value : '', attributes: attributes.ok ? attributes.value : [] }
  return { claims: token.claims, request, identity }
}

function ruleText(attempt: EnrollAttempt): string {
  const { policy, signer, now } = attempt
  if (!policy) return ''
  const text = policyRefusalText(policy, { ...enrollingFacts(attempt), signer, nowMs: now })
  return `a login that the rule of the policy ${quoted(policy.name)} accepts (acceptRule): ${visible(text)}`
}

const KIND_NAMES = { cert: 'certificate', token: 'token' } as const
const LOGIN_METHOD_NAMES = { cert: 'certificate', token: 'External JWT' } as const
const KIND_SPECIFIC: ReadonlySet<EnrollmentRefusal> = new Set(['deleted-recently', 'not-allowed', 'signer-not-allowed'])

const REFUSAL_TEXTS: Readonly<Record<EnrollmentRefusal, (attempt: EnrollAttempt) => string>> = {
  'signer-disabled': ({ signer }) => `the signer ${quoted(signer.name)} is disabled: enable it`,
  'signer-changed': ({ signer }) => `the signer ${quoted(signer.name)} changed during the enrollment: enroll again`,
  'already-enrolled': ({ identity }) =>
    `the identity ${quoted(identity?.name ?? '')} has this claim: it is already enrolled`,
  'token-revoked': ({ signer, revocation }) => revokedText(signer, revocation),
  'enrollment-off': ({ signer, kind }) =>
    kind
      ? `the signer ${quoted(signer.name)} does not enroll to a ${KIND_NAMES[kind]}: set ${kind === 'cert' ? 'enrollToCertEnabled' : 'enrollToTokenEnabled'}`
      : `the signer ${quoted(signer.name)} does not enroll: set enrollToTokenEnabled or enrollToCertEnabled`,
  'deleted-recently': ({ signer }) =>
    `a later attempt: the identity with this claim was deleted, and the signer ${quoted(signer.name)} provisions it again ${signer.reprovisionAfterMinutes} minutes after that (reprovisionAfterMinutes). An administrator can create it before`,
  'policy-unknown': ({ signer }) =>
    `the policy of the signer ${quoted(signer.name)} (enrollAuthPolicyId) does not exist`,
  'not-allowed': ({ policy, kind }) =>
    `the policy ${quoted(policy?.name ?? '')} does not allow ${LOGIN_METHOD_NAMES[kind ?? 'token']} authentication`,
  'signer-not-allowed': ({ signer, policy }) =>
    `the signer ${quoted(signer.name)} is not among the allowed signers of the policy ${quoted(policy?.name ?? '')}`,
  'acr-insufficient': (attempt) => stepUpText('acr-insufficient', attempt),
  'amr-insufficient': (attempt) => stepUpText('amr-insufficient', attempt),
  'authentication-too-old': (attempt) => stepUpText('authentication-too-old', attempt),
  'rule-refused': ruleText,
  'rule-error': ruleText,
}

function stepUpText(reason: StepUpReason, { policy, token }: EnrollAttempt): string {
  return STEP_UP_TEXTS[reason]({ policy, loginClaims: readSessionClaims(token.claims) })
}
