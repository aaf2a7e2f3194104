import { usageError } from '../cli-error.ts'
import { printableLine } from '../printable.ts'

interface Named {
  readonly id: string
  readonly name?: string | undefined
}

/**
 * The item with this name or id; undefined when there is none. Throws when the text is the id of one item and the name of another: names are
 * chosen by their writers, so neither can be assumed.
 */
export function findByNameOrId<Item extends Named>(
  items: readonly Item[],
  nameOrId: string,
  singular: string,
): Item | undefined {
  const byId = items.find(({ id }) => id === nameOrId)
  const byName = items.find(({ id, name }) => name === nameOrId && id !== nameOrId)
  if (!byId || !byName) return byId ?? byName
  throw usageError(
    `"${nameOrId}" is the id of the ${singular} ${label(byId)}, and the name of the ${singular} ${label(byName)}`,
    `use the name of the first, or the id of the second`,
  )
}

/** The name and id of an item, for messages. */
export function label({ id, name }: Named): string {
  return name === undefined ? id : `${printableLine(name)} (${id})`
}
