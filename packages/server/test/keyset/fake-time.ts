import type { Clock } from '../../src/platform/clock.ts'
import type { Scheduler } from '../../src/platform/scheduler.ts'

export interface FakeTime {
  readonly clock: Clock
  readonly scheduler: Scheduler
  /** Timers that have been asked for and not yet run. */
  readonly pending: number
  /** Lets time pass on both clocks; every timer runs at its time, and what it starts is waited for as far as it does not need time. */
  advance(ms: number): Promise<void>
  /** Sets the wall clock, and only that. */
  jump(ms: number): void
}

interface Timer {
  readonly at: number
  readonly run: () => void
}

export const START = Date.parse('2026-03-01T12:00:00Z')

/** Time that passes only when it is told to. */
export function createFakeTime(start = START): FakeTime {
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
      await settle()
      for (;;) {
        const [next] = [...timers].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)
        if (!next) break
        timers.delete(next)
        passTo(next.at)
        next.run()
        await settle()
      }
      passTo(end)
      await settle()
    },
    jump: (ms) => {
      offset += ms
    },
  }
}

/** Lets everything happen that is ready to happen. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 10; turn++) await new Promise(setImmediate)
}

/** Waits for something that another thread or another process must do first. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  const giveUpAt = performance.now() + 10_000
  while (!(await holds())) {
    if (performance.now() > giveUpAt) throw new Error('it did not happen within 10 s')
    await new Promise((resolve) => setTimeout(resolve, 2))
  }
}
