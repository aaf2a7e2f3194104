import { MAX_ATTRIBUTES } from '@countersign/contract/limits'
import { foldAscii, scimError } from '@countersign/core'
import { type RawBuilder, sql } from 'kysely'
import { idList } from '../id-list.ts'
import { insertRow } from '../prepared.ts'
import type { StoredScimGroup } from '../reads/scim-group-reads.ts'
import { nextPosition } from '../reads/scim-user-reads.ts'
import type { Transaction } from '../transaction.ts'

const ENTITY = 'scimGroups'
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

/** Stores a group. A new attribute takes the place of the earlier one on all members. Returns how many got it. */
export async function updateScimGroup(
  tx: Transaction,
  signerId: string,
  current: StoredScimGroup,
  next: GroupValues,
): Promise<number> {
  const { id } = current
  await tx.db
    .updateTable('scim_groups')
    .set({ ...columnsOf(next), updated_at: tx.now })
    .where('id', '=', id)
    .execute()
  tx.changed({ entity: ENTITY, id, action: 'updated' })
  if (next.attribute === current.attribute) return 0
  await reportMembers(tx, signerId, membersOf(id))
  return replaceAttribute(tx, signerId, current, next.attribute)
}

/** Changes the attribute of a group on all members, which keep their version. The caller reports the signer. */
export async function renameGroupAttribute(
  tx: Transaction,
  signerId: string,
  group: StoredScimGroup,
  attribute: string,
): Promise<void> {
  await tx.db.updateTable('scim_groups').set({ attribute, updated_at: tx.now }).where('id', '=', group.id).execute()
  await replaceAttribute(tx, signerId, group, attribute)
}

/** Deletes a group, and its attribute on the members that no other group gives it. Returns how many members it had. */
export async function deleteScimGroup(tx: Transaction, signerId: string, group: StoredScimGroup): Promise<number> {
  const { id } = group
  const removed = await removeMembers(tx, signerId, group, { except: [] })
  await tx.db.deleteFrom('scim_groups').where('id', '=', id).execute()
  tx.changed({ entity: ENTITY, id, action: 'deleted' })
  return removed
}

type GroupAttribute = Pick<StoredScimGroup, 'id' | 'attribute'>
/** Selects the ids of identities, in parentheses. */
type Identities = RawBuilder<unknown>

/** Those of these ids that are users of the signer. */
export async function findUsersAmong(
  { db, dialect }: Transaction,
  signerId: string,
  ids: readonly string[],
): Promise<string[]> {
  if (ids.length === 0) return []
  const users = await db
    .selectFrom('scim_users')
    .select('identity_id')
    .where('signer_id', '=', signerId)
    .where(sql<boolean>`identity_id ${idList(dialect, ids).isIn}`)
    .execute()
  return users.map((row) => row.identity_id)
}

/** Fails for an id that is no user of the signer. Call it before any work: a refused request is not charged for its work. */
export async function checkAreUsers(tx: Transaction, signerId: string, ids: readonly string[]): Promise<void> {
  const users = await findUsersAmong(tx, signerId, ids)
  if (users.length < ids.length) throw scimError('invalidValue', 'a member is not a user of this signer')
}

/** Adds users as members that the group does not have. Writes rows for these members alone. */
export async function addMembers(
  tx: Transaction,
  signerId: string,
  { id: groupId, attribute }: GroupAttribute,
  ids: readonly string[],
): Promise<void> {
  if (ids.length === 0) return
  const { db, dialect } = tx
  const given = idList(dialect, ids)
  const inserted = await sql<{ identity_id: string }>`insert into scim_members (group_id, identity_id)
    select ${groupId}, value from ${given.rows} as given where true on conflict do nothing returning identity_id`.execute(
    db,
  )
  const added = inserted.rows.map((row) => row.identity_id)
  if (added.length === 0) return
  const members = idList(dialect, added)
  await sql`insert into identity_attributes (identity_id, attribute, signer_id, channel)
    select value, ${attribute}, ${signerId}, 'scim' from ${members.rows} as added where true on conflict do nothing`.execute(
    db,
  )
  await checkAttributeCounts(tx, signerId, members.isIn)
  await reportIdentities(tx, added)
}

/** Identities have a limited number of attributes: sessions and responses hold all of them. */
async function checkAttributeCounts({ db }: Transaction, signerId: string, isIn: RawBuilder<unknown>): Promise<void> {
  const excess = await db
    .selectFrom('identity_attributes')
    .select('identity_id')
    .where('signer_id', '=', signerId)
    .where('channel', '=', 'scim')
    .where(sql<boolean>`identity_id ${isIn}`)
    .groupBy('identity_id')
    .having(({ fn }) => fn.countAll(), '>', MAX_ATTRIBUTES)
    .limit(1)
    .executeTakeFirst()
  if (excess) throw scimError('tooMany', `a user can have the attributes of at most ${MAX_ATTRIBUTES} groups`)
}

