import { foldAscii, type ScimUser } from '@countersign/core'
import { insertRow } from '../prepared.ts'
import { nextPosition } from '../reads/scim-user-reads.ts'
import type { Transaction } from '../transaction.ts'
import { touchGroupsOf } from './scim-group-writes.ts'

/** Makes an identity a user of the signers that it is linked to. Without `user`, SCIM requests say later what it is called there. */
export async function addScimUsers(
  tx: Transaction,
  identityId: string,
  signerIds: readonly string[],
  user?: ScimUser,
): Promise<void> {
  for (const signerId of signerIds) {
    const position = await nextPosition(tx.db, 'scim_users', signerId)
    const ids = { signer_id: signerId, identity_id: identityId, position }
    await insertRow(tx.db, 'scim_users', user ? { ...ids, ...columnsOf(user) } : ids)
  }
}

function columnsOf({ userName, externalId, displayName, name, emails }: ScimUser) {
  return {
    user_name: userName,
    user_name_key: foldAscii(userName),
    external_id: externalId,
    display_name: displayName,
    name: JSON.stringify(name),
    emails: JSON.stringify(emails),
  }
}

/** Removes an identity from the users and groups of a signer that it is no longer linked to. Report the change of the identity afterwards. */
export async function removeScimUser(tx: Transaction, signerId: string, identityId: string): Promise<void> {
  const { db } = tx
  await touchGroupsOf(tx, identityId, signerId)
  const groups = db.selectFrom('scim_groups').select('id').where('signer_id', '=', signerId)
  await db.deleteFrom('scim_members').where('identity_id', '=', identityId).where('group_id', 'in', groups).execute()
  await db
    .deleteFrom('identity_attributes')
    .where('identity_id', '=', identityId)
    .where('signer_id', '=', signerId)
    .where('channel', '=', 'scim')
    .execute()
  await db.deleteFrom('scim_users').where('signer_id', '=', signerId).where('identity_id', '=', identityId).execute()
}

/** Stores what a SCIM request says about a user. Report the change of the identity afterwards. */
export async function updateScimUser(
  { db }: Transaction,
  { signerId, identityId }: { readonly signerId: string; readonly identityId: string },
  user: ScimUser,
): Promise<void> {
  await db
    .updateTable('scim_users')
    .set(columnsOf(user))
    .where('signer_id', '=', signerId)
    .where('identity_id', '=', identityId)
    .execute()
}
