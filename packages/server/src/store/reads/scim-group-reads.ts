import type { Kysely } from 'kysely'
import { prepared, preparedForIds } from '../prepared.ts'
import type { Database } from '../schema.ts'
import type { ScimGroupTable } from '../scim-schema.ts'

type Db = Kysely<Database>

export interface StoredScimGroup {
  readonly id: string
  readonly signerId: string
  readonly displayName: string
  readonly externalId: string | null
  readonly attribute: string
  readonly createdAt: number
  readonly updatedAt: number
}

const groupsOfSome = preparedForIds(1, (db, ids, signerId: string) =>
  db.selectFrom('scim_groups').selectAll().where('signer_id', '=', signerId).where('id', 'in', ids).orderBy('position'),
)

/** The groups of a signer among these ids, in the order of lists. */
export async function findScimGroups(db: Db, signerId: string, ids: readonly string[]): Promise<StoredScimGroup[]> {
  return (await groupsOfSome(db, ids, signerId)).map(toGroup)
}

export async function findScimGroup(db: Db, signerId: string, id: string): Promise<StoredScimGroup | undefined> {
  return (await findScimGroups(db, signerId, [id]))[0]
}

/** All groups of a signer. */
export async function loadScimGroups(db: Db, signerId: string): Promise<StoredScimGroup[]> {
  return (await db.selectFrom('scim_groups').selectAll().where('signer_id', '=', signerId).execute()).map(toGroup)
}

function toGroup(row: ScimGroupTable): StoredScimGroup {
  const { id, signer_id: signerId, display_name: displayName, external_id: externalId, attribute } = row
  return { id, signerId, displayName, externalId, attribute, createdAt: row.created_at, updatedAt: row.updated_at }
}

const groupByName = prepared(2, (db, signerId: string, key: string) =>
  db.selectFrom('scim_groups').select('id').where('signer_id', '=', signerId).where('display_name_key', '=', key),
)

const groupByExternalId = prepared(2, (db, signerId: string, externalId: string) =>
  db.selectFrom('scim_groups').select('id').where('signer_id', '=', signerId).where('external_id', '=', externalId),
)

/** The group with this name; `key` is the name in lower case. */
export async function findGroupIdsByName(db: Db, signerId: string, key: string): Promise<string[]> {
  return (await groupByName(db, signerId, key)).map(({ id }) => id)
}

export async function findGroupIdsByExternalId(db: Db, signerId: string, externalId: string): Promise<string[]> {
  return (await groupByExternalId(db, signerId, externalId)).map(({ id }) => id)
}

/** In one statement: this many are read without delaying other requests. */
export const MEMBER_BATCH = 2_000

const membersAfter = prepared(2, (db, groupId: string, after: string) =>
  db
    .selectFrom('scim_members')
    .select('identity_id as id')
    .where('group_id', '=', groupId)
    .where('identity_id', '>', after)
    .orderBy('identity_id')
    .limit(MEMBER_BATCH),
)

/** The ids of the members of a group, in batches. */
export async function* loadMembers(db: Db, groupId: string): AsyncGenerator<readonly string[]> {
  for (let after = ''; ; ) {
    const ids = (await membersAfter(db, groupId, after)).map(({ id }) => id)
    if (ids.length > 0) yield ids
    if (ids.length < MEMBER_BATCH) return
    after = ids.at(-1) ?? ''
  }
}
