import { CountersignError } from '../countersign-error.ts'
import { memberOf, parseJson, textOf } from '../http/read-body.ts'
import { readClaims } from './base64.ts'
import { buildTokenRequest, type TokenAsk } from './token-procedure.ts'
import { tokenRefused } from './token-refused.ts'

/** An access token and how long it is good for. */
export interface AccessToken {
  readonly token: string
  /** When it was asked for, in milliseconds. */
  readonly obtainedAt: number
  readonly expiresInSeconds: number
}

const MS_PER_SECOND = 1000
/** For a token that says nothing about its end. */
const UNKNOWN_LIFE_SECONDS = 300

/** Asks the provider for an access token. Throws TOKEN_REFUSED with the provider's own words. */
export async function requestToken(ask: TokenAsk): Promise<AccessToken> {
  const { transport, signal, timeoutMs, credentials, now } = ask
  const { url, headers, body } = await buildTokenRequest(ask)
  const call = { method: 'POST', url, headers, body, signal, timeoutMs, isRepeatable: true }
  const answer = await transport.send(call)
  const value = parseJson(answer.text)
  if (answer.status !== 200) throw tokenRefused(answer, url, [credentials.password ?? ''])
  const token = textOf(value, 'access_token')
  if (token === undefined) {
    const message = `${new URL(url).host} answers 200, but with no access_token`
    throw new CountersignError({ code: 'TOKEN_REFUSED', status: answer.status, message })
  }
  return { token, obtainedAt: now, expiresInSeconds: lifeOf(memberOf(value, 'expires_in'), token, now) }
}

/** Some providers write the number as text, some leave it to the token. */
function lifeOf(expiresIn: unknown, token: string, now: number): number {
  const seconds = typeof expiresIn === 'string' ? Number.parseInt(expiresIn, 10) : expiresIn
  if (typeof seconds === 'number' && seconds > 0) return seconds
  const exp = readClaims(token)?.exp
  return typeof exp === 'number' ? Math.max(0, exp - now / MS_PER_SECOND) : UNKNOWN_LIFE_SECONDS
}
