import { DEFAULT_AUTH_POLICY, DEFAULT_AUTH_POLICY_ID, identityFromBody } from '@countersign/core'
import { operation } from '../../store/operation.ts'
import { findDefaultAdministrator } from '../../store/reads/administrator-reads.ts'
import { insertPasswordAuthenticator } from '../../store/writes/authenticator-writes.ts'
import { addAuthPolicy } from '../auth-policy/create-auth-policy.ts'
import { addIdentity } from '../identity/create-identity.ts'

export interface FirstAdmin {
  readonly identityId: string
  readonly authenticatorId: string
  readonly username: string
  readonly passwordDigest: string
}

/** Creates the default policy and the first administrator. Returns false when they exist already. */
export const createFirstAdmin = operation({
  name: 'start.createFirstAdmin',
  access: 'none',
  async run(tx, { identityId, authenticatorId: id, username, passwordDigest }: FirstAdmin): Promise<boolean> {
    if ((await findDefaultAdministrator(tx.db)) !== undefined) return false
    await addAuthPolicy(tx, DEFAULT_AUTH_POLICY_ID, DEFAULT_AUTH_POLICY)
    const identity = identityFromBody({ name: username, type: 'Default', isAdmin: true })
    await addIdentity(tx, identityId, identity, { isDefaultAdmin: true })
    await insertPasswordAuthenticator(tx, { id, identityId, username, passwordDigest })
    return true
  },
})
