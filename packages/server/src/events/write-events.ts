import type { Clock } from '../platform/clock.ts'
import type { EventHub } from './event-hub.ts'
import { noticeText } from './event-text.ts'

export interface EventWriter {
  /** Writes the remaining events and stops. */
  stop(): Promise<void>
}

export interface EventWriterOptions {
  readonly events: EventHub
  readonly clock: Clock
  readonly chunkCharacters?: number
  /** Resolves when more can be written. Never rejects. */
  write(lines: string): Promise<void>
}

const CHUNK_CHARACTERS = 65_536

/**
 * Writes every event, from the oldest that is kept, as lines of JSON to a sink that may be slow. Nothing is queued: events that the hub drops
 * before they are written are missing, and a `gap` line gives their number.
 */
export function writeEvents({
  events,
  clock,
  write,
  chunkCharacters = CHUNK_CHARACTERS,
}: EventWriterOptions): EventWriter {
  const reader = events.readAfter(0)
  let isStopping = false
  let wakeUp = (): void => {}
  let reportedMissing = 0

  const nextLines = (): string => {
    let lines = ''
    while (lines.length < chunkCharacters) {
      const next = reader.next()
      if (reader.missed > reportedMissing) {
        const message = `${reader.missed - reportedMissing} events are missing here`
        lines += `${noticeText(events.nodeId, clock.now(), 'gap', message)}\n`
        reportedMissing = reader.missed
      }
      if (!next) break
      lines += `${next.text}\n`
    }
    return lines
  }

  const sleep = (): Promise<void> =>
    new Promise((resolve) => {
      const cancel = reader.wake(resolve)
      wakeUp = () => {
        cancel()
        resolve()
      }
    })

  const work = async (): Promise<void> => {
    for (;;) {
      const lines = nextLines()
      if (lines !== '') await write(lines)
      else if (isStopping) return
      else await sleep()
    }
  }
  const working = work()

  return {
    stop: () => {
      isStopping = true
      wakeUp()
      return working
    },
  }
}
