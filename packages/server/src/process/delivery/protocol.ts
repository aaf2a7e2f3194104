import type { Recipient } from '../../events/sinks/recipient.ts'
import type { OutboxBatch, SentBatch } from '../../events/sinks/send-batch.ts'
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
  readonly batch: OutboxBatch
  readonly beginWithinMs: number
}

export interface SendResponse extends Omit<SentBatch, 'error'> {
  readonly error?: SentProcessError
}

export type SendProcedures = {
  sendBatch(request: SendRequest): Promise<SendResponse>
}

/** Procedures that the process that sends events offers the one that started it. */
export type SenderProcedures = SendProcedures & {
  start(start: SenderStart): void
}
