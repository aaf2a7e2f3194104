import { networkFromBody } from '@countersign/core'
import { operation } from '../../store/operation.ts'
import { findLocalOrganization } from '../../store/reads/organization-reads.ts'
import { addNetwork } from '../network/create-network.ts'
import { addOrganization } from '../organization/create-organization.ts'

export interface FirstOrganization {
  readonly organizationId: string
  readonly networkGroupId: string
  readonly networkId: string
  /** The default administrator's id in the hosted API. */
  readonly ownerIdentityId: string
  readonly productVersion: string
}

/** Creates the organization that owns this controller, with its network. Returns false when there is one already. */
export const createFirstOrganization = operation({
  name: 'start.createFirstOrganization',
  access: 'none',
  async run(tx, first: FirstOrganization): Promise<boolean> {
    if ((await findLocalOrganization(tx.db)) !== undefined) return false
    const { organizationId, networkGroupId, networkId, ownerIdentityId, productVersion } = first
    const body = { name: 'Local organization', label: 'LOCAL' }
    await addOrganization(tx, { id: organizationId, networkGroupId, body, isLocal: true })
    const facts = { id: networkId, organizationId, productVersion, isLocal: true, ownerIdentityId }
    await addNetwork(tx, facts, networkFromBody({ name: 'local', networkGroupId }))
    return true
  },
})
