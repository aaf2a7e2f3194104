import Type, { type Static } from 'typebox'
import { MAX_PASSWORD_LENGTH } from './authenticator.ts'
import { name, openObject, optional, text } from './body-members.ts'

const count = () => Type.Integer({ maximum: 1_000_000 })
/** A longer minimum could never be met. */
const passwordLength = () => Type.Integer({ maximum: MAX_PASSWORD_LENGTH })

/** Body of POST and PUT: everything is required but the second signer and the tags. */
export const AuthPolicyWrite = Type.Object({
  name: name(),
  primary: Type.Object({
    cert: Type.Object({ allowed: Type.Boolean(), allowExpiredCerts: Type.Boolean() }),
    extJwt: Type.Object({ allowed: Type.Boolean(), allowedSigners: Type.Array(text(128), { maxItems: 1000 }) }),
    updb: Type.Object({
      allowed: Type.Boolean(),
      minPasswordLength: passwordLength(),
      requireSpecialChar: Type.Boolean(),
      requireNumberChar: Type.Boolean(),
      requireMixedCase: Type.Boolean(),
      maxAttempts: count(),
      lockoutDurationMinutes: count(),
    }),
  }),
  secondary: Type.Object({ requireTotp: Type.Boolean(), requireExtJwtSigner: optional(text(128)) }),
  tags: optional(openObject()),
})

/** Body of PATCH: by leaf. */
export const AuthPolicyPatch = Type.Object({
  name: optional(name()),
  primary: optional(
    Type.Object({
      cert: optional(Type.Object({ allowed: optional(Type.Boolean()), allowExpiredCerts: optional(Type.Boolean()) })),
      extJwt: optional(
        Type.Object({
          allowed: optional(Type.Boolean()),
          allowedSigners: optional(Type.Array(text(128), { maxItems: 1000 })),
        }),
      ),
      updb: optional(
        Type.Object({
          allowed: optional(Type.Boolean()),
          minPasswordLength: optional(passwordLength()),
          requireSpecialChar: optional(Type.Boolean()),
          requireNumberChar: optional(Type.Boolean()),
          requireMixedCase: optional(Type.Boolean()),
          maxAttempts: optional(count()),
          lockoutDurationMinutes: optional(count()),
        }),
      ),
    }),
  ),
  secondary: optional(Type.Object({ requireTotp: optional(Type.Boolean()), requireExtJwtSigner: optional(text(128)) })),
  tags: optional(openObject()),
})

export type AuthPolicyWrite = Static<typeof AuthPolicyWrite>
export type AuthPolicyPatch = Static<typeof AuthPolicyPatch>
