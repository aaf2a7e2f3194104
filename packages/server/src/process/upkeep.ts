import type { Logger } from 'pino'
import type { Clock } from '../platform/clock.ts'
import type { Store } from '../store/store.ts'

const INTERVAL_MS = 60_000

interface UpkeepParts {
  readonly store: Store
  readonly clock: Clock
  readonly log: Logger
  /** Asks providers, so it comes last. */
  removeRetiredClients(): Promise<void>
}

/** Takes away what has ended: expired sessions, decisions of yesterday, and entries of the change log that nobody will read again. */
export function startUpkeep({ store, clock, log, removeRetiredClients }: UpkeepParts): { stop(): Promise<void> } {
  let running: Promise<void> | undefined

  const round = async (): Promise<void> => {
    const meta = () => ({ actorId: 'system', now: clock.now() })
    try {
      while (await store.write('apiSession.deleteExpired', {}, meta()));
      while (await store.write('authDecision.prune', {}, meta()));
      while (await store.write('changeLog.prune', {}, meta()));
      await removeRetiredClients()
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
