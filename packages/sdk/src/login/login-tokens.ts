import { CountersignError } from '../countersign-error.ts'
import { memberOf, parseJson, textOf } from '../http/read-body.ts'
import type { Answer, CallOptions } from '../http/transport.ts'
import { readProviderWords, tokenRefused } from '../token/token-refused.ts'
import { endpointOf, type LoginTarget } from './login-target.ts'

/** What a provider gives to somebody who has logged in. All of it is secret. */
export interface LoginTokens {
  /** The one that the signer wants: for `logInWithJwt`, `enrollment`, or as secondary token. */
  readonly token: string
  readonly idToken: string | undefined
  readonly accessToken: string | undefined
  readonly refreshToken: string | undefined
  readonly expiresInSeconds: number | undefined
}

/** Members of requests that no error repeats. */
const SECRETS = ['code', 'code_verifier', 'device_code', 'refresh_token']
const FORM = { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' }

/** Sends a form as a client without a secret. */
export function sendForm(
  { transport, clientId }: LoginTarget,
  url: string,
  members: Readonly<Record<string, string>>,
  { signal, timeoutMs }: CallOptions,
): Promise<Answer> {
  const body = new URLSearchParams({ client_id: clientId, ...members }).toString()
  return transport.send({ method: 'POST', url, headers: FORM, body, signal, timeoutMs })
}

/** Asks for tokens. Throws TOKEN_REFUSED in the provider's words. */
export async function fetchTokens(
  target: LoginTarget,
  members: Readonly<Record<string, string>>,
  options: CallOptions,
): Promise<LoginTokens> {
  const url = endpointOf(target, 'tokenEndpoint')
  const answer = await sendForm(target, url, members, options)
  if (!answer.isOk)
    throw tokenRefused(
      answer,
      url,
      SECRETS.map((name) => members[name] ?? ''),
    )
  return pickTokens(target, answer)
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

/** Picks the token that the signer wants out of an answer. */
export function pickTokens({ targetToken, provider }: LoginTarget, { text, status }: Answer): LoginTokens {
  const value = parseJson(text)
  const idToken = textOf(value, 'id_token')
  const accessToken = textOf(value, 'access_token')
  const token = targetToken === 'ID' ? idToken : accessToken
  const life = Number(memberOf(value, 'expires_in'))
  if (token !== undefined) {
    const expiresInSeconds = Number.isFinite(life) ? life : undefined
    return { token, idToken, accessToken, refreshToken: textOf(value, 'refresh_token'), expiresInSeconds }
  }
  throw new CountersignError({
    code: 'TOKEN_REFUSED',
    status,
    message: `${provider.issuer} gives no ${targetToken === 'ID' ? 'id_token' : 'access_token'}`,
    provider: readProviderWords(value, []),
  })
}
