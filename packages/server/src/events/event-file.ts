import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Clock } from '../platform/clock.ts'
import { StartupError } from '../platform/startup-error.ts'
import type { EventHub } from './event-hub.ts'
import { RotatedFile } from './rotated-file.ts'
import { type EventWriter, writeEvents } from './write-events.ts'

export interface EventFileOptions {
  readonly events: EventHub
  readonly clock: Clock
  readonly log: Logger
  readonly path: string
  readonly maxBytes: number
  readonly keepFiles: number
}

const MAX_CHUNK = 65_536
/** The interval between retries after a failed write. Meanwhile the hub keeps the newest events. */
const RETRY_MS = 1_000

/** Writes events to a file. Throws `StartupError` when it cannot be opened. Later failures are logged and retried. */
export async function startEventFile(options: EventFileOptions): Promise<EventWriter> {
  const { events, clock, log, path, maxBytes } = options
  const file = new RotatedFile(options)
  try {
    await file.open()
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    throw new StartupError(`cannot write events to ${path}: ${message}`, 'choose another file with events.file', {
      cause: error,
    })
  }
  const stopping = new AbortController()
  let isFailing = false

  const logAndWait = async (error: unknown): Promise<void> => {
    if (!isFailing) log.error({ err: error }, 'cannot write events to the file, retrying')
    isFailing = true
    await file.close().catch(() => {})
    await sleep(RETRY_MS, undefined, { signal: stopping.signal }).catch(() => {})
  }

  const write = async (lines: string): Promise<void> => {
    let rest = Buffer.from(lines)
    let isStarted = false
    while (rest.length > 0) {
      try {
        if (!isStarted) await file.makeRoom(rest.length)
        const written = await file.append(rest)
        // No rotation in the middle of a line.
        isStarted ||= written > 0
        rest = rest.subarray(written)
        if (isFailing) log.info('events are written to the file again')
        isFailing = false
      } catch (error) {
        if (stopping.signal.aborted) return
        await logAndWait(error)
      }
    }
  }

  const writer = writeEvents({ events, clock, write, chunkCharacters: Math.min(MAX_CHUNK, maxBytes / 2) })
  return {
    stop: async () => {
      stopping.abort()
      await writer.stop()
      await file.close().catch(() => {})
    },
  }
}
