import { CliError, EXIT, usageError } from '../cli-error.ts'
import { withoutSupplied } from '../resources/attribute-origins.ts'
import { checkMembers } from '../resources/check-members.ts'
import type { Reference } from '../resources/find-by-name-or-id.ts'
import { describeReference } from '../resources/get-item.ts'
import { ACCOUNTS } from '../resources/hosted-kinds.ts'
import { mergeMembers } from '../resources/merge-members.ts'
import { type Members, mapReferences } from '../resources/references.ts'
import type { Item, ResourceDescription } from '../resources/resource-kind.ts'
import { type Change, diffMembers } from './diff-members.ts'
import { diffAdministrationSecrets, diffSecrets, listSecrets } from './diff-secrets.ts'
import { diffDisabled } from './disabled-state.ts'
import { findItem, nameReferences, type State, toNamed } from './named-state.ts'
import { byActionOf, createOnlyOf, KINDS, listFileMembers } from './state-kinds.ts'
import { without } from './without.ts'

/** The items of a file, by kind. A kind that the file does not name is absent. */
export type Desired = ReadonlyMap<ResourceDescription, readonly Members[]>

/** One item to create, update or delete; references are by name. */
export interface Step {
  readonly action: 'create' | 'update' | 'delete'
  readonly kind: ResourceDescription
  readonly name: string
  /** Undefined for an item to create. */
  readonly existing: Item | undefined
  /** All members of a new item, or the members that change. */
  readonly members: Members
  /** The members that differ from those of the existing item, or of an item without any. */
  readonly changes: readonly Change[]
  /** The version of the existing item that the plan was made for, if it was read. */
  readonly version?: string | undefined
}

const FORMAT_HINT = '"countersign export" shows the format'

/** Validates a file of `export`. Throws with the place of the first error. */
export function parseDesired(file: Members, source: string): Desired {
  const known = KINDS.map(({ plural }) => plural)
  const unknown = Object.keys(file).find((name) => !known.includes(name))
  if (unknown !== undefined) throw usageError(`${source}: "${unknown}" is not one of ${known.join(', ')}`, FORMAT_HINT)
  return new Map(
    KINDS.flatMap((kind) => {
      const list = file[kind.plural]
      return list === undefined || list === null ? [] : [[kind, parseList(list, kind, source)] as const]
    }),
  )
}

function parseList(list: unknown, kind: ResourceDescription, source: string): Members[] {
  const { plural, singular } = kind
  if (!Array.isArray(list)) throw usageError(`${source}: ${plural} is not a list`, FORMAT_HINT)
  const names = new Set<string>()
  return list.map((entry: unknown, index) => {
    const where = `${source}: ${plural}[${index}]`
    if (typeof entry !== 'object' || entry === null || Array.isArray(entry))
      throw usageError(`${where} is not a ${singular}`, FORMAT_HINT)
    const members = entry as Members
    const { name } = members
    if (typeof name !== 'string' || name === '') throw usageError(`${where} has no name`, FORMAT_HINT)
    if (names.has(name)) throw usageError(`${where}: "${name}" is defined twice`, FORMAT_HINT)
    names.add(name)
    checkMembers(kind, members, { where: `${where} (${name})`, known: listFileMembers(kind) })
    return members
  })
}

/** The steps that bring the controller to the desired state. Members that the file does not name are kept. */
export function buildPlan(desired: Desired, state: State): Step[] {
  refuseAmbiguous(desired, state)
  const plan = KINDS.flatMap((kind) => {
    const byName = new Map((state.get(kind) ?? []).map((item) => [item.name, item]))
    return (desired.get(kind) ?? []).flatMap((item) => planItem(kind, item, byName.get(String(item.name)), state))
  })
  checkReferences(plan, state)
  return plan
}

