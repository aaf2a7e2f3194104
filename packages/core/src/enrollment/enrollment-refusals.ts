import type { ErrorCode } from '@countersign/contract'
import type { AuthPolicySettings } from '../auth-policy/auth-policy-settings.ts'
import { isLoginAllowed, type LoginMethod } from '../auth-policy/login-method.ts'
import {
  isStepUpNeeded,
  type LoginClaims,
  type LoginRequirements,
  STEP_UP_REASONS,
  type StepUpReason,
} from '../auth-policy/step-up.ts'
import type { PolicyFacts, PolicySigner, RuleRefusal } from '../rule/judge-rule.ts'
import { RULE_REFUSALS } from '../rule/judge-rule.ts'
import { findPolicyRefusal } from '../rule/policy-rule.ts'
import type { RuleBudget } from '../rule/rule-run.ts'
import type { SignerSettings } from '../signer/signer-settings.ts'

/** What an enrollment leads to: logins with tokens of the signer, or a client certificate. */
export const ENROLLMENT_KINDS = ['token', 'cert'] as const
export type EnrollmentKind = (typeof ENROLLMENT_KINDS)[number]

/** An enrollment with a token that the signer has accepted. */
export interface EnrollmentAttempt {
  readonly kind: EnrollmentKind
  readonly signer: Pick<
    SignerSettings,
    'name' | 'enabled' | 'enrollToCertEnabled' | 'enrollToTokenEnabled' | 'provisionOnLogin' | 'reprovisionAfterMinutes'
  > & { readonly id: string; readonly trust?: PolicySigner['trust'] }
  /** The policy of the new identity; undefined when it does not exist. */
  readonly policy: Pick<AuthPolicySettings, 'primary' | 'acceptRule'> | undefined
  /** Whether an identity with the token's identity claim exists. */
  readonly isEnrolled: boolean
  /** What the token says about the login at the identity provider. */
  readonly loginClaims: LoginClaims
  readonly now: number
  /** What the rule of the policy sees, with the identity that would be created. */
  readonly facts: Omit<PolicyFacts, 'nowMs' | 'signer'>
  /** Whether the identity provider has revoked the token. */
  readonly isRevoked?: boolean
  /** Whether a login enrolls. */
  readonly isLogin?: boolean
  /** When the identity with the token's claim was deleted; undefined when there was none. */
  readonly deletedAt?: number | undefined
}

/** Reasons for refusing an enrollment with an accepted token, with their error codes. A closed set: decisions use these values. */
export const ENROLLMENT_REFUSALS = {
  'signer-disabled': 'INVALID_ENROLLMENT_TOKEN',
  'signer-changed': 'INVALID_ENROLLMENT_TOKEN',
  'already-enrolled': 'ENROLLMENT_IDENTITY_ALREADY_ENROLLED',
  'token-revoked': 'INVALID_ENROLLMENT_TOKEN',
  'enrollment-off': 'INVALID_ENROLLMENT_NOT_ALLOWED',
  'deleted-recently': 'INVALID_ENROLLMENT_NOT_ALLOWED',
  'policy-unknown': 'INVALID_ENROLLMENT_NOT_ALLOWED',
  'not-allowed': 'INVALID_ENROLLMENT_NOT_ALLOWED',
  'signer-not-allowed': 'INVALID_ENROLLMENT_NOT_ALLOWED',
  'acr-insufficient': 'UNAUTHORIZED',
  'amr-insufficient': 'UNAUTHORIZED',
  'authentication-too-old': 'UNAUTHORIZED',
  'rule-refused': 'INVALID_ENROLLMENT_NOT_ALLOWED',
  'rule-error': 'INVALID_ENROLLMENT_NOT_ALLOWED',
} as const satisfies Record<string, ErrorCode> & Record<StepUpReason | RuleRefusal, ErrorCode>

export type EnrollmentRefusal = keyof typeof ENROLLMENT_REFUSALS

interface JudgedAttempt extends EnrollmentAttempt {
  readonly ruleRefusal: RuleRefusal | undefined
}

