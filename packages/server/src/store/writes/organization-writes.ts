import type { OrganizationSettings } from '@countersign/core'
import { organizationColumns } from '../hosted-rows.ts'
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

/** Deletes an organization with its network groups; it must have no networks, accounts or identity providers. */
export async function deleteOrganization(tx: Transaction, id: string): Promise<void> {
  await tx.db.deleteFrom('network_groups').where('organization_id', '=', id).execute()
  await tx.db.deleteFrom('organizations').where('id', '=', id).execute()
  tx.changed({ entity: ENTITY, id, action: 'deleted' })
}
