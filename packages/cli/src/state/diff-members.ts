import { isDeepStrictEqual } from 'node:util'
import { type Field, isGroup, isOptionalInBody, type Members as MemberTable } from '@countersign/contract/resource'
import { usageError } from '../cli-error.ts'
import type { Members } from '../resources/references.ts'
import type { ResourceDescription } from '../resources/resource-kind.ts'
import { toNormalForm } from './normal-form.ts'

/** A member whose value changes. */
export interface Change {
  /** `primary.cert.allowed` */
  readonly path: string
  /** Null for none. */
  readonly before: unknown
  readonly after: unknown
  /** Whether the values are not shown. */
  readonly isSecret: boolean
}

export interface Difference {
  readonly changes: readonly Change[]
  /** The desired values of the members that change, nested as in requests. */
  readonly members: Members
}

/** Compares the members that `desired` names with `current`. References are by name in both. */
export function diffMembers(kind: ResourceDescription, current: Members, desired: Members, where: string): Difference {
  const changes: Change[] = []
  const members: Members = {}
  for (const [path, field, value] of walk(kind.members, desired)) {
    const now = readPath(current, path)
    checkValue(field, value, `${where}: ${path}`)
    // A blank value changes nothing then.
    if (field.notes.blankIsIgnored && isBlank(value)) continue
    const [before, after] = [now, value].map((each) => toNormalForm(path, field, each))
    if (isDeepStrictEqual(before, after) || isPartOf(field, before, after)) continue
    changes.push({ path, before, after, isSecret: 'secret' in field.schema })
    setPath(members, path, value)
  }
  return { changes, members }
}

/** Every field that `given` names, at any depth. Null for a group names all of its fields. */
function* walk(members: MemberTable, given: Members, prefix = ''): Generator<readonly [path: string, Field, unknown]> {
  for (const [name, member] of Object.entries(members)) {
    if (!Object.hasOwn(given, name)) continue
    const [path, value] = [`${prefix}${name}`, given[name]]
    if (!isGroup(member)) yield [path, member, value]
    else if (value === null) yield* walk(member.members, allNull(member.members), `${path}.`)
    else if (isObject(value)) yield* walk(member.members, value, `${path}.`)
    else throw usageError(`${path} is not an object`, '"countersign export" shows the format')
  }
}

function allNull(members: MemberTable): Members {
  return Object.fromEntries(Object.keys(members).map((name) => [name, null]))
}

/** A required member has no value to return to. An empty list is one. */
function checkValue(field: Field, value: unknown, where: string): void {
  if (!isBlank(value) || isOptionalInBody(field) || (field.schema as { type?: string }).type === 'array') return
  throw usageError(`${where} cannot be empty`, 'give it a value, or leave it out')
}

/** A PATCH of the claim of a CA changes the members that it names. */
function isPartOf({ schema, notes }: Field, before: unknown, after: unknown): boolean {
  if (!('properties' in schema) || notes.keptByPut || !isObject(before) || !isObject(after)) return false
  return isDeepStrictEqual({ ...before, ...after }, before)
}

function isBlank(value: unknown): boolean {
  return value === null || value === undefined || value === ''
}

export function readPath(members: Members, path: string): unknown {
  return path.split('.').reduce<unknown>((value, name) => (value as Members | null | undefined)?.[name], members)
}

function setPath(members: Members, path: string, value: unknown): void {
  const names = path.split('.')
  const last = names.pop() ?? ''
  const holder = names.reduce<Members>((inner, name) => {
    inner[name] ??= {}
    return inner[name] as Members
  }, members)
  holder[last] = value
}

function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
