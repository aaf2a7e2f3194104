import { passesFilter, type SinkEvent } from '@countersign/core'
import { eventsOf, type OutboxRow } from '../../store/outbox-row.ts'
import type { Delivered } from './deliver-in-order.ts'
import type { Recipient } from './recipient.ts'
import { createSendEvents, type SinkSenderParts } from './sink-senders.ts'

/** Events of the outbox for a recipient, as they are stored: they are parsed where they are sent. */
export interface OutboxBatch {
  readonly rows: readonly OutboxRow[]
  /** The recipient has every event that it is to have up to this position. */
  readonly after: number
  /** Events after that position which it has nevertheless, since they are about other subjects than one that failed. */
  readonly ahead: readonly number[]
  /** An event about the sink itself, which comes before those of the rows. */
  readonly notice?: SinkEvent
}

export interface SentBatch extends Pick<OutboxBatch, 'after' | 'ahead'> {
  readonly isNoticeSent: boolean
  readonly hasSent: boolean
  /** Of the first event that could not be sent. */
  readonly error?: unknown
}

/** Sends what passes the filter of the recipient, and begins no further message after `beginWithinMs`. Never rejects. */
export type SendBatch = (recipient: Recipient, batch: OutboxBatch, beginWithinMs: number) => Promise<SentBatch>

export function createSendBatch(parts: SinkSenderParts): SendBatch {
  const sendEvents = createSendEvents(parts)
  return async (recipient, { rows, after, ahead, notice }, beginWithinMs) => {
    const hadBefore = new Set(ahead)
    const passing = rows
      .flatMap(eventsOf)
      .filter(
        (event) => event.position > after && !hadBefore.has(event.position) && passesFilter(event, recipient.filter),
      )
    const due = notice ? [notice, ...passing] : passing
    const { sent, error }: Delivered = due.length > 0 ? await sendEvents(recipient, due, beginWithinMs) : { sent: [] }
    const isSent = new Set(sent)
    const missing = due.find((event) => !isSent.has(event))
    const last = rows.at(-1)?.position ?? after
    const reached = missing === undefined ? last : Math.max(after, missing.position - 1)
    const has = [...ahead, ...passing.filter((event) => isSent.has(event)).map(({ position }) => position)]
    return {
      after: reached,
      ahead: has.filter((position) => position > reached),
      isNoticeSent: notice !== undefined && isSent.has(notice),
      hasSent: sent.length > 0,
      ...(error !== undefined && { error }),
    }
  }
}

/** The result of a batch of which nothing is known to be sent. */
export function nothingSent({ after, ahead }: OutboxBatch, error: unknown): SentBatch {
  return { after, ahead, isNoticeSent: false, hasSent: false, error }
}
