import { MAX_PASSWORD_LENGTH } from './authenticator.ts'
import { name, text } from './body-members.ts'
import { MAX_RULE_LENGTH } from './limits.ts'
import { field, group, type PatchOf, type SettingsOf, type WriteOf } from './resource/field.ts'
import { resource } from './resource/resource.ts'
import { tagsField } from './resource/tags-field.ts'
import Type from './schema/type.ts'

const count = () => Type.Integer({ maximum: 1_000_000 })
/** Longer passwords are refused, so a larger minimum could not be met. */
const passwordLength = () => Type.Integer({ maximum: MAX_PASSWORD_LENGTH })

/** Settings of an installation are upper bounds, so that larger values have no effect. */
const minutes = () => Type.Integer({ minimum: 1, maximum: 5_256_000 })
const MAX_CERTIFICATE_DAYS = 3_650
const MAX_GRACE_HOURS = 8_760
const MAX_AUTH_AGE_SECONDS = 315_360_000
const claimValues = () => Type.Array(text(256), { maxItems: 16 })

/** An authentication policy: how its identities log in. POST and PUT require all members except those with a default. */
export const AUTH_POLICY = resource({
  name: field(name(), { filterable: true, flag: 'none' }),
  primary: group({
    cert: group({
      allowed: field(Type.Boolean(), {
        filterable: true,
        flag: { name: 'allow-cert', help: 'Allow login by certificate' },
      }),
      allowExpiredCerts: field(Type.Boolean(), {
        filterable: true,
        flag: { help: 'Allow expired certificates' },
      }),
    }),
    extJwt: group({
      allowed: field(Type.Boolean(), {
        filterable: true,
        flag: { name: 'allow-jwt', help: 'Allow login by token of a signer' },
      }),
      allowedSigners: field(Type.Array(text(128), { maxItems: 1000 }), {
        description: 'The signers whose tokens are accepted. Empty: all signers',
        flag: { name: 'allowed-signer', value: 'NAME', help: 'Allow only this signer, by name or id' },
      }),
      requireAcr: field(claimValues(), {
        description: 'The token must have one of these values as `acr`. Empty: any',
        default: [],
        keptByPut: true,
      }),
      requireAmr: field(claimValues(), {
        description: 'The token must have all of these values in `amr`. Empty: any',
        default: [],
        keptByPut: true,
      }),
      maxAuthAgeSeconds: field(Type.Integer({ minimum: 1, maximum: MAX_AUTH_AGE_SECONDS }), {
        description: 'The maximum time since the login at the identity provider (`auth_time`), in seconds',
        default: null,
        keptByPut: true,
      }),
    }),
    updb: group({
      allowed: field(Type.Boolean(), {
        filterable: true,
        flag: { name: 'allow-password', help: 'Allow login by password' },
      }),
      minPasswordLength: field(passwordLength(), { filterable: true, flag: { help: 'Minimum password length' } }),
      requireSpecialChar: field(Type.Boolean(), {
        filterable: true,
        flag: { help: 'Require a character that is neither letter nor digit' },
      }),
      requireNumberChar: field(Type.Boolean(), { filterable: true, flag: { help: 'Require a digit' } }),
      requireMixedCase: field(Type.Boolean(), {
        filterable: true,
        flag: { help: 'Require upper-case and lower-case letters' },
      }),
      maxAttempts: field(count(), {
        description: 'Number of wrong passwords after which an identity is locked out. 0: never',
        filterable: true,
      }),
      lockoutDurationMinutes: field(count(), {
        description: 'Duration of a lock-out in minutes. 0: until an administrator enables the identity',
        flag: { name: 'lockout-minutes' },
      }),
    }),
    passkey: group({
      allowed: field(Type.Boolean(), {
        description: 'Whether login by passkey (WebAuthn, with user verification) is allowed',
        default: false,
        keptByPut: true,
        filterable: true,
        flag: { name: 'allow-passkey', help: 'Allow login by passkey' },
      }),
    }),
  }),
  secondary: group({
    requireTotp: field(Type.Boolean(), { description: 'Whether a one-time code is required', filterable: true }),
    requireExtJwtSigner: field(text(128), {
      description: 'The signer whose token every call must carry in addition to the session',
      default: null,
      absentWhenNull: true,
      filterable: true,
      flag: {
        name: 'require-signer',
        value: 'NAME',
        help: 'Require a token of this signer, by name or id, on every call',
      },
    }),
    requirePasskey: field(Type.Boolean(), {
      description: 'Whether a passkey is required in addition to the first factor. A login by passkey has it already',
      default: false,
      keptByPut: true,
      filterable: true,
      flag: { help: 'Require a passkey as second factor' },
    }),
  }),
  session: group({
    idleMinutes: field(minutes(), {
      description:
        'Minutes without a request after which a session ends, if less than the setting `session.idleSeconds`',
      default: null,
      keptByPut: true,
      flag: { name: 'session-idle-minutes' },
    }),
    maxMinutes: field(minutes(), {
      description: 'Minutes after the login at which a session ends, if less than the setting `session.maxSeconds`',
      default: null,
      keptByPut: true,
      flag: { name: 'session-max-minutes' },
    }),
    endWithToken: field(Type.Boolean(), {
      description: 'Whether a session ends when the token that opened it expires',
      default: false,
      keptByPut: true,
      flag: { name: 'session-end-with-token' },
    }),
  }),
  certificate: group({
    maxDays: field(Type.Integer({ minimum: 1, maximum: MAX_CERTIFICATE_DAYS }), {
      description:
        'Days for which a new or renewed certificate is valid, if less than the setting `certificates.clientDays`',
      default: null,
      keptByPut: true,
      flag: { name: 'certificate-max-days' },
    }),
    renewalNeedsToken: field(Type.Boolean(), {
      description:
        'Whether the renewal of a certificate needs a token of the signer that enrolled the identity, in `Authorization: Bearer` beside the session',
      default: false,
      keptByPut: true,
      flag: { help: 'Renew certificates only with a token of the signer that enrolled the identity' },
    }),
    renewalGraceHours: field(Type.Integer({ minimum: 0, maximum: MAX_GRACE_HOURS }), {
      description: 'Hours after the last such token in which a renewal needs none. 0: every renewal needs one',
      default: 24,
      keptByPut: true,
      flag: { name: 'renewal-grace-hours' },
    }),
  }),
  acceptRule: field(text(MAX_RULE_LENGTH), {
    description:
      'A rule that a login must meet, and each request of its session: a CEL expression over `claims`, `signer`, `identity` and `request` that is a bool. Logins without a token have no claims',
    default: null,
    keptByPut: true,
    flag: { value: 'CEL' },
  }),
  tags: tagsField(),
})

/** Body of POST and PUT. */
export const AuthPolicyWrite = AUTH_POLICY.write
/** Body of PATCH. Every member is optional, at any depth. */
export const AuthPolicyPatch = AUTH_POLICY.patch

/** The settings of an authentication policy. */
export type AuthPolicySettings = SettingsOf<typeof AUTH_POLICY>
export type AuthPolicyWrite = WriteOf<typeof AUTH_POLICY>
export type AuthPolicyPatch = PatchOf<typeof AUTH_POLICY>
