import { ERRORS } from '@countersign/contract'
import type { AppError } from '@countersign/core'
import { isBelow } from '../api-paths.ts'

/** First segments of the hosted API. */
const ROOTS: readonly string[] = ['/core', '/identity', '/auth']

/** The token endpoint, whose errors have the format of OAuth. */
export const ACCOUNT_TOKEN_PATH = '/auth/v1/token'

export function isAccountTokenPath(url: string): boolean {
  return isBelow(url, ACCOUNT_TOKEN_PATH)
}

/** Whether a path, with or without query, belongs to the hosted API. */
export function isHostedPath(url: string): boolean {
  for (const root of ROOTS) if (isBelow(url, root)) return true
  return false
}

const LABELS: Readonly<Record<number, string>> = {
  400: 'BAD_REQUEST',
  401: 'UNAUTHORIZED',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  405: 'METHOD_NOT_ALLOWED',
  406: 'NOT_ACCEPTABLE',
  409: 'CONFLICT',
  412: 'PRECONDITION_FAILED',
  413: 'PAYLOAD_TOO_LARGE',
  415: 'UNSUPPORTED_MEDIA_TYPE',
  429: 'TOO_MANY_REQUESTS',
  500: 'INTERNAL_SERVER_ERROR',
  502: 'BAD_GATEWAY',
  503: 'SERVICE_UNAVAILABLE',
}

/** An error in the format of the hosted API. `traceId` is the request id in the log. */
export function hostedError({ code, publicCause }: AppError, traceId: string) {
  const { status, message } = ERRORS[code]
  const reason = publicCause && ('field' in publicCause ? publicCause.reason : publicCause.message)
  return {
    errors: [reason ?? message],
    status: { code: status, label: LABELS[status] ?? 'ERROR' },
    traceId,
    ...(publicCause && 'field' in publicCause && { field: publicCause.field }),
  }
}
