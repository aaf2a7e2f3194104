import { CountersignError } from '../countersign-error.ts'
import { memberOf, parseJson, textOf } from '../http/read-body.ts'
import type { CallOptions, HttpResponse } from '../http/transport.ts'
import { readProviderError, tokenRefusedError } from '../token/token-refused-error.ts'
import { endpointOf, type LoginTarget } from './login-target.ts'

/** The tokens of a completed login. All are secret. */
export interface LoginTokens {
  /** The one that the signer expects (`targetToken`): for `logInWithJwt`, `enrollment`, or as secondary token. */
  readonly token: string
  readonly idToken: string | undefined
  readonly accessToken: string | undefined
  readonly refreshToken: string | undefined
  readonly expiresInSeconds: number | undefined
}

/** Request members that errors must not contain. */
const SECRETS = ['code', 'code_verifier', 'device_code', 'refresh_token']
const FORM = { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' }

/** Posts a form as a public client. */
export function sendForm(
  { transport, clientId }: LoginTarget,
  url: string,
  members: Readonly<Record<string, string>>,
  { signal, timeoutMs }: CallOptions,
): Promise<HttpResponse> {
  const body = new URLSearchParams({ client_id: clientId, ...members }).toString()
  return transport.send({ method: 'POST', url, headers: FORM, body, signal, timeoutMs })
}

/** Requests tokens. Throws TOKEN_REFUSED with the provider's error. */
export async function fetchTokens(
  target: LoginTarget,
  members: Readonly<Record<string, string>>,
  options: CallOptions,
): Promise<LoginTokens> {
  const url = endpointOf(target, 'tokenEndpoint')
  const response = await sendForm(target, url, members, options)
  if (!response.isOk)
    throw tokenRefusedError(
      response,
      url,
      SECRETS.map((name) => members[name] ?? ''),
    )
  return pickTokens(target, response)
}

/** New tokens for a refresh token. */
export async function refreshTokens(
  target: LoginTarget,
  refreshToken: string,
  options: CallOptions = {},
): Promise<LoginTokens> {
  const tokens = await fetchTokens(target, { grant_type: 'refresh_token', refresh_token: refreshToken }, options)
  return { ...tokens, refreshToken: tokens.refreshToken ?? refreshToken }
}

/** Reads a token response. Throws TOKEN_REFUSED when it lacks the token that the signer expects. */
export function pickTokens({ targetToken, provider }: LoginTarget, { text, status }: HttpResponse): LoginTokens {
  const value = parseJson(text)
  const idToken = textOf(value, 'id_token')
  const accessToken = textOf(value, 'access_token')
  const token = targetToken === 'ID' ? idToken : accessToken
  const lifetime = Number(memberOf(value, 'expires_in'))
  if (token !== undefined) {
    const expiresInSeconds = Number.isFinite(lifetime) ? lifetime : undefined
    return { token, idToken, accessToken, refreshToken: textOf(value, 'refresh_token'), expiresInSeconds }
  }
  throw new CountersignError({
    code: 'TOKEN_REFUSED',
    status,
    message: `${provider.issuer} returned no ${targetToken === 'ID' ? 'id_token' : 'access_token'}`,
    provider: readProviderError(value, []),
  })
}
