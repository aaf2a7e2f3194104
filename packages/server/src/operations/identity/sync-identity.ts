import { isDeepStrictEqual } from 'node:util'
import {
  attributesSuppliedBy,
  isLinkedTo,
  isSyncing,
  isTrustedFor,
  namesIdentity,
  type RevocableToken,
  suffixedName,
  type TokenSync,
} from '@countersign/core'
import { operation } from '../../store/operation.ts'
import { findIdentity, isIdentityName } from '../../store/reads/identity-reads.ts'
import { findSigner } from '../../store/reads/signer-reads.ts'
import { findRevocation } from '../../store/reads/token-revocation-reads.ts'
import type { Transaction } from '../../store/transaction.ts'
import { replaceAttributes, setSynced } from '../../store/writes/identity-writes.ts'
import { type CredentialUses, wereUsedBefore } from '../possession/use-credentials.ts'

export interface SyncIdentity extends Pick<TokenSync, 'attributes' | 'name' | 'issuedAt'> {
  readonly id: string
  /** The signer that has accepted the token. */
  readonly signerId: string
  /** Its revision then: what it reads from the token may be another by a later one. */
  readonly signerRevision: number
  readonly token: RevocableToken
  /** What of it is accepted once. */
  readonly uses?: CredentialUses | undefined
}

/**
 * Gives an identity the attributes and the name that an accepted token has, where the signer says so. Reads signer and identity again, which may
 * have changed since the token was verified. Returns whether anything changed: a token that is older than the latest one, or revoked, or used before,
 * or that may not log the identity in any more, changes nothing.
 */
export const syncIdentity = operation({
  name: 'identity.sync',
  access: 'none',
  target: 'identities',
  async run(
    tx,
    { id, signerId, signerRevision, attributes, name, issuedAt, token, uses }: SyncIdentity,
  ): Promise<boolean> {
    const [signer, identity] = [await findSigner(tx.db, signerId), await findIdentity(tx.db, id)]
    if (!signer?.enabled || signer.revision !== signerRevision || !isSyncing(signer) || !identity) return false
    if (!namesIdentity(token, signer, identity) || !isTrustedFor(signer.trust, identity)) return false
    if (issuedAt < (identity.syncedTokens[signerId] ?? 0)) return false
    if (isLinkedTo(identity, signerId) && (await findRevocation(tx.db, signerId, token))) return false
    if (uses && (await wereUsedBefore(tx, uses))) return false
    const isSupplying = attributes !== undefined && signer.attributeSync === 'login'
    const before = attributesSuppliedBy(identity, signerId, 'token')
    const newAttributes = isSupplying && !isDeepStrictEqual(before, attributes) ? attributes : undefined
    const newName = name !== undefined && signer.nameSync ? await findFreeName(tx, id, name) : undefined
    if (newAttributes === undefined && newName === undefined) return false
    if (newAttributes) await replaceAttributes(tx, id, { signerId, channel: 'token' }, newAttributes)
    await setSynced(tx, identity, { signerId, issuedAt, name: newName })
    return true
  },
})

/** The name, or the name with a suffix when another identity has it. Undefined when that is taken too. */
export async function findFreeName({ db }: Transaction, id: string, name: string): Promise<string | undefined> {
  for (const candidate of [name, suffixedName(name, id)]) if (!(await isIdentityName(db, candidate))) return candidate
  return undefined
}
