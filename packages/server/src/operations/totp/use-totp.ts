import { operation } from '../../store/operation.ts'
import { setPassedTotp } from '../../store/writes/api-session-writes.ts'
import { replaceRecoveryCodes } from '../../store/writes/totp-writes.ts'
import { type GivenCode, spendOwnCode } from './own-totp.ts'
import type { CodeOutcome } from './spend-code.ts'

/** Completes a session of the actor by its second factor. */
export const passTotp = operation({
  name: 'totp.pass',
  access: 'self',
  target: 'identities',
  isRecorded: false,
  async run(tx, { sessionId, ...given }: GivenCode & { readonly sessionId: string }): Promise<CodeOutcome> {
    const outcome = await spendOwnCode(tx, given)
    if (outcome === 'right') await setPassedTotp(tx, sessionId, given.guess.totpId)
    return outcome
  },
})

/** Spends a code of the actor before it is shown something secret. */
export const checkTotpCode = operation({
  name: 'totp.checkCode',
  access: 'self',
  target: 'identities',
  isRecorded: false,
  run: (tx, given: GivenCode): Promise<CodeOutcome> => spendOwnCode(tx, given),
})

export const renewRecoveryCodes = operation({
  name: 'totp.renewRecoveryCodes',
  access: 'self',
  target: 'identities',
  async run(tx, { recoveryCodes, ...given }: GivenCode & { readonly recoveryCodes: string }): Promise<CodeOutcome> {
    const outcome = await spendOwnCode(tx, given)
    if (outcome === 'right') await replaceRecoveryCodes(tx, given.guess.totpId, recoveryCodes)
    return outcome
  },
})
