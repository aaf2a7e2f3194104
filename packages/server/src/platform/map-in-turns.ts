import { setImmediate as nextTurn } from 'node:timers/promises'

const MAX_TURN_MS = 5

/** Like `items.map(map)`, but other requests have their turns meanwhile. */
export async function mapInTurns<Item, Result>(items: Iterable<Item>, map: (item: Item) => Result): Promise<Result[]> {
  const results: Result[] = []
  let turnBegan = performance.now()
  for (const item of items) {
    results.push(map(item))
    if (performance.now() - turnBegan < MAX_TURN_MS) continue
    await nextTurn()
    turnBegan = performance.now()
  }
  return results
}
