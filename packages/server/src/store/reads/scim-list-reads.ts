import { foldAscii, type ScimFilter } from '@countersign/core'
import { type Compilable, type CompiledQuery, sql } from 'kysely'
import { prepared, preparedForIds } from '../prepared.ts'
import type { Store } from '../store.ts'
import { withinDeadline } from './list-reader.ts'
import { displayOfUser, groupFilterTable, type ScimFilterContext, userFilterTable } from './scim-filter-tables.ts'
import { scimFilterToSql } from './scim-filter-to-sql.ts'
import {
  findGroupIdsByExternalId,
  findGroupIdsByName,
  loadMembers,
  MEMBER_BATCH,
  type StoredScimGroup,
} from './scim-group-reads.ts'
import { findIdsByExternalId, findIdsByUserName, type ScimSigner } from './scim-user-reads.ts'

export interface ScimPage extends Pick<ScimFilterContext, 'now' | 'baseUrl'> {
  readonly filter: ScimFilter | undefined
  readonly offset: number
  readonly limit: number
}

/** The ids of a page in the order of the list, and the number of all that match. */
export interface ScimIds {
  readonly ids: readonly string[]
  readonly total: number
}

type ListStore = Pick<Store, 'db' | 'dialect' | 'readLong'>

/** A page of the users of a signer. What agents of identity providers ask for is found by an index. */
export async function listScimUserIds(store: ListStore, signer: ScimSigner, page: ScimPage): Promise<ScimIds> {
  const { db, dialect } = store
  const looked = await lookUp(page, {
    username: (value) => findIdsByUserName(db, signer, foldAscii(value)),
    externalid: (value) => findIdsByExternalId(db, signer, value),
  })
  if (looked) return looked
  if (!page.filter) {
    const all = db.selectFrom('scim_users').where('signer_id', '=', signer.id)
    return readPage(store, signer.id, page, {
      ids: pageOf(all.select('identity_id as id').orderBy('position'), page),
      total: all.select(({ fn }) => fn.countAll<number>().as('total')).compile(),
    })
  }
  const users = db
    .selectFrom('scim_users')
    .innerJoin('identities', 'identities.id', 'scim_users.identity_id')
    .where('scim_users.signer_id', '=', signer.id)
    .where(withinDeadline(store))
    .where(scimFilterToSql(page.filter, userFilterTable({ ...page, dialect }, signer)))
  return readPage(store, signer.id, page, {
    ids: pageOf(users.select('scim_users.identity_id as id').orderBy('scim_users.position'), page),
    total: users.select(({ fn }) => fn.countAll<number>().as('total')).compile(),
  })
}

interface Pageable<Row> {
  limit(limit: number): { offset(offset: number): Compilable<Row> }
}

function pageOf<Row>(query: Pageable<Row>, { limit, offset }: ScimPage): CompiledQuery<Row> {
  return query.limit(limit).offset(offset).compile()
}

/** A page of the groups of a signer. */
export async function listScimGroupIds(store: ListStore, signerId: string, page: ScimPage): Promise<ScimIds> {
  const { db, dialect } = store
  const looked = await lookUp(page, {
    displayname: (value) => findGroupIdsByName(db, signerId, foldAscii(value)),
    externalid: (value) => findGroupIdsByExternalId(db, signerId, value),
  })
  if (looked) return looked
  const groups = db
    .selectFrom('scim_groups')
    .where('scim_groups.signer_id', '=', signerId)
    .where(withinDeadline(store))
    .$if(page.filter !== undefined, (all) =>
      all.where(scimFilterToSql(page.filter as ScimFilter, groupFilterTable({ ...page, dialect }))),
    )
  const ids = groups.select('scim_groups.id').orderBy('scim_groups.position')
  return readPage(store, signerId, page, {
    ids: pageOf(ids, page),
    total: groups.select(({ fn }) => fn.countAll<number>().as('total')).compile(),
  })
}

type LookUps = Readonly<Record<string, (value: string) => Promise<string[]>>>

async function lookUp({ filter, offset, limit }: ScimPage, lookUps: LookUps): Promise<ScimIds | undefined> {
  if (filter?.kind !== 'compare' || filter.operator !== 'eq' || typeof filter.value !== 'string') return undefined
  const find = Object.hasOwn(lookUps, filter.attribute) ? lookUps[filter.attribute] : undefined
  if (!find) return undefined
  const ids = await find(filter.value)
  return { ids: ids.slice(offset, offset + limit), total: ids.length }
}

