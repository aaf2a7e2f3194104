/** A refusal by the server, or no answer at all. `code` is stable; the message is for people. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  /** The server's error code, or `NETWORK` when there was no answer. */
  readonly code: string
  /** The HTTP status; 0 when there was no answer. */
  readonly status: number
  /** With this the server's log tells more. */
  readonly requestId: string | undefined
  /** The field that was refused and why, where the server says so. */
  readonly field: string | undefined

  constructor(problem: {
    code: string
    status: number
    message: string
    requestId?: string
    field?: string
    cause?: unknown
  }) {
    super(problem.message, { cause: problem.cause })
    this.code = problem.code
    this.status = problem.status
    this.requestId = problem.requestId
    this.field = problem.field
  }
}

interface ErrorBody {
  readonly error?: {
    readonly code?: string
    readonly message?: string
    readonly requestId?: string
    readonly cause?: { readonly field?: string; readonly reason?: string; readonly message?: string }
  }
}

/** Reads the error envelope of an answer that is not a success. */
export async function toApiError(response: Response): Promise<ApiError> {
  const body = (await response.json().catch(() => ({}))) as ErrorBody
  const { code = 'UNKNOWN', message = response.statusText, requestId, cause } = body.error ?? {}
  const detail = cause?.reason ?? cause?.message
  return new ApiError({
    code,
    status: response.status,
    message: detail ? `${message}: ${detail}` : message,
    ...(requestId !== undefined && { requestId }),
    ...(cause?.field !== undefined && { field: cause.field }),
  })
}
