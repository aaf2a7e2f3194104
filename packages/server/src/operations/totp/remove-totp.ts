import { AppError } from '@countersign/core'
import { type AuthorizedTransaction, operation } from '../../store/operation.ts'
import { findVisibleTotp } from '../../store/reads/totp-reads.ts'
import type { Transaction } from '../../store/transaction.ts'
import { endSessions } from '../../store/writes/end-sessions.ts'
import { setVerifiedTotp } from '../../store/writes/identity-writes.ts'
import { deleteTotp } from '../../store/writes/totp-writes.ts'
import { authorizeIdentityChange } from '../identity/authorize-identity-change.ts'
import { getOwnVerifiedTotpId } from './own-totp.ts'
import { type CodeGuess, type CodeResult, spendCode } from './spend-code.ts'

export interface RemoveTotp {
  /** The actor's id. */
  readonly id: string
  readonly sessionId: string
  /** Required once the enrollment is verified. */
  readonly guess: CodeGuess | undefined
}

/** Removes the actor's own TOTP enrollment. Fails with NOT_FOUND when another session sets it up. */
export const removeTotp = operation({
  name: 'totp.remove',
  access: 'self',
  target: 'identities',
  run: removeOwn,
})

/** Like `removeTotp`, during a login at the authorization endpoint: its session has not passed the code that comes with the request. */
export const removeTotpInLogin = operation({
  name: 'totp.removeInLogin',
  access: 'self-before-code',
  target: 'identities',
  run: removeOwn,
})

/** Like `removeTotp`, for an enrollment that is not verified, during a login at the authorization endpoint that may lack any second factor. */
export const discardTotpInLogin = operation({
  name: 'totp.discardInLogin',
  access: 'partial-self',
  target: 'identities',
  run: (tx, args: Omit<RemoveTotp, 'guess'>) => removeOwn(tx, { ...args, guess: undefined }),
})

async function removeOwn(tx: AuthorizedTransaction, { id, sessionId, guess }: RemoveTotp): Promise<CodeResult> {
  const verifiedTotpId = await getOwnVerifiedTotpId(tx, id)
  if (!(await findVisibleTotp(tx.db, id, { sessionId, verifiedTotpId }))) throw new AppError('NOT_FOUND')
  if (verifiedTotpId !== null) {
    const result = guess ? await spendCode(tx, id, guess) : 'wrong'
    if (result !== 'right') return result
  }
  await remove(tx, id, verifiedTotpId)
  return 'right'
}

/** Removes the TOTP enrollment of an identity whose device is lost. The count of wrong codes stays. */
export const resetTotp = operation({
  name: 'totp.reset',
  access: { entity: 'identity', action: 'update' },
  target: 'identities',
  async run(tx, { id }: { readonly id: string }): Promise<void> {
    const { verifiedTotpId } = await authorizeIdentityChange(tx, id)
    await remove(tx, id, verifiedTotpId)
  },
})

/** Ends the sessions that passed the second factor with these codes. The identity changes only when they were verified. */
async function remove(tx: Transaction, identityId: string, verifiedTotpId: string | null): Promise<void> {
  const totpId = await deleteTotp(tx, identityId)
  if (verifiedTotpId !== null) await setVerifiedTotp(tx, identityId, null)
  if (totpId !== undefined) await endSessions(tx, { identityId, totpId })
}
