import type { OrganizationQuotas, OrganizationSettings } from '@countersign/core'
import { organizationColumns, quotaColumns } from '../hosted-rows.ts'
import { insertRow } from '../prepared.ts'
import type { Transaction } from '../transaction.ts'
import { rejectDuplicates } from '../unique-violation.ts'

const ENTITY = 'organizations'

/** Inserts an organization and its first network group, which has the same name. */
export async function insertOrganization(
  tx: Transaction,
  { id, networkGroupId, isLocal }: { readonly id: string; readonly networkGroupId: string; readonly isLocal: boolean },
  settings: OrganizationSettings,
): Promise<void> {
  const { db, now } = tx
  const { name, label } = settings
  const times = { created_at: now, updated_at: now }
  await rejectDuplicates({ label }, () =>
    insertRow(db, 'organizations', { id, ...organizationColumns(settings), is_local: isLocal, ...times }),
  )
  const group = { id: networkGroupId, organization_id: id, name, short_name: label, ...times }
  await insertRow(db, 'network_groups', group)
  tx.changed({ entity: ENTITY, id, action: 'created' })
}

export async function updateOrganization(tx: Transaction, id: string, settings: OrganizationSettings): Promise<void> {
  await rejectDuplicates({ label: settings.label }, () =>
    tx.db
      .updateTable('organizations')
      .set({ ...organizationColumns(settings), updated_at: tx.now })
      .where('id', '=', id)
      .execute(),
  )
  tx.changed({ entity: ENTITY, id, action: 'updated' })
}

/** The state of a suspended organization; null for an active one. */
export interface Suspension {
  readonly at: number
  readonly reason: string | null
}

/**
 * Suspends or resumes an organization. Also reports its identity providers: whether their keys are fetched depends on it.
 */
export async function setSuspension(tx: Transaction, id: string, suspension: Suspension | null): Promise<void> {
  await tx.db
    .updateTable('organizations')
    .set({
      active: suspension === null,
      suspended_at: suspension?.at ?? null,
      suspension_reason: suspension?.reason ?? null,
      updated_at: tx.now,
    })
    .where('id', '=', id)
    .execute()
  tx.changed({ entity: ENTITY, id, action: 'updated' })
  const providers = await tx.db
    .selectFrom('identity_providers')
    .select('id')
    .where('organization_id', '=', id)
    .execute()
  for (const provider of providers) {
    tx.changed({ entity: 'identityProviders', id: provider.id, action: 'updated', isOneOfMany: true })
  }
}

export async function updateQuotas(tx: Transaction, id: string, quotas: OrganizationQuotas): Promise<void> {
  await tx.db
    .updateTable('organizations')
    .set({ ...quotaColumns(quotas), updated_at: tx.now })
    .where('id', '=', id)
    .execute()
  tx.changed({ entity: ENTITY, id, action: 'updated' })
}

/** Deletes an organization with its network groups; it must have no networks, accounts or identity providers. */
export async function deleteOrganization(tx: Transaction, id: string): Promise<void> {
  await tx.db.deleteFrom('network_groups').where('organization_id', '=', id).execute()
  await tx.db.deleteFrom('organizations').where('id', '=', id).execute()
  tx.changed({ entity: ENTITY, id, action: 'deleted' })
}