function planItem(kind: ResourceDescription, desired: Members, existing: Item | undefined, state: State): Step[] {
  const name = String(desired.name)
  const where = `${kind.singular} ${name}`
  // Files can reference items by id as well as by name.
  const named = nameReferences(kind, desired, state)
  const settings = without(named, [...byActionOf(kind), ...listSecrets(kind)])
  if (!existing) {
    const { changes } = diffMembers(kind, {}, settings, where)
    const shown = [
      ...changes.filter(isShownForNew),
      ...diffSecrets(kind, named, { written: settings }),
      ...diffAdministrationSecrets(named, existing, true),
      ...diffDisabled({}, named, where),
    ]
    return [{ action: 'create', kind, name, existing, members: mergeMembers(kind.defaults, named), changes: shown }]
  }
  if ('roleAttributes' in settings) settings.roleAttributes = withoutSupplied(existing, settings.roleAttributes)
  const current = toNamed(kind, existing, state)
  const { changes, members } = diffMembers(kind, current, settings, where)
  const written = changes.filter(({ path }) => !isCreateOnly(kind, path, name))
  const secrets = diffSecrets(kind, named, { existing, written: members })
  const administration = diffAdministrationSecrets(named, existing, 'administration' in members)
  const disabled = byActionOf(kind).length > 0 ? diffDisabled(current, named, where) : []
  const all = [...written, ...secrets, ...administration, ...disabled]
  if (all.length === 0) return []
  const body = {
    ...pick(
      members,
      written.map(({ path }) => path.split('.')[0] ?? ''),
    ),
    ...Object.fromEntries(secrets.map(({ path, after }) => [path, after])),
    ...(administration.length > 0 && pick(named, ['administration'])),
    ...(disabled.length > 0 && pick(named, byActionOf(kind))),
  }
  return [{ action: 'update', kind, name, existing, members: body, changes: all }]
}

/** The heading has the name, and every identity has the same type. */
function isShownForNew({ path, after }: Change): boolean {
  return !['name', 'type'].includes(path) && after !== null && after !== false
}

/** Clients change with each rotation, so that of a file is used for new accounts only. Other members that cannot change are refused. */
function isCreateOnly(kind: ResourceDescription, path: string, name: string): boolean {
  if (!createOnlyOf(kind).includes(path)) return false
  if (kind === ACCOUNTS && path === 'clientId') return true
  throw usageError(
    `the ${path} of the ${kind.singular} ${name} cannot be changed`,
    'delete it first, or give it another name in the file',
  )
}

/** Throws for a reference to an item that neither exists nor is created. */
function checkReferences(plan: readonly Step[], state: State): void {
  const created = new Map(KINDS.map((kind) => [kind, new Set<string>()]))
  for (const { action, kind, name } of plan) if (action === 'create') created.get(kind)?.add(name)
  for (const { kind, name, members } of plan) {
    mapReferences(kind, members, (reference, to) => {
      const text = describeReference(reference)
      if (created.get(to)?.has(text) && !isId(reference)) return reference
      if (findItem(state.get(to) ?? [], reference)) return reference
      throw new CliError(`the ${kind.singular} "${name}" references "${text}", which does not exist`, {
        hint: 'add it to the file, or correct the name',
        exitCode: EXIT.notFound,
      })
    })
  }
}

function isId(reference: Reference): boolean {
  return typeof reference !== 'string' && 'id' in reference
}

/** A text that names an item of the file and is the id of another item could mean either. */
function refuseAmbiguous(desired: Desired, state: State): void {
  for (const [kind, items] of desired) {
    for (const item of items) {
      mapReferences(kind, item, (reference, to) => {
        const byId = isText(reference) && findItem(state.get(to) ?? [], reference)
        const isNamed = desired.get(to)?.some(({ name }) => name === reference) === true
        if (byId && byId.name !== reference && isNamed) {
          throw usageError(
            `${kind.singular} ${String(item.name)}: "${describeReference(reference)}" is the name of a ${to.singular} in the file, and the id of another`,
            `write { name: ${describeReference(reference)} } or { id: ${describeReference(reference)} }`,
          )
        }
        return reference
      })
    }
  }
}

function isText(reference: Reference): reference is string {
  return typeof reference === 'string'
}

function pick(members: Members, names: readonly string[]): Members {
  return Object.fromEntries(names.flatMap((name) => (name in members ? [[name, members[name]]] : [])))
}
