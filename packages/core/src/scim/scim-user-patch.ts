import type { JsonValue } from '../json/json-value.ts'
import { applyEmailChange, checkHaveValues, readEmailChanges, type ScimEmailChange } from './scim-email-patch.ts'
import { readScimBoolean, readScimMembers, readScimText, readShownText } from './scim-members.ts'
import { readScimPatch, type ScimTarget } from './scim-patch.ts'
import { checkEmails, NAME_PARTS, type NamePart, readUserName, type ScimUser } from './scim-user.ts'

/** A change of a user, independent of its state. JSON: it crosses a thread. */
export type ScimUserChange =
  | { readonly kind: 'userName'; readonly value: string }
  | { readonly kind: 'text'; readonly attribute: 'externalId' | 'displayName'; readonly value: string | null }
  | { readonly kind: 'active'; readonly value: boolean }
  | { readonly kind: 'name'; readonly part: NamePart; readonly value: string | null }
  | ScimEmailChange

/** Reads the PATCH of a user. Attributes that are not kept are ignored. */
export function readScimUserPatch(body: JsonValue | undefined): ScimUserChange[] {
  return readScimPatch(body).flatMap((target) => READERS.get(target.path.attribute)?.(target) ?? [])
}

type ReadChanges = (target: ScimTarget) => ScimUserChange[]

const given = ({ op, value }: ScimTarget): JsonValue | undefined => (op === 'remove' ? undefined : value)

const text =
  (attribute: 'externalId' | 'displayName', read: typeof readShownText): ReadChanges =>
  (target) => [{ kind: 'text', attribute, value: read(attribute, given(target)) }]

/** By the attribute in lower case. */
const READERS: ReadonlyMap<string, ReadChanges> = new Map<string, ReadChanges>([
  ['username', (target) => [{ kind: 'userName', value: readUserName(given(target)) }]],
  ['externalid', text('externalId', readScimText)],
  ['displayname', text('displayName', readShownText)],
  ['active', (target) => [{ kind: 'active', value: readScimBoolean('active', given(target) ?? null) }]],
  ['name', readNameChanges],
  ['emails', readEmailChanges],
])

function readNameChanges(target: ScimTarget): ScimUserChange[] {
  const { path, value } = target
  if (path.part !== undefined) return nameChange(path.part, given(target))
  if (target.op === 'remove' || value === null || value === undefined) {
    return Object.keys(NAME_PARTS).flatMap((part) => nameChange(part, undefined))
  }
  return [...readScimMembers(value)].flatMap(([part, member]) => nameChange(part, member))
}

function nameChange(folded: string, value: JsonValue | undefined): ScimUserChange[] {
  const part = Object.hasOwn(NAME_PARTS, folded) ? NAME_PARTS[folded as keyof typeof NAME_PARTS] : undefined
  return part ? [{ kind: 'name', part, value: readShownText(`name.${part}`, value) }] : []
}

/** The user after the changes, and the last `active` among them. */
export function applyScimUserChanges(
  user: ScimUser,
  changes: readonly ScimUserChange[],
): { readonly user: ScimUser; readonly active: boolean | undefined } {
  let next = user
  let active: boolean | undefined
  for (const change of changes) {
    if (change.kind === 'active') active = change.value
    else next = applyChange(next, change)
  }
  checkHaveValues(next.emails)
  return { user: next, active }
}

function applyChange(user: ScimUser, change: Exclude<ScimUserChange, { kind: 'active' }>): ScimUser {
  switch (change.kind) {
    case 'userName':
      return { ...user, userName: change.value }
    case 'text':
      return { ...user, [change.attribute]: change.value }
    case 'name': {
      const { [change.part]: _, ...others } = user.name
      return { ...user, name: change.value === null ? others : { ...others, [change.part]: change.value } }
    }
    case 'emails':
    case 'email-part': {
      const emails = applyEmailChange(user.emails, change)
      // After each change: the next one compares each of its emails with all of these.
      checkEmails(emails)
      return { ...user, emails }
    }
  }
}
