import type { ErrorCode } from '@countersign/contract'
import type { AuthPolicySettings } from '../auth-policy/auth-policy-settings.ts'
import { isLoginAllowed, type LoginWay } from '../auth-policy/login-way.ts'
import type { SignerSettings } from '../signer/signer-settings.ts'

/** What an enrollment yields: a certificate, or that tokens of the signer sign in from then on. */
export const ENROLLMENT_KINDS = ['token', 'cert'] as const
export type EnrollmentKind = (typeof ENROLLMENT_KINDS)[number]

/** An enrollment with a token that the signer has accepted, and what it meets. */
export interface EnrollmentStanding {
  readonly kind: EnrollmentKind
  readonly signer: Pick<SignerSettings, 'enabled' | 'enrollToCertEnabled' | 'enrollToTokenEnabled'> & {
    readonly id: string
  }
  /** The policy that the identity would get. */
  readonly policy: Pick<AuthPolicySettings, 'primary'> | undefined
  /** Whether somebody has the token's claim already. */
  readonly isEnrolled: boolean
}

/** Why somebody with a good token does not enroll, with what he is told. Closed: decisions use these words. */
export const ENROLLMENT_OBSTACLES = {
  'signer-disabled': 'INVALID_ENROLLMENT_TOKEN',
  'already-enrolled': 'ENROLLMENT_IDENTITY_ALREADY_ENROLLED',
  'enrollment-off': 'INVALID_ENROLLMENT_NOT_ALLOWED',
  'policy-unknown': 'INVALID_ENROLLMENT_NOT_ALLOWED',
  'not-allowed': 'INVALID_ENROLLMENT_NOT_ALLOWED',
  'signer-not-allowed': 'INVALID_ENROLLMENT_NOT_ALLOWED',
} as const satisfies Record<string, ErrorCode>

export type EnrollmentObstacle = keyof typeof ENROLLMENT_OBSTACLES

/** In the order in which they are told. */
const RULES: readonly (readonly [EnrollmentObstacle, (standing: EnrollmentStanding) => boolean])[] = [
  ['signer-disabled', ({ signer }) => !signer.enabled],
  ['already-enrolled', ({ isEnrolled }) => isEnrolled],
  ['enrollment-off', ({ signer, kind }) => !isKindEnabled(signer, kind)],
  ['policy-unknown', ({ policy }) => !policy],
  ['not-allowed', ({ policy, kind }) => policy !== undefined && !policy.primary[METHOD_OF[kind]].allowed],
  [
    'signer-not-allowed',
    ({ policy, kind, signer }) =>
      policy?.primary[METHOD_OF[kind]].allowed === true && !isLoginAllowed(policy, wayOf(kind, signer.id)),
  ],
]

const METHOD_OF = { cert: 'cert', token: 'extJwt' } as const
const FLAG_OF = { cert: 'enrollToCertEnabled', token: 'enrollToTokenEnabled' } as const

/** Whether the signer enrolls to this kind at all. */
export function isKindEnabled(signer: Pick<SignerSettings, (typeof FLAG_OF)[EnrollmentKind]>, kind: EnrollmentKind) {
  return signer[FLAG_OF[kind]]
}

/** Everything in the way of an enrollment, what is told first standing first; empty when it is allowed. */
export function findEnrollmentObstacles(standing: EnrollmentStanding): EnrollmentObstacle[] {
  return RULES.filter(([, stands]) => stands(standing)).map(([obstacle]) => obstacle)
}

function wayOf(kind: EnrollmentKind, signerId: string): LoginWay {
  return kind === 'cert' ? { method: 'cert' } : { method: 'ext-jwt', signerId }
}
