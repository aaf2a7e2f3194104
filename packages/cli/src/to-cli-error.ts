import { errorWords, failureLines, needsFieldName } from '@countersign/contract/error-words'
import type { CountersignError } from '@countersign/sdk'
import { CliError, EXIT } from './cli-error.ts'
import { explainNoResponse } from './net/explain-no-response.ts'

/** Exit status by HTTP status. */
const EXIT_BY_STATUS: { readonly [status: number]: number } = {
  401: EXIT.refused,
  403: EXIT.refused,
  404: EXIT.notFound,
  409: EXIT.conflict,
  412: EXIT.conflict,
}

/** Exit status by error code. */
const EXIT_BY_CODE: { readonly [code: string]: number } = {
  NETWORK: EXIT.unreachable,
  NO_ANSWER_IN_TIME: EXIT.unreachable,
  BAD_ANSWER: EXIT.unreachable,
  REDIRECTED: EXIT.refused,
  NO_CREDENTIALS: EXIT.notLoggedIn,
  BAD_CREDENTIALS: EXIT.notLoggedIn,
  BAD_TOKEN: EXIT.usage,
  TOKEN_REFUSED: EXIT.refused,
  NO_LOCAL_NETWORK: EXIT.refused,
  LOGIN_REFUSED: EXIT.refused,
  MFA_INVALID_TOKEN: EXIT.refused,
  INVALID_ENROLLMENT_TOKEN: EXIT.refused,
  ENROLLMENT_EXPIRED: EXIT.refused,
  // The value of a flag, a file or a filter that the server refuses: a mistake in how the command was called.
  COULD_NOT_VALIDATE: EXIT.usage,
  COULD_NOT_PARSE_BODY: EXIT.usage,
  INVALID_FIELD: EXIT.usage,
  INVALID_FILTER: EXIT.usage,
  INVALID_SORT_IDENTIFIER: EXIT.usage,
  INVALID_PAGINATION: EXIT.usage,
  INVALID_CERT_PEM: EXIT.usage,
  EXPECTED_PEM_CERTIFICATE: EXIT.usage,
  COULD_NOT_PARSE_DER_BLOCK: EXIT.usage,
  BAD_ID: EXIT.usage,
  BAD_REQUEST: EXIT.usage,
}

/** Hints that name flags, which the SDK does not know. */
const HINTS: { readonly [code: string]: string } = {
  WOULD_LOCK_OUT: 'keep an enabled administrator who can log in; an administrator can insist with --confirm-lock-out',
  INVALID_FILTER: 'docs/api.md has the syntax, such as \'name contains "a" and isAdmin = true\'',
  INVALID_SORT_IDENTIFIER: 'write a member of the items, with asc or desc: --sort "createdAt desc, name"',
}

/** Checks the name, not the class, so that commands that do not use the SDK need not load it. */
export function isSdkError(error: unknown): error is CountersignError {
  return error instanceof Error && error.name === 'CountersignError'
}

/** Converts an error of the SDK to a CliError with an exit status. Returns other errors unchanged. */
export function toCliError(error: unknown): unknown {
  if (!isSdkError(error)) return error
  const exitCode = error.isConflict
    ? EXIT.conflict
    : (findOwn(EXIT_BY_CODE, error.code) ?? EXIT_BY_STATUS[error.status] ?? EXIT.failure)
  if (error.code === 'NETWORK') {
    const { what, hint } = explainNoResponse(error.cause)
    return new CliError(`${error.message}: ${what}`, { hint, exitCode, cause: error })
  }
  // The reason is more specific than the envelope's message.
  const request = error.requestId === undefined ? '' : ` [request ${error.requestId}]`
  return new CliError([`${withField(wordsOf(error), error.field)}${request}`, ...failureLines(error.cause)], {
    hint: findOwn(HINTS, error.code) ?? error.hint,
    exitCode,
    cause: error,
  })
}

/** Codes come from a server, and `constructor` is a member of every object. */
function findOwn<Value>(table: Readonly<Record<string, Value>>, code: string): Value | undefined {
  return Object.hasOwn(table, code) ? table[code] : undefined
}

/** `audience: this is required`. Other words name the member only for those who look for it. */
function withField({ words, isRule }: Words, field: string | undefined): string {
  if (field === undefined || words.includes(field)) return words
  return isRule ? `${field}: ${words}` : `${words} (${field})`
}

interface Words {
  readonly words: string
  /** Whether they mean nothing without the name of the member. */
  readonly isRule: boolean
}

/** The words that the console uses too, in the lower case of this program's messages. */
function wordsOf(error: CountersignError): Words {
  // Without a cause the message is that of the code, which scripts may know.
  const words = error.reason === error.message ? error.reason : errorWords(error)
  const shown = words === error.reason ? words : words.charAt(0).toLowerCase() + words.slice(1)
  return { words: shown, isRule: needsFieldName(words) }
}
