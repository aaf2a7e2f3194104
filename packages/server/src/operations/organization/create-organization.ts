import type { OrganizationWrite } from '@countersign/contract'
import { checkPlainText, fieldError } from '@countersign/core'
import { operation } from '../../store/operation.ts'
import type { Transaction } from '../../store/transaction.ts'
import { insertOrganization } from '../../store/writes/organization-writes.ts'

export interface NewOrganization {
  readonly id: string
  readonly networkGroupId: string
  readonly body: OrganizationWrite
}

/** Creates an organization and its first network group, since every network belongs to one. */
export const createOrganization = operation({
  name: 'organization.create',
  access: { hosted: 'admin' },
  target: 'organizations',
  async run(tx, organization: NewOrganization): Promise<void> {
    await addOrganization(tx, { ...organization, isLocal: false })
  },
})

export async function addOrganization(
  tx: Transaction,
  { body, ...facts }: NewOrganization & { readonly isLocal: boolean },
): Promise<void> {
  checkOrganization(body)
  const { name, label, active = true } = body
  await insertOrganization(tx, facts, { name, label, active })
}

/** The rules for an organization's own fields. */
export function checkOrganization(organization: Pick<OrganizationWrite, 'name' | 'label'>): void {
  for (const field of ['name', 'label'] as const) {
    if (organization[field] === '') throw fieldError(field, `${field} is required`, '')
    checkPlainText(field, organization[field])
  }
}
