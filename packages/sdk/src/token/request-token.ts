import { CountersignError } from '../countersign-error.ts'
import type { Credentials } from '../credentials/credentials.ts'
import { memberOf, parseJson, textOf } from '../http/read-body.ts'
import type { CallOptions, Transport } from '../http/transport.ts'
import { readClaims } from './base64.ts'
import { buildTokenRequest, type TokenRequestInput, type TokenRequestOptions } from './build-token-request.ts'
import type { ProviderName } from './provider-name.ts'
import type { RecognizedProvider } from './recognize-provider.ts'
import { tokenRefusedError } from './token-refused-error.ts'

/** An access token and its lifetime. */
export interface AccessToken {
  readonly token: string
  /** When it was requested, in milliseconds since the epoch. */
  readonly obtainedAt: number
  readonly expiresInSeconds: number
}

const MS_PER_SECOND = 1000
/** For a token without a known expiry. */
const DEFAULT_LIFETIME_SECONDS = 300

/** What a token is requested with. */
export interface TokenOrder extends TokenRequestOptions, CallOptions {
  readonly credentials: Credentials
  readonly transport: Transport
  readonly now: number
}

/** The three forms of token requests, by the provider that names each. */
const FORMS: readonly ProviderName[] = ['oidc', 'auth0', 'cognito']

/**
 * Requests an access token from the provider. When the provider was only guessed from its address and the endpoint does not understand the request,
 * the other forms of requests are tried. Throws TOKEN_REFUSED with the provider's error, and with what was tried.
 */
export async function requestToken(order: TokenOrder, recognized: RecognizedProvider): Promise<AccessToken> {
  const { provider, by, document } = recognized
  const tried: ProviderName[] = []
  let first: CountersignError | undefined
  for (const form of by === 'address' && !order.clientKey ? listForms(provider) : [provider]) {
    try {
      tried.push(form)
      return await requestAs({ ...order, provider: form, document })
    } catch (error) {
      if (!(error instanceof CountersignError)) throw error
      first ??= error
      if (!isMisunderstood(error)) break
    }
  }
  throw first && by === 'address' ? withTried(first, tried) : first
}

/** `provider` and, after it, one provider for each other form. */
function listForms(provider: ProviderName): ProviderName[] {
  const own = provider === 'auth0' || provider === 'cognito' ? provider : 'oidc'
  return [provider, ...FORMS.filter((form) => form !== own)]
}

const MISUNDERSTOOD_STATUSES: readonly number[] = [404, 405, 406, 415]
const MISUNDERSTOOD_ERRORS: readonly (string | undefined)[] = ['invalid_request', 'unsupported_grant_type']

/** Whether the endpoint did not understand the form of the request, rather than refuse the client. */
function isMisunderstood({ code, status, provider }: CountersignError): boolean {
  if (code === 'BAD_DISCOVERY') return true
  return (
    code === 'TOKEN_REFUSED' &&
    (MISUNDERSTOOD_STATUSES.includes(status) || MISUNDERSTOOD_ERRORS.includes(provider?.error))
  )
}

function withTried(error: CountersignError, tried: readonly ProviderName[]): CountersignError {
  if (error.code !== 'TOKEN_REFUSED' && error.code !== 'BAD_DISCOVERY') return error
  const { code, status, requestId, retryAfterSeconds, provider, hint } = error
  const [guessed, ...others] = tried
  const more = others.length > 0 ? `, then as ${others.join(' and ')}` : ''
  const advice = 'if it is another one, set provider in the credentials file'
  return new CountersignError({
    code,
    status,
    requestId,
    retryAfterSeconds,
    provider,
    message: `${error.message} (asked as ${guessed}, guessed from the address${more})`,
    hint: hint === undefined ? advice : `${hint}; ${advice}`,
    cause: error,
  })
}

async function requestAs(input: TokenRequestInput): Promise<AccessToken> {
  const { transport, signal, timeoutMs, credentials, now } = input
  const { url, headers, body } = await buildTokenRequest(input)
  const call = { method: 'POST', url, headers, body, signal, timeoutMs, isIdempotent: true }
  const response = await transport.send(call)
  const value = parseJson(response.text)
  if (response.status !== 200) throw tokenRefusedError(response, url, [credentials.password ?? ''])
  const token = textOf(value, 'access_token')
  if (token === undefined) {
    const message = `${new URL(url).host} responds with status 200, but without an access_token`
    throw new CountersignError({ code: 'TOKEN_REFUSED', status: response.status, message })
  }
  return { token, obtainedAt: now, expiresInSeconds: lifetimeOf(memberOf(value, 'expires_in'), token, now) }
}

/** Some providers send `expires_in` as a string; some only set the token's `exp`. */
function lifetimeOf(expiresIn: unknown, token: string, now: number): number {
  const seconds = typeof expiresIn === 'string' ? Number.parseInt(expiresIn, 10) : expiresIn
  if (typeof seconds === 'number' && seconds > 0) return seconds
  const exp = readClaims(token)?.exp
  return typeof exp === 'number' ? Math.max(0, exp - now / MS_PER_SECOND) : DEFAULT_LIFETIME_SECONDS
}
