import type { EnrollmentObstacle, LeafFault, RefusalReason } from '@countersign/core'

/** Names for the words of a refusal, quoted. */
export interface RefusalNames {
  readonly identity: string
  readonly policy: string
}

/** What would have to be there, in words for an administrator. */
type Words = (names: RefusalNames) => string

const disabled: Words = ({ identity }) => `the identity ${identity} is disabled: enable it`

/** Why a password was refused. The caller learns none of these: to it they are all the same. */
export const PASSWORD_REFUSALS = {
  disabled,
  'unknown-user': () => 'an identity with this user name',
  'wrong-password': ({ identity }) => `the right password of the identity ${identity}`,
  'not-allowed': ({ policy }) => `the policy ${policy} does not allow passwords`,
} as const satisfies Record<string, Words>

export type PasswordRefusal = keyof typeof PASSWORD_REFUSALS

/** Why a certificate was refused. */
export const CERTIFICATE_REFUSALS = {
  disabled,
  'certificate-missing': () => 'a client certificate on the TLS connection',
  'certificate-malformed': () => 'a client certificate in strict DER',
  'certificate-foreign': () =>
    'a client certificate that this controller has issued: the one presented was signed by somebody else',
  'certificate-not-for-clients': () => 'a certificate that is meant for the authentication of clients and is no CA',
  'certificate-unknown': () =>
    'an authenticator that records the presented certificate: it was issued here, but its authenticator is gone, it has been renewed since, or its enrollment was never finished',
  'certificate-not-yet-valid': () => 'a certificate that is valid now: the one presented is not valid yet',
  'certificate-expired': ({ policy }) =>
    `a certificate that is valid now: the one presented has expired, and the policy ${policy} does not allow that`,
  'not-allowed': ({ policy }) => `the policy ${policy} does not allow certificates`,
} as const satisfies Record<string, Words> & Record<LeafFault, Words>

export type CertificateRefusal = keyof typeof CERTIFICATE_REFUSALS

/** Why a one-time code was refused. */
export const CODE_REFUSALS = {
  'wrong-code': ({ identity }) =>
    `a one-time code or recovery code of the identity ${identity} that was not used before`,
  'too-many-codes': ({ identity }) => `time: there were too many wrong codes for the identity ${identity}`,
} as const satisfies Record<string, Words>

export type CodeRefusal = keyof typeof CODE_REFUSALS

/** Why an accepted token does not log in; the words are with the rules in login-obstacles.ts. */
export type LoginObstacle =
  | 'unknown-identity'
  | 'disabled'
  | 'not-allowed'
  | 'signer-not-allowed'
  | 'signer-not-trusted'

/** Why an accepted token does not enroll, beside the obstacles that core knows. */
type EnrollmentRefusal = 'signer-unknown' | 'signer-ambiguous' | 'claim-unusable' | 'identity-refused' | 'csr-refused'

/** Why an access token of the hosted API is refused. */
export type AccessRefusal = RefusalReason | 'account-unknown' | 'account-disabled' | 'scope-missing'

/** Every reason why a login, an enrollment or a call of the hosted API is refused. Closed: decisions, events and metrics use these words. */
export type DecisionReason =
  | 'token-missing'
  | RefusalReason
  | LoginObstacle
  | PasswordRefusal
  | CertificateRefusal
  | CodeRefusal
  | EnrollmentObstacle
  | EnrollmentRefusal
  | AccessRefusal
