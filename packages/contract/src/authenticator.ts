import { MAX_PEM_LENGTH, openObject, optional, secret, text } from './body-members.ts'
import Type, { type Static } from './schema/type.ts'

export const AUTHENTICATOR_METHODS = ['updb', 'cert'] as const
export type AuthenticatorMethod = (typeof AUTHENTICATOR_METHODS)[number]

export const MAX_PASSWORD_LENGTH = 100
export const username = () => Type.String({ minLength: 4, maxLength: 100 })
const password = () => secret({ minLength: 5, maxLength: MAX_PASSWORD_LENGTH })

/** Body of POST. The required members depend on the method. */
export const AuthenticatorCreate = Type.Object({
  method: Type.Enum([...AUTHENTICATOR_METHODS]),
  identityId: text(128),
  username: optional(username()),
  password: optional(password()),
  certPem: optional(text(MAX_PEM_LENGTH)),
  tags: optional(openObject()),
})

/** Body of PUT and PATCH. The required and allowed members depend on the method. */
export const AuthenticatorPatch = Type.Object({
  username: optional(username()),
  password: optional(password()),
  certPem: optional(text(MAX_PEM_LENGTH)),
  tags: optional(openObject()),
})

/** Body of `request-extend`. */
export const AuthenticatorRequestExtend = Type.Object({ rollKeys: optional(Type.Boolean()) })

/** Body of `extend`: the CSR for a new certificate. `readCsr` enforces the smaller length limit of a CSR. */
export const AuthenticatorExtend = Type.Object({ clientCertCsr: secret({ minLength: 1, maxLength: MAX_PEM_LENGTH }) })

/** Body of `extend-verify`: the new certificate as the client has stored it. */
export const AuthenticatorExtendVerify = Type.Object({
  clientCert: secret({ minLength: 1, maxLength: MAX_PEM_LENGTH }),
})

/** No minimum length: a short value is just a wrong password. */
const currentPassword = () => secret({ minLength: 1, maxLength: MAX_PASSWORD_LENGTH })

/** Body of PUT on the caller's own password. */
export const OwnAuthenticatorWrite = Type.Object({
  currentPassword: currentPassword(),
  password: password(),
  username: optional(username()),
})

/** Body of PATCH on the caller's own password. */
export const OwnAuthenticatorPatch = Type.Object({
  currentPassword: currentPassword(),
  password: optional(password()),
  username: optional(username()),
})

export type AuthenticatorCreate = Static<typeof AuthenticatorCreate>
export type AuthenticatorExtend = Static<typeof AuthenticatorExtend>
export type AuthenticatorExtendVerify = Static<typeof AuthenticatorExtendVerify>
export type AuthenticatorPatch = Static<typeof AuthenticatorPatch>
export type AuthenticatorRequestExtend = Static<typeof AuthenticatorRequestExtend>
export type OwnAuthenticatorPatch = Static<typeof OwnAuthenticatorPatch>
