import { isDeepStrictEqual } from 'node:util'
import {
  AppError,
  applyScimUserChanges,
  enrollPolicyId,
  findIdentityKey,
  foldAscii,
  identityFromBody,
  identityKeyOf,
  isIdentityKeyCaseExact,
  isLinkedTo,
  revocationKey,
  SCIM_CAUSE,
  type ScimUser,
  type ScimUserBody,
  type ScimUserChange,
  scimError,
} from '@countersign/core'
import { isEndedByOthers } from '../../store/account-state.ts'
import type { StoredIdentity } from '../../store/identity-row.ts'
import { notFound } from '../../store/not-found.ts'
import { operation } from '../../store/operation.ts'
import { findEnrolledIdentity, findIdentity, isIdentityName } from '../../store/reads/identity-reads.ts'
import {
  findDescribedIds,
  findIdsByExternalId,
  findOwnersOfUserName,
  findScimUser,
  findTakenName,
  type StoredScimUser,
} from '../../store/reads/scim-user-reads.ts'
import { checkVersion } from '../../store/row-version.ts'
import type { StoredSigner } from '../../store/signer-row.ts'
import type { Transaction } from '../../store/transaction.ts'
import { endSessions } from '../../store/writes/end-sessions.ts'
import { deleteIdentity, touchIdentity, updateIdentity } from '../../store/writes/identity-writes.ts'
import { updateScimUser as updateRow } from '../../store/writes/scim-user-writes.ts'
import { revokeTokens } from '../../store/writes/token-revocation-writes.ts'
import { addIdentity, checkIdentity } from '../identity/create-identity.ts'
import { changeAccount, changesAccount, isPrivileged, NO_OUTCOME, type ScimOutcome } from './change-account.ts'
import { findIdentityName } from './find-identity-name.ts'
import { getScimSigner, type ScimSource } from './get-scim-signer.ts'

interface NewUser extends ScimSource, ScimUserBody {
  readonly id: string
}

/**
 * Creates the identity of a user. A name or external id that any identity has is refused: identities are never adopted. Beside a name that a token gave,
 * the identity gets a suffix.
 */
export const createScimUser = operation({
  name: 'scim.createUser',
  access: 'none',
  async run(tx, { id, user, active, ...source }: NewUser): Promise<ScimOutcome> {
    const signer = await getScimSigner(tx, source)
    const { userName } = user
    const externalId = identityKeyOf(user, signer)
    const names = { userName, key: foldAscii(userName), externalId: user.externalId, identityKey: externalId }
    const attribute = await findTakenName(tx.db, signer, names)
    if (attribute === 'userName' || attribute === 'externalId') throw taken(attribute)
    const name = attribute === 'name' ? await findIdentityName(tx, id, userName) : userName
    if (name === undefined) throw taken('userName')
    const authPolicyId = enrollPolicyId(signer)
    const settings = identityFromBody({ name, type: 'Default', isAdmin: false, externalId, authPolicyId })
    await addIdentity(tx, id, settings, { enrolledBySignerId: signer.id, scimUser: user })
    const identity = active === false ? await findIdentity(tx.db, id) : undefined
    return identity ? changeAccount(tx, signer, identity, false) : NO_OUTCOME
  },
})

/** The changes of a PATCH, or the body of a PUT. */
export type UserUpdate =
  | { readonly kind: 'patch'; readonly changes: readonly ScimUserChange[] }
  | ({ readonly kind: 'put' } & ScimUserBody)

interface UpdatedUser extends ScimSource {
  readonly id: string
  readonly ifMatch: string | undefined
  readonly update: UserUpdate
}

/**
 * Changes a user. The identity's name follows the user name, and its external id the attribute that the signer says. Both are refused for an identity
 * with rights, and the external id for one whose access others have ended. A request that changes nothing writes nothing.
 */
export const updateScimUser = operation({
  name: 'scim.updateUser',
  access: 'none',
  target: 'identities',
  async run(tx, { id, ifMatch, update, ...source }: UpdatedUser): Promise<ScimOutcome> {
    const signer = await getScimSigner(tx, source)
    const { stored, identity } = await getLinkedUser(tx, signer, id)
    checkVersion(identity.updatedAt, ifMatch)
    const next = update.kind === 'put' ? update : applyScimUserChanges(stored.user, update.changes)
    const { active } = next
    await changeUser(tx, signer, { stored, identity, next: next.user, isWhole: update.kind === 'put' })
    if (active === undefined || !changesAccount(signer, identity, active)) return NO_OUTCOME
    const current = await findIdentity(tx.db, id)
    return current ? changeAccount(tx, signer, current, active) : NO_OUTCOME
  },
})

