import { DEFAULT_AUTH_POLICY, DEFAULT_AUTH_POLICY_ID, identityFromBody } from '@countersign/core'
import type { WriteOperation } from '../write-operation.ts'
import { insertAuthPolicy } from './auth-policy-writes.ts'
import { insertPasswordAuthenticator } from './authenticator-writes.ts'
import { insertIdentity } from './identity-writes.ts'

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

export const START_WRITES = { 'start.createFirstAdmin': createFirstAdmin }
