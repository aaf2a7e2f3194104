import type { Logger } from 'pino'
import type { Clock } from './clock.ts'
import type { Store } from './store/store.ts'

const INTERVAL_MS = 60_000

/** Takes away what has ended: expired sessions, decisions of yesterday, and entries of the change log that nobody will read again. */
export function startUpkeep({ store, clock, log }: { store: Store; clock: Clock; log: Logger }): {
  stop(): Promise<void>
} {
  let running: Promise<void> | undefined

  const round = async (): Promise<void> => {
    const meta = () => ({ actorId: 'system', now: clock.now() })
    try {
      while (await store.write('apiSession.deleteExpired', {}, meta()));
      while (await store.write('authDecision.prune', {}, meta()));
      while (await store.write('changeLog.prune', {}, meta()));
    } catch (error) {
      log.warn({ err: error }, 'upkeep failed, trying again in a minute')
    }
  }

  const timer = setInterval(() => {
    running ??= round().finally(() => {
      running = undefined
    })
  }, INTERVAL_MS)
  timer.unref()
  return {
    stop: async () => {
      clearInterval(timer)
      await running
    },
  }
}
