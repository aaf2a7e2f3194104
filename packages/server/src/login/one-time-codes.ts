import {
  AppError,
  findRecoveryCode,
  findTotpStep,
  newId,
  newRecoveryCodes,
  newTotpSecret,
  totpProvisioningUrl,
} from '@countersign/core'
import { TooManyRequests } from '../limits/too-many-requests.ts'
import type { CodeGuess, CodeOutcome } from '../operations/totp/spend-code.ts'
import type { Clock } from '../platform/clock.ts'
import type { Sealing } from '../platform/keys/sealing.ts'
import type { TotpRow } from '../store/schema.ts'
import type { NewTotp } from '../store/writes/totp-writes.ts'

/** What is sealed of one-time codes, opened where it is needed and nowhere else. A key of another node: SEALING_KEY_MISMATCH. */
export interface OneTimeCodes {
  /** A new enrollment with a secret and recovery codes of its own. */
  newTotp(identityId: string): NewTotp
  newRecoveryCodes(identityId: string): string
  provisioningUrl(totp: TotpRow, account: string): string
  /** The recovery codes that are not used up. */
  recoveryCodes(totp: TotpRow): string[]
  /** What a code is; recovery codes count where `recovery` says so. The transaction decides what comes of it. */
  guess(totp: TotpRow, code: string, options: { recovery: boolean }): CodeGuess
  /** MFA_INVALID_TOKEN for a wrong code, TooManyRequests once there were too many. */
  checkOutcome(outcome: CodeOutcome): void
}

/** Why a code was refused. For administrators. */
export type CodeRefusal = 'wrong-code' | 'too-many-codes'

export function createOneTimeCodes({ sealing, clock }: { sealing: Sealing; clock: Clock }): OneTimeCodes {
  const secretUse = (identityId: string) => `one-time code secret of ${identityId}`
  const recoveryUse = (identityId: string) => `recovery codes of ${identityId}`
  const secretOf = (totp: TotpRow): Buffer =>
    Buffer.from(sealing.open(totp.secret, secretUse(totp.identity_id)), 'base64')
  const allRecoveryCodes = (totp: TotpRow): string[] =>
    JSON.parse(sealing.open(totp.recovery_codes, recoveryUse(totp.identity_id)))
  const sealedRecoveryCodes = (identityId: string): string =>
    sealing.seal(JSON.stringify(newRecoveryCodes()), recoveryUse(identityId))

  const findMatch = (totp: TotpRow, code: string, recovery: boolean): CodeGuess['match'] => {
    const step = findTotpStep(secretOf(totp), code, clock.now())
    if (step !== undefined) return { step }
    const place = recovery ? findRecoveryCode(allRecoveryCodes(totp), code) : undefined
    return place === undefined ? undefined : { recoveryCode: place, of: totp.recovery_codes }
  }

  return {
    newTotp: (identityId) => ({
      id: identityId,
      totpId: newId(),
      secret: sealing.seal(newTotpSecret().toString('base64'), secretUse(identityId)),
      recoveryCodes: sealedRecoveryCodes(identityId),
    }),
    newRecoveryCodes: sealedRecoveryCodes,
    provisioningUrl: (totp, account) => totpProvisioningUrl(secretOf(totp), account),
    recoveryCodes: (totp) =>
      allRecoveryCodes(totp).filter((_, place) => (totp.spent_recovery_codes & (1 << place)) === 0),
    // Apps show codes in two groups, and people type what they see.
    guess: (totp, code, { recovery }) => ({
      totpId: totp.id,
      match: findMatch(totp, code.replaceAll(' ', ''), recovery),
    }),
    checkOutcome: (outcome) => {
      if (outcome === 'wrong') throw new AppError('MFA_INVALID_TOKEN')
      if (outcome !== 'right') throw new TooManyRequests(outcome.lockedUntil - clock.now())
    },
  }
}
