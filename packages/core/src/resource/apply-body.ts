import { type Field, isGroup, isSetting, type Members } from '@countersign/contract/resource'

type Values = Readonly<Record<string, unknown>>

/** How a resource reads what its bodies say. */
export interface BodyRules {
  readonly members: Members
  /** By member: makes the stored value of the wire's. Members inside groups are named by their path: `primary.extJwt.allowedSigners`. */
  readonly readers?: Readonly<Record<string, (value: never) => unknown>>
  /** Existing clients send `{}` for objects that they say nothing about; elsewhere `{}` is a value. */
  readonly ignoresEmptyObjects?: boolean
}

/** The value of every setting that no body has named. */
export function unsetSettings<Settings>({ members }: Pick<BodyRules, 'members'>): Settings {
  const entries = settingsIn(members).map(([name, member]) => [
    name,
    isGroup(member) ? unsetSettings(member) : unsetValue(member),
  ])
  return Object.fromEntries(entries) as Settings
}

/** Settings after a PATCH: what is not given stays. The result is `current` itself when the body gives nothing. */
export function patchedSettings<Settings extends object>(rules: BodyRules, current: Settings, body: object): Settings {
  return applyMembers(rules, rules.members, current as Values, body as Values, '') as Settings
}

/** Settings from the body of a POST: what is not given goes to its default. */
export function newSettings<Settings extends object>(rules: BodyRules, body: object): Settings {
  return patchedSettings(rules, unsetSettings<Settings>(rules), body)
}

/** Settings from the body of a PUT: what is not given goes to its default, except the members that a PUT keeps. */
export function replacedSettings<Settings extends object>(rules: BodyRules, current: Settings, body: object): Settings {
  const base = keeping(rules.members, unsetSettings<Settings>(rules) as Values, current as Values)
  return patchedSettings(rules, base as Settings, body)
}

function applyMembers(rules: BodyRules, members: Members, base: Values, body: Values, path: string): Values {
  let settings: Record<string, unknown> | undefined
  for (const [name, member] of settingsIn(members)) {
    const given = body[name]
    if (given === undefined || (rules.ignoresEmptyObjects && isEmptyObject(given))) continue
    const value = isGroup(member)
      ? applyMembers(rules, member.members, base[name] as Values, given as Values, `${path}${name}.`)
      : read(rules, member, `${path}${name}`, given, base[name])
    settings ??= { ...base }
    settings[name] = value
  }
  return settings ?? base
}

function read({ readers }: BodyRules, member: Field, path: string, given: unknown, current: unknown): unknown {
  if (isBlank(given)) return member.notes.blankIsIgnored ? current : unsetValue(member)
  const reader = readers?.[path] as ((value: unknown) => unknown) | undefined
  return reader ? reader(given) : given
}

function keeping(members: Members, base: Values, current: Values): Values {
  const kept = settingsIn(members).flatMap(([name, member]): [string, unknown][] => {
    if (isGroup(member)) return [[name, keeping(member.members, base[name] as Values, current[name] as Values)]]
    return member.notes.keptByPut ? [[name, current[name]]] : []
  })
  return { ...base, ...Object.fromEntries(kept) }
}

function settingsIn(members: Members) {
  return Object.entries(members).filter(([, member]) => isGroup(member) || isSetting(member))
}

const UNSET_BY_TYPE: Readonly<Record<string, unknown>> = { boolean: false, integer: 0, number: 0, array: [] }

/** A required member is blank until a body names it, so that the rules refuse it. */
function unsetValue({ schema, notes }: Field): unknown {
  if ('default' in notes) return notes.default
  return notes.optional ? undefined : (UNSET_BY_TYPE[(schema as { type?: string }).type ?? ''] ?? '')
}

/** Null arrives here only for members that it clears. */
function isBlank(value: unknown): boolean {
  if (typeof value === 'string') return value.trim() === ''
  return value === null || (Array.isArray(value) && value.length === 0)
}

function isEmptyObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length === 0
}
