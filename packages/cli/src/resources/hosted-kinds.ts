import { API_ACCOUNT, IDENTITY_PROVIDER, NETWORK } from '@countersign/contract/organization'
import { deriveMembers } from './derive-members.ts'
import type { ResourceDescription } from './resource-kind.ts'

/** The records of the hosted API that files of `export` contain. Their commands are in `commands/hosted`. */
export const PROVIDERS: ResourceDescription = {
  plural: 'providers',
  singular: 'provider',
  hasNames: true,
  defaults: {},
  ...deriveMembers(IDENTITY_PROVIDER.members),
}

const NETWORK_MEMBERS = deriveMembers(NETWORK.members)

/** Without the group: each controller has its own, and a new network is in the first one. */
export const NETWORKS: ResourceDescription = {
  plural: 'networks',
  singular: 'network',
  hasNames: true,
  defaults: {},
  ...NETWORK_MEMBERS,
  writable: NETWORK_MEMBERS.writable.filter((member) => member !== 'networkGroupId'),
}

export const ACCOUNTS: ResourceDescription = {
  plural: 'accounts',
  singular: 'account',
  hasNames: true,
  defaults: {},
  ...deriveMembers(API_ACCOUNT.members),
}
