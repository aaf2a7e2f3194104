import { isDeepStrictEqual } from 'node:util'
import { isGroup } from '@countersign/contract/resource'
import { manualAttributesOf } from './attribute-origins.ts'
import type { Item, ResourceDescription } from './resource-kind.ts'

/** The writable members that are not empty. */
export function pickWritable(
  kind: Pick<ResourceDescription, 'writable' | 'members'>,
  item: Item,
): Record<string, unknown> {
  return Object.fromEntries(
    kind.writable.flatMap((name) => {
      const value = readMember(item, name)
      return isEmpty(value) || isLeftOut(kind, name, value) ? [] : [[name, value]]
    }),
  )
}

/** A writable member of a response, in the form of requests. */
export function readMember(item: Item, name: string): unknown {
  return (READERS[name] ?? read)(item, name)
}

/** Whether it is a member that is shown only where it differs from its default. */
export function isLeftOut({ members }: Pick<ResourceDescription, 'members'>, name: string, value: unknown): boolean {
  const member = members[name]
  if (!member || isGroup(member) || member.notes.exported !== 'when-set') return false
  return isDeepStrictEqual(value, member.notes.default)
}

const read = (item: Item, name: string): unknown => item[name]

/** Members that requests have in another form than responses. */
const READERS: Readonly<Record<string, (item: Item) => unknown>> = {
  type: readType,
  roleAttributes: manualAttributesOf,
}

function readType({ type, typeId }: Item): unknown {
  return typeId ?? nameType(type)
}

/** Responses contain the type as a reference, requests by its name. */
export function nameType(type: unknown): unknown {
  return typeof type === 'object' && type !== null ? (type as { id?: unknown }).id : type
}

/** Whether a value is as good as none. */
export function isEmpty(value: unknown): boolean {
  if (value === null || value === undefined || value === '') return true
  if (Array.isArray(value)) return value.length === 0
  return typeof value === 'object' && Object.keys(value).length === 0
}
