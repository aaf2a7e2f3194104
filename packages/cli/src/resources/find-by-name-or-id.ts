import { usageError } from '../cli-error.ts'
import { printableLine } from '../printable.ts'

interface Named {
  readonly id: string
  readonly name?: string | undefined
}

/** What references an item: its name or id, or one of them explicitly. */
export type Reference = string | { readonly id: string } | { readonly name: string }

const EXPLICIT = /^(id|name):(.+)$/s

/** `id:x` is the id x and `name:x` the name x, for a text that is the id of one item and the name of another. */
export function findExplicit(text: string): Exclude<Reference, string> | undefined {
  const [, member, value = ''] = EXPLICIT.exec(text) ?? []
  return member === 'id' ? { id: value } : member === 'name' ? { name: value } : undefined
}

/**
 * The item with this name or id; undefined when there is none. Throws when the text is the id of one item and the name of another: names are
 * chosen by their writers, so neither can be assumed.
 */
export function findByNameOrId<Item extends Named>(
  items: readonly Item[],
  reference: Reference,
  singular: string,
): Item | undefined {
  if (typeof reference !== 'string') return findReferenced(items, reference)
  const explicit = findExplicit(reference)
  // An item can be named `id:x` itself, which does not take the place of the item with the id x.
  const found = explicit && findReferenced(items, explicit)
  if (found) return found
  const byId = items.find(({ id }) => id === reference)
  const byName = items.find(({ id, name }) => name === reference && id !== reference)
  if (!byId || !byName) return byId ?? byName
  throw usageError(
    `"${reference}" is the id of the ${singular} ${label(byId)}, and the name of the ${singular} ${label(byName)}`,
    `write id:${reference} or name:${reference}`,
  )
}

function findReferenced<Item extends Named>(items: readonly Item[], reference: Exclude<Reference, string>) {
  if ('id' in reference) return items.find(({ id }) => id === reference.id)
  return items.find(({ name }) => name === reference.name)
}

/** The name and id of an item, for messages. */
export function label({ id, name }: Named): string {
  return name === undefined ? id : `${printableLine(name)} (${id})`
}
