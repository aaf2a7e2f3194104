import { type AccountRole, sessionRightsOf } from '@countersign/contract'
import {
  ACCOUNT_AUTH_POLICY_ID,
  accountIdentityId,
  accountIdOf,
  DEFAULT_AUTH_POLICY,
  identityFromBody,
  newId,
} from '@countersign/core'
import { hostedRoleOf } from '../../store/actor.ts'
import { operation } from '../../store/operation.ts'
import { hasAuthPolicy, isPolicyName } from '../../store/reads/auth-policy-reads.ts'
import { findIdentity } from '../../store/reads/identity-reads.ts'
import type { Transaction } from '../../store/transaction.ts'
import { deleteIdentity, updateIdentityRights } from '../../store/writes/identity-writes.ts'
import { addAuthPolicy } from '../auth-policy/create-auth-policy.ts'
import { addIdentity } from '../identity/create-identity.ts'
import { endAccountSessions } from './account-sessions.ts'

/** Creates the identity of the actor, an API account, on this controller, or gives it the rights of the account's current role. */
export const ensureAccountIdentity = operation({
  name: 'apiAccount.ensureIdentity',
  access: { hosted: 'read' },
  async run(tx): Promise<void> {
    const { id } = tx.actor
    const role = hostedRoleOf(tx.actor)
    if (await updateAccountRights(tx, accountIdOf(id), role)) return
    await ensureAccountPolicy(tx)
    const { isAdmin, permissions } = sessionRightsOf(role)
    const rights = { isAdmin, permissions: [...permissions] }
    const body = { name: id, type: 'Default' as const, ...rights, authPolicyId: ACCOUNT_AUTH_POLICY_ID }
    await addIdentity(tx, id, identityFromBody(body))
  },
})

/** Gives the identity of an account the rights of its role. Returns whether there is such an identity. */
export async function updateAccountRights(tx: Transaction, accountId: string, role: AccountRole): Promise<boolean> {
  const existing = await findIdentity(tx.db, accountIdentityId(accountId))
  if (!existing) return false
  const { isAdmin, permissions } = sessionRightsOf(role)
  const hasRights = existing.isAdmin === isAdmin && existing.permissions.join() === permissions.join()
  if (hasRights && existing.authPolicyId === ACCOUNT_AUTH_POLICY_ID) return true
  await ensureAccountPolicy(tx)
  await updateIdentityRights(tx, existing.id, { isAdmin, permissions, authPolicyId: ACCOUNT_AUTH_POLICY_ID })
  return true
}

/** The policy of account identities allows no login: they get sessions through the hosted API only. */
async function ensureAccountPolicy(tx: Transaction): Promise<void> {
  if (await hasAuthPolicy(tx.db, ACCOUNT_AUTH_POLICY_ID)) return
  const { primary } = DEFAULT_AUTH_POLICY
  await addAuthPolicy(tx, ACCOUNT_AUTH_POLICY_ID, {
    ...DEFAULT_AUTH_POLICY,
    name: await findFreePolicyName(tx, 'API accounts'),
    primary: {
      cert: { ...primary.cert, allowed: false },
      extJwt: { ...primary.extJwt, allowed: false },
      updb: { ...primary.updb, allowed: false },
      passkey: { allowed: false },
    },
  })
}

/** Adds an id when the name is taken: another policy must not prevent this one. */
async function findFreePolicyName({ db }: Transaction, name: string): Promise<string> {
  return (await isPolicyName(db, name)) ? `${name} ${newId()}` : name
}

/** Deletes the identity of an account with its sessions: no other login could use it. */
export async function deleteAccountIdentity(tx: Transaction, accountId: string): Promise<void> {
  await endAccountSessions(tx, accountId)
  await deleteIdentity(tx, accountIdentityId(accountId))
}
