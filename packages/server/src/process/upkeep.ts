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
  /** Ends the sessions of retired clients. */
  endOldSessions(): Promise<void>
  /** Sends requests to providers, which may be slow. */
  removeRetiredClients(): Promise<void>
}

/** Deletes expired sessions, old decisions, change-log entries that are no longer needed, and retired clients, every minute. */
export function startUpkeep({ store, clock, log, ...parts }: UpkeepParts): { stop(): Promise<void> } {
  const meta = () => ({ actorId: SYSTEM_ACTOR.id, now: clock.now() })
  const deleteRows = async (): Promise<void> => {
    while (await store.run(deleteExpiredSessions, {}, meta()));
    while (await store.run(pruneDecisions, {}, meta()));
    while (await store.run(pruneChangeLog, {}, meta()));
    await parts.endOldSessions()
  }
  // Providers do not delay the deletion of rows: each has its own rounds.
  const all = [deleteRows, () => parts.removeRetiredClients()].map((task) => everyMinute(task, log))
  return {
    stop: async () => {
      await Promise.all(all.map(({ stop }) => stop()))
    },
  }
}

/** Runs the task every minute, unless its last round still runs. */
function everyMinute(task: () => Promise<void>, log: Logger): { stop(): Promise<void> } {
  let running: Promise<void> | undefined
  const round = async (): Promise<void> => {
    try {
      await task()
    } catch (error) {
      log.warn({ err: error }, 'upkeep failed, retrying in a minute')
    }
    running = undefined
  }
  const timer = setInterval(() => {
    running ??= round()
  }, INTERVAL_MS)
  timer.unref()
  return {
    stop: async () => {
      clearInterval(timer)
      await running
    },
  }
}
