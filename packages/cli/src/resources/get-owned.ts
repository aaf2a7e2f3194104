import { type ControllerClient, quoteForFilter } from '@countersign/sdk'
import { CliError, EXIT, usageError } from '../cli-error.ts'
import type { Call, Flag } from '../command.ts'
import { label } from './find-by-name-or-id.ts'
import { getItem } from './get-item.ts'
import { IDENTITIES } from './kinds.ts'
import type { Collection, Item, ResourceKind } from './resource-kind.ts'

/** The explanation of the argument that `getOwned` takes. */
export const OWNED_HELP = 'ID can also be the name of an identity that has only one of them.'

export const IDENTITY_FLAG: Flag = { name: 'identity', value: 'NAME', description: 'Only those of this identity' }

/** The item of an identity with this id; or the only one of the identity with this name or id. Throws when there is none, or no single one. */
export async function getOwned(
  client: ControllerClient,
  kind: ResourceKind<Collection>,
  idOrIdentity: string,
): Promise<Item> {
  const collection = kind.open(client)
  const { items: byId } = await collection.page({ filter: `id = ${quoteForFilter(idOrIdentity)}`, limit: 1 })
  if (byId[0]) return byId[0]
  const owner = await findOwner(client, idOrIdentity, kind)
  const { items } = await collection.page({ filter: ownerFilter(owner.id), limit: 10 })
  const [only, ...others] = items
  if (only && others.length === 0) return only
  const all = `"countersign ${kind.plural} list --identity ${owner.name}" shows all`
  if (only)
    throw usageError(`the identity ${label(owner)} has ${items.length} ${kind.plural}`, `name one by id: ${all}`)
  throw new CliError(`the identity ${label(owner)} has no ${kind.singular}`, { exitCode: EXIT.notFound, hint: all })
}

async function findOwner(client: ControllerClient, text: string, kind: ResourceKind<Collection>): Promise<Item> {
  try {
    return await getItem(IDENTITIES, IDENTITIES.open(client), text)
  } catch (error) {
    if (!(error instanceof CliError) || error.exitCode !== EXIT.notFound) throw error
    throw new CliError(`there is no ${kind.singular} "${text}", and no identity of this name`, {
      hint: `"countersign ${kind.plural} list" shows all`,
      exitCode: EXIT.notFound,
    })
  }
}

/** The filter of a list with `--identity`. */
export async function withOwner(client: ControllerClient, { flags }: Call, filter: string): Promise<string> {
  if (typeof flags.identity !== 'string') return filter
  const owner = await getItem(IDENTITIES, IDENTITIES.open(client), flags.identity)
  return filter === '' ? ownerFilter(owner.id) : `${ownerFilter(owner.id)} and (${filter})`
}

function ownerFilter(identityId: string): string {
  return `identity = ${quoteForFilter(identityId)}`
}
