import { quoteForFilter } from '@countersign/sdk'
import { CliError, EXIT } from '../cli-error.ts'
import { findByNameOrId, findExplicit, type Reference } from './find-by-name-or-id.ts'
import type { Collection, Item, ResourceKind } from './resource-kind.ts'

const MAX_CANDIDATES = 4

/** The item with this name or id. Throws when there is none, and when the text is the id of one and the name of another. */
export async function getItem(
  { singular, plural, hasNames }: Pick<ResourceKind<Collection>, 'singular' | 'plural' | 'hasNames'>,
  collection: Collection,
  reference: Reference,
): Promise<Item> {
  const { items } = await collection.page({ filter: candidates(reference, hasNames), limit: MAX_CANDIDATES })
  const found = findByNameOrId(items, reference, singular)
  if (found) return found
  throw new CliError(`there is no ${singular} "${describeReference(reference)}"`, {
    hint: `"countersign ${plural} list" shows all`,
    exitCode: EXIT.notFound,
  })
}

export function describeReference(reference: Reference): string {
  return typeof reference === 'string' ? reference : Object.values(reference).join()
}

/** A filter for every item that the reference can mean. */
function candidates(reference: Reference, hasNames: boolean): string {
  const is = (member: string, value: string) => `${member} = ${quoteForFilter(value)}`
  if (typeof reference !== 'string')
    return Object.entries(reference)
      .map(([member, value]) => is(member, value))
      .join()
  const either = (text: string) => (hasNames ? `${is('id', text)} or ${is('name', text)}` : is('id', text))
  const explicit = findExplicit(reference)
  return explicit ? `${either(describeReference(explicit))} or ${either(reference)}` : either(reference)
}
