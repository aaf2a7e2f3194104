import type { ErrorCode } from '@countersign/contract'
import { AppError, type ErrorCause } from '@countersign/core'
import type { OwnChange } from '../change.ts'
import type { OperationMeta } from '../operation-meta.ts'

/** One operation to run, by its name. */
export interface NumberedWrite {
  readonly id: number
  readonly name: string
  readonly args: unknown
  readonly meta: OperationMeta
}

/** Writes of one turn travel in one message, as JSON: a structured clone takes twice the time. */
export type ToWriter = { readonly writes: string } | 'close'

export const toWriter = (writes: readonly NumberedWrite[]): ToWriter => ({ writes: JSON.stringify(writes) })

export const writesOf = ({ writes }: Exclude<ToWriter, 'close'>): NumberedWrite[] => JSON.parse(writes)

export type WriteAnswer =
  | { readonly id: number; readonly result: unknown; readonly changes: OwnChange[] }
  | { readonly id: number; readonly error: SentError }

/** The answers to writes that were committed together, as JSON too. */
export type FromWriter = string

export const fromWriter = (answers: readonly WriteAnswer[]): FromWriter => JSON.stringify(answers)

export const answersOf = (message: FromWriter): WriteAnswer[] => JSON.parse(message)

/** An error as it crosses the thread boundary: classes do not survive a structured clone. */
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