/** The first refusal is the one that the client gets. */
const RULES: readonly (readonly [EnrollmentRefusal, applies: (attempt: JudgedAttempt) => boolean])[] = [
  ['signer-disabled', ({ signer }) => !signer.enabled],
  ['already-enrolled', ({ isEnrolled }) => isEnrolled],
  ['token-revoked', ({ isRevoked = false }) => isRevoked],
  [
    'enrollment-off',
    ({ signer, kind, isLogin = false }) => !isKindEnabled(signer, kind) || (isLogin && !signer.provisionOnLogin),
  ],
  ['deleted-recently', isDeletedRecently],
  ['policy-unknown', ({ policy }) => !policy],
  ['not-allowed', ({ policy, kind }) => policy !== undefined && !policy.primary[METHOD_OF[kind]].allowed],
  [
    'signer-not-allowed',
    ({ policy, kind, signer }) =>
      policy?.primary[METHOD_OF[kind]].allowed === true && !isLoginAllowed(policy, loginMethodOf(kind, signer.id)),
  ],
  // For both kinds: otherwise a token that is too weak for a login would get a certificate.
  ...STEP_UP_REASONS.map(
    (reason) =>
      [
        reason,
        ({ policy, loginClaims, now }: EnrollmentAttempt) =>
          policy !== undefined && isStepUpNeeded(reason, policy.primary.extJwt, loginClaims, now),
      ] as const,
  ),
  ...RULE_REFUSALS.map((refusal) => [refusal, ({ ruleRefusal }: JudgedAttempt) => ruleRefusal === refusal] as const),
]

const METHOD_OF = { cert: 'cert', token: 'extJwt' } as const
const FLAG_OF = { cert: 'enrollToCertEnabled', token: 'enrollToTokenEnabled' } as const

/** Whether the signer allows this kind of enrollment. */
export function isKindEnabled(signer: Pick<SignerSettings, (typeof FLAG_OF)[EnrollmentKind]>, kind: EnrollmentKind) {
  return signer[FLAG_OF[kind]]
}

const MS_PER_MINUTE = 60_000

/**
 * Whether the time since a deletion counts. Also without a login: an enrollment to token use would be a way around the wait of logins. To a certificate, a
 * deleted identity enrolls again.
 */
export function waitsAfterDeletion({ signer, kind }: Pick<EnrollmentAttempt, 'signer' | 'kind'>): boolean {
  return kind === 'token' && signer.provisionOnLogin
}

/** A clock that went back does not shorten the time: a deletion in the future is recent. */
function isDeletedRecently(attempt: EnrollmentAttempt): boolean {
  const { signer, deletedAt, now } = attempt
  if (deletedAt === undefined || !waitsAfterDeletion(attempt)) return false
  return now < deletedAt + signer.reprovisionAfterMinutes * MS_PER_MINUTE
}

/** Every reason to refuse the enrollment, the one for the client first. Empty when it is allowed. */
export function findEnrollmentRefusals(attempt: EnrollmentAttempt, budget?: RuleBudget): EnrollmentRefusal[] {
  const { policy, facts, signer, now } = attempt
  const ruleRefusal = policy && findPolicyRefusal(policy, { ...facts, signer, nowMs: now }, budget)
  const judged = { ...attempt, ruleRefusal }
  return RULES.filter(([, applies]) => applies(judged)).map(([refusal]) => refusal)
}

/** What the policy requires of the login at the identity provider; undefined when the enrollment is refused for another reason. */
export function requirementsOf(
  refusal: EnrollmentRefusal,
  policy: EnrollmentAttempt['policy'],
): LoginRequirements | undefined {
  return STEP_UP_REASONS.some((reason) => reason === refusal) ? policy?.primary.extJwt : undefined
}

function loginMethodOf(kind: EnrollmentKind, signerId: string): LoginMethod {
  return kind === 'cert' ? { method: 'cert' } : { method: 'ext-jwt', signerId }
}
