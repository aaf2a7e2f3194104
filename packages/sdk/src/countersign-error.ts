import type { ErrorCode } from './wire-types.ts'

/** Codes of errors that occur in the client or at an identity provider. */
export type ClientErrorCode =
  /** No response: wrong address, nothing listening, or an untrusted certificate. */
  | 'NETWORK'
  /** No response within the timeout. */
  | 'NO_ANSWER_IN_TIME'
  /** The server redirects. Redirects are not followed, because they would send credentials to another address. */
  | 'REDIRECTED'
  /** The response is not one of this API. */
  | 'BAD_ANSWER'
  /** An invalid id: empty, `.` or `..`. Nothing was sent. */
  | 'BAD_ID'
  /** Credentials are not sent to this address: it is neither https nor loopback. */
  | 'UNSAFE_ADDRESS'
  /** No credentials were found. */
  | 'NO_CREDENTIALS'
  /** The credentials are unusable. */
  | 'BAD_CREDENTIALS'
  /** A file, variable or command that should supply a token does not. */
  | 'BAD_TOKEN'
  /** The organization of the account has no network on this controller. */
  | 'NO_LOCAL_NETWORK'
  /** The identity provider issued no token. */
  | 'TOKEN_REFUSED'
  /** The provider's discovery document lacks a required member, or names another issuer. */
  | 'BAD_DISCOVERY'
  /** The provider refused the login, or its response belongs to another login. */
  | 'LOGIN_REFUSED'

export interface ErrorDetails {
  readonly code: ErrorCode | ClientErrorCode | (string & {})
  readonly message: string
  readonly reason?: string | undefined
  readonly status?: number | undefined
  readonly hint?: string | undefined
  readonly field?: string | undefined
  readonly conflictsWith?: string | undefined
  readonly requestId?: string | undefined
  readonly retryAfterSeconds?: number | undefined
  readonly provider?: ProviderError | undefined
  readonly challenges?: string | undefined
  readonly cause?: unknown
}

/** An identity provider's error in its own words, truncated to 500 characters per member. */
export interface ProviderError {
  readonly error?: string | undefined
  readonly description?: string | undefined
  /** The provider's id of the failed request. */
  readonly traceId?: string | undefined
}

/** The server's own account of an error, as it is on the wire. Which members it has depends on the error. */
export interface ErrorCause {
  /** The refused member, and its value unless that is secret. */
  readonly field?: string
  readonly value?: unknown
  readonly reason?: string
  readonly code?: string
  readonly message?: string
  /** All messages of the hosted API. */
  readonly errors?: readonly string[]
  readonly [member: string]: unknown
}

/** What to do about an error of the client, where the place that throws it knows nothing better. */
const CLIENT_HINTS: Readonly<Partial<Record<string, string>>> = {
  NETWORK: 'check the address, and that the server is running',
  NO_ANSWER_IN_TIME: 'check that the server is reachable, or set a longer timeoutMs',
  BAD_ANSWER: 'check the address of the API',
  NO_CREDENTIALS: 'check the name of the file, and that it can be read',
  BAD_CREDENTIALS: 'check the credentials, or ask for new ones',
  TOKEN_REFUSED: 'check the client and its configuration at the identity provider',
  BAD_DISCOVERY: 'check the address of the identity provider, and its discovery document',
  LOGIN_REFUSED: 'start the login again; the identity provider can say why it refuses',
} satisfies Partial<Record<ClientErrorCode, string>>

const BAD_REQUEST = 400
const CONFLICTS = [409, 412]

/** The error class of this package. `code` is stable, `message` is for people, and neither contains a secret. */
export class CountersignError extends Error {
  override readonly name = 'CountersignError'
  /** The server's `ErrorCause` for an error response; the underlying error for one without a response. Undefined when there is neither. */
  declare readonly cause?: ErrorCause | Error | undefined
  /** The server's code, or one of `ClientErrorCode`. */
  readonly code: ErrorDetails['code']
  /** The HTTP status; 0 without a response. */
  readonly status: number
  /** What to do about it, if known. */
  readonly hint: string | undefined
  /** The specific cause, without the server's general message for this code; the message itself when there is no cause. */
  readonly reason: string
  /** The refused field, if the server names one. */
  readonly field: string | undefined
  /** The name of the item that already has the refused value, if the server names one. */
  readonly conflictsWith: string | undefined
  /** The id of the request (`requestId`, `traceId`) in the server's log. */
  readonly requestId: string | undefined
  /** The `Retry-After` of the response. */
  readonly retryAfterSeconds: number | undefined
  /** The identity provider's own error. */
  readonly provider: ProviderError | undefined
  /** The `WWW-Authenticate` header of a 401. */
  readonly challenges: string | undefined

  constructor(details: ErrorDetails) {
    super(details.message, details.cause === undefined ? {} : { cause: details.cause })
    this.code = details.code
    this.status = details.status ?? 0
    this.hint = details.hint ?? findClientHint(details.code)
    this.reason = details.reason ?? details.message
    this.field = details.field
    this.conflictsWith = details.conflictsWith
    this.requestId = details.requestId
    this.retryAfterSeconds = details.retryAfterSeconds
    this.provider = details.provider
    this.challenges = details.challenges
  }

  /** Whether the item exists already, is in use, or has been changed concurrently. A duplicate is a 400 on the wire. */
  get isConflict(): boolean {
    if (CONFLICTS.includes(this.status)) return true
    return this.status === BAD_REQUEST && isDuplicate(this.reason)
  }
}

/** Whether the reason of a refusal is that another item has the value. */
export function isDuplicate(reason: string): boolean {
  return reason.includes(' must be unique') || reason.startsWith('duplicate value ')
}

/** Codes come from a server too, and `constructor` is a member of every object. */
function findClientHint(code: string): string | undefined {
  return Object.hasOwn(CLIENT_HINTS, code) ? CLIENT_HINTS[code] : undefined
}
