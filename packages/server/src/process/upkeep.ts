import type { Logger } from 'pino'
import { deleteExpiredSessions } from '../operations/api-session/end-session.ts'
import { pruneDecisions } from '../operations/auth-decision/record-decisions.ts'
import { pruneChangeLog } from '../operations/upkeep/prune-change-log.ts'
import type { Clock } from '../platform/clock.ts'
import { SYSTEM_ACTOR } from '../store/actor.ts'
import type { Store } from '../store/store.ts'

const INTERVAL_MS = 60_000

interface UpkeepParts {
  readonly store: Store
  readonly clock: Clock
  readonly log: Logger
  /** Sends requests to providers, so it runs last. */
  removeRetiredClients(): Promise<void>
}

/** Deletes expired sessions, old decisions, change-log entries that are no longer needed, and retired clients, every minute. */
export function startUpkeep({ store, clock, log, removeRetiredClients }: UpkeepParts): { stop(): Promise<void> } {
  let running: Promise<void> | undefined

  const round = async (): Promise<void> => {
    const meta = () => ({ actorId: SYSTEM_ACTOR.id, now: clock.now() })
    try {
      while (await store.run(deleteExpiredSessions, {}, meta()));
      while (await store.run(pruneDecisions, {}, meta()));
      while (await store.run(pruneChangeLog, {}, meta()));
      await removeRetiredClients()
    } catch (error) {
      log.warn({ err: error }, 'upkeep failed, retrying in a minute')
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
