import { ERRORS } from '@countersign/contract'
import type { AppError } from '@countersign/core'

/** First segments of the hosted API. */
const ROOTS: ReadonlySet<string> = new Set(['core', 'identity', 'auth'])

export function isHostedPath(url: string): boolean {
  return ROOTS.has(url.split('/', 2)[1]?.split('?', 1)[0] ?? '')
}

const LABELS: Readonly<Record<number, string>> = {
  400: 'BAD_REQUEST',
  401: 'UNAUTHORIZED',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  405: 'METHOD_NOT_ALLOWED',
  406: 'NOT_ACCEPTABLE',
  409: 'CONFLICT',
  413: 'PAYLOAD_TOO_LARGE',
  415: 'UNSUPPORTED_MEDIA_TYPE',
  429: 'TOO_MANY_REQUESTS',
  500: 'INTERNAL_SERVER_ERROR',
  502: 'BAD_GATEWAY',
  503: 'SERVICE_UNAVAILABLE',
}

/** An error in the shape that clients of the hosted API know. `traceId` is what the log has it under. */
export function hostedError({ code, publicCause }: AppError, traceId: string) {
  const { status, message } = ERRORS[code]
  const why = publicCause && ('field' in publicCause ? publicCause.reason : publicCause.message)
  return {
    errors: [why ?? message],
    status: { code: status, label: LABELS[status] ?? 'ERROR' },
    traceId,
    ...(publicCause && 'field' in publicCause && { field: publicCause.field }),
  }
}
