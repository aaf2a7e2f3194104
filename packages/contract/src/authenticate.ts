import { optional, secret, text } from './body-members.ts'
import { PasskeyAssertion } from './passkey.ts'
import Type, { type Static } from './schema/type.ts'

export const AUTHENTICATE_METHODS = ['password', 'cert', 'ext-jwt', 'passkey'] as const
/** How sessions are opened: also by API accounts, through the hosted API. */
export const LOGIN_METHODS = [...AUTHENTICATE_METHODS, 'api-account'] as const
export type AuthenticateMethod = (typeof AUTHENTICATE_METHODS)[number]

const info = (members: readonly string[], maxLength = 255) => {
  return Object.fromEntries(members.map((member) => [member, optional(text(maxLength))]))
}

const username = Type.String({ minLength: 4, maxLength: 100 })
const password = secret({ minLength: 5, maxLength: 100 })

/** Body of `POST /authenticate`. The required members depend on the method. */
export const Authenticate = Type.Object({
  username: optional(username),
  password: optional(password),
  passkey: optional(PasskeyAssertion),
  configTypes: optional(Type.Array(text(256), { maxItems: 100 })),
  envInfo: optional(
    Type.Object({ ...info(['os', 'osRelease', 'osVersion', 'arch']), ...info(['domain', 'hostname'], 253) }),
  ),
  sdkInfo: optional(Type.Object(info(['type', 'version', 'branch', 'revision', 'appId', 'appVersion']))),
})

export type Authenticate = Static<typeof Authenticate>

/** Body of `POST /console/session`, the password login of the console. */
export const ConsoleSession = Type.Object({ username, password })

/** Body of `POST /console/session/passkey`, the passkey login of the console. */
export const ConsolePasskeySession = Type.Object({ passkey: PasskeyAssertion })
