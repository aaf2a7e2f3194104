import { MAX_PEM_LENGTH, openObject, optional, secret, text } from './body-members.ts'
import Type, { type Static } from './schema/type.ts'

export const AUTHENTICATOR_METHODS = ['updb', 'cert'] as const
export type AuthenticatorMethod = (typeof AUTHENTICATOR_METHODS)[number]

export const MAX_PASSWORD_LENGTH = 100
export const username = () => Type.String({ minLength: 4, maxLength: 100 })
const password = () => secret({ minLength: 5, maxLength: MAX_PASSWORD_LENGTH })

/** Body of POST; which members are needed depends on the method. */
export const AuthenticatorCreate = Type.Object({
  method: Type.Enum([...AUTHENTICATOR_METHODS]),
  identityId: text(128),
  username: optional(username()),
  password: optional(password()),
  certPem: optional(text(MAX_PEM_LENGTH)),
  tags: optional(openObject()),
})

/** Body of PUT and PATCH; which members are needed, and which may be there, depends on the method. */
export const AuthenticatorPatch = Type.Object({
  username: optional(username()),
  password: optional(password()),
  certPem: optional(text(MAX_PEM_LENGTH)),
  tags: optional(openObject()),
})

/** Body of `request-extend`. */
export const AuthenticatorRequestExtend = Type.Object({ rollKeys: optional(Type.Boolean()) })

/** Body of `extend`: the request for a new certificate. What is too long is told so by whoever reads it. */
export const AuthenticatorExtend = Type.Object({ clientCertCsr: secret({ minLength: 1, maxLength: MAX_PEM_LENGTH }) })

/** Body of `extend-verify`: the new certificate, as its holder has stored it. */
export const AuthenticatorExtendVerify = Type.Object({
  clientCert: secret({ minLength: 1, maxLength: MAX_PEM_LENGTH }),
})

/** Whatever is not the current password is simply wrong, so it is not measured. */
const currentPassword = () => secret({ minLength: 1, maxLength: MAX_PASSWORD_LENGTH })

/** Body of PUT on one's own password. */
export const OwnAuthenticatorWrite = Type.Object({
  currentPassword: currentPassword(),
  password: password(),
  username: optional(username()),
})

/** Body of PATCH on one's own password. */
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