async function readPage(
  store: ListStore,
  signerId: string,
  { limit }: ScimPage,
  { ids, total }: { readonly ids: CompiledQuery<{ id: string }>; readonly total: CompiledQuery<{ total: number }> },
): Promise<ScimIds> {
  const rows = limit === 0 ? [] : await readLongRows(store, signerId, ids)
  const [counted] = await readLongRows(store, signerId, total)
  return { ids: rows.map(({ id }) => id), total: Number(counted?.total ?? 0) }
}

/** The number of members by group, each counted up to a little more than `limit`. */
export async function countMembers(
  store: ListStore,
  signerId: string,
  ids: readonly string[],
  limit: number,
): Promise<ReadonlyMap<string, number>> {
  const counted = sql<number>`(select count(*) from
    (select 1 from scim_members where scim_members.group_id = scim_groups.id limit ${limit + 1}) as first_members)`
  const groups = store.db.selectFrom('scim_groups').select(['scim_groups.id', counted.as('count')])
  const query = groups.where('scim_groups.id', 'in', ids).where(withinDeadline(store)).compile()
  const rows = await readLongRows<{ id: string; count: number }>(store, signerId, query)
  return new Map(rows.map(({ id, count }) => [id, Number(count)]))
}

export interface StoredScimMember {
  readonly id: string
  /** The text to show. */
  readonly display?: string | null
}

/** The texts to show are found one by one: reading those of more members would delay other requests. */
const NAMED_AT_ONCE = 200

const namedMembers = (db: Store['db'], signerId: string, groupId: string, after: string) =>
  db
    .selectFrom('scim_members')
    .select(['identity_id as id', displayOfUser(sql`${signerId}`, sql`scim_members.identity_id`).as('display')])
    .where('group_id', '=', groupId)
    .where('identity_id', '>', after)
    .orderBy('identity_id')

const firstNamedMembers = prepared(3, (db, signerId: string, groupId: string, after: string) =>
  namedMembers(db, signerId, groupId, after).limit(NAMED_AT_ONCE),
)

/** The members of a group, in batches. */
export async function* loadShownMembers(
  store: Pick<Store, 'db' | 'readLong'>,
  { id, signerId }: Pick<StoredScimGroup, 'id' | 'signerId'>,
  { withDisplay }: { readonly withDisplay: boolean },
): AsyncGenerator<readonly StoredScimMember[]> {
  if (!withDisplay) {
    for await (const ids of loadMembers(store.db, id)) yield ids.map((member) => ({ id: member }))
    return
  }
  let members: readonly StoredScimMember[] = await firstNamedMembers(store.db, signerId, id, '')
  for (let limit = NAMED_AT_ONCE; members.length > 0; limit = MEMBER_BATCH) {
    yield members
    if (members.length < limit) return
    const next = namedMembers(store.db, signerId, id, members.at(-1)?.id ?? '').limit(MEMBER_BATCH)
    members = await readLongRows(store, signerId, next.compile())
  }
}

const groupsOf = (db: Store['db'], ids: readonly string[]) =>
  db
    .selectFrom('scim_members')
    .innerJoin('scim_groups', 'scim_groups.id', 'scim_members.group_id')
    .select(['scim_members.identity_id as userId', 'scim_groups.id', 'scim_groups.display_name as displayName'])
    .select(['scim_groups.signer_id as signerId', 'scim_groups.position'])
    .where('scim_members.identity_id', 'in', ids)

const groupsOfFew = preparedForIds(0, groupsOf)
/** A user can have 100 groups of each signer. */
const MAX_FEW = 10

/** The groups of users, by the id of the user. Selects those of the signer here: SQLite would go through all groups of the signer. */
export async function loadGroupsOfUsers(
  store: Pick<Store, 'db' | 'readLong'>,
  signerId: string,
  ids: readonly string[],
) {
  const isFew = ids.length <= MAX_FEW
  const all = await (isFew
    ? groupsOfFew(store.db, ids)
    : readLongRows(store, signerId, groupsOf(store.db, ids).compile()))
  const groups = all.filter((group) => group.signerId === signerId)
  return Map.groupBy(
    groups.sort((a, b) => a.position - b.position),
    ({ userId }) => userId,
  )
}

/** The lists of a signer take turns with each other. */
function readLongRows<Row>(store: Pick<Store, 'readLong'>, signerId: string, query: CompiledQuery<Row>) {
  return store.readLong<Row>(`scim ${signerId}`, query)
}
