import { CountersignError, type ErrorCause } from '../countersign-error.ts'
import { hintFor } from './error-hints.ts'
import { memberOf, parseJson, textOf } from './read-body.ts'
import { readRetryAfter } from './retry-delay.ts'
import type { HttpResponse } from './transport.ts'

/** Converts an error response, in the envelope of the controller or of the hosted API. */
export function toError(response: Pick<HttpResponse, 'status' | 'headers' | 'text'>): CountersignError {
  const { status, headers, text } = response
  const body = parseJson(text)
  const read = memberOf(body, 'errors') ? readHosted(body) : readEnvelope(memberOf(body, 'error'), status)
  const { code, message, reason = message } = read
  return new CountersignError({
    ...read,
    status,
    hint: hintFor({ code, status, reason }),
    retryAfterSeconds: readRetryAfter(headers),
    challenges: headers.get('www-authenticate') ?? undefined,
  })
}

interface ReadError {
  readonly code: string
  readonly message: string
  readonly reason?: string | undefined
  readonly requestId: string | undefined
  readonly field: string | undefined
  readonly conflictsWith?: string | undefined
  readonly cause: ErrorCause | undefined
}

function readEnvelope(error: unknown, status: number): ReadError {
  const cause = memberOf(error, 'cause')
  const detail = textOf(cause, 'reason') ?? textOf(cause, 'message')
  const message = textOf(error, 'message') ?? `the server responds with status ${status}`
  return {
    code: textOf(error, 'code') ?? 'UNKNOWN',
    message: detail ? `${message}: ${detail}` : message,
    reason: detail,
    requestId: textOf(error, 'requestId'),
    field: textOf(cause, 'field') ?? quotedField(detail),
    cause: isObject(cause) ? cause : undefined,
    conflictsWith: textOf(error, 'conflictsWith'),
  }
}

/** Some refusals name their field only in the text: "the value 'x' for 'issuer' is invalid: …". */
function quotedField(detail = ''): string | undefined {
  return detail.startsWith("the value '") ? detail.split("' for '", 2)[1]?.split("'", 1)[0] : undefined
}

function readHosted(body: unknown): ReadError {
  const errors = memberOf(body, 'errors')
  const messages = Array.isArray(errors) ? errors.filter((one) => typeof one === 'string') : []
  return {
    code: textOf(memberOf(body, 'status'), 'label') ?? 'UNKNOWN',
    message: messages.join('; ') || 'the server refuses the request',
    requestId: textOf(body, 'traceId'),
    field: textOf(body, 'field'),
    cause: isObject(body) ? body : undefined,
  }
}

function isObject(value: unknown): value is ErrorCause {
  return typeof value === 'object' && value !== null
}

/** The error for a successful response whose body is not one of the API. */
export function unexpectedResponse({ status }: Pick<HttpResponse, 'status'>, url: string): CountersignError {
  return new CountersignError({
    code: 'BAD_ANSWER',
    status,
    message: `${new URL(url).origin} responds with status ${status}, but not with a response of this API`,
    hint: 'check the address of the API',
  })
}