/**
 * Deletes a user and its identity. Fails with FORBIDDEN for an identity with rights, and for one that an administrator linked. An identity whose
 * access others have ended is disabled by the signer as well, and kept: created again, it would have access.
 */
export const deleteScimUser = operation({
  name: 'scim.deleteUser',
  access: 'none',
  target: 'identities',
  async run(tx, { id, ifMatch, ...source }: Omit<UpdatedUser, 'update'>): Promise<ScimOutcome> {
    const signer = await getScimSigner(tx, source)
    const { identity } = await getLinkedUser(tx, signer, id)
    checkVersion(identity.updatedAt, ifMatch)
    if (isPrivileged(identity) || identity.enrolledBySignerId !== signer.id) {
      const message = 'only an administrator deletes this identity: set active to false to end its access'
      throw new AppError('FORBIDDEN', { message })
    }
    if (isEndedByOthers(identity, signer.id, tx.now)) {
      await revokeTokensOf(tx, signer, identity)
      const isSaid = !changesAccount(signer, identity, false)
      return { ...(isSaid ? NO_OUTCOME : await changeAccount(tx, signer, identity, false)), isKept: true }
    }
    const cause = { cause: SCIM_CAUSE, signerId: signer.id, signerName: signer.name }
    const sessions = await endSessions(tx, { identityId: id }, cause)
    await deleteIdentity(tx, id)
    await revokeTokensOf(tx, signer, identity)
    return { action: 'delete', sessions }
  },
})

interface LinkedUser {
  readonly stored: StoredScimUser
  readonly identity: StoredIdentity
}

/** Fails with NOT_FOUND for an identity that is not linked to the signer. */
async function getLinkedUser({ db }: Transaction, signer: StoredSigner, id: string): Promise<LinkedUser> {
  const [stored, identity] = [await findScimUser(db, signer, id), await findIdentity(db, id)]
  if (!stored || !identity || !isLinkedTo(identity, signer.id)) throw notFound('user', id)
  return { stored, identity }
}

interface UserChange extends LinkedUser {
  readonly next: ScimUser
  /** Whether the request is a PUT: a provider that sends everything again sets what has been changed elsewhere since. */
  readonly isWhole: boolean
}

async function changeUser(tx: Transaction, signer: StoredSigner, change: UserChange): Promise<void> {
  const { stored, identity, next } = change
  if (isOtherPerson(signer, change)) throw taken('userName')
  // What the request only repeats must not stop the rest of it, which may end the access.
  await checkIsUnique(tx, signer, identity.id, {
    userName: isSameFolded(next.userName, stored.user.userName) ? null : next.userName,
    externalId: next.externalId === stored.user.externalId ? null : next.externalId,
  })
  const followsName = identity.name === stored.user.userName && !keepsLetterCase(change)
  const name = followsName ? await newIdentityName(tx, identity, next.userName) : identity.name
  const externalId = (await setsKey(tx, signer, change)) ? identityKeyOf(next, signer) : identity.externalId
  await changeIdentity(tx, signer, identity, { name, externalId })
  if (!describes(change) || (await isDescribedElsewhere(tx, signer, change))) return
  await updateRow(tx, { signerId: signer.id, identityId: identity.id }, next)
  if (name === identity.name && externalId === identity.externalId) await touchIdentity(tx, identity.id)
}

/** The user name, with a suffix beside a name that a token gave. */
async function newIdentityName(tx: Transaction, { id, name }: StoredIdentity, userName: string): Promise<string> {
  if (userName === name || !(await isIdentityName(tx.db, userName))) return userName
  return (await findIdentityName(tx, id, userName)) ?? userName
}

/**
 * Whether a token of the signer named the identity by another key than the request does. Its name came from that token too, and its person may have
 * chosen it to be found as another one.
 */
function isOtherPerson(signer: StoredSigner, { stored, identity, next }: UserChange): boolean {
  if (stored.isDescribed || identity.enrolledBySignerId !== signer.id || identity.externalId === null) return false
  const key = findIdentityKey(next, signer)
  return key !== null && !isSpelling(key, identity.externalId, signer)
}

const isSameFolded = (text: string, other: string): boolean => foldAscii(text) === foldAscii(other)

/** Whether the request would change the name in its letter case alone, where it must not: the first description, and an identity with rights. */
function keepsLetterCase({ stored, identity, next }: UserChange): boolean {
  return isSameFolded(next.userName, identity.name) && (!stored.isDescribed || isPrivileged(identity))
}

/** Whether another user has been described by the names that this one has without a description. It then stays without. */
async function isDescribedElsewhere({ db }: Transaction, signer: StoredSigner, change: UserChange): Promise<boolean> {
  const { stored, identity, next } = change
  if (stored.isDescribed) return false
  const others = await findDescribedIds(db, signer.id, foldAscii(next.userName), next.externalId)
  return others.some((id) => id !== identity.id)
}

