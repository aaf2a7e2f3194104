import { MAX_ATTRIBUTES } from '@countersign/contract/limits'
import { foldAscii, scimError } from '@countersign/core'
import { sql } from 'kysely'
import { insertRow, insertRows } from '../prepared.ts'
import type { StoredScimGroup } from '../reads/scim-group-reads.ts'
import { nextPosition } from '../reads/scim-user-reads.ts'
import type { Transaction } from '../transaction.ts'

const ENTITY = 'scimGroups'
/** Ids in one statement. */
const BATCH = 500
/** The states of more identities than this are not recorded with their change. */
const MAX_RECORDED = 100
/** More identities than this that lose an attribute are reported as a change of the signer, which their attributes depend on. */
const MAX_REPORTED = 1_000

type GroupValues = Pick<StoredScimGroup, 'id' | 'displayName' | 'externalId' | 'attribute'>

export async function insertScimGroup(tx: Transaction, signerId: string, group: GroupValues): Promise<void> {
  const { db, now } = tx
  await insertRow(db, 'scim_groups', {
    id: group.id,
    signer_id: signerId,
    position: await nextPosition(db, 'scim_groups', signerId),
    ...columnsOf(group),
    created_at: now,
    updated_at: now,
  })
  tx.changed({ entity: ENTITY, id: group.id, action: 'created' })
}

function columnsOf({ displayName, externalId, attribute }: GroupValues) {
  return {
    display_name: displayName,
    display_name_key: foldAscii(displayName),
    external_id: externalId,
    attribute,
  }
}

/** Stores a group. A new attribute takes the place of the earlier one on all members. */
export async function updateScimGroup(
  tx: Transaction,
  signerId: string,
  current: StoredScimGroup,
  next: GroupValues,
): Promise<void> {
  const { id } = current
  const isRenamed = next.attribute !== current.attribute
  if (isRenamed) await takeAttribute(tx, signerId, current)
  await tx.db
    .updateTable('scim_groups')
    .set({ ...columnsOf(next), updated_at: tx.now })
    .where('id', '=', id)
    .execute()
  if (isRenamed) {
    await giveAttribute(tx, signerId, next)
    await reportMembers(tx, signerId, id)
  }
  tx.changed({ entity: ENTITY, id, action: 'updated' })
}

/** Deletes a group, and its attribute on the members that no other group gives it. */
export async function deleteScimGroup(tx: Transaction, signerId: string, group: StoredScimGroup): Promise<void> {
  const { id } = group
  await takeAttribute(tx, signerId, group)
  await reportMembers(tx, signerId, id)
  await tx.db.deleteFrom('scim_groups').where('id', '=', id).execute()
  tx.changed({ entity: ENTITY, id, action: 'deleted' })
}

/** Adds members that the group does not have. Fails for an id that is no user of the signer. Writes rows for these members alone. */
export async function addMembers(
  tx: Transaction,
  signerId: string,
  { id: groupId, attribute }: Pick<StoredScimGroup, 'id' | 'attribute'>,
  ids: readonly string[],
): Promise<void> {
  const { db } = tx
  for (const batch of batchesOf(ids)) {
    const users = db.selectFrom('scim_users').select('identity_id').where('signer_id', '=', signerId)
    const known = await users.where('identity_id', 'in', batch).execute()
    if (known.length < batch.length) throw scimError('invalidValue', 'a member is not a user of this signer')
    const members = db.selectFrom('scim_members').select('identity_id').where('group_id', '=', groupId)
    const present = new Set((await members.where('identity_id', 'in', batch).execute()).map((row) => row.identity_id))
    const added = batch.filter((id) => !present.has(id))
    if (added.length === 0) continue
    const ofGroup = (id: string) => ({ group_id: groupId, identity_id: id })
    await insertRows(db, 'scim_members', added.map(ofGroup))
    await db
      .insertInto('identity_attributes')
      .values(added.map((id) => ({ identity_id: id, attribute, signer_id: signerId, channel: 'scim' })))
      .onConflict((conflict) => conflict.doNothing())
      .execute()
    await checkAttributeCounts(tx, signerId, added)
    await touchIdentities(tx, added)
    reportIdentities(tx, added, ids.length)
  }
}

/** Identities have a limited number of attributes: sessions and responses hold all of them. */
async function checkAttributeCounts({ db }: Transaction, signerId: string, ids: readonly string[]): Promise<void> {
  const excess = await db
    .selectFrom('identity_attributes')
    .select('identity_id')
    .where('signer_id', '=', signerId)
    .where('channel', '=', 'scim')
    .where('identity_id', 'in', ids)
    .groupBy('identity_id')
    .having(({ fn }) => fn.countAll(), '>', MAX_ATTRIBUTES)
    .limit(1)
    .executeTakeFirst()
  if (excess) throw scimError('tooMany', `a user can have the attributes of at most ${MAX_ATTRIBUTES} groups`)
}

