import type { Writable } from 'node:stream'
import type { Clock } from '../platform/clock.ts'
import type { EventHub } from './event-hub.ts'
import { type EventWriter, writeEvents } from './write-events.ts'

/** How long `stop` waits for the last events to be written. */
const STOP_MS = 1_000

/** Writes events to a stream such as stdout, as fast as it is read. Stops writing after an error. */
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
      const timer = setTimeout(resolve, STOP_MS)
      await Promise.race([writer.stop(), late])
      clearTimeout(timer)
    },
  }
}
