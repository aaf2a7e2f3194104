import type { EnrollmentRefusal, LeafFault, RefusalReason, RuleRefusal, StepUpReason } from '@countersign/core'

/** Quoted names to insert into the text of a refusal. */
export interface RefusalNames {
  readonly identity: string
  readonly policy: string
}

/** Tells the administrator what is missing. */
type RefusalText = (names: RefusalNames) => string

const disabled: RefusalText = ({ identity }) => `the identity ${identity} is disabled: enable it`

/** The rule of a policy refuses a login without a token. */
const RULE_TEXTS = {
  'rule-refused': ({ identity, policy }) =>
    `a login of the identity ${identity} that the rule of the policy ${policy} accepts (acceptRule): it is false for this login, which has no claims`,
  'rule-error': ({ identity, policy }) =>
    `a login of the identity ${identity} that the rule of the policy ${policy} accepts (acceptRule): it fails for this login, which has no claims`,
} as const satisfies Record<RuleRefusal, RefusalText>

const expired: RefusalText = ({ identity }) =>
  `the access of the identity ${identity} has expired: change its expiresAt`

/** Why a password was refused. The response to the caller is the same for all of them. */
export const PASSWORD_REFUSALS = {
  ...RULE_TEXTS,
  disabled,
  'identity-expired': expired,
  'unknown-user': () => 'an identity with this user name',
  'wrong-password': ({ identity }) => `the right password of the identity ${identity}`,
  'not-allowed': ({ policy }) => `the policy ${policy} does not allow passwords`,
} as const satisfies Record<string, RefusalText>

export type PasswordRefusal = keyof typeof PASSWORD_REFUSALS

/** Why the response of a passkey was refused. */
export const PASSKEY_REFUSALS = {
  ...RULE_TEXTS,
  disabled,
  'identity-expired': expired,
  'passkey-malformed': () => 'a response of a passkey in the form of WebAuthn',
  'passkey-challenge': () =>
    'an unused challenge of the last five minutes that this controller issued for this purpose',
  'passkey-origin': () => 'a page and a passkey of the address that the challenge was issued for',
  'passkey-unknown': () => 'a registered passkey: it was removed here, but not from the device',
  'passkey-of-another': () => 'a passkey of the same identity',
  'passkey-unverified': ({ identity }) =>
    `user verification by the passkey of the identity ${identity}, such as a PIN, fingerprint or face`,
  'passkey-signature': ({ identity }) => `a valid signature by the passkey of the identity ${identity}`,
  'passkey-counter': ({ identity }) =>
    `a signature counter that grows: the passkey of the identity ${identity} may have been copied`,
  'not-allowed': ({ policy }) => `the policy ${policy} does not allow passkeys`,
} as const satisfies Record<string, RefusalText>

export type PasskeyRefusal = keyof typeof PASSKEY_REFUSALS
/** What is wrong with the response itself. */
export type CeremonyFault = Exclude<PasskeyRefusal, 'disabled' | 'identity-expired' | 'not-allowed' | RuleRefusal>

/** Why a certificate was refused. */
export const CERTIFICATE_REFUSALS = {
  ...RULE_TEXTS,
  disabled,
  'identity-expired': expired,
  'certificate-missing': () => 'a client certificate on the TLS connection',
  'certificate-malformed': () => 'a client certificate in strict DER',
  'certificate-foreign': () =>
    'a client certificate that this controller issued, or a verified third-party CA whose certificates may log in, with every certificate between them: another CA signed the presented one',
  'certificate-not-for-clients': () => 'a certificate for client authentication that is not a CA certificate',
  'certificate-unknown': () =>
    'an authenticator with the presented certificate: the authenticator was deleted, the certificate was renewed, or the enrollment was not completed',
  'certificate-unnamed': () =>
    'an identity whose externalId is the text that the claim of the CA selects in the certificate',
  'ca-not-trusted': ({ identity }) =>
    `the CA is not trusted, since it was last written without administrator rights: it cannot log in the identity ${identity}, which is an administrator or holds permissions, until an administrator trusts it`,
  'enroller-not-trusted': ({ identity }) =>
    `the certificate was enrolled with a token of a signer that was not trusted then: it cannot log in the identity ${identity}, which is an administrator or holds permissions; delete its authenticator and enroll again`,
  'certificate-not-yet-valid': () => 'a certificate that is valid now: the presented one is not valid yet',
  'certificate-expired': ({ policy }) =>
    `a certificate that is valid now: the presented one has expired, and the policy ${policy} does not allow expired certificates`,
  'not-allowed': ({ policy }) => `the policy ${policy} does not allow certificates`,
} as const satisfies Record<string, RefusalText> & Record<LeafFault, RefusalText>

export type CertificateRefusal = keyof typeof CERTIFICATE_REFUSALS

/** Why a one-time code was refused. */
export const CODE_REFUSALS = {
  'wrong-code': ({ identity }) => `an unused one-time code or recovery code of the identity ${identity}`,
  'too-many-codes': ({ identity }) => `a pause: too many wrong codes were sent for the identity ${identity}`,
} as const satisfies Record<string, RefusalText>

export type CodeRefusal = keyof typeof CODE_REFUSALS

/** Why a login with an accepted token is refused. The rules and texts are in login-refusals.ts. */
export type LoginRefusal =
  | 'unknown-identity'
  | 'disabled'
  | 'identity-expired'
  | 'not-allowed'
  | 'signer-not-allowed'
  | 'signer-not-trusted'
  | 'token-revoked'
  | StepUpReason
  | RuleRefusal

/** Why an enrollment with an accepted token is refused, besides the refusals of core. */
type EnrollRequestRefusal =
  | 'signer-unknown'
  | 'signer-ambiguous'
  | 'claim-unusable'
  | 'identity-refused'
  | 'csr-refused'

/** Why an access token of the hosted API is refused. */
export type AccessTokenRefusal =
  | RefusalReason
  | 'account-unknown'
  | 'account-ambiguous'
  | 'account-disabled'
  | 'account-expired'
  | 'condition-unmet'
  | 'organization-suspended'
  | 'scope-missing'
  | 'token-revoked'
  | 'token-unknown'

/** Why a logout token, security event token or SCIM request is refused. */
export type ChannelRefusal =
  | RefusalReason
  | 'body-unusable'
  | 'signer-unknown'
  | 'signer-not-trusted'
  | 'signer-changed'
  | 'channel-off'
  | 'token-replayed'
  | 'token-unknown'
  | 'subject-unusable'

/** Why a login, an enrollment or a hosted API call is refused. A closed set: decisions, events and metrics contain these values. */
export type DecisionReason =
  | 'token-missing'
  | RefusalReason
  | LoginRefusal
  | PasswordRefusal
  | CertificateRefusal
  | CodeRefusal
  | PasskeyRefusal
  | EnrollmentRefusal
  | EnrollRequestRefusal
  | AccessTokenRefusal
  | ChannelRefusal
