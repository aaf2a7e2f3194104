import { type ScimUser, type SignerSettings, userOfIdentity } from '@countersign/core'
import { type Kysely, sql } from 'kysely'
import { readJsonColumn } from '../json-column.ts'
import { prepared, preparedForIds } from '../prepared.ts'
import type { Database } from '../schema.ts'

type Db = Kysely<Database>
export type ScimSigner = Pick<SignerSettings, 'scimIdentityAttribute'> & { readonly id: string }

/** A user with the state of its identity. */
export interface StoredScimUser {
  readonly id: string
  readonly user: ScimUser
  /** Whether a SCIM request has described the user. Otherwise `user` is what the identity says. */
  readonly isDescribed: boolean
  readonly disabledAt: number | null
  readonly disabledUntil: number | null
  readonly createdAt: number
  readonly updatedAt: number
}

const usersOfSome = preparedForIds(1, (db, ids, signerId: string) =>
  db
    .selectFrom('scim_users')
    .innerJoin('identities', 'identities.id', 'scim_users.identity_id')
    .select(['identities.id', 'scim_users.position', 'scim_users.user_name', 'scim_users.external_id'])
    .select(['scim_users.display_name', 'scim_users.name', 'scim_users.emails'])
    .select(['identities.name as identity_name', 'identities.external_id as identity_external_id'])
    .select(['identities.disabled_at', 'identities.disabled_until', 'identities.created_at', 'identities.updated_at'])
    .where('scim_users.signer_id', '=', signerId)
    .where('scim_users.identity_id', 'in', ids),
)

/** The users of a signer among these ids, in the order of lists. */
export async function findScimUsers(db: Db, signer: ScimSigner, ids: readonly string[]): Promise<StoredScimUser[]> {
  const rows = await usersOfSome(db, ids, signer.id)
  return rows.sort((a, b) => a.position - b.position).map((row) => toUser(row, signer))
}

export async function findScimUser(db: Db, signer: ScimSigner, id: string): Promise<StoredScimUser | undefined> {
  return (await findScimUsers(db, signer, [id]))[0]
}

type UserRow = Awaited<ReturnType<typeof usersOfSome>>[number]

function toUser(row: UserRow, signer: ScimSigner): StoredScimUser {
  const { id, user_name: userName, external_id: externalId, display_name: displayName } = row
  const identity = { name: row.identity_name, externalId: row.identity_external_id }
  return {
    id,
    user:
      userName === null
        ? userOfIdentity(identity, signer)
        : { userName, externalId, displayName, name: readJsonColumn(row.name), emails: readJsonColumn(row.emails) },
    isDescribed: userName !== null,
    disabledAt: row.disabled_at,
    disabledUntil: row.disabled_until,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }
}

const LAST_POSITION = {
  scim_users: prepared(1, (db, signerId: string) =>
    db
      .selectFrom('scim_users')
      .select('position')
      .where('signer_id', '=', signerId)
      .orderBy('position', 'desc')
      .limit(1),
  ),
  scim_groups: prepared(1, (db, signerId: string) =>
    db
      .selectFrom('scim_groups')
      .select('position')
      .where('signer_id', '=', signerId)
      .orderBy('position', 'desc')
      .limit(1),
  ),
}

/** The position of a new row at the end of a signer's list. */
export async function nextPosition(db: Db, table: keyof typeof LAST_POSITION, signerId: string): Promise<number> {
  const [last] = await LAST_POSITION[table](db, signerId)
  return Number(last?.position ?? 0) + 1
}

const userByName = prepared(2, (db, signerId: string, key: string) =>
  db
    .selectFrom('scim_users')
    .select('identity_id as id')
    .where('signer_id', '=', signerId)
    .where('user_name_key', '=', key),
)

const userByExternalId = prepared(2, (db, signerId: string, externalId: string) =>
  db
    .selectFrom('scim_users')
    .select('identity_id as id')
    .where('signer_id', '=', signerId)
    .where('external_id', '=', externalId),
)

/** Users that no SCIM request has described: the identity tells what they are called. */
const undescribedByExternalId = prepared(2, (db, signerId: string, externalId: string) =>
  db
    .selectFrom('identities')
    .innerJoin('scim_users', 'scim_users.identity_id', 'identities.id')
    .select('identities.id')
    .where('identities.external_id', '=', externalId)
    .where('scim_users.signer_id', '=', signerId)
    .where('scim_users.user_name', 'is', null),
)

