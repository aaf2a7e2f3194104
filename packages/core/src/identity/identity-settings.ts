import { IDENTITY, type IdentityPatch, type IdentitySettings, type IdentityWrite } from '@countersign/contract/identity'
import { MAX_ATTRIBUTE_LENGTH, MAX_ATTRIBUTES, MAX_NAME_LENGTH } from '@countersign/contract/limits'
import { fieldError } from '../app-error.ts'
import type { JsonObject } from '../json/json-value.ts'
import {
  type BodyRules,
  newSettings,
  patchedSettings,
  replacedSettings,
  unsetSettings,
} from '../resource/apply-body.ts'
import { readExpiresAt } from '../resource/read-expires-at.ts'
import { readTags } from '../tag/read-tags.ts'
import { checkPlainText } from '../text/plain-text.ts'
import { type AttributeParts, manualAttributesAfterWrite, sortedUnique } from './attribute-parts.ts'

export type { IdentitySettings } from '@countersign/contract/identity'

const tagsReader = (field: string) => (value: JsonObject) => readTags(field, value)

const RULES: BodyRules = {
  members: IDENTITY.members,
  readers: {
    attributes: sortedUnique,
    permissions: sortedUnique,
    linkedSigners: sortedUnique,
    expiresAt: readExpiresAt,
    appData: tagsReader('appData'),
    serviceHostingCosts: tagsReader('serviceHostingCosts'),
    serviceHostingPrecedences: tagsReader('serviceHostingPrecedences'),
    tags: tagsReader('tags'),
  },
}

const UNSET = unsetSettings<IdentitySettings>(RULES)

/** The identity that a POST creates. */
export function identityFromBody(body: IdentityWrite): IdentitySettings {
  return newSettings(RULES, withAttributes(body, UNSET))
}

/** The identity after a PUT. */
export function replacedIdentity(current: IdentitySettings, body: IdentityWrite): IdentitySettings {
  return replacedSettings(RULES, current, withAttributes(body, UNSET))
}

/** The identity after a PATCH. Members that the body omits keep their values. */
export function patchedIdentity(current: IdentitySettings, body: IdentityPatch): IdentitySettings {
  return patchedSettings(RULES, current, withAttributes(body, current))
}

function withAttributes(body: IdentityPatch, current: IdentitySettings) {
  return { ...body, attributes: givenAttributes(body, current) }
}

/**
 * `attributes` and `roleAttributes` (for existing clients) are one member under two names. A client that sends a whole response back has changed
 * only the name that it knows, so the unchanged list is ignored.
 */
function givenAttributes(body: IdentityPatch, current: IdentitySettings): readonly string[] | undefined {
  const given = [body.attributes, body.roleAttributes].flatMap((names) => (names ? [sortedUnique(names)] : []))
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

/**
 * Throws when a field of the identity is invalid by itself. `current` is the identity before a change: of its attributes only those count that the
 * change writes. Signers can have given it more than an administrator may.
 */
export function validateIdentity(identity: IdentitySettings, current?: AttributeParts): void {
  checkName(identity.name)
  if (identity.externalId !== null) checkPlainText('externalId', identity.externalId)
  const written = current ? manualAttributesAfterWrite(current, identity.attributes) : identity.attributes
  if (!areSame(written, current?.manualAttributes)) checkAttributes(written)
}

export function checkName(name: string): void {
  if (name.trim() === '') throw fieldError('name', 'name is required', name)
  checkLength('name', name, MAX_NAME_LENGTH)
  checkPlainText('name', name)
}

/** Policies match attributes, with `#` and `@` as prefixes for roles and ids. */
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

/** Whether a text can be an attribute. */
export function isRoleAttribute(text: string): boolean {
  try {
    checkAttributes([text])
    return true
  } catch {
    return false
  }
}

/** The body schema checks lengths too, but names and attributes can also come from a token. */
function checkLength(field: string, text: string, max: number): void {
  if (text.length > max) throw fieldError(field, `${field} should be at most ${max} chars long`, text)
}
