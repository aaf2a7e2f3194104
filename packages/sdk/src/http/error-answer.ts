import { CountersignError } from '../countersign-error.ts'
import { memberOf, parseJson, textOf } from './read-body.ts'
import { readRetryAfter } from './retry-delay.ts'
import type { Answer } from './transport.ts'

const HINTS: Readonly<Record<number, string>> = {
  401: 'sign in again, or ask for the right to do this',
  412: 'somebody else changed it meanwhile: read it again',
  429: 'wait before trying again',
}

/** Reads an answer that is no success, in the envelope of the controller or in that of the hosted API. */
export function toError(answer: Pick<Answer, 'status' | 'headers' | 'text'>): CountersignError {
  const { status, headers, text } = answer
  const body = parseJson(text)
  return new CountersignError({
    ...(memberOf(body, 'errors') ? readHosted(body) : readEnvelope(memberOf(body, 'error'), status)),
    status,
    hint: HINTS[status],
    retryAfterSeconds: readRetryAfter(headers),
    challenges: headers.get('www-authenticate') ?? undefined,
  })
}

function readEnvelope(error: unknown, status: number) {
  const cause = memberOf(error, 'cause')
  const detail = textOf(cause, 'reason') ?? textOf(cause, 'message')
  const message = textOf(error, 'message') ?? `the server answers ${status}`
  return {
    code: textOf(error, 'code') ?? 'UNKNOWN',
    message: detail ? `${message}: ${detail}` : message,
    reason: detail,
    requestId: textOf(error, 'requestId'),
    field: textOf(cause, 'field') ?? quotedField(detail),
  }
}

/** Some refusals name their field only in words: "the value 'x' for 'issuer' is invalid: …". */
function quotedField(detail = ''): string | undefined {
  return detail.startsWith("the value '") ? detail.split("' for '", 2)[1]?.split("'", 1)[0] : undefined
}

function readHosted(body: unknown) {
  const errors = memberOf(body, 'errors')
  const said = Array.isArray(errors) ? errors.filter((one) => typeof one === 'string') : []
  return {
    code: textOf(memberOf(body, 'status'), 'label') ?? 'UNKNOWN',
    message: said.join('; ') || 'the server refuses',
    requestId: textOf(body, 'traceId'),
    field: textOf(body, 'field'),
  }
}

/** The error for a success that does not hold what it should. */
export function badAnswer({ status }: Pick<Answer, 'status'>, url: string): CountersignError {
  return new CountersignError({
    code: 'BAD_ANSWER',
    status,
    message: `${new URL(url).origin} answers ${status} with something else than the API does`,
    hint: 'is this the address of the API?',
  })
}
