import type { EnrollmentObstacle, LeafFault, RefusalReason } from '@countersign/core'

/** Why a password was refused. The caller learns none of these: to it they are all the same. */
export type PasswordRefusal = 'unknown-user' | 'wrong-password' | 'disabled' | 'not-allowed'

/** Why a certificate was refused. */
export type CertificateRefusal =
  | 'certificate-missing'
  | 'certificate-malformed'
  | 'certificate-unknown'
  | 'disabled'
  | 'not-allowed'
  | LeafFault

/** Why a one-time code was refused. */
export type CodeRefusal = 'wrong-code' | 'too-many-codes'

/** Why an accepted token does not log in. */
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
