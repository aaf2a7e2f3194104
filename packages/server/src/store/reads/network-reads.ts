import { foldAscii, foldName } from '@countersign/core'
import { type Expression, type ExpressionBuilder, type Kysely, type SqlBool, sql } from 'kysely'
import type { NetworkGroupRow, NetworkRow } from '../hosted-schema.ts'
import { notFound } from '../not-found.ts'
import { preparedQuery } from '../prepared.ts'
import type { Database } from '../schema.ts'
import type { Store } from '../store.ts'
import type { StoreDialect } from '../transaction.ts'
import { countOf } from './count-of.ts'
import { withinDeadline } from './list-reader.ts'

type Db = Kysely<Database>

/** A network in lists and views. The folded name can be many times as long as the name. */
export type ListedNetwork = Omit<NetworkRow, 'folded_name'>

const LISTED_COLUMNS = [
  ...(['id', 'organization_id', 'network_group_id', 'name', 'status', 'size', 'product_version', 'provider'] as const),
  ...(['region', 'is_local', 'controller_url', 'owner_identity_id', 'created_by', 'created_at', 'updated_at'] as const),
  ...(['deleted_at', 'deleted_by'] as const),
] satisfies readonly (keyof ListedNetwork)[]

/** The requested networks; all that are not deleted by default. */
export interface WantedNetworks {
  /** A whole name, or one in which `%` stands for any text. */
  readonly namePattern: string | undefined
  readonly networkGroupId: string | undefined
  /** With `DELETED`, the deleted ones are listed. */
  readonly status: string | undefined
  readonly page: number
  readonly size: number
  readonly descending: boolean
}

type Direction = 'asc' | 'desc'

/** The networks of an organization. */
function networksOf({ db, dialect }: Pick<Store, 'db' | 'dialect'>, organizationId: string, isDeleted = false) {
  return db
    .selectFrom('networks')
    .where('organization_id', '=', organizationId)
    .where('deleted_at', isDeleted ? 'is not' : 'is', null)
    .where(withinDeadline({ dialect }))
}

function pageOf(found: ReturnType<typeof networksOf>, direction: Direction, size: number, offset: number) {
  const sorted = found.select(LISTED_COLUMNS).orderBy('folded_name', direction).orderBy('id', direction)
  return sorted.limit(size).offset(offset)
}

function preparePage(dialect: StoreDialect, direction: Direction) {
  return preparedQuery(3, (db, organizationId: string, size: number, offset: number) =>
    pageOf(networksOf({ db, dialect }, organizationId), direction, size, offset),
  )
}

/** Without conditions, as nearly all lists are. */
const PLAIN_PAGES = {
  sqlite: { asc: preparePage('sqlite', 'asc'), desc: preparePage('sqlite', 'desc') },
  postgres: { asc: preparePage('postgres', 'asc'), desc: preparePage('postgres', 'desc') },
} satisfies Record<StoreDialect, object>

/** One page of the networks of an organization, sorted by name, and their total. Organizations take turns. */
export async function listNetworks(
  store: Pick<Store, 'db' | 'dialect' | 'readLong'>,
  organizationId: string,
  { namePattern, networkGroupId, status, page, size, descending }: WantedNetworks,
): Promise<{ rows: ListedNetwork[]; total: number }> {
  const find = () =>
    networksOf(store, organizationId, status === 'DELETED')
      .$if(Boolean(networkGroupId), (query) => query.where('network_group_id', '=', networkGroupId ?? ''))
      .$if(Boolean(status), (query) => query.where('status', '=', status ?? ''))
      .$if(Boolean(namePattern), (query) => query.where((is) => isNamed(is, namePattern ?? '')))
  const direction = descending ? 'desc' : 'asc'
  const offset = Math.min(page * size, Number.MAX_SAFE_INTEGER)
  const isPlain = !namePattern && !networkGroupId && !status
  const onPage = isPlain
    ? PLAIN_PAGES[store.dialect][direction](store.db, organizationId, size, offset)
    : pageOf(find(), direction, size, offset).compile()
  const rows = await store.readLong(organizationId, onPage)
  const isLastPage = rows.length < size && (rows.length > 0 || offset === 0)
  if (isLastPage) return { rows, total: offset + rows.length }
  const all = find().select(({ fn }) => fn.countAll<number>().as('total'))
  const [counted] = await store.readLong(organizationId, all.compile())
  return { rows, total: Number(counted?.total ?? 0) }
}

/** Names of 0.1.0 that were not written since are stored with only A to Z folded, so the pattern is tried in that form too. */
function isNamed(is: ExpressionBuilder<Database, 'networks'>, pattern: string): Expression<SqlBool> {
  const patterns = new Set([foldName(pattern), foldAscii(pattern)])
  return is.or(
    [...patterns].map((text) =>
      text.includes('%')
        ? sql<boolean>`folded_name like ${escapeLike(text)} escape '\\'`
        : is('folded_name', '=', text),
    ),
  )
}

/** Leaves `%` as the only wildcard of LIKE. */
function escapeLike(pattern: string): string {
  return pattern.replace(/[\\_]/g, '\\$&')
}

/** A network of the organization, which may be deleted. */
export async function getNetwork(db: Db, organizationId: string, id: string): Promise<NetworkRow> {
  const row = await db
    .selectFrom('networks')
    .selectAll()
    .where('id', '=', id)
    .where('organization_id', '=', organizationId)
    .executeTakeFirst()
  if (!row) throw notFound('network', id)
  return row
}

/** A network of the organization that is not deleted. */
export async function getExistingNetwork(db: Db, organizationId: string, id: string): Promise<NetworkRow> {
  const row = await getNetwork(db, organizationId, id)
  if (row.deleted_at !== null) throw notFound('network', id)
  return row
}

/** The id of the network with this folded name in a group, other than `ownId`. Deleted networks have given their name up. */
export async function findNetworkNamed(
  db: Db,
  { networkGroupId, foldedName, ownId }: { networkGroupId: string; foldedName: string; ownId: string | undefined },
): Promise<string | undefined> {
  const named = db
    .selectFrom('networks')
    .select('id')
    .where('network_group_id', '=', networkGroupId)
    .where('folded_name', '=', foldedName)
    .where('deleted_at', 'is', null)
  const [found] = await (ownId === undefined ? named : named.where('id', '<>', ownId)).limit(1).execute()
  return found?.id
}

/** The number of networks of a group that are not deleted, counted up to `most`. */
export async function countNetworks(db: Db, networkGroupId: string, most: number): Promise<number> {
  const networks = db
    .selectFrom('networks')
    .select('folded_name')
    .where('network_group_id', '=', networkGroupId)
    .where('deleted_at', 'is', null)
    .limit(most)
  return countOf(db, networks.as('counted'))
}

export async function listNetworkGroups(db: Db, organizationId: string): Promise<NetworkGroupRow[]> {
  return db.selectFrom('network_groups').selectAll().where('organization_id', '=', organizationId).execute()
}

/** The id of the requested group of the organization, or of its first group when `id` is undefined. */
export async function getNetworkGroupId(db: Db, organizationId: string, id: string | undefined): Promise<string> {
  const groups = db.selectFrom('network_groups').select('id').where('organization_id', '=', organizationId)
  const group = await (id ? groups.where('id', '=', id) : groups.orderBy('created_at')).executeTakeFirst()
  if (!group) throw notFound('networkGroup', id ?? '')
  return group.id
}
