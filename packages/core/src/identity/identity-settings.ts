import type { IdentityPatch, IdentityWrite, Permission } from '@countersign/contract'
import { MAX_ATTRIBUTE_LENGTH, MAX_ATTRIBUTES, MAX_NAME_LENGTH } from '@countersign/contract/limits'
import { fieldError } from '../app-error.ts'
import type { JsonObject } from '../json/json-value.ts'
import { DEFAULT_AUTH_POLICY_ID } from '../signer/enroll-rules.ts'
import { readTags, type Tags } from '../tag/read-tags.ts'
import { checkPlainText } from '../text/plain-text.ts'

/** An identity as an administrator has set it up. */
export interface IdentitySettings {
  readonly name: string
  readonly isAdmin: boolean
  readonly externalId: string | null
  readonly authPolicyId: string
  readonly attributes: readonly string[]
  readonly permissions: readonly Permission[]
  readonly appData: Tags
  readonly hosting: HostingSettings
  readonly tags: Tags
}

/** Kept for existing clients; no service is hosted here. */
export interface HostingSettings {
  readonly defaultHostingCost: number
  readonly defaultHostingPrecedence: string
  readonly serviceHostingCosts: Tags
  readonly serviceHostingPrecedences: Tags
}

const UNSET: IdentitySettings = {
  name: '',
  isAdmin: false,
  externalId: null,
  authPolicyId: DEFAULT_AUTH_POLICY_ID,
  attributes: [],
  permissions: [],
  appData: {},
  hosting: {
    defaultHostingCost: 0,
    defaultHostingPrecedence: 'default',
    serviceHostingCosts: {},
    serviceHostingPrecedences: {},
  },
  tags: {},
}

/** An identity from the body of a POST or PUT: what is not given goes to its default. */
export function identityFromBody(body: IdentityWrite): IdentitySettings {
  return patchedIdentity(UNSET, body)
}

/** An identity after a PATCH: what is not given stays, a blank `externalId` or `authPolicyId` goes back to the default. */
export function patchedIdentity(current: IdentitySettings, body: IdentityPatch): IdentitySettings {
  const attributes = givenAttributes(body, current)
  const object = (field: 'appData' | 'tags', now: Tags): Tags => {
    const given = body[field] as JsonObject | undefined
    return given ? readTags(field, given) : now
  }
  return {
    name: body.name ?? current.name,
    isAdmin: body.isAdmin ?? current.isAdmin,
    externalId: body.externalId === undefined ? current.externalId : notBlank(body.externalId),
    authPolicyId:
      body.authPolicyId === undefined ? current.authPolicyId : (notBlank(body.authPolicyId) ?? DEFAULT_AUTH_POLICY_ID),
    attributes: attributes ?? current.attributes,
    permissions: body.permissions ? [...new Set(body.permissions as Permission[])].sort() : current.permissions,
    appData: object('appData', current.appData),
    hosting: patchedHosting(current.hosting, body),
    tags: object('tags', current.tags),
  }
}

/** Spaces around a value are part of it; spaces alone are none. */
function notBlank(text: string): string | null {
  return text.trim() === '' ? null : text
}

/**
 * `attributes` is our word, `roleAttributes` that of existing clients: they are one member under two names. Who sends a whole answer back has
 * changed the one that he knows, and left the other as it was.
 */
function givenAttributes(body: IdentityPatch, current: IdentitySettings): readonly string[] | undefined {
  const given = [body.attributes, body.roleAttributes].flatMap((names) => (names ? [[...new Set(names)].sort()] : []))
  const [first, second = first] = given
  if (areSame(first, second)) return first
  const changed = given.filter((names) => !areSame(names, current.attributes))
  if (changed.length > 1) {
    throw fieldError('attributes', 'attributes and roleAttributes are the same member and must be equal', '')
  }
  return changed[0]
}

const areSame = (names?: readonly string[], others?: readonly string[]): boolean =>
  JSON.stringify(names) === JSON.stringify(others)

function patchedHosting(current: HostingSettings, body: IdentityPatch): HostingSettings {
  const object = (field: 'serviceHostingCosts' | 'serviceHostingPrecedences'): Tags => {
    const given = body[field] as JsonObject | undefined
    return given ? readTags(field, given) : current[field]
  }
  return {
    defaultHostingCost: body.defaultHostingCost ?? current.defaultHostingCost,
    defaultHostingPrecedence: body.defaultHostingPrecedence || current.defaultHostingPrecedence,
    serviceHostingCosts: object('serviceHostingCosts'),
    serviceHostingPrecedences: object('serviceHostingPrecedences'),
  }
}

/** The rules that an identity's own fields must keep. */
export function validateIdentity(identity: IdentitySettings): void {
  if (identity.name.trim() === '') throw fieldError('name', 'name is required', identity.name)
  checkLength('name', identity.name, MAX_NAME_LENGTH)
  checkPlainText('name', identity.name)
  if (identity.externalId !== null) checkPlainText('externalId', identity.externalId)
  checkAttributes(identity.attributes)
}

/** Attributes are compared by policies, where `#` and `@` mark roles and ids. */
export function checkAttributes(attributes: readonly string[]): void {
  if (attributes.length > MAX_ATTRIBUTES) {
    throw fieldError('roleAttributes', `at most ${MAX_ATTRIBUTES} attributes are allowed`, attributes.length)
  }
  for (const attribute of attributes) {
    if (attribute.trim() === '') throw fieldError('roleAttributes', 'role attributes may not be blank', attribute)
    const prefix = ['#', '@'].find((mark) => attribute.startsWith(mark))
    if (prefix) throw fieldError('roleAttributes', `role attributes may not be prefixed with ${prefix}`, attribute)
    checkLength('roleAttributes', attribute, MAX_ATTRIBUTE_LENGTH)
    checkPlainText('roleAttributes', attribute)
  }
}

/** Bodies are held to this before they come here; what a token brings is not. */
function checkLength(field: string, text: string, max: number): void {
  if (text.length > max) throw fieldError(field, `${field} should be at most ${max} chars long`, text)
}
