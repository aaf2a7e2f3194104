import type { AccountRole, Permission } from '@countersign/contract'
import {
  ACCOUNT_AUTH_POLICY_ID,
  accountIdentityId,
  DEFAULT_AUTH_POLICY,
  identityFromBody,
  newId,
} from '@countersign/core'
import type { WriteContext, WriteOperation } from '../../store/write-operation.ts'
import { deleteSessionsOf } from '../api-session/api-session-operations.ts'
import { insertAuthPolicy } from '../auth-policy/auth-policy-operations.ts'
import { insertIdentity } from '../identity/identity-operations.ts'

/** The identity that an account is on this controller, with the rights that its role gives it now. */
const ensureAccountIdentity: WriteOperation<{ accountId: string; role: AccountRole }, void> = async (
  context,
  { accountId, role },
) => {
  if (await updateRights(context, accountId, role)) return
  await ensureAccountPolicy(context)
  const id = accountIdentityId(accountId)
  const body = { name: id, type: 'Default' as const, ...rightsOf(role), authPolicyId: ACCOUNT_AUTH_POLICY_ID }
  await insertIdentity(context, id, identityFromBody(body), { isDefaultAdmin: false })
}

function rightsOf(role: AccountRole): { isAdmin: boolean; permissions: Permission[] } {
  const isAdmin = role === 'admin'
  return { isAdmin, permissions: isAdmin ? [] : ['admin_readonly'] }
}

/** Gives the identity of an account what its role gives it, so that its sessions have that from the next call on; answers whether there is one. */
export async function updateRights(context: WriteContext, accountId: string, role: AccountRole): Promise<boolean> {
  const { db, now } = context
  const id = accountIdentityId(accountId)
  const existing = await db
    .selectFrom('identities')
    .select(['is_admin', 'permissions', 'auth_policy_id'])
    .where('id', '=', id)
    .executeTakeFirst()
  if (!existing) return false
  const { isAdmin, permissions } = rightsOf(role)
  const text = JSON.stringify(permissions)
  const hasRights = Boolean(existing.is_admin) === isAdmin && existing.permissions === text
  if (hasRights && existing.auth_policy_id === ACCOUNT_AUTH_POLICY_ID) return true
  await ensureAccountPolicy(context)
  const rights = { is_admin: isAdmin, permissions: text, auth_policy_id: ACCOUNT_AUTH_POLICY_ID, updated_at: now }
  await db.updateTable('identities').set(rights).where('id', '=', id).execute()
  context.changed({ entity: 'identities', id, action: 'updated' })
  return true
}

async function ensureAccountPolicy(context: WriteContext): Promise<void> {
  const { db } = context
  const existing = await db
    .selectFrom('auth_policies')
    .select('id')
    .where('id', '=', ACCOUNT_AUTH_POLICY_ID)
    .executeTakeFirst()
  if (existing) return
  const { primary } = DEFAULT_AUTH_POLICY
  await insertAuthPolicy(context, ACCOUNT_AUTH_POLICY_ID, {
    ...DEFAULT_AUTH_POLICY,
    name: await freePolicyName(context, 'API accounts'),
    primary: {
      cert: { ...primary.cert, allowed: false },
      extJwt: { ...primary.extJwt, allowed: false },
      updb: { ...primary.updb, allowed: false },
    },
  })
}

/** Whoever has taken the name shall not keep accounts out. */
async function freePolicyName({ db }: WriteContext, name: string): Promise<string> {
  const other = await db.selectFrom('auth_policies').select('id').where('name', '=', name).executeTakeFirst()
  return other ? `${name} ${newId()}` : name
}

/** Sessions that may have been opened with a client whose time is over; the account opens new ones with the client it has. */
const endOldSessions: WriteOperation<{ accountId: string; openedBefore: number }, void> = async (
  context,
  { accountId, openedBefore },
) => {
  await deleteSessionsOf(context, accountIdentityId(accountId), { openedBefore })
}

export const ACCOUNT_IDENTITY_WRITES = {
  'apiAccount.ensureIdentity': ensureAccountIdentity,
  'apiAccount.endOldSessions': endOldSessions,
}

/** Ends what an account has opened on this controller: what vouched for it does so no longer. */
export async function endAccountSessions(context: WriteContext, accountId: string): Promise<void> {
  await deleteSessionsOf(context, accountIdentityId(accountId))
}

/** Nobody but the account could use it. */
export async function deleteAccountIdentity(context: WriteContext, accountId: string): Promise<void> {
  const id = accountIdentityId(accountId)
  await deleteSessionsOf(context, id)
  const deleted = await context.db.deleteFrom('identities').where('id', '=', id).returning('id').executeTakeFirst()
  if (deleted) context.changed({ entity: 'identities', id, action: 'deleted' })
}
