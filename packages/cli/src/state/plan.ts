import { isDeepStrictEqual } from 'node:util'
import { usageError } from '../cli-error.ts'
import { checkMembers } from '../resources/check-members.ts'
import { mergeMembers } from '../resources/merge-members.ts'
import { type Members, mapReferences } from '../resources/references.ts'
import type { ResourceKind, Thing } from '../resources/resource-kind.ts'
import { KINDS, type State, toNamed } from './named-state.ts'

/** What is to be done to one thing, references still by name. */
export interface Step {
  readonly kind: ResourceKind
  readonly name: string
  /** The thing that is there; undefined: it is made. */
  readonly existing: Thing | undefined
  /** The whole of a new one, or the members that change. */
  readonly members: Members
}

/** Checks the form of a file of `export`. Throws with the place of the first mistake. */
export function parseDesired(file: Members, source: string): ReadonlyMap<ResourceKind, readonly Members[]> {
  const known = KINDS.map(({ plural }) => plural)
  const stranger = Object.keys(file).find((name) => !known.includes(name))
  if (stranger !== undefined)
    throw usageError(`${source}: "${stranger}" is none of ${known.join(', ')}`, '"countersign export" shows the form')
  return new Map(KINDS.map((kind) => [kind, parseList(file[kind.plural] ?? [], kind, source)]))
}

function parseList(list: unknown, kind: ResourceKind, source: string): Members[] {
  const { plural, singular, writable } = kind
  const hint = '"countersign export" shows the form'
  if (!Array.isArray(list)) throw usageError(`${source}: ${plural} is not a list`, hint)
  const names = new Set<string>()
  return list.map((entry: unknown, index) => {
    const where = `${source}: ${plural}[${index}]`
    if (typeof entry !== 'object' || entry === null || Array.isArray(entry))
      throw usageError(`${where} is not a ${singular}`, hint)
    const members = entry as Members
    const { name } = members
    if (typeof name !== 'string' || name === '') throw usageError(`${where} has no name`, hint)
    if (names.has(name)) throw usageError(`${where}: "${name}" is there twice`, hint)
    names.add(name)
    checkMembers(kind, members, { where: `${where} (${name})`, known: writable })
    return members
  })
}

/** What must be done so that everything of the file is so. Members that the file does not name stay as they are. */
export function buildPlan(desired: ReadonlyMap<ResourceKind, readonly Members[]>, state: State): Step[] {
  return KINDS.flatMap((kind) =>
    (desired.get(kind) ?? []).flatMap((wanted): Step[] => {
      const name = String(wanted.name)
      const existing = state.get(kind)?.find((thing) => thing.name === name)
      if (!existing) return [{ kind, name, existing, members: mergeMembers(kind.defaults, wanted) }]
      const current = toNamed(kind, existing, state)
      // Whoever writes an id where a name could stand means the same.
      const named = mapReferences(
        kind,
        wanted,
        (reference, to) => state.get(to)?.find(({ id }) => id === reference)?.name ?? reference,
      )
      const members = Object.fromEntries(
        Object.entries(named).filter(([member, value]) => !isSame(current[member], value)),
      )
      return Object.keys(members).length === 0 ? [] : [{ kind, name, existing, members }]
    }),
  )
}

/** Whether the wanted value, which may leave out members of objects, is there already. */
function isSame(current: unknown, wanted: unknown): boolean {
  if (isObject(wanted)) {
    return isDeepStrictEqual(
      normalize(mergeMembers(isObject(current) ? current : {}, wanted)),
      normalize(current ?? {}),
    )
  }
  return isDeepStrictEqual(normalize(wanted), normalize(current))
}

/** Nothing is nothing however it is written, and lists of words have no order. */
function normalize(value: unknown): unknown {
  if (value === null || value === undefined || value === '') return undefined
  if (typeof value === 'string') return value.trim()
  if (Array.isArray(value)) {
    if (value.length === 0) return undefined
    return value.every((one) => typeof one === 'string') ? [...value].sort() : value.map(normalize)
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
