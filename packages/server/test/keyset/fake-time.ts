import type { Clock } from '../../src/platform/clock.ts'
import type { Scheduler } from '../../src/platform/scheduler.ts'

export interface FakeTime {
  readonly clock: Clock
  readonly scheduler: Scheduler
  /** The number of pending timers. */
  readonly pending: number
  /** Advances both clocks. Every timer runs at its time, and the work it starts is awaited as far as it needs no time. */
  advance(ms: number): Promise<void>
  /** Sets the wall clock only. */
  jump(ms: number): void
}

interface Timer {
  readonly at: number
  readonly run: () => void
}

const TURNS = 10

export const START = Date.parse('2026-03-01T12:00:00Z')

interface FakeTimeOptions {
  readonly start?: number
  /** Turns of the event loop in which the work that a timer starts must end. */
  readonly turns?: number
}

/** Time that passes only on `advance`. */
export function createFakeTime({ start = START, turns = TURNS }: FakeTimeOptions = {}): FakeTime {
  const timers = new Set<Timer>()
  let elapsed = 0
  let offset = start

  const passTo = (at: number): void => {
    elapsed = Math.max(elapsed, at)
  }

  return {
    clock: { now: () => offset + elapsed },
    scheduler: {
      elapsedMs: () => elapsed,
      after: (ms, run) => {
        const timer = { at: elapsed + ms, run }
        timers.add(timer)
        return () => void timers.delete(timer)
      },
    },
    get pending() {
      return timers.size
    },
    advance: async (ms) => {
      const end = elapsed + ms
      await settle(turns)
      for (;;) {
        const [next] = [...timers].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)
        if (!next) break
        timers.delete(next)
        passTo(next.at)
        next.run()
        await settle(turns)
      }
      passTo(end)
      await settle(turns)
    },
    jump: (ms) => {
      offset += ms
    },
  }
}

/** Runs everything that is ready to run. */
export async function settle(turns = TURNS): Promise<void> {
  for (let turn = 0; turn < turns; turn++) await new Promise(setImmediate)
}

/** Waits for another thread or process. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  const giveUpAt = performance.now() + 10_000
  while (!(await holds())) {
    if (performance.now() > giveUpAt) throw new Error('the condition did not hold within 10 s')
    await new Promise((resolve) => setTimeout(resolve, 2))
  }
}
