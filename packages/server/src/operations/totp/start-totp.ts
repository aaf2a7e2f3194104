import { AppError } from '@countersign/core'
import { operation } from '../../store/operation.ts'
import { findTotp } from '../../store/reads/totp-reads.ts'
import { setPassedTotp } from '../../store/writes/api-session-writes.ts'
import { setVerifiedTotp } from '../../store/writes/identity-writes.ts'
import { insertTotp, type NewTotp } from '../../store/writes/totp-writes.ts'
import { type GivenCode, getOwnVerifiedTotpId } from './own-totp.ts'
import { type CodeOutcome, spendCode } from './spend-code.ts'

/** Gives the actor one-time codes, which no login requires until they are verified. Fails with MFA_EXISTS when it has some. */
export const startTotp = operation({
  name: 'totp.start',
  access: 'self',
  target: 'identities',
  async run(tx, totp: NewTotp): Promise<void> {
    await getOwnVerifiedTotpId(tx, totp.id)
    if (await findTotp(tx.db, totp.id)) throw new AppError('MFA_EXISTS')
    await insertTotp(tx, totp)
  },
})

/** Verifies the actor's one-time codes: from now on they are required in every session but the one that has shown this code. */
export const verifyTotp = operation({
  name: 'totp.verify',
  access: 'self',
  target: 'identities',
  async run(tx, { id, sessionId, guess }: GivenCode & { readonly sessionId: string }): Promise<CodeOutcome> {
    if ((await getOwnVerifiedTotpId(tx, id)) !== null) throw new AppError('NOT_FOUND')
    const outcome = await spendCode(tx, id, guess)
    if (outcome !== 'right') return outcome
    await setVerifiedTotp(tx, id, guess.totpId)
    await setPassedTotp(tx, sessionId, guess.totpId)
    return outcome
  },
})
