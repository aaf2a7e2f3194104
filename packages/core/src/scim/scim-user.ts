import { MAX_NAME_LENGTH } from '@countersign/contract/limits'
import type { JsonValue } from '../json/json-value.ts'
import type { SignerSettings } from '../signer/signer-settings.ts'
import { scimError } from './scim-error.ts'
import { readScimBoolean, readScimMembers, readScimText, readScimValues, readShownText } from './scim-members.ts'
import { SCIM_LIMITS } from './scim-schemas.ts'

/** The parts of a name by their names in lower case. */
export const NAME_PARTS = {
  formatted: 'formatted',
  familyname: 'familyName',
  givenname: 'givenName',
  middlename: 'middleName',
  honorificprefix: 'honorificPrefix',
  honorificsuffix: 'honorificSuffix',
} as const
export type NamePart = (typeof NAME_PARTS)[keyof typeof NAME_PARTS]

export interface ScimEmail {
  readonly value: string
  readonly type?: string
  readonly display?: string
  readonly primary?: boolean
}

/** What is kept of a user, beside its identity. Other attributes are ignored: nothing here needs them. */
export interface ScimUser {
  readonly userName: string
  readonly externalId: string | null
  readonly displayName: string | null
  readonly name: Readonly<Partial<Record<NamePart, string>>>
  readonly emails: readonly ScimEmail[]
}

/** The body of POST and PUT. */
export interface ScimUserBody {
  readonly user: ScimUser
  /** Undefined when it is not given. */
  readonly active: boolean | undefined
}

export function readScimUser(body: JsonValue | undefined): ScimUserBody {
  const members = readScimMembers(body)
  const active = members.get('active') ?? null
  const user = {
    userName: readUserName(members.get('username')),
    externalId: readScimText('externalId', members.get('externalid')),
    displayName: readShownText('displayName', members.get('displayname')),
    name: readName(members.get('name')),
    emails: readEmails(members.get('emails')),
  }
  return { user, active: active === null ? undefined : readScimBoolean('active', active) }
}

/** The name of the identity is the user name, so that it has its length. */
export function readUserName(value: JsonValue | undefined): string {
  const userName = readScimText('userName', value, MAX_NAME_LENGTH)
  if (userName === null || userName.trim() === '') throw scimError('invalidValue', 'userName is required')
  return userName
}

function readName(value: JsonValue | undefined): ScimUser['name'] {
  if (value === undefined || value === null) return {}
  const members = readScimMembers(value)
  const given = Object.entries(NAME_PARTS).flatMap(([folded, part]) => {
    const text = readShownText(`name.${part}`, members.get(folded))
    return text === null ? [] : [[part, text] as const]
  })
  return Object.fromEntries(given)
}

export function readEmails(value: JsonValue | undefined): ScimEmail[] {
  const emails = readScimValues(value).flatMap(readEmail)
  checkEmails(emails)
  return emails
}

export function checkEmails(emails: readonly ScimEmail[]): void {
  if (emails.length > SCIM_LIMITS.maxEmails) throw scimError('tooMany', 'there are too many emails')
}

/** Empty for an email whose value is null or empty: it is not given (RFC 7643, section 2.5). */
function readEmail(given: JsonValue): ScimEmail[] {
  const members = readScimMembers(typeof given === 'string' || given === null ? { value: given } : given)
  const value = members.get('value')
  if (value === null || value === '') return []
  const [type, display] = ['type', 'display'].map((name) => readShownText(`emails.${name}`, members.get(name)))
  const primary = members.get('primary') ?? null
  const email = {
    value: readAddress(value),
    ...(type && { type }),
    ...(display && { display }),
    ...(primary !== null && { primary: readScimBoolean('emails.primary', primary) }),
  }
  return [email]
}

export function readAddress(value: JsonValue | undefined): string {
  const address = readScimText('emails.value', value)
  if (address === null) throw scimError('invalidValue', 'emails.value is required')
  return address
}

/** The address that counts: the primary one, else the first. */
export function primaryEmail({ emails }: Pick<ScimUser, 'emails'>): string | undefined {
  return (emails.find(({ primary }) => primary) ?? emails[0])?.value
}

type IdentityAttribute = Pick<SignerSettings, 'scimIdentityAttribute'>

/** The value that becomes the `externalId` of the identity, by which tokens of the signer name it; null when the user has none. */
export function findIdentityKey(
  user: ScimUser,
  { scimIdentityAttribute: attribute }: IdentityAttribute,
): string | null {
  return attribute === 'email' ? (primaryEmail(user) ?? null) : user[attribute]
}

/** Whether SCIM distinguishes the letter case of what names identities in tokens (RFC 7643 section 4.1). */
export function isIdentityKeyCaseExact({ scimIdentityAttribute }: IdentityAttribute): boolean {
  return scimIdentityAttribute === 'externalId'
}

/** Like `findIdentityKey`. Fails when the user has none. */
export function identityKeyOf(user: ScimUser, signer: IdentityAttribute): string {
  const key = findIdentityKey(user, signer)
  if (key === null) {
    const { scimIdentityAttribute: attribute } = signer
    throw scimError('invalidValue', `${attribute} is required: it names the identity in tokens of this signer`)
  }
  return key
}

/** What is known of an identity that the signer or an administrator linked, before a SCIM request has described its user. */
export function userOfIdentity(
  { name, externalId }: { readonly name: string; readonly externalId: string | null },
  { scimIdentityAttribute: attribute }: IdentityAttribute,
): ScimUser {
  return {
    userName: attribute === 'userName' ? (externalId ?? name) : name,
    externalId: attribute === 'externalId' ? externalId : null,
    displayName: null,
    name: {},
    emails: attribute === 'email' && externalId !== null ? [{ value: externalId, primary: true }] : [],
  }
}
