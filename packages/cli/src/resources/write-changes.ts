import { type Field, type Group, isGroup } from '@countersign/contract/resource'
import { isEmpty } from './pick-writable.ts'
import type { Item, ResourceDescription, WritableCollection } from './resource-kind.ts'

type Members = Record<string, unknown>

/** The version of an item that a change is for. */
export interface ReadItem {
  readonly item: Item
  readonly version: string | undefined
}

/**
 * Makes the changes of an existing item. An empty value clears a member, whatever the API takes for that: in a PATCH null means "not given" for
 * most members, and some can only be cleared by a PUT.
 */
export async function writeChanges(
  kind: ResourceDescription,
  collection: Pick<WritableCollection, 'patch' | 'replace'>,
  { item, version }: ReadItem,
  changes: Members,
): Promise<void> {
  const body = toPatch(kind, kind.members, changes)
  if (body) return collection.patch(item.id, body, { ifMatch: version })
  const current = Object.fromEntries(kind.writable.map((name) => [name, item[name]]))
  return collection.replace(item.id, { ...current, ...changes }, { ifMatch: version })
}

/** The body of a PATCH; undefined when a PATCH cannot clear one of the members. */
function toPatch(
  kind: ResourceDescription,
  members: Record<string, Field | Group>,
  changes: Members,
): Members | undefined {
  const body: Members = {}
  for (const [name, value] of Object.entries(changes)) {
    const member = members[name]
    const patched = member ? patchMember(kind, member, value) : value
    if (patched === undefined) return undefined
    body[name] = patched
  }
  return body
}

function patchMember(kind: ResourceDescription, member: Field | Group, value: unknown): unknown {
  if (isGroup(member)) return isObject(value) ? toPatch(kind, member.members, value) : value
  return isEmpty(value) ? clearingValue(kind, member, value) : value
}

const CLEARING_VALUES: Readonly<Record<string, unknown>> = { string: '', array: [], boolean: false }

/** What clears a member in a PATCH; undefined when nothing does. */
function clearingValue(
  { ignoresEmptyObjects }: ResourceDescription,
  { schema, notes }: Field,
  value: unknown,
): unknown {
  const { type, enum: choices, properties } = schema as { type?: string; enum?: unknown; properties?: object }
  if (notes.keptByPut) return type === 'array' ? [] : null
  if (!isEmpty(notes.default)) return notes.default
  if (type === 'object') return properties ? null : ignoresEmptyObjects ? undefined : {}
  return CLEARING_VALUES[choices ? 'string' : (type ?? '')] ?? (notes.default === null ? undefined : value)
}

function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
