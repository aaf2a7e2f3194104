import { AppError } from '@countersign/core'
import type { SignerRevision } from '../../store/actor-credential.ts'
import { type AuthorizedTransaction, operation } from '../../store/operation.ts'
import { isTokenAccepted } from '../../store/reads/actor-reads.ts'
import { findIdentity } from '../../store/reads/identity-reads.ts'
import { findVisibleTotp } from '../../store/reads/totp-reads.ts'
import { setPassedTotp } from '../../store/writes/api-session-writes.ts'
import { setVerifiedTotp } from '../../store/writes/identity-writes.ts'
import { deleteTotp, insertTotp, type NewTotp } from '../../store/writes/totp-writes.ts'
import { checkMayHaveCredentials } from '../identity/authorize-identity-change.ts'
import { getOwnVerifiedTotpId, type SubmittedCode } from './own-totp.ts'
import { type CodeResult, spendCode } from './spend-code.ts'

/**
 * Creates a TOTP enrollment of the actor, which no login requires until it is verified. Fails with MFA_EXISTS when it has one that is verified
 * or that this session set up, and with ENTITY_CAN_NOT_BE_UPDATED for the identity of an API account, whose sessions no one completes with a code. One
 * of another session is replaced.
 */
export const startTotp = operation({
  name: 'totp.start',
  access: 'partial-self',
  target: 'identities',
  async run(tx, totp: NewTotp): Promise<void> {
    const verifiedTotpId = await getOwnVerifiedTotpId(tx, totp.id)
    checkMayHaveCredentials(totp.id)
    if (await findVisibleTotp(tx.db, totp.id, { ...totp, verifiedTotpId })) throw new AppError('MFA_EXISTS')
    await deleteTotp(tx, totp.id)
    await insertTotp(tx, totp)
  },
})

interface VerifyTotp extends SubmittedCode {
  readonly sessionId: string
  /** The signer of the second token that came with the code; null when none was required. */
  readonly secondSigner: SignerRevision | null
}

/** Verifies the actor's TOTP enrollment: from now on every session except this one requires a code. */
export const verifyTotp = operation({
  name: 'totp.verify',
  access: 'partial-self',
  target: 'identities',
  async run(tx, { id, sessionId, secondSigner, guess }: VerifyTotp): Promise<CodeResult> {
    const verifiedTotpId = await getOwnVerifiedTotpId(tx, id)
    checkMayHaveCredentials(id)
    if (verifiedTotpId !== null) throw new AppError('NOT_FOUND')
    if (!(await findVisibleTotp(tx.db, id, { sessionId, verifiedTotpId }))) throw new AppError('NOT_FOUND')
    if (secondSigner && !(await isOwnToken(tx, secondSigner))) throw new AppError('UNAUTHORIZED')
    const result = await spendCode(tx, id, guess)
    if (result !== 'right') return result
    await setVerifiedTotp(tx, id, guess.totpId)
    await setPassedTotp(tx, sessionId, guess.totpId)
    return result
  },
})

async function isOwnToken({ db, actor }: AuthorizedTransaction, signer: SignerRevision): Promise<boolean> {
  const identity = await findIdentity(db, actor.id)
  return identity !== undefined && isTokenAccepted(db, signer, identity)
}
