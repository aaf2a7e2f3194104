import { checkInPlace, type SignatureToCheck } from '@countersign/core'

/** A signature that waits to be checked. */
export interface WaitingCheck {
  readonly check: SignatureToCheck
  resolve(isValid: boolean): void
}

/** Checks all of them on this thread and blocks it. */
export function settleInPlace(batch: readonly WaitingCheck[]): void {
  for (const { check, resolve } of batch) resolve(checkInPlace(check))
}
