import { foldAscii, type ScimFilter } from '@countersign/core'
import type { Compilable, CompiledQuery } from 'kysely'
import type { Store } from '../store.ts'
import { withinDeadline } from './list-reader.ts'
import { groupFilterTable, type ScimFilterContext, userFilterTable } from './scim-filter-tables.ts'
import { scimFilterToSql } from './scim-filter-to-sql.ts'
import { findGroupIdsByExternalId, findGroupIdsByName } from './scim-group-reads.ts'
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
    username: (value) => findIdsByUserName(db, signer, value, foldAscii(value)),
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

/** The lists of a signer take turns with each other. */
function readLongRows<Row>(store: ListStore, signerId: string, query: CompiledQuery<Row>) {
  return store.readLong<Row>(`scim ${signerId}`, query)
}
