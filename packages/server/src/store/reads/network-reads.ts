import type { Kysely } from 'kysely'
import type { NetworkGroupRow, NetworkRow } from '../hosted-schema.ts'
import { notFound } from '../not-found.ts'
import type { Database } from '../schema.ts'
import { countOf } from './count-of.ts'

type Db = Kysely<Database>

export async function listNetworks(db: Db, organizationId: string, deleted: boolean): Promise<NetworkRow[]> {
  return db
    .selectFrom('networks')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('deleted_at', deleted ? 'is not' : 'is', null)
    .execute()
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
