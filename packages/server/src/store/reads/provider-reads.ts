import type { Kysely } from 'kysely'
import type { WantedRows } from '../followed-rows.ts'
import type { IdentityProviderRow } from '../hosted-schema.ts'
import { notFound } from '../not-found.ts'
import { prepared } from '../prepared.ts'
import { providerFromRow, type StoredProvider } from '../provider-row.ts'
import type { Database } from '../schema.ts'

type Db = Kysely<Database>

export async function listProviders(db: Db, organizationId: string): Promise<StoredProvider[]> {
  const rows = await db
    .selectFrom('identity_providers')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .orderBy('name')
    .execute()
  return rows.map(providerFromRow)
}

const ownProvider = prepared(2, (db, organizationId: string, id: string) =>
  db.selectFrom('identity_providers').selectAll().where('id', '=', id).where('organization_id', '=', organizationId),
)

/** An identity provider of the organization. */
export async function getProvider(db: Db, organizationId: string, id: string): Promise<StoredProvider> {
  const [row] = await ownProvider(db, organizationId, id)
  if (!row) throw notFound('identityProvider', id)
  return providerFromRow(row)
}

export async function countProviders(db: Db, organizationId: string): Promise<number> {
  const { total } = await db
    .selectFrom('identity_providers')
    .select((is) => is.fn.countAll().as('total'))
    .where('organization_id', '=', organizationId)
    .executeTakeFirstOrThrow()
  return Number(total)
}

/** A record of any organization. */
export async function getProviderById(db: Db, id: string): Promise<StoredProvider> {
  const row = await db.selectFrom('identity_providers').selectAll().where('id', '=', id).executeTakeFirst()
  if (!row) throw notFound('identityProvider', id)
  return providerFromRow(row)
}

/** The records with these ids, or all, of all organizations. */
export async function listProviderRows(db: Db, wanted: WantedRows): Promise<IdentityProviderRow[]> {
  const all = db.selectFrom('identity_providers').selectAll()
  return (wanted === 'everything' ? all : all.where('id', 'in', wanted)).execute()
}
