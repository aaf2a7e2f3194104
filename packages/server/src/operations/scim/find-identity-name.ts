import { findNamingSigners } from '../../store/reads/scim-user-reads.ts'
import { findSigner } from '../../store/reads/signer-reads.ts'
import type { Transaction } from '../../store/transaction.ts'
import { findFreeName } from '../identity/sync-identity.ts'

/**
 * The name of a user's identity when another identity has the user name: with a suffix, if a token gave it to the other one, since people can often choose
 * that claim. Otherwise undefined: the name is taken.
 */
export async function findIdentityName(tx: Transaction, id: string, userName: string): Promise<string | undefined> {
  for (const signerId of await findNamingSigners(tx.db, userName)) {
    const signer = await findSigner(tx.db, signerId)
    if (signer?.nameSync) return findFreeName(tx, id, userName)
  }
  return undefined
}
