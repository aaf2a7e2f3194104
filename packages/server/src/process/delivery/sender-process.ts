import { createSendEvents, type SendEvents } from '../../events/sinks/sink-senders.ts'
import { createMessageSender } from '../../outbound/send-message.ts'
import { systemClock } from '../../platform/clock.ts'
import { createChannel } from '../workers/channel.ts'
import { toProcessError } from '../workers/sent-error.ts'
import type { SenderProcedures } from './protocol.ts'

let sendEvents: SendEvents | undefined

// The process that started this one handles signals: it waits for what is being sent.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {})
// What was sent but not noted is sent again, with the same ids.
process.once('disconnect', () => process.exit(0))

const procedures: SenderProcedures = {
  start: ({ settings, folder }) => {
    sendEvents = createSendEvents({ sender: createMessageSender({ settings }), clock: systemClock, settings, folder })
  },
  send: async ({ recipient, events, beginWithinMs }) => {
    if (!sendEvents) throw new TypeError('the process has not been started')
    const { sent, error } = await sendEvents(recipient, events, beginWithinMs)
    const indexes = new Map(events.map((event, index) => [event, index]))
    return {
      sent: sent.flatMap((event) => indexes.get(event) ?? []),
      ...(error !== undefined && { error: toProcessError(error) }),
    }
  },
}

createChannel(
  {
    send: (message) => {
      if (process.connected) process.send?.(message)
    },
    onMessage: (listener) => void process.on('message', listener),
  },
  procedures,
)
