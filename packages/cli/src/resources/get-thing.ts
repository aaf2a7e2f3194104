import { quoteForFilter } from '@countersign/sdk'
import { CliError, EXIT } from '../cli-error.ts'
import type { Collection, ResourceKind, Thing } from './resource-kind.ts'

/** The one with this name or id. Throws when there is none. */
export async function getThing(
  { singular, plural, hasNames }: Pick<ResourceKind<Collection>, 'singular' | 'plural' | 'hasNames'>,
  collection: Collection,
  nameOrId: string,
): Promise<Thing> {
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
