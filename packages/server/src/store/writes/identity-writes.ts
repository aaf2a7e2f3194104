import {
  type IdentitySettings,
  manualAttributesAfterWrite,
  type ScimUser,
  type SuppliedAttributes,
} from '@countersign/core'
import { type AccountState, eventsAfterOverride } from '../account-state.ts'
import { identityColumns, type StoredIdentity } from '../identity-row.ts'
import { insertRow, insertRows } from '../prepared.ts'
import { lostExternalIdNote } from '../reads/identity-access-reads.ts'
import type { Transaction } from '../transaction.ts'
import { rejectDuplicates } from '../unique-violation.ts'
import { touchGroupsOf } from './scim-group-writes.ts'
import { addScimUsers, removeScimUser } from './scim-user-writes.ts'
import { skipLocked } from './skip-locked.ts'

const ENTITY = 'identities'

export interface NewIdentityOptions {
  readonly isDefaultAdmin?: boolean
  readonly enrolledBySignerId?: string
  /** Set when SCIM of that signer creates the identity. */
  readonly scimUser?: ScimUser
  /** Set when the attributes belong to the signer that enrolled the identity, with the time at which the token was issued. */
  readonly suppliedBy?: { readonly signerId: string; readonly issuedAt: number }
}

export async function insertIdentity(
  tx: Transaction,
  id: string,
  identity: IdentitySettings,
  { isDefaultAdmin = false, enrolledBySignerId, scimUser, suppliedBy }: NewIdentityOptions = {},
): Promise<void> {
  const { db, now } = tx
  const { name, externalId, expiresAt } = identity
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
      has_expired: isPast(expiresAt, now),
      enrolled_by_signer_id: enrolledBySignerId ?? null,
      synced_tokens: JSON.stringify(suppliedBy ? { [suppliedBy.signerId]: suppliedBy.issuedAt } : {}),
      created_at: now,
      updated_at: now,
    }),
  )
  const origin = suppliedBy ? ({ signerId: suppliedBy.signerId, channel: 'token' } as const) : MANUAL
  await insertAttributes(tx, id, origin, identity.attributes)
  const { linkedSigners } = identity
  if (enrolledBySignerId !== undefined) await addScimUsers(tx, id, [enrolledBySignerId], scimUser)
  await addScimUsers(
    tx,
    id,
    linkedSigners.filter((signerId) => signerId !== enrolledBySignerId),
  )
  tx.changed({ entity: ENTITY, id, action: 'created' })
}

/** Of the attributes, writes those of administrators. A changed `expiresAt` alone decides whether the identity has expired. */
export async function updateIdentity(tx: Transaction, current: StoredIdentity, next: IdentitySettings): Promise<void> {
  const { db, now } = tx
  const { id } = current
  const { name, externalId, expiresAt } = next
  const hasExpired = expiresAt === current.expiresAt ? current.hasExpired : isPast(expiresAt, now)
  await rejectDuplicates({ name, externalId }, () =>
    db
      .updateTable('identities')
      .set({ ...identityColumns(next), has_expired: hasExpired, updated_at: now })
      .where('id', '=', id)
      .execute(),
  )
  await replaceAttributes(tx, id, MANUAL, manualAttributesAfterWrite(current, next.attributes))
  await followLinks(tx, current, next)
  tx.changed({ entity: ENTITY, id, action: 'updated' })
}

/** An identity is a SCIM user of every signer that it is linked to. */
async function followLinks(tx: Transaction, current: StoredIdentity, next: IdentitySettings): Promise<void> {
  const { id, linkedSigners, enrolledBySignerId } = current
  const isKept = (signerId: string) => signerId === enrolledBySignerId || next.linkedSigners.includes(signerId)
  await addScimUsers(
    tx,
    id,
    next.linkedSigners.filter((signerId) => signerId !== enrolledBySignerId && !linkedSigners.includes(signerId)),
  )
  for (const signerId of linkedSigners) if (!isKept(signerId)) await removeScimUser(tx, signerId, id)
}

const isPast = (expiresAt: number | null, now: number): boolean => expiresAt !== null && expiresAt <= now

/** The origin of attributes: an administrator, or a signer and how it supplies them. */
export type AttributeOwner =
  | { readonly signerId: ''; readonly channel: '' }
  | Pick<SuppliedAttributes, 'signerId' | 'channel'>

const MANUAL: AttributeOwner = { signerId: '', channel: '' }

/** Replaces the attributes of one origin. Report the change of the identity afterwards. */
export async function replaceAttributes(
  tx: Transaction,
  id: string,
  owner: AttributeOwner,
  attributes: readonly string[],
): Promise<void> {
  await tx.db
    .deleteFrom('identity_attributes')
    .where('identity_id', '=', id)
    .where('signer_id', '=', owner.signerId)
    .where('channel', '=', owner.channel)
    .execute()
  await insertAttributes(tx, id, owner, attributes)
}

async function insertAttributes(
  { db }: Transaction,
  id: string,
  { signerId, channel }: AttributeOwner,
  attributes: readonly string[],
): Promise<void> {
  const rows = attributes.map((attribute) => ({ identity_id: id, attribute, signer_id: signerId, channel }))
  if (rows.length > 0) await insertRows(db, 'identity_attributes', rows)
}

