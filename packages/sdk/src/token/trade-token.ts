import { JWT_TOKEN_TYPE, TOKEN_EXCHANGE_GRANT } from '@countersign/contract/token-exchange'
import { memberOf, parseJson, textOf } from '../http/read-body.ts'
import { parseBaseAddress } from '../http/safe-address.ts'
import { type CallOptions, Transport, type TransportOptions } from '../http/transport.ts'
import type { AccessToken } from './request-token.ts'
import { tokenRefusedError } from './token-refused-error.ts'

export interface TradeOptions extends TransportOptions, CallOptions {
  /** The base address of the hosted API. */
  readonly hostedUrl: string
  /** A token of a federated account: of a CI job, a pod or a cloud. */
  readonly token: string
}

/**
 * Trades a token for an access token of the hosted API (RFC 8693), for a job that outlives its token. Throws TOKEN_REFUSED with the reason of
 * the API.
 */
export async function tradeToken({
  hostedUrl,
  token,
  signal,
  timeoutMs,
  ...options
}: TradeOptions): Promise<AccessToken> {
  const url = `${parseBaseAddress(hostedUrl, 'the address of the hosted API')}/auth/v1/token`
  const form = { grant_type: TOKEN_EXCHANGE_GRANT, subject_token: token, subject_token_type: JWT_TOKEN_TYPE }
  const obtainedAt = Date.now()
  const response = await new Transport(options).send({
    method: 'POST',
    url,
    headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
    body: new URLSearchParams(form).toString(),
    isIdempotent: true,
    signal,
    timeoutMs,
  })
  const value = parseJson(response.text)
  const traded = textOf(value, 'access_token')
  const expiresInSeconds = Number(memberOf(value, 'expires_in'))
  if (response.isOk && traded !== undefined && expiresInSeconds > 0)
    return { token: traded, obtainedAt, expiresInSeconds }
  throw tokenRefusedError(response, url, [token])
}