/** Removes members: those with these ids, or all `except` some. Ids that are none are ignored. Returns how many were removed. */
export async function removeMembers(
  tx: Transaction,
  signerId: string,
  group: GroupAttribute,
  selection: { readonly ids: readonly string[] } | { readonly except: readonly string[] },
): Promise<number> {
  const { db, dialect } = tx
  const isSelected =
    'ids' in selection
      ? sql`identity_id ${idList(dialect, selection.ids).isIn}`
      : sql`identity_id not in ${idList(dialect, selection.except).rows}`
  await takeAttribute(tx, signerId, group, membersOf(group.id, isSelected))
  await reportMembers(tx, signerId, membersOf(group.id, isSelected))
  const removed = await sql`delete from scim_members where group_id = ${group.id} and ${isSelected}`.execute(db)
  return Number(removed.numAffectedRows ?? 0)
}

function membersOf(groupId: string, isSelected: RawBuilder<unknown> = sql`true`): Identities {
  return sql`(select identity_id from scim_members where group_id = ${groupId} and ${isSelected})`
}

/** Takes the attribute of a group from members that no other group gives it. */
async function takeAttribute(
  tx: Transaction,
  signerId: string,
  group: GroupAttribute,
  members: Identities,
): Promise<void> {
  const isGivenByNone = (await isGivenByOther(tx, signerId, group)) ? isGivenByNoOther(signerId, group) : sql`true`
  await sql`delete from identity_attributes where ${isAttribute(signerId, group)}
    and identity_id in ${members} and ${isGivenByNone}`.execute(tx.db)
}

/** Gives all members of a group another attribute. The group has it already. Returns how many got it. */
async function replaceAttribute(
  tx: Transaction,
  signerId: string,
  group: GroupAttribute,
  attribute: string,
): Promise<number> {
  const { db } = tx
  const { id } = group
  const isShared =
    (await isGivenByOther(tx, signerId, group)) || (await isGivenByOther(tx, signerId, { id, attribute }))
  if (isShared) await takeAttribute(tx, signerId, group, membersOf(id))
  const given = isShared
    ? sql`insert into identity_attributes (identity_id, attribute, signer_id, channel)
        select identity_id, ${attribute}, ${signerId}, 'scim' from scim_members where group_id = ${id}
        on conflict do nothing`
    : sql`update identity_attributes set attribute = ${attribute} where ${isAttribute(signerId, group)}`
  return Number((await given.execute(db)).numAffectedRows ?? 0)
}

const isAttribute = (signerId: string, { attribute }: GroupAttribute) =>
  sql<boolean>`attribute = ${attribute} and signer_id = ${signerId} and channel = 'scim'`

/** Whether another group of the signer gives the attribute too. Otherwise those who have it are members of this group. */
async function isGivenByOther({ db }: Transaction, signerId: string, { id, attribute }: GroupAttribute) {
  const other = await db
    .selectFrom('scim_groups')
    .select('id')
    .where('signer_id', '=', signerId)
    .where('attribute', '=', attribute)
    .where('id', '<>', id)
    .limit(1)
    .executeTakeFirst()
  return other !== undefined
}

/** Whether the member whose attribute is looked at has it by this group alone. */
function isGivenByNoOther(signerId: string, { id, attribute }: GroupAttribute) {
  return sql<boolean>`not exists (
    select 1 from scim_members as other inner join scim_groups as giving on giving.id = other.group_id
    where other.identity_id = identity_attributes.identity_id and giving.signer_id = ${signerId}
      and giving.attribute = ${attribute} and giving.id <> ${id})`
}

/** Reports members whose attributes have changed, before they are removed. */
async function reportMembers(tx: Transaction, signerId: string, members: Identities): Promise<void> {
  const some = await sql<{ identity_id: string }>`select identity_id from ${members} as members
    limit ${sql.lit(MAX_REPORTED + 1)}`.execute(tx.db)
  const ids = some.rows.map((row) => row.identity_id)
  // Caches drop every identity that has attributes of the signer.
  if (ids.length > MAX_REPORTED) tx.changed({ entity: 'externalJwtSigners', id: signerId, action: 'updated' })
  else await reportIdentities(tx, ids)
}

const LATER = (now: number) => sql<number>`case when updated_at >= ${now} then updated_at + 1 else ${now} end`

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

/** More identities than are reported one by one keep their version: writing each of them takes most of the time, in which no login ends. */
async function reportIdentities(tx: Transaction, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  const { db, dialect, now } = tx
  if (ids.length <= MAX_REPORTED) {
    await sql`update identities set updated_at = ${LATER(now)} where id ${idList(dialect, ids).isIn}`.execute(db)
  }
  const details = ids.length > MAX_RECORDED ? ({ isOneOfMany: true } as const) : {}
  for (const id of ids) tx.changed({ entity: 'identities', id, action: 'updated', ...details })
}
