import { isDeepStrictEqual } from 'node:util'
import { usageError } from '../cli-error.ts'
import { withoutSupplied } from '../resources/attribute-origins.ts'
import { checkMembers } from '../resources/check-members.ts'
import { mergeMembers } from '../resources/merge-members.ts'
import type { Members } from '../resources/references.ts'
import type { Item, ResourceKind } from '../resources/resource-kind.ts'
import { KINDS, nameReferences, type State, toNamed } from './named-state.ts'

/** One item to create or update; references are by name. */
export interface Step {
  readonly kind: ResourceKind
  readonly name: string
  /** Undefined for an item to create. */
  readonly existing: Item | undefined
  /** All members of a new item, or the members that change. */
  readonly members: Members
  /** The version of the existing item that the plan was made for, if it was read. */
  readonly version?: string | undefined
}

/** Validates a file of `export`. Throws with the place of the first error. */
export function parseDesired(file: Members, source: string): ReadonlyMap<ResourceKind, readonly Members[]> {
  const known = KINDS.map(({ plural }) => plural)
  const unknown = Object.keys(file).find((name) => !known.includes(name))
  if (unknown !== undefined)
    throw usageError(
      `${source}: "${unknown}" is not one of ${known.join(', ')}`,
      '"countersign export" shows the format',
    )
  return new Map(KINDS.map((kind) => [kind, parseList(file[kind.plural] ?? [], kind, source)]))
}

function parseList(list: unknown, kind: ResourceKind, source: string): Members[] {
  const { plural, singular, writable } = kind
  const hint = '"countersign export" shows the format'
  if (!Array.isArray(list)) throw usageError(`${source}: ${plural} is not a list`, hint)
  const names = new Set<string>()
  return list.map((entry: unknown, index) => {
    const where = `${source}: ${plural}[${index}]`
    if (typeof entry !== 'object' || entry === null || Array.isArray(entry))
      throw usageError(`${where} is not a ${singular}`, hint)
    const members = entry as Members
    const { name } = members
    if (typeof name !== 'string' || name === '') throw usageError(`${where} has no name`, hint)
    if (names.has(name)) throw usageError(`${where}: "${name}" is defined twice`, hint)
    names.add(name)
    checkMembers(kind, members, { where: `${where} (${name})`, known: writable })
    return members
  })
}

/** The steps that bring the controller to the desired state. Members that the file does not name are kept. */
export function buildPlan(desired: ReadonlyMap<ResourceKind, readonly Members[]>, state: State): Step[] {
  return KINDS.flatMap((kind) =>
    (desired.get(kind) ?? []).flatMap((desiredItem): Step[] => {
      const name = String(desiredItem.name)
      const existing = state.get(kind)?.find((item) => item.name === name)
      if (!existing) return [{ kind, name, existing, members: mergeMembers(kind.defaults, desiredItem) }]
      const current = toNamed(kind, existing, state)
      // Files can reference items by id as well as by name.
      const named = nameReferences(kind, desiredItem, state)
      if ('roleAttributes' in named) named.roleAttributes = withoutSupplied(existing, named.roleAttributes)
      const members = Object.fromEntries(
        Object.entries(named).filter(([member, value]) => !isSame(current[member], value)),
      )
      return Object.keys(members).length === 0 ? [] : [{ kind, name, existing, members }]
    }),
  )
}

/** Whether `current` has the desired value already. Members that desired objects omit are not compared. */
function isSame(current: unknown, desired: unknown): boolean {
  if (isObject(desired)) {
    return isDeepStrictEqual(
      normalize(mergeMembers(isObject(current) ? current : {}, desired)),
      normalize(current ?? {}),
    )
  }
  return isDeepStrictEqual(normalize(desired), normalize(current))
}

/** Treats null, empty and unset alike, and ignores the order of lists of strings. */
function normalize(value: unknown): unknown {
  if (value === null || value === undefined || value === '') return undefined
  if (typeof value === 'string') return value.trim()
  if (Array.isArray(value)) {
    if (value.length === 0) return undefined
    return value.every((entry) => typeof entry === 'string') ? [...value].sort() : value.map(normalize)
  }
  if (!isObject(value)) return value
  const members = Object.entries(value).flatMap(([name, member]) => {
    const normal = normalize(member)
    return normal === undefined ? [] : [[name, normal] as const]
  })
  return members.length === 0 ? undefined : Object.fromEntries(members)
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
