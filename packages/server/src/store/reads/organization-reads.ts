import type { Kysely } from 'kysely'
import type { OrganizationRow } from '../hosted-schema.ts'
import { notFound } from '../not-found.ts'
import type { Database } from '../schema.ts'

type Db = Kysely<Database>

export async function findOrganization(db: Db, id: string): Promise<OrganizationRow | undefined> {
  return db.selectFrom('organizations').selectAll().where('id', '=', id).executeTakeFirst()
}

export async function getOrganization(db: Db, id: string): Promise<OrganizationRow> {
  const row = await findOrganization(db, id)
  if (!row) throw notFound('organization', id)
  return row
}

/** The id of the organization that owns this controller; undefined before the first start has created it. */
export async function findLocalOrganization(db: Db): Promise<string | undefined> {
  return (await db.selectFrom('organizations').select('id').where('is_local', '=', true).executeTakeFirst())?.id
}

const CONTENT_TABLES = ['api_accounts', 'identity_providers', 'networks'] as const

/** An entity that belongs to an organization, with the plural of its kind; undefined when there is none. */
export async function findContent(
  db: Db,
  organizationId: string,
): Promise<{ readonly kind: string; readonly id: string } | undefined> {
  for (const table of CONTENT_TABLES) {
    const row = await db.selectFrom(table).select('id').where('organization_id', '=', organizationId).executeTakeFirst()
    if (row) return { kind: table.replace('_', ' '), id: row.id }
  }
  return undefined
}