/** Removes members. Ids that are none are ignored. Writes rows for these members alone. */
export async function removeMembers(
  tx: Transaction,
  signerId: string,
  { id: groupId, attribute }: Pick<StoredScimGroup, 'id' | 'attribute'>,
  ids: readonly string[],
): Promise<void> {
  const { db } = tx
  const isFew = ids.length <= MAX_REPORTED
  for (const batch of batchesOf(ids)) {
    const members = db.deleteFrom('scim_members').where('group_id', '=', groupId).where('identity_id', 'in', batch)
    const removed = (await members.returning('identity_id').execute()).map((row) => row.identity_id)
    if (removed.length === 0) continue
    await db
      .deleteFrom('identity_attributes')
      .where('identity_id', 'in', removed)
      .where('signer_id', '=', signerId)
      .where('channel', '=', 'scim')
      .where('attribute', '=', attribute)
      .where(isGivenByNoOther(signerId, groupId, attribute))
      .execute()
    await touchIdentities(tx, removed)
    if (isFew) reportIdentities(tx, removed, ids.length)
  }
  if (!isFew) reportSigner(tx, signerId)
}

/** Whether the member whose attribute is looked at has it by this group alone. */
function isGivenByNoOther(signerId: string, groupId: string, attribute: string) {
  return sql<boolean>`not exists (
    select 1 from scim_members as other inner join scim_groups as giving on giving.id = other.group_id
    where other.identity_id = identity_attributes.identity_id and giving.signer_id = ${signerId}
      and giving.attribute = ${attribute} and giving.id <> ${groupId})`
}

/** Changes the attribute of a group on all members. The caller reports the signer. */
export async function renameGroupAttribute(
  tx: Transaction,
  signerId: string,
  group: StoredScimGroup,
  attribute: string,
): Promise<void> {
  await takeAttribute(tx, signerId, group)
  await tx.db.updateTable('scim_groups').set({ attribute, updated_at: tx.now }).where('id', '=', group.id).execute()
  await giveAttribute(tx, signerId, { id: group.id, attribute })
  await touchMembers(tx, group.id)
}

type GroupAttribute = Pick<StoredScimGroup, 'id' | 'attribute'>

async function takeAttribute({ db }: Transaction, signerId: string, { id, attribute }: GroupAttribute): Promise<void> {
  await db
    .deleteFrom('identity_attributes')
    .where('signer_id', '=', signerId)
    .where('channel', '=', 'scim')
    .where('attribute', '=', attribute)
    .where('identity_id', 'in', db.selectFrom('scim_members').select('identity_id').where('group_id', '=', id))
    .where(isGivenByNoOther(signerId, id, attribute))
    .execute()
}

async function giveAttribute({ db }: Transaction, signerId: string, { id, attribute }: GroupAttribute): Promise<void> {
  await sql`insert into identity_attributes (identity_id, attribute, signer_id, channel)
    select identity_id, ${attribute}, ${signerId}, 'scim' from scim_members where group_id = ${id}
    on conflict do nothing`.execute(db)
}

const LATER = (now: number) => sql<number>`case when updated_at >= ${now} then updated_at + 1 else ${now} end`

async function touchIdentities({ db, now }: Transaction, ids: readonly string[]): Promise<void> {
  await db
    .updateTable('identities')
    .set({ updated_at: LATER(now) })
    .where('id', 'in', ids)
    .execute()
}

/** Gives the groups of an identity a new version, because it leaves them. `signerId`: only the groups of this signer. */
export async function touchGroupsOf(tx: Transaction, identityId: string, signerId?: string): Promise<void> {
  const { db, now } = tx
  const groups = db.selectFrom('scim_members').select('group_id').where('identity_id', '=', identityId)
  const touched = await db
    .updateTable('scim_groups')
    .set({ updated_at: LATER(now) })
    .where('id', 'in', groups)
    .$if(signerId !== undefined, (all) => all.where('signer_id', '=', signerId ?? ''))
    .returning('id')
    .execute()
  for (const { id } of touched) tx.changed({ entity: ENTITY, id, action: 'updated', isOneOfMany: true })
}

/** `total` is the number of identities that the request names. */
function reportIdentities(tx: Transaction, ids: readonly string[], total: number): void {
  const details = total > MAX_RECORDED ? ({ isOneOfMany: true } as const) : {}
  for (const id of ids) tx.changed({ entity: 'identities', id, action: 'updated', ...details })
}

async function touchMembers({ db, now }: Transaction, groupId: string): Promise<void> {
  const members = db.selectFrom('scim_members').select('identity_id').where('group_id', '=', groupId)
  await db
    .updateTable('identities')
    .set({ updated_at: LATER(now) })
    .where('id', 'in', members)
    .execute()
}

async function reportMembers(tx: Transaction, signerId: string, groupId: string): Promise<void> {
  await touchMembers(tx, groupId)
  const members = tx.db.selectFrom('scim_members').select('identity_id').where('group_id', '=', groupId)
  const some = await members.limit(MAX_REPORTED + 1).execute()
  if (some.length > MAX_REPORTED) return reportSigner(tx, signerId)
  reportIdentities(
    tx,
    some.map((row) => row.identity_id),
    some.length,
  )
}

/** Caches drop every identity that has attributes of the signer. */
function reportSigner(tx: Transaction, signerId: string): void {
  tx.changed({ entity: 'externalJwtSigners', id: signerId, action: 'updated' })
}

function* batchesOf(ids: readonly string[]): Generator<string[]> {
  for (let at = 0; at < ids.length; at += BATCH) yield ids.slice(at, at + BATCH)
}
