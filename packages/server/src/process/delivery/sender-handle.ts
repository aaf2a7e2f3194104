import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Logger } from 'pino'
import type { SendEvents } from '../../events/sinks/sink-senders.ts'
import { OutboundError } from '../../outbound/outbound-error.ts'
import { forwardToLog } from '../../platform/log/create-log.ts'
import { type Channel, createChannel } from '../workers/channel.ts'
import { fromProcessError } from '../workers/sent-error.ts'
import type { SenderProcedures, SenderStart } from './protocol.ts'

interface SenderOptions extends SenderStart {
  readonly log: Logger
  readonly idleMs?: number
  readonly hungMs?: number
}

/** Sends events from a process of its own, so that no login waits while messages are formatted, signed and sent. */
export interface Sender {
  readonly send: SendEvents
  /** The process while there is one. */
  readonly pid: number | undefined
  /** Call it when nothing is being sent. */
  stop(): void
}

interface RunningSender {
  readonly child: ChildProcess
  readonly channel: Channel<SenderProcedures>
}

const IDLE_MS = 60_000
/** Longer than the last message of a batch takes, with its second try. */
const HUNG_MS = 60_000

/** Its process is started with the first events, again after it has ended, and ends when there is nothing to send. */
export function createSender({ settings, folder, log, idleMs = IDLE_MS, hungMs = HUNG_MS }: SenderOptions): Sender {
  let running: RunningSender | undefined
  let sending = 0
  let idle: NodeJS.Timeout | undefined

  const start = (): RunningSender => {
    const child = fork(fileURLToPath(new URL('./sender-process.ts', import.meta.url)), [], {
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      // The controller's own debugger has its port.
      execArgv: process.execArgv.filter((option) => !option.startsWith('--inspect')),
    })
    const channel = createChannel<SenderProcedures>(
      {
        send: (message) => {
          if (child.connected) child.send(message, () => {})
        },
        onMessage: (listener) => void child.on('message', listener),
      },
      {},
    )
    const started = { child, channel }
    const end = (how: unknown): void => {
      channel.close()
      if (running !== started) return
      running = undefined
      log.error(
        { pid: child.pid, how },
        'the process that sends events has ended, and is started again for the next ones',
      )
    }
    if (child.stderr) forwardToLog(child.stderr)
    child.on('error', end)
    child.once('exit', (code, signal) => end(signal ?? `status ${code}`))
    // Neither the process nor the channel to it keeps the controller from ending.
    child.unref()
    child.channel?.unref()
    channel.send('start', { settings, folder })
    return started
  }

  const stop = (): void => {
    clearTimeout(idle)
    const ended = running
    running = undefined
    if (ended?.child.connected) ended.child.disconnect()
  }

  return {
    send: async (recipient, events, beginWithinMs) => {
      clearTimeout(idle)
      sending++
      running ??= start()
      const { child, channel } = running
      const hung = setTimeout(() => child.kill('SIGKILL'), beginWithinMs + hungMs).unref()
      try {
        const { sent, error } = await channel.call('send', { recipient, events, beginWithinMs })
        return {
          sent: sent.flatMap((index) => events[index] ?? []),
          ...(error && { error: fromProcessError(error) }),
        }
      } catch (error) {
        return {
          sent: [],
          error: new OutboundError('stopped', 'the process that sends events has ended', { cause: error }),
        }
      } finally {
        clearTimeout(hung)
        sending--
        if (sending === 0) idle = setTimeout(stop, idleMs).unref()
      }
    },
    get pid() {
      return running?.child.pid
    },
    stop,
  }
}
