import {
  foldAscii,
  groupAttribute,
  netMembers,
  type ScimGroup,
  type ScimGroupBody,
  type ScimGroupChange,
  scimError,
} from '@countersign/core'
import { notFound } from '../../store/not-found.ts'
import { operation } from '../../store/operation.ts'
import {
  findGroupIdsByExternalId,
  findGroupIdsByName,
  findScimGroup,
  type StoredScimGroup,
} from '../../store/reads/scim-group-reads.ts'
import { checkVersion } from '../../store/row-version.ts'
import type { Transaction } from '../../store/transaction.ts'
import {
  addMembers,
  checkAreUsers,
  deleteScimGroup as deleteRow,
  findUsersAmong,
  insertScimGroup,
  removeMembers,
  updateScimGroup as updateRow,
} from '../../store/writes/scim-group-writes.ts'
import { getScimSigner, type ScimSource } from './get-scim-signer.ts'

interface NewGroup extends ScimSource, ScimGroupBody {
  readonly id: string
}

/** Creates a group. Its members get its attribute, with the signer as origin. */
export const createScimGroup = operation({
  name: 'scim.createGroup',
  access: 'none',
  async run(tx, { id, group, members = [], ...source }: NewGroup): Promise<void> {
    const signer = await getScimSigner(tx, source)
    await checkIsUnique(tx, signer.id, group)
    const attribute = groupAttribute(signer.scimGroupAttributeTemplate, { ...group, id })
    await checkAreUsers(tx, signer.id, members)
    await insertScimGroup(tx, signer.id, { ...group, id, attribute })
    await addMembers(tx, signer.id, { id, attribute }, members)
  },
})

interface UpdatedGroup extends ScimSource {
  readonly id: string
  readonly ifMatch: string | undefined
  readonly changes: readonly ScimGroupChange[]
}

/** Changes a group. A change of members writes rows for those members alone. Returns how many others a new name or the removal of all wrote. */
export const updateScimGroup = operation({
  name: 'scim.updateGroup',
  access: 'none',
  target: 'scimGroups',
  async run(tx, { id, ifMatch, changes, ...source }: UpdatedGroup): Promise<number> {
    const signer = await getScimSigner(tx, source)
    const current = await getGroup(tx, signer.id, id)
    checkVersion(current.updatedAt, ifMatch)
    const names = applyNames(current, changes)
    await checkIsUnique(tx, signer.id, names, id)
    const { keepsOthers, added: named, removed } = netMembers(changes)
    if (keepsOthers) await checkAreUsers(tx, signer.id, named)
    // A user who was deleted here must not keep those in the group who should leave it: agents repeat the whole list.
    const added = keepsOthers ? named : await findUsersAmong(tx, signer.id, named)
    const attribute = groupAttribute(signer.scimGroupAttributeTemplate, { ...names, id })
    const renamed = await updateRow(tx, signer.id, current, { ...names, id, attribute })
    const group = { id, attribute }
    const others = keepsOthers ? 0 : await removeMembers(tx, signer.id, group, { except: added })
    if (removed.length > 0) await removeMembers(tx, signer.id, group, { ids: removed })
    await addMembers(tx, signer.id, group, added)
    return renamed + others
  },
})

/** Returns how many members the group had. */
export const deleteScimGroup = operation({
  name: 'scim.deleteGroup',
  access: 'none',
  target: 'scimGroups',
  async run(tx, { id, ifMatch, ...source }: Omit<UpdatedGroup, 'changes'>): Promise<number> {
    const signer = await getScimSigner(tx, source)
    const group = await getGroup(tx, signer.id, id)
    checkVersion(group.updatedAt, ifMatch)
    return deleteRow(tx, signer.id, group)
  },
})

/** Fails with NOT_FOUND for a group of another signer. */
async function getGroup({ db }: Transaction, signerId: string, id: string): Promise<StoredScimGroup> {
  const group = await findScimGroup(db, signerId, id)
  if (!group) throw notFound('group', id)
  return group
}

function applyNames({ displayName, externalId }: ScimGroup, changes: readonly ScimGroupChange[]): ScimGroup {
  let group = { displayName, externalId }
  for (const change of changes) if (change.kind !== 'members') group = { ...group, [change.kind]: change.value }
  return group
}

/** Agents of identity providers find a group by its name. */
async function checkIsUnique(
  { db }: Transaction,
  signerId: string,
  { displayName, externalId }: ScimGroup,
  ownId?: string,
): Promise<void> {
  const named = await findGroupIdsByName(db, signerId, foldAscii(displayName))
  if (named.some((id) => id !== ownId)) throw scimError('uniqueness', 'displayName is taken')
  const identified = externalId === null ? [] : await findGroupIdsByExternalId(db, signerId, externalId)
  if (identified.some((id) => id !== ownId)) throw scimError('uniqueness', 'externalId is taken')
}
