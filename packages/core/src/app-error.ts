import { ERRORS, type ErrorCode } from '@countersign/contract/error-codes'

/** What an error tells the caller beyond its code: a field with a reason, or one plain sentence. Never a secret. */
export type ErrorCause =
  | { readonly field: string; readonly reason: string; readonly value: string }
  | { readonly message: string }

/** The only error that hostile or mistaken input may raise. Anything else that is thrown is a fault of ours. */
export class AppError extends Error {
  override readonly name = 'AppError'
  readonly code: ErrorCode
  readonly publicCause: ErrorCause | undefined

  constructor(code: ErrorCode, publicCause?: ErrorCause, options?: { cause?: unknown }) {
    const { stackTraceLimit } = Error
    // Where a refusal was thrown interests nobody, and finding out takes longer than the rest of a refused request.
    if (ERRORS[code].status < 500) Error.stackTraceLimit = 0
    super(
      publicCause
        ? `${code}: ${'message' in publicCause ? publicCause.message : `${publicCause.field} ${publicCause.reason}`}`
        : code,
      options,
    )
    Error.stackTraceLimit = stackTraceLimit
    this.code = code
    this.publicCause = publicCause
  }
}

const MAX_ECHOED_CHARACTERS = 128

/** How a refused value is shown back: existing clients expect text, `<nil>` for nothing, and nothing long. */
export function echoedValue(value: unknown): string {
  const text =
    value === undefined || value === null ? '<nil>' : typeof value === 'string' ? value : JSON.stringify(value)
  return text.length > MAX_ECHOED_CHARACTERS ? `${text.slice(0, MAX_ECHOED_CHARACTERS)}…` : text
}

export function fieldError(field: string, reason: string, value: unknown): AppError {
  return new AppError('COULD_NOT_VALIDATE', { field, reason, value: echoedValue(value) })
}

/** The shape existing clients know for rules between fields: no `field` member, one sentence. */
export function invalidField(field: string, reason: string, value: unknown): AppError {
  return new AppError('INVALID_FIELD', {
    message: `the value '${echoedValue(value)}' for '${field}' is invalid: ${reason}`,
  })
}
