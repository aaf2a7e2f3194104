import { CountersignError } from '../countersign-error.ts'
import { Credentials } from '../credentials/credentials.ts'
import type { Authorization } from '../http/json-api.ts'
import type { TransportOptions } from '../http/transport.ts'
import type { TokenRequestOptions } from '../token/build-token-request.ts'
import { TokenSource, type TokenStore } from '../token/token-source.ts'

/** How calls to the hosted API are authorized. At most one is given; without any, a browser sends the console's cookie. */
export interface HostedCaller {
  /** An API account: tokens are requested and renewed. */
  readonly credentials?: Credentials | TokenSource | undefined
  /** An access token, or a function that returns one for each call. */
  readonly token?: string | (() => string | Promise<string>) | undefined
  /** An administrator's session token of the controller. */
  readonly session?: string | undefined
}

export interface HostedAuthorizationOptions
  extends HostedCaller,
    Omit<TokenRequestOptions, 'hostedUrl'>,
    TransportOptions {
  readonly hostedUrl: string
  readonly store?: TokenStore | undefined
}

export function buildHostedAuthorization(options: HostedAuthorizationOptions): Authorization {
  const { credentials, token, session } = options
  if ([credentials, token, session].filter((one) => one !== undefined).length > 1) {
    const message = 'give only one of credentials, token and session'
    throw new CountersignError({ code: 'BAD_CREDENTIALS', message })
  }
  if (session !== undefined) return { headers: async () => ({ 'zt-session': session }) }
  if (token !== undefined) {
    return { headers: async () => bearer(typeof token === 'string' ? token : await token()) }
  }
  if (!credentials) return { headers: async () => ({}) }
  return fromSource(credentials instanceof Credentials ? new TokenSource({ ...options, credentials }) : credentials)
}

function fromSource(source: TokenSource): Authorization {
  return {
    headers: async (options) => bearer(await source.getToken(options)),
    renew: async ({ authorization = '' }, options) => {
      const refused = authorization.slice(SCHEME.length)
      return (await source.renew(refused, options)) !== refused
    },
  }
}

const SCHEME = 'Bearer '

function bearer(token: string): { readonly authorization: string } {
  return { authorization: SCHEME + token }
}
