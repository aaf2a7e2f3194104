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
import type { CodeGuess, CodeResult } from '../operations/totp/spend-code.ts'
import type { Clock } from '../platform/clock.ts'
import type { Sealing } from '../platform/keys/sealing.ts'
import type { TotpRow } from '../store/schema.ts'
import type { NewTotp } from '../store/writes/totp-writes.ts'

interface OneTimeCodesParts {
  readonly sealing: Sealing
  readonly clock: Clock
}

/** Creates and checks one-time codes. Secrets and recovery codes are stored sealed. Throws SEALING_KEY_MISMATCH when another key sealed them. */
export class OneTimeCodes {
  readonly #parts: OneTimeCodesParts

  constructor(parts: OneTimeCodesParts) {
    this.#parts = parts
  }

  /** Creates an enrollment with a new secret and new recovery codes. */
  newTotp(identityId: string, sessionId: string): NewTotp {
    return {
      id: identityId,
      totpId: newId(),
      sessionId,
      secret: this.#parts.sealing.seal(newTotpSecret().toString('base64'), secretUse(identityId)),
      recoveryCodes: this.newRecoveryCodes(identityId),
    }
  }

  /** Returns new recovery codes, sealed. */
  newRecoveryCodes(identityId: string): string {
    return this.#parts.sealing.seal(JSON.stringify(newRecoveryCodes()), recoveryUse(identityId))
  }

  provisioningUrl(totp: TotpRow, account: string): string {
    return totpProvisioningUrl(this.#secretOf(totp), account)
  }

  /** Returns the unused recovery codes. */
  recoveryCodes(totp: TotpRow): string[] {
    return this.#allRecoveryCodes(totp).filter((_, index) => (totp.spent_recovery_codes & (1 << index)) === 0)
  }

  /** Finds what a code matches, with recovery codes if `recovery`. The operation that spends the code decides whether it is right. */
  guess(totp: TotpRow, code: string, { recovery }: { readonly recovery: boolean }): CodeGuess {
    // Apps display codes in two groups, and users type the space.
    return { totpId: totp.id, match: this.#findMatch(totp, code.replaceAll(' ', ''), recovery) }
  }

  /** Throws MFA_INVALID_TOKEN for a wrong code, TooManyRequests after too many wrong codes. */
  checkResult(result: CodeResult): void {
    if (result === 'wrong') throw new AppError('MFA_INVALID_TOKEN')
    if (result !== 'right') throw new TooManyRequests(result.lockedUntil - this.#parts.clock.now())
  }

  #findMatch(totp: TotpRow, code: string, recovery: boolean): CodeGuess['match'] {
    const step = findTotpStep(this.#secretOf(totp), code, this.#parts.clock.now())
    if (step !== undefined) return { step }
    const index = recovery ? findRecoveryCode(this.#allRecoveryCodes(totp), code) : undefined
    return index === undefined ? undefined : { recoveryCode: index, of: totp.recovery_codes }
  }

  #secretOf({ secret, identity_id: identityId }: TotpRow): Buffer {
    return Buffer.from(this.#parts.sealing.open(secret, secretUse(identityId)), 'base64')
  }

  #allRecoveryCodes({ recovery_codes: sealed, identity_id: identityId }: TotpRow): string[] {
    return JSON.parse(this.#parts.sealing.open(sealed, recoveryUse(identityId)))
  }
}

const secretUse = (identityId: string): string => `one-time code secret of ${identityId}`
const recoveryUse = (identityId: string): string => `recovery codes of ${identityId}`
