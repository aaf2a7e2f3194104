import type { OrganizationPatch } from '@countersign/contract'
import { fieldError, patchedOrganization } from '@countersign/core'
import { organizationSettings } from '../../store/hosted-rows.ts'
import { operation } from '../../store/operation.ts'
import { findLocalOrganization, getOrganization } from '../../store/reads/organization-reads.ts'
import type { Transaction } from '../../store/transaction.ts'
import { updateOrganization as updateRow } from '../../store/writes/organization-writes.ts'
import { checkTargetOrganization } from './target-organization.ts'

export const updateOrganization = operation({
  name: 'organization.update',
  access: { hosted: 'admin' },
  target: 'organizations',
  async run(tx, { id, body }: { readonly id: string; readonly body: OrganizationPatch }): Promise<void> {
    await checkTargetOrganization(tx, id)
    const current = await getOrganization(tx.db, id)
    const next = patchedOrganization(organizationSettings(current), body)
    checkSameActivity(next.active, Boolean(current.active))
    if (next.label !== current.label) await checkMayLabel(tx, next.label)
    await updateRow(tx, id, next)
  },
})

/** One way changes it: `suspend` and `resume`, by which an organization can neither lock itself out nor end its suspension. */
export function checkSameActivity(next: boolean, current: boolean): void {
  if (next === current) return
  throw fieldError('active', 'active can be changed only by the operator, with suspend and resume', next)
}

/** Labels are unique over all organizations: by the refusal of one that is taken, an organization could find out the labels of others. */
async function checkMayLabel({ db, organizationId }: Transaction, label: string): Promise<void> {
  if (organizationId === undefined || organizationId === (await findLocalOrganization(db))) return
  throw fieldError('label', 'label can be changed only by the organization that owns the controller', label)
}
