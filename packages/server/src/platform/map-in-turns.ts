import { setImmediate as nextTurn } from 'node:timers/promises'
import { AppError } from '@countersign/core'

export const MAX_TURN_MS = 5

/** Like `items.map(map)`, but other requests have their turns meanwhile. Fails with TIMEOUT after `untilMs` of `performance.now()`. */
export async function mapInTurns<Item, Result>(
  items: Iterable<Item>,
  map: (item: Item) => Result,
  { untilMs = Number.POSITIVE_INFINITY } = {},
): Promise<Result[]> {
  const results: Result[] = []
  let turnBegan = performance.now()
  for (const item of items) {
    if (turnBegan > untilMs) throw new AppError('TIMEOUT')
    results.push(map(item))
    if (performance.now() - turnBegan < MAX_TURN_MS) continue
    await nextTurn()
    turnBegan = performance.now()
  }
  return results
}
