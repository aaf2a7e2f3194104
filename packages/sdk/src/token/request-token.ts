import { CountersignError } from '../countersign-error.ts'
import { memberOf, parseJson, textOf } from '../http/read-body.ts'
import { readClaims } from './base64.ts'
import { buildTokenRequest, type TokenRequestInput } from './build-token-request.ts'
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

/** Requests an access token from the provider. Throws TOKEN_REFUSED with the provider's error. */
export async function requestToken(input: TokenRequestInput): Promise<AccessToken> {
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
