import { quoteForFilter } from '@countersign/sdk'
import { CliError, EXIT } from '../cli-error.ts'
import type { Collection, Item, ResourceKind } from './resource-kind.ts'

/** The item with this name or id. Throws when there is none. */
export async function getItem(
  { singular, plural, hasNames }: Pick<ResourceKind<Collection>, 'singular' | 'plural' | 'hasNames'>,
  collection: Collection,
  nameOrId: string,
): Promise<Item> {
  const quoted = quoteForFilter(nameOrId)
  const filter = hasNames ? `id = ${quoted} or name = ${quoted}` : `id = ${quoted}`
  const { items } = await collection.page({ filter, limit: 2 })
  const found = items.find(({ id }) => id === nameOrId) ?? items[0]
  if (found) return found
  throw new CliError(`there is no ${singular} "${nameOrId}"`, {
    hint: `"countersign ${plural} list" shows all`,
    exitCode: EXIT.notFound,
  })
}
