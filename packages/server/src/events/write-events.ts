import type { Clock } from '../platform/clock.ts'
import type { EventHub } from './event-hub.ts'
import { noticeText } from './event-text.ts'

export interface EventWriter {
  /** Writes what is left and stops. */
  stop(): Promise<void>
}

export interface EventWriterOptions {
  readonly events: EventHub
  readonly clock: Clock
  readonly chunkCharacters?: number
  /** Resolves when more can be taken. Never rejects. */
  write(lines: string): Promise<void>
}

const CHUNK_CHARACTERS = 65_536

/**
 * Gives every event from the oldest remembered one on, as lines of JSON, to something that may be slow. Nothing is queued: what is not
 * taken before the hub forgets it is missing, and a line says how much.
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
  let told = 0

  const nextLines = (): string => {
    let lines = ''
    while (lines.length < chunkCharacters) {
      const next = reader.next()
      if (reader.missed > told) {
        lines += `${noticeText(events.nodeId, clock.now(), 'gap', `${reader.missed - told} events are missing here`)}\n`
        told = reader.missed
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
