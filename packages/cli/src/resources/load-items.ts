import { hasFilterEnding } from '@countersign/sdk'
import { usageError } from '../cli-error.ts'
import { collect } from '../collect.ts'
import type { ListOptions } from './list-options.ts'
import type { Collection, Item, ResourceKind } from './resource-kind.ts'

/** The items of a list, filtered and sorted by the controller; by name, or as the filter says, unless `sort` is given. */
export async function loadItems(
  { hasNames, defaultSort }: Pick<ResourceKind<Collection>, 'hasNames' | 'defaultSort'>,
  collection: Pick<Collection, 'list'>,
  { filter, sort, limit }: ListOptions,
): Promise<Item[]> {
  if (hasFilterEnding(filter)) {
    if (sort === undefined && limit === undefined) return collect(collection.list({ filter }))
    throw usageError('the filter has an order or a limit of its own', 'use that, or --sort and --limit')
  }
  return collect(collection.list({ filter, sort: sort ?? defaultSort ?? (hasNames ? 'name' : undefined), limit }))
}
