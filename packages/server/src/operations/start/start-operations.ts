import { DEFAULT_AUTH_POLICY, DEFAULT_AUTH_POLICY_ID, identityFromBody, networkFromBody } from '@countersign/core'
import type { WriteOperation } from '../../store/write-operation.ts'
import { insertAuthPolicy } from '../auth-policy/auth-policy-operations.ts'
import { insertPasswordAuthenticator } from '../authenticator/authenticator-operations.ts'
import { insertIdentity } from '../identity/identity-operations.ts'
import { insertNetwork } from '../network/network-operations.ts'
import { insertOrganization } from '../organization/organization-operations.ts'

export interface FirstAdmin {
  readonly identityId: string
  readonly authenticatorId: string
  readonly username: string
  readonly passwordDigest: string
}

/** Makes the default policy and the first administrator; answers false when another node has done so before. */
const createFirstAdmin: WriteOperation<FirstAdmin, boolean> = async (context, admin) => {
  const { db } = context
  const existing = await db
    .selectFrom('identities')
    .select('id')
    .where('is_default_admin', '=', true)
    .executeTakeFirst()
  if (existing) return false
  await insertAuthPolicy(context, DEFAULT_AUTH_POLICY_ID, DEFAULT_AUTH_POLICY)
  const identity = identityFromBody({ name: admin.username, type: 'Default', isAdmin: true })
  await insertIdentity(context, admin.identityId, identity, { isDefaultAdmin: true })
  await insertPasswordAuthenticator(context, {
    id: admin.authenticatorId,
    identityId: admin.identityId,
    username: admin.username,
    passwordDigest: admin.passwordDigest,
  })
  return true
}

export interface FirstOrganization {
  readonly organizationId: string
  readonly networkGroupId: string
  readonly networkId: string
  /** The default administrator's id in the hosted API. */
  readonly ownerIdentityId: string
  readonly productVersion: string
}

/** Makes the organization that owns this controller, with its network; answers false when there is one already. */
const createFirstOrganization: WriteOperation<FirstOrganization, boolean> = async (context, first) => {
  const { db } = context
  const existing = await db.selectFrom('organizations').select('id').where('is_local', '=', true).executeTakeFirst()
  if (existing) return false
  const { organizationId, networkGroupId } = first
  const body = { name: 'Local organization', label: 'LOCAL' }
  await insertOrganization(context, { id: organizationId, networkGroupId, body, isLocal: true })
  await insertNetwork(context, {
    id: first.networkId,
    organizationId,
    settings: networkFromBody({ name: 'local', networkGroupId }),
    productVersion: first.productVersion,
    isLocal: true,
    ownerIdentityId: first.ownerIdentityId,
  })
  return true
}

export interface KeptSetting {
  readonly name: string
  readonly value: string
  /** The value that it takes the place of, if that is still the one that is there. */
  readonly replaces?: string
}

/** Keeps a value that all nodes share, unless there is another one; answers the one that is there now. */
const keepSetting: WriteOperation<KeptSetting, string> = async ({ db }, { name, value, replaces }) => {
  await db
    .insertInto('settings')
    .values({ name, value })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute()
  if (replaces !== undefined) {
    await db.updateTable('settings').set({ value }).where('name', '=', name).where('value', '=', replaces).execute()
  }
  const kept = await db.selectFrom('settings').select('value').where('name', '=', name).executeTakeFirstOrThrow()
  return kept.value
}

export const START_WRITES = {
  'start.keepSetting': keepSetting,
  'start.createFirstAdmin': createFirstAdmin,
  'start.createFirstOrganization': createFirstOrganization,
}
