import { createSendBatch } from '../../events/sinks/send-batch.ts'
import { createMessageSender } from '../../outbound/send-message.ts'
import { systemClock } from '../../platform/clock.ts'
import { createParentChannel } from '../workers/channel.ts'
import type { SenderProcedures } from './protocol.ts'
import { serveSend } from './send-over.ts'

let sendBatch: SenderProcedures['sendBatch'] | undefined

// The process that started this one handles signals: it waits for what is being sent.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {})
// What was sent but not noted is sent again, with the same ids.
process.once('disconnect', () => process.exit(0))

const procedures: SenderProcedures = {
  start: ({ settings, folder }) => {
    const sender = createMessageSender({ settings })
    sendBatch = serveSend(createSendBatch({ sender, clock: systemClock, settings, folder }))
  },
  sendBatch: (request) => {
    if (!sendBatch) throw new TypeError('the process has not been started')
    return sendBatch(request)
  },
}

createParentChannel(procedures)
