import { Authenticate } from './authenticate.ts'
import { MAX_PEM_LENGTH, optional, secret, text } from './body-members.ts'
import Type, { type Static } from './schema/type.ts'

const { configTypes, envInfo, sdkInfo } = Authenticate.properties
const MAX_TOKEN_LENGTH = 12 * 1024

/** Body of the login steps below `/oidc/login`. The required members depend on the step. */
export const OidcLogin = Type.Object({
  id: optional(text(40)),
  username: optional(text(100)),
  password: optional(secret({ minLength: 0, maxLength: 100 })),
  configTypes,
  envInfo,
  sdkInfo,
  csrPem: optional(text(MAX_PEM_LENGTH)),
  code: optional(secret({ minLength: 0, maxLength: 64, refusedAs: 'INVALID_TOTP_CODE' })),
  token: optional(secret({ minLength: 0, maxLength: MAX_TOKEN_LENGTH })),
})

export type OidcLogin = Static<typeof OidcLogin>
