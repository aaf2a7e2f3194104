import type { ResourceKind, Thing } from './resource-kind.ts'

/** The members that people may write and that say something. */
export function pickWritable({ writable }: Pick<ResourceKind, 'writable'>, thing: Thing): Record<string, unknown> {
  return Object.fromEntries(
    writable.flatMap((name) => {
      const value = name === 'type' ? readType(thing) : thing[name]
      return isNothing(value) ? [] : [[name, value]]
    }),
  )
}

function readType({ type, typeId }: Thing): unknown {
  return typeId ?? nameType(type)
}

/** Answers name the type by a reference, bodies by its name. */
export function nameType(type: unknown): unknown {
  return typeof type === 'object' && type !== null ? (type as { id?: unknown }).id : type
}

function isNothing(value: unknown): boolean {
  if (value === null || value === undefined || value === '') return true
  if (Array.isArray(value)) return value.length === 0
  return typeof value === 'object' && Object.keys(value).length === 0
}
