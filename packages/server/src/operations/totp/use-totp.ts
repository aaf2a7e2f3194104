import { operation } from '../../store/operation.ts'
import { setPassedTotp } from '../../store/writes/api-session-writes.ts'
import { replaceRecoveryCodes } from '../../store/writes/totp-writes.ts'
import { type SubmittedCode, spendOwnCode } from './own-totp.ts'
import type { CodeResult } from './spend-code.ts'

/** Completes the second factor of a session of the actor. */
export const passTotp = operation({
  name: 'totp.pass',
  access: 'partial-self',
  target: 'identities',
  isRecorded: false,
  async run(tx, { sessionId, ...given }: SubmittedCode & { readonly sessionId: string }): Promise<CodeResult> {
    const result = await spendOwnCode(tx, given)
    if (result === 'right') await setPassedTotp(tx, sessionId, given.guess.totpId)
    return result
  },
})

/** Spends a code of the actor before a secret is shown. */
export const checkTotpCode = operation({
  name: 'totp.checkCode',
  access: 'self',
  target: 'identities',
  isRecorded: false,
  run: (tx, given: SubmittedCode): Promise<CodeResult> => spendOwnCode(tx, given),
})

export const renewRecoveryCodes = operation({
  name: 'totp.renewRecoveryCodes',
  access: 'self',
  target: 'identities',
  async run(tx, { recoveryCodes, ...given }: SubmittedCode & { readonly recoveryCodes: string }): Promise<CodeResult> {
    const result = await spendOwnCode(tx, given)
    if (result === 'right') await replaceRecoveryCodes(tx, given.guess.totpId, recoveryCodes)
    return result
  },
})
