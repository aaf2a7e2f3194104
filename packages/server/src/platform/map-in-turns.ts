import { setImmediate as nextTurn } from 'node:timers/promises'
import { AppError } from '@countersign/core'
import { TurnState } from './turn-state.ts'

export const MAX_TURN_MS = 5
/** All calls share the milliseconds of a turn. */
const turnBegan = new TurnState(() => performance.now())

/** Like `items.map(map)`, but other requests have their turns meanwhile. Fails with TIMEOUT after `untilMs` of `performance.now()`. */
export async function mapInTurns<Item, Result>(
  items: Iterable<Item>,
  map: (item: Item) => Result,
  { untilMs = Number.POSITIVE_INFINITY } = {},
): Promise<Result[]> {
  const results: Result[] = []
  for (const item of items) {
    if (turnBegan.current > untilMs) throw new AppError('TIMEOUT')
    results.push(map(item))
    if (performance.now() - turnBegan.current >= MAX_TURN_MS) await nextTurn()
  }
  return results
}
