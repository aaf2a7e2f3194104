import { ADMINISTRATION_SECRETS } from '@countersign/contract/administration'
import { MIN_PASSWORD_LENGTH } from '@countersign/contract/limits'
import type { Field } from '@countersign/contract/resource'
import { isEmpty } from '../resources/pick-writable.ts'

type Values = Readonly<Record<string, unknown>>

/** Sorted and without duplicates, as the controller stores these lists. */
const sortedSet = (value: unknown): unknown =>
  Array.isArray(value)
    ? [...new Map(value.map((entry) => [JSON.stringify(entry), entry]))]
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([, entry]) => entry)
    : value

const atLeast = (minimum: number) => (value: unknown) => (typeof value === 'number' ? Math.max(minimum, value) : value)

/** The controller ignores other values. */
const scalars = (value: unknown): unknown =>
  isObject(value) ? pickMembers(value, (_, member) => typeof member !== 'object' || member === null) : value

const words = (value: unknown): unknown => (typeof value === 'string' ? value.split(/\s/).filter(Boolean) : value)

/** The stored form of members that the controller accepts in others, by path. */
const STORED_FORMS: Readonly<Record<string, (value: unknown) => unknown>> = {
  // Every identity has this type.
  type: () => 'Default',
  scopes: words,
  roleAttributes: sortedSet,
  permissions: sortedSet,
  linkedSigners: sortedSet,
  identityRoles: sortedSet,
  'primary.extJwt.allowedSigners': sortedSet,
  'primary.updb.minPasswordLength': atLeast(MIN_PASSWORD_LENGTH),
  'primary.updb.maxAttempts': atLeast(0),
  'primary.updb.lockoutDurationMinutes': atLeast(0),
  tags: scalars,
  appData: scalars,
  administration: (value) =>
    isObject(value)
      ? pickMembers(value, (name) => !(ADMINISTRATION_SECRETS as readonly string[]).includes(name))
      : value,
}

/** The value as the controller stores it, for comparing; null for none. */
export function toNormalForm(path: string, { schema, notes }: Field, value: unknown): unknown {
  const given = isEmpty(value) ? notes.default : value
  const stored = (STORED_FORMS[path] ?? ((same) => same))(given)
  if (isEmpty(stored)) return null
  if (isObject(stored) && 'properties' in schema) return pickMembers(stored, (_, member) => !isEmpty(member))
  if (typeof stored !== 'string') return stored
  // Files keep the line breaks of PEM in different ways.
  if ('secret' in schema) return stored.trim()
  return isInstant(notes) && !Number.isNaN(Date.parse(stored)) ? new Date(stored).toISOString() : stored
}

function isInstant({ accepts }: Field['notes']): boolean {
  return (accepts as { format?: string } | undefined)?.format === 'date-time'
}

function pickMembers(values: Values, isPicked: (name: string, member: unknown) => boolean): Values {
  return Object.fromEntries(Object.entries(values).filter(([name, member]) => isPicked(name, member)))
}

function isObject(value: unknown): value is Values {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
