import { setImmediate as nextTurn } from 'node:timers/promises'
import { FairQueue } from '../../platform/fair-queue.ts'
import { GroupedQueue } from '../../platform/grouped-queue.ts'
import { TurnState } from '../../platform/turn-state.ts'
import { LONG_READ_MS } from '../../store/long-read.ts'

/** More than one of a caller, because PostgreSQL reads beside the event loop: with one, 32 connections had a third of the small pages. */
const running = new GroupedQueue({ atOnce: 16, perGroup: 8, maxWaiting: 1_000, maxWaitMs: LONG_READ_MS })
const beginning = new FairQueue({ atOnce: 1, maxWaiting: 8 })

/** After the first step of a turn of the event loop, others begin for this time. */
const BEGINS_MS = 1
const turnBegan = new TurnState(() => performance.now())

/** Runs a step of a list, reading rows or showing them, when it is its turn. */
export type ListTurn = <Result>(step: () => Promise<Result>) => Promise<Result>

/**
 * The turns of the lists of a session of a caller. Callers take turns, and so do the sessions of one: a thief of one leaves the owner theirs. A few milliseconds of a turn of the event loop are for lists: what many requests have ready
 * at the same time would otherwise run in one. Fails with SERVER_TOO_MANY_REQUESTS, and with TIMEOUT after a long wait.
 */
export function listTurn(caller: string, sessionId: string): ListTurn {
  return (step) =>
    running.run(caller, sessionId, async () => {
      const begun = await beginning.run(caller, async () => {
        while (performance.now() - turnBegan.current >= BEGINS_MS) await nextTurn()
        return { result: step() }
      })
      return begun.result
    })
}
