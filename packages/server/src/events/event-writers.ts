import type { Logger } from 'pino'
import type { Clock } from '../platform/clock.ts'
import type { Settings } from '../platform/settings/index.ts'
import { startEventFile } from './event-file.ts'
import type { EventHub } from './event-hub.ts'
import { startEventOutput } from './event-output.ts'
import type { EventWriter } from './write-events.ts'

/** Writes events to the file and to stdout, as the settings say. */
export interface EventWriters {
  /** Throws `StartupError` when the file cannot be opened. */
  startFile(): Promise<void>
  startOutput(): void
  /** Writes the remaining events and stops. */
  stop(): Promise<void>
}

interface EventWritersParts {
  readonly settings: Settings['events']
  readonly events: EventHub
  readonly clock: Clock
  readonly log: Logger
}

export function createEventWriters({ settings, events, clock, log }: EventWritersParts): EventWriters {
  const { file: path, maxFileBytes: maxBytes, keepFiles } = settings
  const writers: EventWriter[] = []
  return {
    startFile: async () => {
      if (path === null) return
      writers.push(await startEventFile({ events, clock, log, path, maxBytes, keepFiles }))
    },
    startOutput: () => {
      if (settings.stdout) writers.push(startEventOutput(events, clock, process.stdout))
    },
    stop: async () => void (await Promise.all(writers.map((writer) => writer.stop()))),
  }
}
