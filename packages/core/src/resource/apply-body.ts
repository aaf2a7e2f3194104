import { type Field, isGroup, isSetting, type Members } from '@countersign/contract/resource'

type Values = Readonly<Record<string, unknown>>

/** How the bodies of a resource become its settings. */
export interface BodyRules {
  readonly members: Members
  /** Converts the wire value of a member to the stored one. Members of groups are named by their path: `primary.extJwt.allowedSigners`. */
  readonly readers?: Readonly<Record<string, (value: never) => unknown>>
  /** Treats `{}` as "not given", as existing clients of this resource mean it. Otherwise `{}` is a value. */
  readonly ignoresEmptyObjects?: boolean
}

/** The value of every setting before a body sets it. */
export function unsetSettings<Settings>({ members }: Pick<BodyRules, 'members'>): Settings {
  const entries = settingsIn(members).map(([name, member]) => [
    name,
    isGroup(member) ? unsetSettings(member) : unsetValue(member),
  ])
  return Object.fromEntries(entries) as Settings
}

/** The settings after a PATCH. Members that the body omits keep their values. Returns `current` itself when the body has no settings. */
export function patchedSettings<Settings extends object>(rules: BodyRules, current: Settings, body: object): Settings {
  return applyMembers(rules, rules.members, current as Values, body as Values, '') as Settings
}

/** The settings that a POST creates. Members that the body omits get their defaults. */
export function newSettings<Settings extends object>(rules: BodyRules, body: object): Settings {
  return patchedSettings(rules, unsetSettings<Settings>(rules), body)
}

/** The settings after a PUT. Members that the body omits get their defaults, except those with `keptByPut`. */
export function replacedSettings<Settings extends object>(rules: BodyRules, current: Settings, body: object): Settings {
  const base = withKeptMembers(rules.members, unsetSettings<Settings>(rules) as Values, current as Values)
  return patchedSettings(rules, base as Settings, body)
}

/** The names of the settings that a body sets. */
export function givenSettings(rules: BodyRules, body: object): string[] {
  return settingsIn(rules.members).flatMap(([name]) => (isGiven(rules, (body as Values)[name]) ? [name] : []))
}

function applyMembers(rules: BodyRules, members: Members, base: Values, body: Values, path: string): Values {
  let settings: Record<string, unknown> | undefined
  for (const [name, member] of settingsIn(members)) {
    const given = body[name]
    if (!isGiven(rules, given)) continue
    const value = isGroup(member)
      ? given === null
        ? unsetSettings(member)
        : applyMembers(rules, member.members, base[name] as Values, given as Values, `${path}${name}.`)
      : read(rules, member, `${path}${name}`, given, base[name])
    settings ??= { ...base }
    settings[name] = value
  }
  return settings ?? base
}

function isGiven({ ignoresEmptyObjects }: BodyRules, value: unknown): boolean {
  return value !== undefined && !(ignoresEmptyObjects && isEmptyObject(value))
}

function read({ readers }: BodyRules, member: Field, path: string, given: unknown, current: unknown): unknown {
  if (isBlank(given)) return member.notes.blankIsIgnored ? current : unsetValue(member)
  const reader = readers?.[path] as ((value: unknown) => unknown) | undefined
  return reader ? reader(given) : given
}

function withKeptMembers(members: Members, base: Values, current: Values): Values {
  const kept = settingsIn(members).flatMap(([name, member]): [string, unknown][] => {
    if (isGroup(member)) return [[name, withKeptMembers(member.members, base[name] as Values, current[name] as Values)]]
    return member.notes.keptByPut ? [[name, current[name]]] : []
  })
  return { ...base, ...Object.fromEntries(kept) }
}

function settingsIn(members: Members) {
  return Object.entries(members).filter(([, member]) => isGroup(member) || isSetting(member))
}

const UNSET_BY_TYPE: Readonly<Record<string, unknown>> = { boolean: false, integer: 0, number: 0, array: [] }

/** A required member starts blank, so that validation refuses it when no body sets it. */
function unsetValue({ schema, notes }: Field): unknown {
  if ('default' in notes) return notes.default
  return notes.optional ? undefined : (UNSET_BY_TYPE[(schema as { type?: string }).type ?? ''] ?? '')
}

/** `readBody` passes null on only for members that null clears. */
function isBlank(value: unknown): boolean {
  if (typeof value === 'string') return value.trim() === ''
  return value === null || (Array.isArray(value) && value.length === 0)
}

function isEmptyObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length === 0
}