/**
 * Those whose identity has this name or external id in lower case, by an index of linked identities; null for identities that are none of them. Not a
 * join, in which both databases go through all users of the signer.
 */
export function buildFoldedUsers(
  db: Db,
  signerId: string,
  column: 'name' | 'external_id',
  key: string,
  isDescribed = false,
) {
  return db
    .selectFrom('identities')
    .select((identity) =>
      identity
        .selectFrom('scim_users')
        .select('scim_users.identity_id')
        .where('scim_users.signer_id', '=', signerId)
        .whereRef('scim_users.identity_id', '=', 'identities.id')
        .where('scim_users.user_name', isDescribed ? 'is not' : 'is', null)
        .as('id'),
    )
    .where(sql<boolean>`lower(${sql.ref(`identities.${column}`)}) = ${key}`)
    .where(sql<boolean>`(identities.enrolled_by_signer_id is not null or identities.linked_signers <> '[]')`)
}

/** Null when there is none: the users whose identity is of no user of the signer have no id. */
function lowestId(db: Db, users: ReturnType<typeof buildFoldedUsers>) {
  return db.selectFrom(users.as('found')).select(({ fn }) => fn.min('found.id').as('id'))
}

/**
 * Users that no SCIM request has described, by the name of their identity. One that tokens of the signer name by an external id is not among them: its
 * person may have chosen the name of a colleague.
 */
function buildNamedUsers(db: Db, signerId: string, key: string) {
  return buildFoldedUsers(db, signerId, 'name', key).where(({ eb, or }) =>
    or([
      eb('identities.external_id', 'is', null),
      eb('identities.enrolled_by_signer_id', 'is', null),
      eb('identities.enrolled_by_signer_id', '<>', signerId),
    ]),
  )
}

const undescribedByName = prepared(2, (db, signerId: string, key: string) =>
  buildFoldedUsers(db, signerId, 'name', key),
)
const undescribedByOwnName = prepared(2, buildNamedUsers)
const undescribedByKey = prepared(2, (db, signerId: string, key: string) =>
  buildFoldedUsers(db, signerId, 'external_id', key),
)

const describedByKey = prepared(2, (db, signerId: string, key: string) =>
  buildFoldedUsers(db, signerId, 'external_id', key, true),
)

const describedUser = prepared(2, (db, signerId: string, key: string) =>
  db.selectNoFrom([
    db
      .selectFrom('scim_users')
      .select('identity_id')
      .where('signer_id', '=', signerId)
      .where('user_name_key', '=', key)
      .as('named'),
    lowestId(db, buildFoldedUsers(db, signerId, 'external_id', key, true)).as('identified'),
  ]),
)

/** Whether a SCIM request has described a user whose user name, or whose identity's external id, is this one in lower case. */
export async function hasDescribedUser(
  db: Db,
  { id, scimIdentityAttribute }: ScimSigner,
  key: string,
): Promise<boolean> {
  const [found] = await describedUser(db, id, key)
  return Boolean(found?.identified || (scimIdentityAttribute === 'userName' && found?.named))
}

/** The users of a signer that are shown with this user name; `key` is the name in lower case. */
export async function findIdsByUserName(db: Db, signer: ScimSigner, key: string): Promise<string[]> {
  const owners = await findOwnersOfUserName(db, signer, key)
  // Others are called by their external id.
  const named = signer.scimIdentityAttribute === 'userName' ? [] : await undescribedByName(db, signer.id, key)
  return [...new Set([...owners, ...named.flatMap(({ id }) => id ?? [])])]
}

/** Those that keep other users from having it. */
export async function findOwnersOfUserName(
  db: Db,
  { id, scimIdentityAttribute }: ScimSigner,
  key: string,
): Promise<string[]> {
  const described = await userByName(db, id, key)
  const named = await undescribedByOwnName(db, id, key)
  const identified = scimIdentityAttribute === 'userName' ? await undescribedByKey(db, id, key) : []
  const ids = [...described, ...identified, ...named].flatMap(({ id: found }) => found ?? [])
  return [...new Set(ids)]
}

/**
 * The users of a signer whose user name, or whose identity's external id, is this address in lower case. Other addresses of users have no index, and a
 * signer can have 10^5 users.
 */