/** Records what a token of a signer has changed: the name, and the token's time. */
export async function setSynced(
  tx: Transaction,
  { id, syncedTokens }: Pick<StoredIdentity, 'id' | 'syncedTokens'>,
  {
    signerId,
    issuedAt,
    name,
  }: { readonly signerId: string; readonly issuedAt: number; readonly name?: string | undefined },
): Promise<void> {
  await tx.db
    .updateTable('identities')
    .set({
      ...(name !== undefined && { name }),
      synced_tokens: JSON.stringify({ ...syncedTokens, [signerId]: issuedAt }),
      updated_at: tx.now,
    })
    .where('id', '=', id)
    .execute()
  tx.changed({ entity: ENTITY, id, action: 'updated' })
}

/**
 * Removes a signer that is being deleted, and its security events, from the identities that are linked to it, which are its SCIM users. Events about others
 * mean nothing, and the next event removes them. Ids are JSON strings without quotes in them.
 */
export async function unlinkSigner(tx: Transaction, signerId: string): Promise<void> {
  const { db, now } = tx
  const named = `%${JSON.stringify(signerId)}%`
  const users = db.selectFrom('scim_users').select('identity_id').where('signer_id', '=', signerId)
  const linked = await db
    .selectFrom('identities')
    .select(['id', 'linked_signers', 'account_events'])
    .where('id', 'in', users)
    .where((eb) => eb.or([eb('linked_signers', 'like', named), eb('account_events', 'like', named)]))
    .execute()
  for (const { id, linked_signers: signers, account_events: events } of linked) {
    const others = (JSON.parse(signers) as string[]).filter((other) => other !== signerId)
    const { [signerId]: _, ...eventsOfOthers } = JSON.parse(events) as StoredIdentity['accountEvents']
    await db
      .updateTable('identities')
      .set({
        linked_signers: JSON.stringify(others),
        account_events: JSON.stringify(eventsOfOthers),
        updated_at: now,
      })
      .where('id', '=', id)
      .execute()
    tx.changed({ entity: ENTITY, id, action: 'updated' })
  }
}

/** Gives an identity a new version, after a change of what other tables have of it. */
export async function touchIdentity(tx: Transaction, id: string): Promise<void> {
  await tx.db.updateTable('identities').set({ updated_at: tx.now }).where('id', '=', id).execute()
  tx.changed({ entity: ENTITY, id, action: 'updated' })
}

/** Records that the access of an identity has ended. */
export async function setExpired(tx: Transaction, id: string): Promise<void> {
  await tx.db.updateTable('identities').set({ has_expired: true, updated_at: tx.now }).where('id', '=', id).execute()
  tx.changed({ entity: ENTITY, id, action: 'updated' })
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

/** Disables an identity by an administrator or a lock, from `at` until `until`, or until it is enabled when that is null; `at` null enables it. */
export function setDisabled(
  tx: Transaction,
  identity: StoredIdentity,
  { at, until }: { readonly at: number | null; readonly until: number | null },
): Promise<void> {
  const hasEnd = at === null || until !== null
  const accountEvents = hasEnd ? eventsAfterOverride(identity, tx.now) : identity.accountEvents
  return setAccountState(tx, identity.id, {
    disabledAt: at,
    disabledUntil: until,
    disabledBySignerId: null,
    accountEvents,
  })
}

/** Stores whether an identity is disabled, and the events of signers about it. */
export async function setAccountState(
  tx: Transaction,
  id: string,
  { disabledAt, disabledUntil, disabledBySignerId, accountEvents }: AccountState,
): Promise<void> {
  await tx.db
    .updateTable('identities')
    .set({
      disabled_at: disabledAt,
      disabled_until: disabledUntil,
      disabled_by_signer_id: disabledBySignerId,
      account_events: JSON.stringify(accountEvents),
      updated_at: tx.now,
    })
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

/**
 * Returns whether there was such an identity. Its sessions are deleted by `endSessions` first, which reports them. Notes its subject, which is
 * not provisioned again for some time.
 */
export async function deleteIdentity(tx: Transaction, id: string): Promise<boolean> {
  await touchGroupsOf(tx, id)
  const deleted = await tx.db
    .deleteFrom('identities')
    .where('id', '=', id)
    .returning(['id', 'external_id'])
    .executeTakeFirst()
  if (!deleted) return false
  await noteDeletion(tx, id, deleted.external_id)
  await tx.db.deleteFrom('kept_logins').where('identity_id', '=', id).execute()
  tx.changed({ entity: ENTITY, id, action: 'deleted' })
  return true
}

/** Notes an external id that an identity has lost, like that of a deleted one. */
export function noteLostExternalId(tx: Transaction, externalId: string): Promise<void> {
  return noteDeletion(tx, lostExternalIdNote(externalId), externalId)
}

async function noteDeletion({ db, now }: Transaction, id: string, externalId: string | null): Promise<void> {
  const note = { external_id: externalId, deleted_at: now }
  await db
    .insertInto('deleted_identities')
    .values({ id, ...note })
    .onConflict((conflict) => conflict.column('id').doUpdateSet(note))
    .execute()
}

/** Sets the verified TOTP enrollment of an identity, or null for none. Its sessions are evaluated again at their next request. */
export async function setVerifiedTotp(tx: Transaction, id: string, totpId: string | null): Promise<void> {
  await tx.db.updateTable('identities').set({ verified_totp_id: totpId }).where('id', '=', id).execute()
  tx.changed({ entity: ENTITY, id, action: 'updated' })
}

/** Deletes up to `limit` notes of identities that were deleted before `before`. Returns how many. */
export async function deleteOldDeletions({ db, dialect }: Transaction, before: number, limit: number): Promise<number> {
  const old = db.selectFrom('deleted_identities').select('id').where('deleted_at', '<', before).limit(limit)
  const deleted = db.deleteFrom('deleted_identities').where('id', 'in', skipLocked(dialect, old))
  return (await deleted.returning('id').execute()).length
}
