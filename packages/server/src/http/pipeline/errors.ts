import { ERRORS, type ErrorCode } from '@countersign/contract'
import { AppError, OAuthError } from '@countersign/core'
import type { Logger } from 'pino'
import { TokenRefused } from '../../hosted/token-refused.ts'
import { TooManyRequests } from '../../limits/too-many-requests.ts'
import { isStoreError } from '../../store/store-error.ts'
import { ChallengeError } from './challenge.ts'
import { findChannelError } from './channel-errors.ts'
import { errorEnvelope, jsonText } from './envelope.ts'
import { hostedError, isAccountTokenPath, isHostedPath } from './hosted-errors.ts'
import { isOidcPath, oauthErrorBody, oidcError } from './oidc-errors.ts'
import { isScimPath, scimErrorBody } from './scim-errors.ts'

export interface ErrorResponse {
  readonly status: number
  readonly headers: Record<string, string>
  readonly body: string
  /** Whether the connection closes because the rest of the request is not read. */
  readonly closes: boolean
}

/** Errors of the HTTP framework, by code. */
const FRAMEWORK_ERRORS: Readonly<Record<string, AppError>> = {
  FST_ERR_BAD_URL: new AppError('BAD_REQUEST', { message: 'the path is not a valid URL path' }),
  FST_ERR_MAX_PARAM_LENGTH: new AppError('NOT_FOUND'),
}

/** After these the connection holds bytes that will not be read. */
const CLOSING: ReadonlySet<ErrorCode> = new Set([
  'REQUEST_ENTITY_TOO_LARGE',
  'REQUEST_HEADERS_TOO_LARGE',
  'BAD_REQUEST',
  'COULD_NOT_READ_BODY',
  'REQUEST_TIMEOUT',
])
const RETRY_AFTER_SECONDS = 1

/** The only place that decides what an error discloses. An unexpected error becomes a plain 500, with the details in the log. */
export function errorResponse(
  thrown: unknown,
  { id: requestId, url }: { readonly id: string; readonly url: string },
  log: Logger,
): ErrorResponse {
  const error = toAppError(thrown)
  const { status, retryable } = ERRORS[error.code]
  logError(thrown, error, requestId, log)
  const ofChannel = findChannelError(url, error)
  const { type, body } = ofChannel ?? describe(error, { requestId, url })
  return {
    status: ofChannel?.status ?? status,
    headers: {
      'content-type': type,
      ...ofChannel?.headers,
      ...challengeOf(error),
      ...(retryable && { 'retry-after': String(retryAfterSeconds(error)) }),
    },
    body,
    closes: CLOSING.has(error.code),
  }
}

function challengeOf(error: AppError): Readonly<Record<string, string>> {
  const isChallenge = error instanceof ChallengeError || error instanceof TokenRefused || error instanceof OAuthError
  return isChallenge && error.challenge !== undefined ? { 'www-authenticate': error.challenge } : {}
}

/** Each API has its own format. */
function describe(error: AppError, { requestId, url }: { readonly requestId: string; readonly url: string }) {
  if (isOidcPath(url)) return oidcError(error, url)
  if (isScimPath(url)) return scimErrorBody(error)
  if (isAccountTokenPath(url)) return { type: 'application/json', body: oauthErrorBody(error) }
  const json = isHostedPath(url) ? hostedError(error, requestId) : errorEnvelope(error, requestId)
  return { type: 'application/json', body: jsonText(json) }
}

function retryAfterSeconds(error: AppError): number {
  return error instanceof TooManyRequests ? error.retryAfterSeconds : RETRY_AFTER_SECONDS
}

function toAppError(thrown: unknown): AppError {
  if (thrown instanceof AppError) return thrown
  if (isStoreError(thrown)) return new AppError('STORE_UNAVAILABLE')
  const code = String((thrown as { code?: unknown } | null)?.code ?? '')
  return FRAMEWORK_ERRORS[code] ?? new AppError('UNHANDLED')
}

function logError(thrown: unknown, { code, message }: AppError, requestId: string, log: Logger): void {
  try {
    // A request for what is not supported is no failure of the server.
    if (ERRORS[code].status >= 500 && code !== 'NOT_IMPLEMENTED')
      log.error({ requestId, code, err: thrown }, 'request failed')
    else log.debug({ requestId, code, reason: message }, 'request refused')
  } catch {
    // The request gets its response even if the log has failed.
  }
}
