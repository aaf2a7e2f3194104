import { CallFailed } from '../api/call-failed.ts'
import type { Need } from '../api/rights.ts'
import { loadVersioned, type Versioned, type VersionedResource } from '../api/versioned.ts'

/** An action on selected rows of a list. */
export interface BulkAction<Item> {
  readonly label: string
  readonly isDangerous?: boolean
  /** The call that it makes: the action is not offered to sessions without its permission. */
  readonly need: Need
  /** Reads what the action would do to the items now. Changes nothing. */
  readonly preview: (items: readonly Item[]) => Promise<readonly BulkStep[]>
}

/** What an action does to one row. */
export interface BulkStep {
  readonly id: string
  readonly name: string
  readonly effect: string
  /** Undefined when there is nothing to do. */
  readonly run?: (() => Promise<unknown>) | undefined
}

interface Row {
  readonly id: string
  readonly name: string
}

const NOT_FOUND = 404

/** The steps of rows, each read again with its version, so that the step can refuse to change what has changed since the preview. */
export function previewEach<Item extends Row>(
  resource: VersionedResource<Item>,
  items: readonly Row[],
  stepOf: (item: Versioned<Item>) => Pick<BulkStep, 'effect' | 'run'>,
): Promise<readonly BulkStep[]> {
  return fewAtATime(items, async ({ id, name }): Promise<BulkStep> => {
    try {
      const current = await loadVersioned(resource, id)
      return { id, name: current.name, ...stepOf(current) }
    } catch (error) {
      if (error instanceof CallFailed && error.status === NOT_FOUND) return { id, name, effect: 'No longer exists' }
      throw error
    }
  })
}

const AT_ONCE = 4

/** Runs a task for each item, four at a time, and returns the results in the order of the items. */
export async function fewAtATime<Item, Result>(
  items: readonly Item[],
  task: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = []
  const waiting = items.entries()
  const work = async () => {
    for (const [index, item] of waiting) results[index] = await task(item)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  return results
}
