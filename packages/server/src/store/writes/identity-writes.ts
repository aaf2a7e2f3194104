import type { IdentitySettings } from '@countersign/core'
import { identityColumns } from '../identity-row.ts'
import { insertRow, insertRows } from '../prepared.ts'
import type { Transaction } from '../transaction.ts'
import { rejectDuplicates } from '../unique-violation.ts'

const ENTITY = 'identities'

export async function insertIdentity(
  tx: Transaction,
  id: string,
  identity: IdentitySettings,
  { isDefaultAdmin = false } = {},
): Promise<void> {
  const { db, now } = tx
  const { name, externalId } = identity
  await rejectDuplicates({ name, externalId }, () =>
    insertRow(db, 'identities', {
      id,
      ...identityColumns(identity),
      type_id: 'Default',
      is_default_admin: isDefaultAdmin,
      env_info: '{}',
      sdk_info: '{}',
      disabled_at: null,
      disabled_until: null,
      created_at: now,
      updated_at: now,
    }),
  )
  await insertAttributes(tx, id, identity)
  tx.changed({ entity: ENTITY, id, action: 'created' })
}

export async function updateIdentity(tx: Transaction, id: string, identity: IdentitySettings): Promise<void> {
  const { db, now } = tx
  const { name, externalId } = identity
  await rejectDuplicates({ name, externalId }, () =>
    db
      .updateTable('identities')
      .set({ ...identityColumns(identity), updated_at: now })
      .where('id', '=', id)
      .execute(),
  )
  await db.deleteFrom('identity_attributes').where('identity_id', '=', id).execute()
  await insertAttributes(tx, id, identity)
  tx.changed({ entity: ENTITY, id, action: 'updated' })
}

async function insertAttributes({ db }: Transaction, id: string, { attributes }: IdentitySettings): Promise<void> {
  const rows = attributes.map((attribute) => ({ identity_id: id, attribute }))
  if (rows.length > 0) await insertRows(db, 'identity_attributes', rows)
}

/** Sets administrator, permissions and policy of an identity, and nothing else. */
export async function updateIdentityRights(
  tx: Transaction,
  id: string,
  { isAdmin, permissions, authPolicyId }: Pick<IdentitySettings, 'isAdmin' | 'permissions' | 'authPolicyId'>,
): Promise<void> {
  await tx.db
    .updateTable('identities')
    .set({
      is_admin: isAdmin,
      permissions: JSON.stringify(permissions),
      auth_policy_id: authPolicyId,
      updated_at: tx.now,
    })
    .where('id', '=', id)
    .execute()
  tx.changed({ entity: ENTITY, id, action: 'updated' })
}

/** Disables an identity from `at` until `until`, or until it is enabled when that is null; `at` null enables it. */
export async function setDisabled(
  tx: Transaction,
  id: string,
  { at, until }: { readonly at: number | null; readonly until: number | null },
): Promise<void> {
  await tx.db
    .updateTable('identities')
    .set({ disabled_at: at, disabled_until: until, updated_at: tx.now })
    .where('id', '=', id)
    .execute()
  tx.changed({ entity: ENTITY, id, action: 'updated' })
}

/** Stores what the client reported about itself at the latest login. */
export async function setClientInfo(
  { db }: Transaction,
  id: string,
  {
    envInfo,
    sdkInfo,
  }: {
    readonly envInfo: Readonly<Record<string, string>> | undefined
    readonly sdkInfo: Readonly<Record<string, string>> | undefined
  },
): Promise<void> {
  await db
    .updateTable('identities')
    .set({
      ...(envInfo && { env_info: JSON.stringify(envInfo) }),
      ...(sdkInfo && { sdk_info: JSON.stringify(sdkInfo) }),
    })
    .where('id', '=', id)
    .execute()
}

/** Returns whether there was such an identity. Its sessions are deleted by `endSessions` first, which reports them. */
export async function deleteIdentity(tx: Transaction, id: string): Promise<boolean> {
  const deleted = await tx.db.deleteFrom('identities').where('id', '=', id).returning('id').executeTakeFirst()
  if (deleted) tx.changed({ entity: ENTITY, id, action: 'deleted' })
  return deleted !== undefined
}

/** Sets the verified TOTP enrollment of an identity, or null for none. Its sessions are evaluated again at their next request. */
export async function setVerifiedTotp(tx: Transaction, id: string, totpId: string | null): Promise<void> {
  await tx.db.updateTable('identities').set({ verified_totp_id: totpId }).where('id', '=', id).execute()
  tx.changed({ entity: ENTITY, id, action: 'updated' })
}
