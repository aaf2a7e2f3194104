import { nothingSent, type SendBatch } from '../../events/sinks/send-batch.ts'
import { OutboundError } from '../../outbound/outbound-error.ts'
import type { Channel } from '../workers/channel.ts'
import { fromProcessError, toProcessError } from '../workers/sent-error.ts'
import type { SendProcedures } from './protocol.ts'

/** Sends through another process. */
export function sendOver(channel: Pick<Channel<SendProcedures>, 'call'>): SendBatch {
  return async (recipient, batch, beginWithinMs) => {
    try {
      const { error, ...sent } = await channel.call('sendBatch', { recipient, batch, beginWithinMs })
      return { ...sent, ...(error && { error: fromProcessError(error) }) }
    } catch (error) {
      const ended = new OutboundError('stopped', 'the process that sends events has ended', { cause: error })
      return nothingSent(batch, ended)
    }
  }
}

/** Sends for another process. */
export function serveSend(sendBatch: SendBatch): SendProcedures['sendBatch'] {
  return async ({ recipient, batch, beginWithinMs }) => {
    const { error, ...sent } = await sendBatch(recipient, batch, beginWithinMs)
    return { ...sent, ...(error !== undefined && { error: toProcessError(error) }) }
  }
}
