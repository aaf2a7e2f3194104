import type { Kysely } from 'kysely'
import type { NetworkGroupRow, NetworkRow } from '../hosted-schema.ts'
import { notFound } from '../not-found.ts'
import type { Database } from '../schema.ts'

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

/** The networks of a group that are not deleted. */
export async function listNetworkNames(db: Db, networkGroupId: string): Promise<Pick<NetworkRow, 'id' | 'name'>[]> {
  return db
    .selectFrom('networks')
    .select(['id', 'name'])
    .where('network_group_id', '=', networkGroupId)
    .where('deleted_at', 'is', null)
    .execute()
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
