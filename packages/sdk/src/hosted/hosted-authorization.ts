import { CountersignError } from '../countersign-error.ts'
import { Credentials } from '../credentials/credentials.ts'
import type { Authorization } from '../http/json-api.ts'
import type { CallOptions, TransportOptions } from '../http/transport.ts'
import type { AccessTokenSupplier } from '../source/cached-supply.ts'
import type { TokenRequestOptions } from '../token/build-token-request.ts'
import { SuppliedTokens } from '../token/supplied-tokens.ts'
import { type AccessTokens, TokenSource, type TokenStore } from '../token/token-source.ts'
import { tradeToken } from '../token/trade-token.ts'

/** How calls to the hosted API are authorized. At most one is given; without any, a browser sends the console's cookie. */
export interface HostedCaller {
  /** An API account: tokens are requested and renewed. */
  readonly credentials?: Credentials | TokenSource | undefined
  /**
   * An access token, or a function that returns one for each call. A token that is about to expire, and is not replaced, is traded for one of the
   * hosted API, as far as it belongs to a federated account.
   */
  readonly token?: string | AccessTokenSupplier | undefined
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
    const { hostedUrl, fetch, timeoutMs, retries } = options
    const supply = typeof token === 'string' ? () => token : token
    const trade = (subject: string, call: CallOptions) =>
      tradeToken({ hostedUrl, token: subject, fetch, timeoutMs, retries, ...call })
    return fromTokens(new SuppliedTokens({ supply, trade }))
  }
  if (!credentials) return { headers: async () => ({}) }
  return fromTokens(credentials instanceof Credentials ? new TokenSource({ ...options, credentials }) : credentials)
}

function fromTokens(source: AccessTokens): Authorization {
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
