import { randomInt, timingSafeEqual } from 'node:crypto'
import { isTotpCode } from './totp.ts'

export const RECOVERY_CODE_COUNT = 20
/** No character that is taken for another when read aloud or from paper. */
const ALPHABET = '23456789ABCDEFGHJKLMNPQRSTUVWXYZ'
/**
 * 30 bits, and as many characters as existing clients let people type. Nobody guesses offline, since the codes are kept
 * sealed; online a code is 250 times as hard to hit as the one-time code beside it, and the same limit counts both.
 */
const LENGTH = 6

/** Codes for the day when the device is lost: all different, and none that could be taken for a one-time code. */
export function newRecoveryCodes(): string[] {
  const codes = new Set<string>()
  while (codes.size < RECOVERY_CODE_COUNT) {
    const code = Array.from({ length: LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('')
    if (!isTotpCode(code)) codes.add(code)
  }
  return [...codes]
}

/** The place of a code among the given ones, or undefined. Case does not matter, nor does time tell which it was. */
export function findRecoveryCode(codes: readonly string[], code: string): number | undefined {
  const given = Buffer.from(code.toUpperCase())
  let found: number | undefined
  for (const [index, known] of codes.entries()) {
    const expected = Buffer.from(known)
    if (expected.length === given.length && timingSafeEqual(expected, given)) found = index
  }
  return found
}
