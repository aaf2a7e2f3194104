/** A call that was refused, or that had no answer (`status` 0). Names and reasons come from the server and are shown as text only. */
export class CallFailed extends Error {
  override readonly name = 'CallFailed'
  readonly status: number
  readonly code: string
  /** What the server says about it, for people. */
  readonly reason: string
  /** The member of the body that was refused, where the server says so. */
  readonly field: string | undefined
  readonly requestId: string | undefined

  constructor(problem: { status: number; code: string; reason: string; field?: string; requestId?: string }) {
    super(problem.reason)
    this.status = problem.status
    this.code = problem.code
    this.reason = problem.reason
    this.field = problem.field
    this.requestId = problem.requestId
  }
}

/** Whether nobody answered: the connection is lost, or the controller is away. */
export function isUnanswered(error: unknown): boolean {
  return error instanceof CallFailed && error.status === 0
}

interface EdgeError {
  readonly error: {
    readonly code: string
    readonly message: string
    readonly requestId?: string
    readonly cause?: { readonly field?: string; readonly reason?: string; readonly message?: string } | null
  }
}

interface HostedError {
  readonly errors: readonly string[]
  readonly status: { readonly label: string }
  readonly traceId?: string
  readonly field?: string
}

/** Reads the refusal of either API. */
export function toCallFailed(status: number, body: unknown): CallFailed {
  if (isEdgeError(body)) {
    const { code, message, requestId, cause } = body.error
    const reason = cause?.reason ?? cause?.message ?? message
    return new CallFailed({
      status,
      code,
      reason,
      ...withField(cause?.field ?? quotedField(reason)),
      ...withId(requestId),
    })
  }
  if (isHostedError(body)) {
    const reason = body.errors.join('; ')
    const field = body.field ?? quotedField(reason)
    return new CallFailed({ status, code: body.status.label, reason, ...withField(field), ...withId(body.traceId) })
  }
  return new CallFailed({ status, code: 'UNKNOWN', reason: `The server answered ${status}.` })
}

/** Some refusals name their field only in words: "the value 'x' for 'issuer' is invalid: …". */
function quotedField(reason: string): string | undefined {
  const [, after] = reason.split("' for '", 2)
  return reason.startsWith("the value '") ? after?.split("'", 1)[0] : undefined
}

const withField = (field: string | undefined) => (field ? { field } : {})
const withId = (requestId: string | undefined) => (requestId ? { requestId } : {})

function isEdgeError(body: unknown): body is EdgeError {
  return typeof body === 'object' && body !== null && 'error' in body && typeof body.error === 'object'
}

function isHostedError(body: unknown): body is HostedError {
  return typeof body === 'object' && body !== null && 'errors' in body && Array.isArray(body.errors)
}
