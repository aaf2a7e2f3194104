import type { Writable } from 'node:stream'
import type { Clock } from '../platform/clock.ts'
import type { EventHub } from './event-hub.ts'
import { type EventWriter, writeEvents } from './write-events.ts'

const LAST_WORDS_MS = 1_000

/** Writes events to a stream such as stdout, at the pace of whoever reads it. Nothing more is written once it has failed. */
export function startEventOutput(events: EventHub, clock: Clock, output: Writable): EventWriter {
  let isBroken = false
  const onError = (): void => {
    isBroken = true
  }
  output.on('error', onError)
  const write = (lines: string): Promise<void> =>
    new Promise((resolve) => {
      if (isBroken) resolve()
      else output.write(lines, () => resolve())
    })
  const writer = writeEvents({ events, clock, write })
  return {
    stop: async () => {
      const { promise: late, resolve } = Promise.withResolvers<void>()
      const timer = setTimeout(resolve, LAST_WORDS_MS)
      await Promise.race([writer.stop(), late])
      clearTimeout(timer)
    },
  }
}
