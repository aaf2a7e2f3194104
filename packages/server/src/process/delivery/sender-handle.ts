import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Logger } from 'pino'
import type { SendBatch } from '../../events/sinks/send-batch.ts'
import { fetchLimits } from '../../outbound/fetch-document.ts'
import { forwardToLog } from '../../platform/log/create-log.ts'
import { inheritedOptions } from '../inherited-options.ts'
import { createChannel } from '../workers/channel.ts'
import type { SenderProcedures, SenderStart } from './protocol.ts'
import { sendOver } from './send-over.ts'

interface SenderOptions extends SenderStart {
  readonly log: Logger
  readonly idleMs?: number
  readonly hungMs?: number
}

/** Sends events from a process of its own, so that no login waits while messages are formatted, signed and sent. */
export interface Sender {
  readonly send: SendBatch
  /** The process while there is one. */
  readonly pid: number | undefined
  /** Call it when nothing is being sent. */
  stop(): void
}

interface RunningSender {
  readonly child: ChildProcess
  readonly sendBatch: SendBatch
}

const IDLE_MS = 60_000
/** The last message of a batch can be sent again, whole and shortened. A batch that takes much longer has hung. */
const [MAX_TRIES, MARGIN_MS] = [6, 30_000]
/** What a process of Node needs of the environment. The other variables hold passwords and keys. */
const PASSED_VARIABLES = /^(NODE_.*|SSL_CERT_.*|OPENSSL_.*|LD_LIBRARY_PATH|PATH|HOME|TZ|TMPDIR|TEMP|TMP|SystemRoot)$/

/** Its process is started with the first events, again after it has ended, and ends when there is nothing to send. */
export function createSender({ settings, folder, log, idleMs = IDLE_MS, ...options }: SenderOptions): Sender {
  const { jwks, dev, events } = settings
  const { hungMs = MAX_TRIES * fetchLimits(jwks).totalMs + MARGIN_MS } = options
  let running: RunningSender | undefined
  let sending = 0
  let idle: NodeJS.Timeout | undefined

  const start = (): RunningSender => {
    const child = fork(fileURLToPath(new URL('./sender-process.ts', import.meta.url)), [], {
      serialization: 'advanced',
      env: Object.fromEntries(Object.entries(process.env).filter(([name]) => PASSED_VARIABLES.test(name))),
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      execArgv: inheritedOptions(),
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
    const started = { child, sendBatch: sendOver(channel) }
    const end = (how: unknown): void => {
      channel.close()
      if (running !== started) return
      running = undefined
      // After an error it can still run.
      child.kill('SIGKILL')
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
    // Only these: the settings hold the sealing key and the password of the database.
    channel.send('start', { settings: { jwks, dev, events }, folder })
    return started
  }

  const stop = (): void => {
    clearTimeout(idle)
    const ended = running
    running = undefined
    if (ended?.child.connected) ended.child.disconnect()
  }

  return {
    send: async (recipient, batch, beginWithinMs) => {
      clearTimeout(idle)
      running ??= start()
      sending++
      const { child, sendBatch } = running
      const hung = setTimeout(() => child.kill('SIGKILL'), beginWithinMs + hungMs).unref()
      try {
        return await sendBatch(recipient, batch, beginWithinMs)
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
