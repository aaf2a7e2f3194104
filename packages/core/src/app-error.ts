import { ERRORS, type ErrorCode } from '@countersign/contract/error-codes'
import type { TestCaseFailure } from '@countersign/contract/signer-test-case'

/** What an error response contains beyond its code: a field with a reason, or one sentence. Never a secret. */
export type ErrorCause =
  | {
      readonly field: string
      readonly reason: string
      readonly value: string
      /** The name of the entity that already has the value. It is no part of `cause` on the wire. */
      readonly conflictsWith?: string
    }
  | {
      readonly message: string
      readonly data?: Readonly<Record<string, string>>
      /** The test cases of a signer that failed. */
      readonly failures?: readonly TestCaseFailure[]
    }

/** The only error that a caller's input may cause. Any other error is a bug in the server. */
export class AppError extends Error {
  override readonly name = 'AppError'
  readonly code: ErrorCode
  readonly publicCause: ErrorCause | undefined

  constructor(code: ErrorCode, publicCause?: ErrorCause, options?: { cause?: unknown }) {
    const { stackTraceLimit } = Error
    // No stack trace for refusals: it is not used, and capturing it takes longer than the rest of a refused request.
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

/** Formats a refused value for an error response: as text, truncated, `<nil>` for null, as existing clients expect. */
export function echoedValue(value: unknown): string {
  const text =
    value === undefined || value === null ? '<nil>' : typeof value === 'string' ? value : JSON.stringify(value)
  return text.length > MAX_ECHOED_CHARACTERS ? `${text.slice(0, MAX_ECHOED_CHARACTERS)}…` : text
}

export function fieldError(field: string, reason: string, value: unknown): AppError {
  return new AppError('COULD_NOT_VALIDATE', { field, reason, value: echoedValue(value) })
}

/** The form that existing clients expect for rules between fields: one sentence without a `field` member. */
export function invalidField(field: string, reason: string, value: unknown): AppError {
  return new AppError('INVALID_FIELD', {
    message: `the value '${echoedValue(value)}' for '${field}' is invalid: ${reason}`,
  })
}
