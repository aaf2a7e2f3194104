import { SCIM_URN, type ScimUser } from '@countersign/core'
import { isDisabled } from '../../store/identity-row.ts'
import type { StoredScimGroup } from '../../store/reads/scim-group-reads.ts'
import type { StoredScimUser } from '../../store/reads/scim-user-reads.ts'
import { entityTag } from '../../store/row-version.ts'
import { timestamp } from '../pipeline/envelope.ts'

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

/** The JSON of members, separated by commas. */
export function memberTexts(ids: readonly string[]): string {
  return ids.map((value) => JSON.stringify({ value, type: 'User' })).join(',')
}