export async function findIdsByAddress(db: Db, signerId: string, key: string): Promise<string[]> {
  const named = await userByName(db, signerId, key)
  const identified = [...(await describedByKey(db, signerId, key)), ...(await undescribedByKey(db, signerId, key))]
  return [...new Set([...named, ...identified].flatMap(({ id }) => id ?? []))]
}

/** The users that SCIM requests have described by this name, in lower case, or by this `externalId`. */
export async function findDescribedIds(
  db: Db,
  signerId: string,
  key: string,
  externalId: string | null,
): Promise<string[]> {
  const named = await userByName(db, signerId, key)
  const identified = externalId === null ? [] : await userByExternalId(db, signerId, externalId)
  return [...named, ...identified].map(({ id }) => id)
}

/** The users of a signer with this `externalId`. */
export async function findIdsByExternalId(
  db: Db,
  { id, scimIdentityAttribute }: ScimSigner,
  externalId: string,
): Promise<string[]> {
  const described = await userByExternalId(db, id, externalId)
  const identified = scimIdentityAttribute === 'externalId' ? await undescribedByExternalId(db, id, externalId) : []
  return [...new Set([...described, ...identified].map((row) => row.id))]
}

const takenNames = prepared(
  6,
  (db, signerId: string, key: string, externalId: string, name: string, identityKey: string, foldedKey: string) => {
    const users = db.selectFrom('scim_users').select('identity_id')
    const identities = db.selectFrom('identities').select('id')
    return db.selectNoFrom([
      users.where('signer_id', '=', signerId).where('user_name_key', '=', key).as('userName'),
      users.where('signer_id', '=', signerId).where('external_id', '=', externalId).as('externalId'),
      lowestId(db, buildNamedUsers(db, signerId, key)).as('undescribedName'),
      lowestId(db, buildFoldedUsers(db, signerId, 'external_id', foldedKey)).as('undescribedKey'),
      identities.where('name', '=', name).as('identityName'),
      identities.where('external_id', '=', identityKey).as('identityKey'),
    ])
  },
)

interface NewNames {
  readonly userName: string
  /** `userName` in lower case. */
  readonly key: string
  readonly externalId: string | null
  /** The external id of the identity. */
  readonly identityKey: string
}

/** No text in lower case is equal to it. */
const NO_FOLDED_KEY = 'A'

/**
 * Which attribute of a new user is taken: by another user of the signer, or by any identity; `name` when only the name of an identity is. One
 * statement, since each is a round trip under the lock of writes. A user that no SCIM request has described is found by the name or external id of
 * its identity, without regard to letter case.
 */
export async function findTakenName(
  db: Db,
  { id, scimIdentityAttribute }: ScimSigner,
  { userName, key, externalId, identityKey }: NewNames,
): Promise<'userName' | 'externalId' | 'name' | undefined> {
  // Otherwise the external id of an identity is no user name.
  const foldedKey = scimIdentityAttribute === 'userName' ? key : NO_FOLDED_KEY
  const [taken] = await takenNames(db, id, key, externalId ?? '', userName, identityKey, foldedKey)
  if (taken?.userName || taken?.undescribedName || taken?.undescribedKey) return 'userName'
  if (taken?.externalId || taken?.identityKey) return 'externalId'
  return taken?.identityName ? 'name' : undefined
}

const nameHolder = prepared(1, (db, name: string) =>
  db
    .selectFrom('identities')
    .select(['identities.enrolled_by_signer_id', 'identities.synced_tokens'])
    .select((identity) =>
      identity
        .selectFrom('scim_users')
        .select(({ fn }) => fn.min('scim_users.identity_id').as('id'))
        .whereRef('scim_users.identity_id', '=', 'identities.id')
        .whereRef('scim_users.user_name', '=', 'identities.name')
        .as('describedBy'),
    )
    .where('identities.name', '=', name),
)

/**
 * The signers whose tokens may have given an identity this name: the one that enrolled it, and those whose tokens changed it. None for a name that a
 * SCIM request gave, nor for one that no identity has.
 */
export async function findNamingSigners(db: Db, name: string): Promise<string[]> {
  const [holder] = await nameHolder(db, name)
  if (!holder || holder.describedBy !== null) return []
  const synced = Object.keys(readJsonColumn<Readonly<Record<string, number>>>(holder.synced_tokens))
  return [...new Set([...synced, ...(holder.enrolled_by_signer_id === null ? [] : [holder.enrolled_by_signer_id])])]
}
