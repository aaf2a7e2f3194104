import type { OrganizationWrite } from '@countersign/contract'
import { organizationFromBody } from '@countersign/core'
import { operation } from '../../store/operation.ts'
import type { Transaction } from '../../store/transaction.ts'
import { insertOrganization } from '../../store/writes/organization-writes.ts'
import { checkSameActivity } from './update-organization.ts'

export interface NewOrganization {
  readonly id: string
  readonly networkGroupId: string
  readonly body: OrganizationWrite
}

/** Creates an organization and its first network group, since every network belongs to one. */
export const createOrganization = operation({
  name: 'organization.create',
  access: { hosted: 'admin' },
  async run(tx, organization: NewOrganization): Promise<void> {
    checkSameActivity(organizationFromBody(organization.body).active, true)
    await addOrganization(tx, { ...organization, isLocal: false })
  },
})

export async function addOrganization(
  tx: Transaction,
  { body, ...facts }: NewOrganization & { readonly isLocal: boolean },
): Promise<void> {
  await insertOrganization(tx, facts, organizationFromBody(body))
}
