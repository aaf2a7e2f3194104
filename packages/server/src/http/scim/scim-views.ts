import { SCIM_URN, type ScimUser } from '@countersign/core'
import { isDisabled } from '../../store/identity-row.ts'
import type { StoredScimGroup } from '../../store/reads/scim-group-reads.ts'
import type { StoredScimMember } from '../../store/reads/scim-list-reads.ts'
import type { StoredScimUser } from '../../store/reads/scim-user-reads.ts'
import { entityTag } from '../../store/row-version.ts'
import { timestamp } from '../pipeline/envelope.ts'
import { isSelected, type ScimSelection } from './scim-attributes.ts'

export type ScimResourceName = 'User' | 'Group'

/** The collection of a kind of resource: `/Users`. */
export const collectionOf = (name: ScimResourceName): string => `${name}s`

interface Stamped {
  readonly id: string
  readonly createdAt: number
  readonly updatedAt: number
}

function metaOf(resourceType: ScimResourceName, { id, createdAt, updatedAt }: Stamped, baseUrl: string) {
  return {
    resourceType,
    created: timestamp(createdAt),
    lastModified: timestamp(updatedAt),
    location: `${baseUrl}/${collectionOf(resourceType)}/${id}`,
    version: entityTag(updatedAt),
  }
}

export interface GroupOfUser {
  readonly id: string
  readonly displayName: string
}

export function userView(
  stored: StoredScimUser,
  groups: readonly GroupOfUser[],
  { baseUrl, now }: { readonly baseUrl: string; readonly now: number },
): Record<string, unknown> {
  return {
    schemas: [SCIM_URN.user],
    id: stored.id,
    ...givenAttributes(stored.user),
    active: !isDisabled(stored, now),
    groups: groups.map(({ id, displayName }) => ({
      value: id,
      display: displayName,
      type: 'direct',
      $ref: `${baseUrl}/Groups/${id}`,
    })),
    meta: metaOf('User', stored, baseUrl),
  }
}

/** Attributes without a value are left out. */
function givenAttributes({ userName, externalId, displayName, name, emails }: ScimUser) {
  return {
    ...(externalId !== null && { externalId }),
    userName,
    ...(displayName !== null && { displayName }),
    ...(Object.keys(name).length > 0 && { name }),
    ...(emails.length > 0 && { emails }),
  }
}

/** A group without its members, of which there may be many. */
export function groupView(group: StoredScimGroup, baseUrl: string): Record<string, unknown> {
  const { id, displayName, externalId } = group
  return {
    schemas: [SCIM_URN.group],
    id,
    ...(externalId !== null && { externalId }),
    displayName,
    meta: metaOf('Group', group, baseUrl),
  }
}

type MemberPart = 'value' | '$ref' | 'display' | 'type'

/** The parts of a member, of which those without a value are left out. */
const MEMBER_PARTS: Readonly<Record<MemberPart, (member: StoredScimMember, baseUrl: string) => string | undefined>> = {
  value: ({ id }) => id,
  $ref: ({ id }, baseUrl) => `${baseUrl}/Users/${id}`,
  display: ({ display }) => display ?? undefined,
  type: () => 'User',
}

/** The parts of members that the caller wants. */
export function selectedMemberParts(selection: ScimSelection): readonly MemberPart[] {
  return (Object.keys(MEMBER_PARTS) as MemberPart[]).filter((part) => isSelected(selection, `members.${part}`))
}

/** The JSON of members, separated by commas. Builds the text itself: an object for each of 10^5 members took several times as long. */
export function memberTexts(
  members: readonly StoredScimMember[],
  parts: readonly MemberPart[],
  baseUrl: string,
): string {
  return members.map((member) => memberText(member, parts, baseUrl)).join(',')
}

function memberText(member: StoredScimMember, parts: readonly MemberPart[], baseUrl: string): string {
  let text = ''
  for (const part of parts) {
    const value = MEMBER_PARTS[part](member, baseUrl)
    if (value !== undefined) text += `${text === '' ? '' : ','}"${part}":${JSON.stringify(value)}`
  }
  return `{${text}}`
}
