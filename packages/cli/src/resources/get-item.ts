import { quoteForFilter } from '@countersign/sdk'
import { CliError, EXIT } from '../cli-error.ts'
import { findByNameOrId } from './find-by-name-or-id.ts'
import type { Collection, Item, ResourceKind } from './resource-kind.ts'

/** The item with this name or id. Throws when there is none, and when the text is the id of one and the name of another. */
export async function getItem(
  { singular, plural, hasNames }: Pick<ResourceKind<Collection>, 'singular' | 'plural' | 'hasNames'>,
  collection: Collection,
  nameOrId: string,
): Promise<Item> {
  const quoted = quoteForFilter(nameOrId)
  const filter = hasNames ? `id = ${quoted} or name = ${quoted}` : `id = ${quoted}`
  const { items } = await collection.page({ filter, limit: 2 })
  const found = findByNameOrId(items, nameOrId, singular)
  if (found) return found
  throw new CliError(`there is no ${singular} "${nameOrId}"`, {
    hint: `"countersign ${plural} list" shows all`,
    exitCode: EXIT.notFound,
  })
}
