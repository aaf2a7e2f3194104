import { manualAttributesOf } from './attribute-origins.ts'
import type { Item, ResourceKind } from './resource-kind.ts'

/** The writable members that are not empty. */
export function pickWritable({ writable }: Pick<ResourceKind, 'writable'>, item: Item): Record<string, unknown> {
  return Object.fromEntries(
    writable.flatMap((name) => {
      const value = (READERS[name] ?? read)(item, name)
      return isEmpty(value) ? [] : [[name, value]]
    }),
  )
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
