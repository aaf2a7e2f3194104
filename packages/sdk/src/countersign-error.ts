import type { ErrorCode } from './wire-types.ts'

/** Codes of what goes wrong on this side of the wire, or at a provider. */
export type ClientErrorCode =
  /** No answer: the address is wrong, nobody listens, or the certificate is not trusted. */
  | 'NETWORK'
  /** No answer within the time given. */
  | 'NO_ANSWER_IN_TIME'
  /** The answer sends us elsewhere. Redirects are not followed, so that credentials stay where they belong. */
  | 'REDIRECTED'
  /** The answer is not what the API answers. */
  | 'BAD_ANSWER'
  /** An id that nothing can have: empty, `.` or `..`. Nothing was sent. */
  | 'BAD_ID'
  /** An address that credentials are not sent to: neither https nor on this machine. */
  | 'UNSAFE_ADDRESS'
  /** There are no credentials where they were looked for. */
  | 'NO_CREDENTIALS'
  /** The credentials are there but cannot be used. */
  | 'BAD_CREDENTIALS'
  /** The identity provider gives no token. */
  | 'TOKEN_REFUSED'
  /** The provider's document lacks what is needed, or names another issuer. */
  | 'BAD_DISCOVERY'
  /** The answer to a login in the browser does not belong to the one that was started, or says no. */
  | 'LOGIN_REFUSED'

export interface Problem {
  readonly code: ErrorCode | ClientErrorCode | (string & {})
  readonly message: string
  readonly reason?: string | undefined
  readonly status?: number | undefined
  readonly hint?: string | undefined
  readonly field?: string | undefined
  readonly requestId?: string | undefined
  readonly retryAfterSeconds?: number | undefined
  readonly provider?: ProviderWords | undefined
  readonly challenges?: string | undefined
  readonly cause?: unknown
}

/** What an identity provider said, word for word and cut to a sensible length. */
export interface ProviderWords {
  readonly error?: string | undefined
  readonly description?: string | undefined
  /** The provider's own id of the failed request. */
  readonly traceId?: string | undefined
}

const BAD_REQUEST = 400
const CONFLICTS = [409, 412]

/** The one error of this package. `code` is stable, `message` is for people, and neither holds a secret. */
export class CountersignError extends Error {
  override readonly name = 'CountersignError'
  /** The server's code, or one of `ClientErrorCode`. */
  readonly code: Problem['code']
  /** The HTTP status; 0 when there was no answer. */
  readonly status: number
  /** What to do about it, where that is known. */
  readonly hint: string | undefined
  /** What is wrong in this very case, without what the server says of all such cases; the message where it says no more. */
  readonly reason: string
  /** The field that was refused, where the server says so. */
  readonly field: string | undefined
  /** With this id (`requestId`, `traceId`) the server's log tells more. */
  readonly requestId: string | undefined
  /** How long the server wants to be left alone. */
  readonly retryAfterSeconds: number | undefined
  /** The identity provider's own words. */
  readonly provider: ProviderWords | undefined
  /** The header `WWW-Authenticate` of a 401. */
  readonly challenges: string | undefined

  constructor(problem: Problem) {
    super(problem.message, { cause: problem.cause })
    this.code = problem.code
    this.status = problem.status ?? 0
    this.hint = problem.hint
    this.reason = problem.reason ?? problem.message
    this.field = problem.field
    this.requestId = problem.requestId
    this.retryAfterSeconds = problem.retryAfterSeconds
    this.provider = problem.provider
    this.challenges = problem.challenges
  }

  /** Whether it is there already, is in use, or was changed by somebody else meanwhile. A duplicate is a 400 on the wire. */
  get isConflict(): boolean {
    if (CONFLICTS.includes(this.status)) return true
    const isDuplicate = this.reason.includes(' must be unique') || this.reason.startsWith('duplicate value ')
    return this.status === BAD_REQUEST && isDuplicate
  }
}
