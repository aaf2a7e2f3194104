import type { SinkEvent } from '@countersign/core'
import type { Recipient } from '../../events/sinks/recipient.ts'
import type { Settings } from '../../platform/settings/index.ts'
import type { SentProcessError } from '../workers/sent-error.ts'

/** What the process that sends events needs to know. It has no database and no key but the secrets of the recipient it sends to. */
export interface SenderStart {
  readonly settings: Pick<Settings, 'jwks' | 'dev' | 'events'>
  /** Where sinks of the kind file write. */
  readonly folder: string | undefined
}

export interface SendRequest {
  readonly recipient: Recipient
  readonly events: readonly SinkEvent[]
  readonly beginWithinMs: number
}

export interface SendResponse {
  /** The indexes of the events that were sent. */
  readonly sent: readonly number[]
  /** Of the first event that could not be sent. */
  readonly error?: SentProcessError
}

/** Procedures that the process that sends events offers the one that started it. */
export type SenderProcedures = {
  start(start: SenderStart): void
  send(request: SendRequest): Promise<SendResponse>
}
