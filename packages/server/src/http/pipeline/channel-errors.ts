import { ERRORS } from '@countersign/contract'
import type { AppError } from '@countersign/core'
import { ChannelRefused } from '../../login/channels/channel-refused.ts'
import { channelOfPath } from '../api-paths.ts'
import { jsonText } from './envelope.ts'

interface ChannelErrorResponse {
  readonly status: number
  readonly type: string
  readonly body: string
  readonly headers: Readonly<Record<string, string>>
}

/** Errors about the connection, the size or the rate keep their status. Everything else about the request is a 400. */
const KEPT_STATUSES: ReadonlySet<number> = new Set([405, 408, 413, 429, 431])

/** An error of a call by an identity provider, in the format of its specification; undefined for other paths. */
export function findChannelError(url: string, error: AppError): ChannelErrorResponse | undefined {
  const channel = channelOfPath(url)
  if (!channel) return undefined
  const spec = ERRORS[error.code]
  const { publicCause } = error
  const reason = publicCause && ('field' in publicCause ? publicCause.reason : publicCause.message)
  const text = reason ?? spec.message
  const code = error instanceof ChannelRefused ? error.eventErrorCode : 'invalid_request'
  return {
    status: spec.status >= 500 || KEPT_STATUSES.has(spec.status) ? spec.status : 400,
    type: 'application/json',
    ...(channel === 'backchannel-logout'
      ? { body: jsonText({ error: 'invalid_request', error_description: text }), headers: NO_STORE }
      : { body: jsonText({ err: code, description: text }), headers: { ...NO_STORE, 'content-language': 'en' } }),
  }
}

const NO_STORE = { 'cache-control': 'no-store' }
