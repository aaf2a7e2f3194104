import type { ErrorCode } from '@countersign/contract'
import { AppError, type ErrorCause } from '@countersign/core'
import type { OwnChange } from '../change.ts'
import type { OperationMeta } from '../operation-meta.ts'

/** A call of an operation, by name. */
export interface NumberedWrite {
  readonly id: number
  readonly name: string
  readonly args: unknown
  readonly meta: OperationMeta
}

/**
 * The writes of one turn of the event loop, as JSON: a structured clone takes twice as long. The lines of their events are beside it: escaping them
 * takes as long as the rest.
 */
export type ToWriter = { readonly writes: string; readonly events: readonly (string | undefined)[] } | 'close'

export const toWriter = (writes: readonly NumberedWrite[]): ToWriter => ({
  writes: JSON.stringify(writes.map((write) => withEvents(write, undefined))),
  events: writes.map(({ meta }) => meta.events),
})

export const writesOf = ({ writes, events }: Exclude<ToWriter, 'close'>): NumberedWrite[] =>
  (JSON.parse(writes) as NumberedWrite[]).map((write, at) => withEvents(write, events[at]))

function withEvents(write: NumberedWrite, events: string | undefined): NumberedWrite {
  return write.meta.events === events ? write : { ...write, meta: { ...write.meta, events } }
}

export type WriteReply =
  | { readonly id: number; readonly result: unknown; readonly changes: readonly OwnChange[] }
  | { readonly id: number; readonly error: SentError }

/** The replies to the writes of one commit, as JSON. */
export type FromWriter = string

export const fromWriter = (replies: readonly WriteReply[]): FromWriter => JSON.stringify(replies)

export const repliesOf = (message: FromWriter): WriteReply[] => JSON.parse(message)

/** An error in a message between threads, where classes are lost. */
type SentError =
  | { readonly kind: 'app'; readonly code: ErrorCode; readonly publicCause: ErrorCause | undefined }
  | { readonly kind: 'fault'; readonly message: string; readonly stack: string | undefined }

export function toSentError(error: unknown): SentError {
  if (error instanceof AppError) return { kind: 'app', code: error.code, publicCause: error.publicCause }
  const { message, stack } = error instanceof Error ? error : new Error(String(error))
  return { kind: 'fault', message, stack }
}

export function fromSentError(sent: SentError): Error {
  if (sent.kind === 'app') return new AppError(sent.code, sent.publicCause)
  return Object.assign(new Error(sent.message), { stack: sent.stack })
}
