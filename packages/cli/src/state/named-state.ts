import type { ControllerClient } from '@countersign/sdk'
import { collect } from '../collect.ts'
import { IDENTITIES, POLICIES, SIGNERS } from '../resources/kinds.ts'
import { pickWritable } from '../resources/pick-writable.ts'
import { type Members, mapReferences } from '../resources/references.ts'
import type { Item, ResourceKind } from '../resources/resource-kind.ts'

/** The kinds in a file of `export`, in the order in which `apply` creates them. */
export const KINDS = [SIGNERS, POLICIES, IDENTITIES] as const

/** The existing items, by kind. */
export type State = ReadonlyMap<ResourceKind, Item[]>

export async function loadState(client: ControllerClient): Promise<State> {
  const state = new Map<ResourceKind, Item[]>()
  for (const kind of KINDS) {
    const all = await collect(kind.open(client).list())
    state.set(
      kind,
      all.sort((a, b) => (String(a.name) < String(b.name) ? -1 : 1)),
    )
  }
  return state
}

/** An item in the form of files: writable members, references by name. */
export function toNamed(kind: ResourceKind, item: Item, state: State): Members {
  return nameReferences(kind, pickWritable(kind, item), state)
}

/**
 * Replaces ids in references by names. An id stays where the name is the id of another item: a reference is taken for an id before it is taken
 * for a name.
 */
export function nameReferences(kind: ResourceKind, members: Members, state: State): Members {
  return mapReferences(kind, members, (reference, to) => {
    const items = state.get(to) ?? []
    const name = items.find(({ id }) => id === reference)?.name
    return name === undefined || items.some(({ id }) => id === name) ? reference : name
  })
}
