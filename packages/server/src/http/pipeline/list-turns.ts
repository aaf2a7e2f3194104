import { setImmediate as nextTurn } from 'node:timers/promises'
import { FairQueue } from '../../platform/fair-queue.ts'

/** A page of more rows than this takes the serving thread more than about four milliseconds. */
const MAX_QUICK_ROWS = 50
const queue = new FairQueue({ atOnce: 2, perKey: 1, maxWaiting: 100 })

/** Runs a step of a list, reading rows or showing them, when it is its turn. */
export type ListTurn = <Result>(step: () => Promise<Result>) => Promise<Result>

const atOnce: ListTurn = (step) => step()

/**
 * The turns of a list of so many rows. Large lists of one caller take turns, and callers do: what many requests have ready at the same time would
 * otherwise run in one turn of the event loop. Fails with SERVER_TOO_MANY_REQUESTS.
 */
export function listTurn(caller: string, limit: number | 'none'): ListTurn {
  if (limit !== 'none' && limit <= MAX_QUICK_ROWS) return atOnce
  return (step) =>
    queue.run(caller, async () => {
      await nextTurn()
      return step()
    })
}
