import { randomInt, timingSafeEqual } from 'node:crypto'
import { isTotpCode } from './totp.ts'

export const RECOVERY_CODE_COUNT = 20
/** Without characters that are easily confused. */
const ALPHABET = '23456789ABCDEFGHJKLMNPQRSTUVWXYZ'
/**
 * 30 bits, and the length of the input field in existing clients. Offline guessing is not possible, because the codes are stored sealed.
 * Online, a recovery code is 250 times as hard to guess as a one-time code, and the same limiter counts both.
 */
const LENGTH = 6

/** Creates recovery codes for a lost device. They are all different, and none looks like a one-time code. */
export function newRecoveryCodes(): string[] {
  const codes = new Set<string>()
  while (codes.size < RECOVERY_CODE_COUNT) {
    const code = Array.from({ length: LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('')
    if (!isTotpCode(code)) codes.add(code)
  }
  return [...codes]
}

/** Returns the index of a code, or undefined. Ignores case, and takes the same time for every code. */
export function findRecoveryCode(codes: readonly string[], code: string): number | undefined {
  const given = Buffer.from(code.toUpperCase())
  let found: number | undefined
  for (const [index, known] of codes.entries()) {
    const expected = Buffer.from(known)
    if (expected.length === given.length && timingSafeEqual(expected, given)) found = index
  }
  return found
}
