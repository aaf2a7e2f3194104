import Type, { type Static } from 'typebox'
import { MAX_PEM_LENGTH, openObject, optional, secret, text } from './body-members.ts'

export const AUTHENTICATOR_METHODS = ['updb', 'cert'] as const
export type AuthenticatorMethod = (typeof AUTHENTICATOR_METHODS)[number]

export const MAX_PASSWORD_LENGTH = 100
const username = () => Type.String({ minLength: 4, maxLength: 100 })
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

/** Body of PUT. */
export const AuthenticatorWrite = Type.Object({
  username: username(),
  password: password(),
  tags: optional(openObject()),
})

/** Body of PATCH. */
export const AuthenticatorPatch = Type.Object({
  username: optional(username()),
  password: optional(password()),
  tags: optional(openObject()),
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
export type AuthenticatorPatch = Static<typeof AuthenticatorPatch>
export type OwnAuthenticatorPatch = Static<typeof OwnAuthenticatorPatch>