/**
 * Whether the request says what names the identity in tokens. What a linked identity is called before a provider has described it does not count as said:
 * its name may be the user name that it never got as its external id.
 */
async function setsKey({ db, now }: Transaction, signer: StoredSigner, change: UserChange): Promise<boolean> {
  const { stored, identity, next, isWhole } = change
  const key = findIdentityKey(next, signer)
  const former = findIdentityKey(stored.user, signer)
  // Tokens have the letter case that the identity got from one of them, or from an administrator.
  if (isSpelling(key, identity.externalId, signer) && (!stored.isDescribed || key === former)) return false
  if (key !== former) return true
  const isSaid = isWhole || (!stored.isDescribed && identity.externalId === null && describes(change))
  if (!isSaid || key === null || isPrivileged(identity) || isEndedByOthers(identity, signer.id, now)) return false
  // The request changes nothing about it, and may be the one that ends the access.
  const holder = await findEnrolledIdentity(db, { useExternalId: true, externalId: key })
  return holder === undefined
}

/** Whether the key is the external id, or differs in the letter case that SCIM does not distinguish. */
function isSpelling(key: string | null, externalId: string | null, signer: StoredSigner): boolean {
  if (key === externalId) return true
  return !isIdentityKeyCaseExact(signer) && key !== null && externalId !== null && isSameFolded(key, externalId)
}

/** Whether the request says anything about the user besides `active`. */
function describes({ stored, next, isWhole }: UserChange): boolean {
  return (isWhole && !stored.isDescribed) || !isDeepStrictEqual(next, stored.user)
}

async function changeIdentity(
  tx: Transaction,
  signer: StoredSigner,
  identity: StoredIdentity,
  { name, externalId }: Pick<StoredIdentity, 'name' | 'externalId'>,
): Promise<void> {
  const isSameName = name === identity.name
  const isSameKey = externalId === identity.externalId
  if (isSameName && isSameKey) return
  if (isPrivileged(identity)) {
    const message = 'the identity is an administrator or holds permissions: only an administrator renames or links it'
    throw new AppError('FORBIDDEN', { message })
  }
  if (!isSameKey && isEndedByOthers(identity, signer.id, tx.now)) {
    const message = 'the access of the identity was ended by others: only an administrator changes its external id'
    throw new AppError('FORBIDDEN', { message })
  }
  await checkIdentityIsUnique(tx, {
    name: isSameName ? undefined : name,
    externalId: isSameKey ? undefined : (externalId ?? undefined),
  })
  const next = { ...identity, name, externalId }
  await checkIdentity(tx, identity.id, next, identity)
  await updateIdentity(tx, identity, next)
  const { id: identityId, externalId: former } = identity
  if (isSameKey || former === null) return
  await endSessions(tx, { identityId, externalId: former })
  if (signer.useExternalId) await revokeTokensOf(tx, signer, identity)
}

/** Refuses the tokens of the signer that name the identity and were issued until now: they would enroll the person once more. */
async function revokeTokensOf(tx: Transaction, signer: StoredSigner, identity: StoredIdentity): Promise<void> {
  const identityClaim = signer.useExternalId ? identity.externalId : identity.id
  if (identityClaim === null) return
  // Enrollments look for the name in lower case as well.
  for (const claim of new Set([identityClaim, foldAscii(identityClaim)])) {
    const key = revocationKey({ identityClaim: claim })
    await revokeTokens(tx, { signerId: signer.id, key, revokedAt: tx.now, cause: SCIM_CAUSE })
  }
}

/** Fails with the keyword `uniqueness` when another user of the signer has the user name or external id; null for one that stays. */
async function checkIsUnique(
  { db }: Transaction,
  signer: StoredSigner,
  ownId: string,
  { userName, externalId }: { readonly userName: string | null; readonly externalId: string | null },
): Promise<void> {
  const named = userName === null ? [] : await findOwnersOfUserName(db, signer, foldAscii(userName))
  if (named.some((id) => id !== ownId)) throw taken('userName')
  const identified = externalId === null ? [] : await findIdsByExternalId(db, signer, externalId)
  if (identified.some((id) => id !== ownId)) throw taken('externalId')
}

/** Fails with the keyword `uniqueness` when any identity has the name or external id. */
async function checkIdentityIsUnique(
  { db }: Transaction,
  { name, externalId }: { readonly name: string | undefined; readonly externalId: string | undefined },
): Promise<void> {
  if (name !== undefined && (await isIdentityName(db, name))) throw taken('userName')
  if (externalId === undefined) return
  if (await findEnrolledIdentity(db, { useExternalId: true, externalId })) throw taken('externalId')
}

const taken = (attribute: string) => scimError('uniqueness', `${attribute} is taken`)
