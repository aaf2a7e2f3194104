import { MAX_PASSWORD_LENGTH } from './authenticator.ts'
import { name, text } from './body-members.ts'
import { field, group, type PatchOf, type SettingsOf, type WriteOf } from './resource/field.ts'
import { resource } from './resource/resource.ts'
import { tagsField } from './resource/tags-field.ts'
import Type from './schema/type.ts'

const count = () => Type.Integer({ maximum: 1_000_000 })
/** A longer minimum could never be met. */
const passwordLength = () => Type.Integer({ maximum: MAX_PASSWORD_LENGTH })

/** An authentication policy: how its identities log in. POST and PUT name everything but the second signer and the tags. */
export const AUTH_POLICY = resource({
  name: field(name(), { filterable: true, flag: 'none' }),
  primary: group({
    cert: group({
      allowed: field(Type.Boolean(), {
        filterable: true,
        flag: { name: 'allow-cert', help: 'Certificates log in' },
      }),
      allowExpiredCerts: field(Type.Boolean(), {
        filterable: true,
        flag: { help: 'Also certificates that have ended' },
      }),
    }),
    extJwt: group({
      allowed: field(Type.Boolean(), {
        filterable: true,
        flag: { name: 'allow-jwt', help: 'Tokens of signers log in' },
      }),
      allowedSigners: field(Type.Array(text(128), { maxItems: 1000 }), {
        description: 'The signers whose tokens are accepted; none means all of them',
        flag: { name: 'allowed-signer', value: 'NAME', help: 'Only this signer, by name or id' },
      }),
    }),
    updb: group({
      allowed: field(Type.Boolean(), {
        filterable: true,
        flag: { name: 'allow-password', help: 'Passwords log in' },
      }),
      minPasswordLength: field(passwordLength(), { filterable: true, flag: { help: 'Shortest password' } }),
      requireSpecialChar: field(Type.Boolean(), {
        filterable: true,
        flag: { help: 'Passwords need a character that is neither letter nor digit' },
      }),
      requireNumberChar: field(Type.Boolean(), { filterable: true, flag: { help: 'Passwords need a digit' } }),
      requireMixedCase: field(Type.Boolean(), {
        filterable: true,
        flag: { help: 'Passwords need capital and small letters' },
      }),
      maxAttempts: field(count(), {
        description: 'After how many wrong passwords an identity is locked out; 0 for never',
        filterable: true,
      }),
      lockoutDurationMinutes: field(count(), {
        description: 'How long a lock-out lasts; 0 until an administrator enables the identity',
        flag: { name: 'lockout-minutes' },
      }),
    }),
  }),
  secondary: group({
    requireTotp: field(Type.Boolean(), { description: 'Whether a one-time code is asked for', filterable: true }),
    requireExtJwtSigner: field(text(128), {
      description: 'The signer whose token every call must bring beside the session',
      default: null,
      absentWhenNull: true,
      filterable: true,
      flag: {
        name: 'require-signer',
        value: 'NAME',
        help: 'Ask for a token of this signer, by name or id, on every call',
      },
    }),
  }),
  tags: tagsField(),
})

/** Body of POST and PUT. */
export const AuthPolicyWrite = AUTH_POLICY.write
/** Body of PATCH: by leaf. */
export const AuthPolicyPatch = AUTH_POLICY.patch

/** An authentication policy as an administrator has set it up. */
export type AuthPolicySettings = SettingsOf<typeof AUTH_POLICY>
export type AuthPolicyWrite = WriteOf<typeof AUTH_POLICY>
export type AuthPolicyPatch = PatchOf<typeof AUTH_POLICY>
