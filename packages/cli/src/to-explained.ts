import type { CountersignError } from '@countersign/sdk'
import { CliError, EXIT } from './cli-error.ts'
import { explainNoAnswer } from './net/unreachable.ts'

/** What the exit status says about an answer. */
const BY_STATUS: { readonly [status: number]: number } = {
  401: EXIT.refused,
  403: EXIT.refused,
  404: EXIT.notFound,
  409: EXIT.conflict,
  412: EXIT.conflict,
}

const BY_CODE: { readonly [code: string]: number } = {
  NETWORK: EXIT.unreachable,
  NO_ANSWER_IN_TIME: EXIT.unreachable,
  BAD_ANSWER: EXIT.unreachable,
  REDIRECTED: EXIT.refused,
  NO_CREDENTIALS: EXIT.notSignedIn,
  BAD_CREDENTIALS: EXIT.notSignedIn,
  TOKEN_REFUSED: EXIT.refused,
  LOGIN_REFUSED: EXIT.refused,
  MFA_INVALID_TOKEN: EXIT.refused,
}

/** 409 has many reasons; a duplicate is a 400 on the wire. */
const DUPLICATE = 400

const HINTS: { readonly [code: string]: string } = {
  TAKEN: 'another one has it already: choose another, or change that one',
  CAN_NOT_DELETE_REFERENCED_ENTITY: 'change or delete what names it first',
  ENROLLMENT_IDENTITY_ALREADY_ENROLLED: 'log in with such a token, or ask an administrator for a one-time token',
  PRECONDITION_FAILED: 'somebody else has changed it meanwhile: look at it again',
  SERVER_TOO_MANY_REQUESTS: 'there were too many refused attempts: wait before the next',
  INVALID_AUTH: 'is everything spelled right? An administrator sees why in auth-decisions, by the request id',
}

/** The SDK is not loaded for commands that do not use it, so its errors are known by their name. */
export function isSdkError(error: unknown): error is CountersignError {
  return error instanceof Error && error.name === 'CountersignError'
}

/** Puts an error of the SDK into the words and the exit status of the command; leaves others as they are. */
export function toExplained(error: unknown): unknown {
  if (!isSdkError(error)) return error
  const exitCode = BY_CODE[error.code] ?? BY_STATUS[error.status] ?? (error.isConflict ? EXIT.conflict : EXIT.failure)
  if (error.code === 'NETWORK') {
    const { what, hint } = explainNoAnswer(error.cause)
    return new CliError(`${error.message}: ${what}`, { hint, exitCode, cause: error })
  }
  // The general words of the envelope say nothing that the reason does not.
  const said = error.reason
  const field = error.field === undefined || said.includes(error.field) ? '' : ` (${error.field})`
  const request = error.requestId === undefined ? '' : ` [request ${error.requestId}]`
  const hint =
    HINTS[error.code] ?? error.hint ?? (error.isConflict && error.status === DUPLICATE ? HINTS.TAKEN : undefined)
  return new CliError(`${said}${field}${request}`, { hint, exitCode, cause: error })
}
