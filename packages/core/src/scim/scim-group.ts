import { MAX_ATTRIBUTE_LENGTH, MAX_NAME_LENGTH } from '@countersign/contract/limits'
import { fieldError } from '../app-error.ts'
import { foldAscii } from '../filter/filter.ts'
import { isRoleAttribute } from '../identity/identity-settings.ts'
import type { JsonValue } from '../json/json-value.ts'
import { checkPlainText } from '../text/plain-text.ts'
import { scimError } from './scim-error.ts'
import type { ScimFilter } from './scim-filter.ts'
import { readScimMembers, readScimText, readScimValues } from './scim-members.ts'
import { readScimPatch, requiredError, type ScimTarget } from './scim-patch.ts'
import { SCIM_LIMITS } from './scim-schemas.ts'

export interface ScimGroup {
  readonly displayName: string
  readonly externalId: string | null
}

/** The body of POST and PUT. */
export interface ScimGroupBody {
  readonly group: ScimGroup
  /** The ids of its members; undefined when they are not given. */
  readonly members: readonly string[] | undefined
}

/** A change of a group, independent of its state. */
export type ScimGroupChange =
  | { readonly kind: 'displayName'; readonly value: string }
  | { readonly kind: 'externalId'; readonly value: string | null }
  | { readonly kind: 'members'; readonly op: 'add' | 'remove' | 'replace'; readonly ids: readonly string[] }

export function readScimGroup(body: JsonValue | undefined): ScimGroupBody {
  const given = readScimMembers(body)
  const members = given.get('members')
  return {
    group: {
      displayName: readDisplayName(given.get('displayname')),
      externalId: readScimText('externalId', given.get('externalid')),
    },
    members: members === undefined ? undefined : readMemberIds(members),
  }
}

/** Reads the PATCH of a group. Attributes that are not kept are ignored: Okta sends the `id` with a new name. */
export function readScimGroupPatch(body: JsonValue | undefined): ScimGroupChange[] {
  const changes = readScimPatch(body).flatMap(readChange)
  const count = changes.reduce((sum, change) => sum + (change.kind === 'members' ? change.ids.length : 0), 0)
  if (count > SCIM_LIMITS.maxMembers) throw tooManyMembers()
  return changes
}

function readChange({ op, path, value }: ScimTarget): ScimGroupChange[] {
  switch (path.attribute) {
    case 'displayname':
      if (op === 'remove') throw requiredError('displayName')
      return [{ kind: 'displayName', value: readDisplayName(value) }]
    case 'externalid':
      return [{ kind: 'externalId', value: readScimText('externalId', op === 'remove' ? undefined : value) }]
    case 'members': {
      if (path.part !== undefined) throw partError(path.part)
      if (path.filter) return [{ kind: 'members', op: removal(op), ids: idsOfFilter(path.filter) }]
      // Entra removes members by their ids in the value; without a value all are removed.
      const removesAll = op === 'remove' && (value === undefined || value === null)
      return [{ kind: 'members', op: removesAll ? 'replace' : op, ids: readMemberIds(value) }]
    }
    default:
      return []
  }
}

/** RFC 7643, section 4.2: the parts of a member do not change. */
function partError(part: string) {
  const isKnown = ['value', '$ref', 'display', 'type'].includes(part)
  return scimError(isKnown ? 'mutability' : 'invalidPath', 'members are added and removed as a whole')
}

function removal(op: ScimTarget['op']): 'remove' {
  if (op !== 'remove') throw scimError('invalidPath', 'members that a filter selects can only be removed')
  return op
}

/** `value eq "id"`, or several of them. */
function idsOfFilter(filter: ScimFilter): string[] {
  if (filter.kind === 'or') return filter.terms.flatMap(idsOfFilter)
  const isId = filter.kind === 'compare' && filter.attribute === 'value' && filter.operator === 'eq'
  if (!isId || typeof filter.value !== 'string') throw scimError('invalidFilter', 'members are selected by value eq')
  return [readMemberId(filter.value)]
}

function readDisplayName(value: JsonValue | undefined): string {
  const displayName = readScimText('displayName', value, MAX_NAME_LENGTH)
  if (displayName === null || displayName.trim() === '') throw scimError('invalidValue', 'displayName is required')
  return displayName
}

function readMemberIds(value: JsonValue | undefined): string[] {
  const values = readScimValues(value)
  if (values.length > SCIM_LIMITS.maxMembers) throw tooManyMembers()
  const ids = values.map((member) => readMemberId(typeof member === 'string' ? member : readMember(member)))
  return [...new Set(ids)]
}

function readMemberId(value: JsonValue | undefined): string {
  const id = readScimText('members.value', value)
  if (id === null) throw scimError('invalidValue', 'a member needs the id of a user as its value')
  return id
}

function readMember(value: JsonValue): JsonValue | undefined {
  const members = readScimMembers(value)
  const type = members.get('type')
  if (typeof type === 'string' && foldAscii(type) === 'group') {
    throw scimError('invalidValue', 'a group cannot be a member of a group')
  }
  return members.get('value')
}

const tooManyMembers = () =>
  scimError('tooMany', `a request can name at most ${SCIM_LIMITS.maxMembers} members: send several requests`)

const PLACEHOLDER = /\{([^{}]*)\}/g
const PLACEHOLDERS = ['displayName', 'externalId', 'id']
const FIELD = 'scimGroupAttributeTemplate'

/** Throws when a template cannot become an attribute of any group. */
export function checkGroupTemplate(template: string): void {
  checkPlainText(FIELD, template)
  const unknown = [...template.matchAll(PLACEHOLDER)].find(([, name = '']) => !PLACEHOLDERS.includes(name))
  const texts = template.replace(PLACEHOLDER, '')
  if (unknown || /[{}]/.test(texts)) {
    const names = PLACEHOLDERS.map((name) => `{${name}}`).join(', ')
    throw fieldError(FIELD, `${FIELD} may contain ${names} and no other braces`, template)
  }
  if (!isRoleAttribute(template.replace(PLACEHOLDER, 'x'))) {
    throw fieldError(
      FIELD,
      `${FIELD} must give an attribute, which is not blank and does not begin with # or @`,
      template,
    )
  }
}

/** The attribute that members of a group get. Fails when the group has none, or it would not be an attribute. */
export function groupAttribute(template: string, group: ScimGroup & { readonly id: string }): string {
  const attribute = template.replace(PLACEHOLDER, (_, name: string) => {
    const value = group[name as keyof typeof group]
    if (value === null) throw scimError('invalidValue', `${name} is required: it names the attribute of the group`)
    return value
  })
  if (!isRoleAttribute(attribute)) {
    const rules = `has at most ${MAX_ATTRIBUTE_LENGTH} characters, is not blank and does not begin with # or @`
    throw scimError('invalidValue', `the group gives no usable attribute, which ${rules}`)
  }
  return attribute
}
