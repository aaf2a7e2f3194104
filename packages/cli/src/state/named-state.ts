import { isGroup, type Members as MemberTable } from '@countersign/contract/resource'
import { collect } from '../collect.ts'
import type { Reference } from '../resources/find-by-name-or-id.ts'
import { isLeftOut, readMember } from '../resources/pick-writable.ts'
import { type Members, mapReferences } from '../resources/references.ts'
import type { Item, ResourceDescription } from '../resources/resource-kind.ts'
import { type Clients, listFileMembers, openCollection } from './state-kinds.ts'

/** The existing items, by kind. */
export type State = ReadonlyMap<ResourceDescription, Item[]>

export async function loadState(clients: Clients, kinds: readonly ResourceDescription[]): Promise<State> {
  const state = new Map<ResourceDescription, Item[]>()
  for (const kind of kinds) {
    const all = await collect(openCollection(kind, clients).list())
    state.set(
      kind,
      all.sort((a, b) => (String(a.name) < String(b.name) ? -1 : 1)),
    )
  }
  return state
}

/**
 * An item in the form of files: every writable member, also those without a value, and references by name. A file that is applied later then
 * restores what was cleared as well as what was set.
 */
export function toNamed(kind: ResourceDescription, item: Item, state: State): Members {
  const members = Object.fromEntries(
    listFileMembers(kind).flatMap((name) => {
      const value = readAll(kind.members, name, readMember(item, name))
      return value === undefined || isLeftOut(kind, name, value) ? [] : [[name, value]]
    }),
  )
  return nameReferences(kind, members, state)
}

/** The value of a member. Undefined for a member that an older controller does not know; some are absent from responses when they are null. */
function readAll(members: MemberTable, name: string, value: unknown): unknown {
  const member = members[name]
  if (!member) return value
  if (!isGroup(member)) return value === undefined && member.notes.absentWhenNull ? null : value
  if (value === undefined) return undefined
  const inner = Object.keys(member.members).flatMap((each) => {
    const read = readAll(member.members, each, (value as Members)[each])
    return read === undefined ? [] : [[each, read] as const]
  })
  return Object.fromEntries(inner)
}

/**
 * Replaces ids in references by names, in the order of names. A name that is the id of another item is marked as a name: a text is taken for an
 * id before it is taken for a name.
 */
export function nameReferences(kind: ResourceDescription, members: Members, state: State): Members {
  const named = mapReferences(kind, members, (reference, to) => {
    const items = state.get(to) ?? []
    const { name } = findItem(items, reference) ?? {}
    if (name === undefined) return reference
    return items.some(({ id }) => id === name) ? { name } : name
  })
  return sortReferences(kind, named)
}

/** The item that a reference in a file means. An item can be named like the id of another one. */
export function findItem(items: readonly Item[], reference: Reference): Item | undefined {
  if (typeof reference !== 'string')
    return items.find((item) => ('id' in reference ? item.id === reference.id : item.name === reference.name))
  return items.find(({ id }) => id === reference) ?? items.find(({ name }) => name === reference)
}

/** Lists of references are sets, which the controller sorts by id. */
function sortReferences(kind: ResourceDescription, members: Members): Members {
  const paths = new Set<string>()
  mapReferences(kind, members, (reference, _, path) => {
    paths.add(path)
    return reference
  })
  const sorted = structuredClone(members)
  for (const path of paths) {
    const names = path.split('.')
    const holder = names.slice(0, -1).reduce<unknown>((value, name) => (value as Members)[name], sorted) as Members
    const list = holder[names.at(-1) ?? '']
    if (Array.isArray(list)) list.sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))
  }
  return sorted
}
