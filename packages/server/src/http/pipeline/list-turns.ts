import { setImmediate as nextTurn } from 'node:timers/promises'
import { FairQueue } from '../../platform/fair-queue.ts'
import { GroupedQueue } from '../../platform/grouped-queue.ts'
import { TurnState } from '../../platform/turn-state.ts'
import { LONG_READ_MS } from '../../store/long-read.ts'

const WAITS = { maxWaiting: 1_000, maxWaitMs: LONG_READ_MS }
/** A step with more rows takes the serving thread milliseconds, also when PostgreSQL has read them: few run at a time. */
const MAX_SHORT_ROWS = 50
const long = new GroupedQueue({ ...WAITS, atOnce: 2 })
/** More than one of a caller, because PostgreSQL reads beside the event loop: with one, 32 connections had a third of the small pages. */
const short = new GroupedQueue({ ...WAITS, atOnce: 16, perGroup: 8 })
const beginning = new FairQueue({ atOnce: 1, maxWaiting: 8 })

/** After the first step of a turn of the event loop, others begin for this time. */
const BEGINS_MS = 1
const turnBegan = new TurnState(() => performance.now())

/** Whose list it is, and how long. */
interface ListCaller {
  readonly caller: string
  readonly sessionId: string
  readonly limit: number | 'none'
}

/** Runs a step of a list, reading its parameters, building a query, reading rows or showing them, when it is its turn. */
export type ListTurn = <Result>(step: () => Promise<Result>) => Promise<Result>

/**
 * The turns of the lists of so many rows of a session of a caller. Callers take turns, and so do the sessions of one: a thief of one leaves the owner theirs.
 * A few milliseconds of a turn of the event loop are for lists: what many requests have ready at the same time would otherwise run in one. Fails with
 * SERVER_TOO_MANY_REQUESTS, and with TIMEOUT after a long wait.
 */
export function listTurn({ caller, sessionId, limit }: ListCaller): ListTurn {
  if (isLarge(limit)) {
    return (step) =>
      long.run(caller, sessionId, async () => {
        await nextTurn()
        return step()
      })
  }
  return (step) =>
    short.run(caller, sessionId, async () => {
      const begun = await beginning.run(caller, async () => {
        while (performance.now() - turnBegan.current >= BEGINS_MS) await nextTurn()
        return { result: step() }
      })
      return begun.result
    })
}

const createPages = () => new GroupedQueue({ ...WAITS, atOnce: 32, perGroup: 8 })
const [shortPages, longPages] = [createPages(), createPages()]

/**
 * Reads the rows of a page, when it is its turn: few pages of all callers, and of one, have texts in memory that are not sent yet, and short ones do not wait
 * for large ones. Long reads have other turns, and are not part of this. Fails like the turns of its steps.
 */
export function pageTurn<Result>(
  { caller, sessionId, limit }: ListCaller,
  read: () => Promise<Result>,
): Promise<Result> {
  const pages = isLarge(limit) ? longPages : shortPages
  return pages.run(caller, sessionId, read)
}

function isLarge(limit: number | 'none'): boolean {
  return limit === 'none' || limit > MAX_SHORT_ROWS
}
