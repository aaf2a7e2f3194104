import type { VerifiedToken } from '@countersign/core'
import { findCredentialUse } from '../../store/reads/used-credential-reads.ts'
import type { Transaction } from '../../store/transaction.ts'
import { type UsedCredential, useCredential, useTokenToLogIn } from '../../store/writes/used-credential-writes.ts'

/** What is accepted once of a login or an enrollment. */
export interface CredentialUses {
  readonly proof?: UsedCredential | undefined
  readonly token?: UsedCredential | undefined
}

/** Why it is not accepted again. */
export type UsedBefore = 'proof-replayed' | 'token-used'

/** The uses of a verified token, without a proof that this request has used already; undefined when there are none. */
export function usesOf({
  proofUse,
  tokenUse,
}: Pick<VerifiedToken, 'proofUse' | 'tokenUse'>): CredentialUses | undefined {
  if (!proofUse && !tokenUse) return undefined
  const plain = (use: { readonly digest: string; readonly expiresAtMs: number }): UsedCredential => {
    return { digest: use.digest, expiresAt: use.expiresAtMs }
  }
  return {
    ...(proofUse && proofUse.state !== 'used-here' && { proof: plain(proofUse) }),
    ...(tokenUse && { token: plain(tokenUse) }),
  }
}

/** Notes in a verified token what the transaction has said, for the rest of the request. */
export function noteUses({ proofUse }: Pick<VerifiedToken, 'proofUse'>, usedBefore?: UsedBefore): void {
  if (proofUse) proofUse.state = usedBefore === 'proof-replayed' ? 'used-before' : 'used-here'
}

/** Whether a login by them would be refused now. */
export async function wereUsedBefore({ db }: Transaction, { proof, token }: CredentialUses): Promise<boolean> {
  if (proof && (await findCredentialUse(db, proof.digest)) !== undefined) return true
  return token !== undefined && (await findCredentialUse(db, token.digest)) === 'login'
}

/**
 * Uses a proof and a token in the transaction that rests on them. Returns which of them was used before. The proof comes first: an operation may commit
 * although it returns a refusal, and a token must not be lost because of a proof. After an enrollment to token use the token logs in once, which is how such
 * an identity logs in; one to a certificate uses it up.
 */
export async function useCredentials(
  tx: Transaction,
  { proof, token }: CredentialUses,
  by: 'login' | 'enrollment to token use' | 'enrollment to a certificate',
): Promise<UsedBefore | undefined> {
  if (proof && !(await useCredential(tx, proof, 'proof'))) return 'proof-replayed'
  if (!token) return undefined
  const purpose = by === 'enrollment to token use' ? 'enrollment' : 'login'
  const isFirst = by === 'login' ? await useTokenToLogIn(tx, token) : await useCredential(tx, token, purpose)
  return isFirst ? undefined : 'token-used'
}
