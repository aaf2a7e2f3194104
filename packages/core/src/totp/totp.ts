import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { base32 } from './base32.ts'

const SECRET_BYTES = 20
const DIGITS = 6
const STEP_MS = 30_000
/** A code is good two steps before its own and two after: clocks drift, and people type slowly. */
const WINDOW = [-2, -1, 0, 1, 2]
const ISSUER = 'Countersign'

/** A secret for one-time codes, as long as the hash wants it. */
export function newTotpSecret(): Buffer {
  return randomBytes(SECRET_BYTES)
}

/** The step of RFC 6238 that an instant lies in. */
export function totpStep(now: number): number {
  return Math.floor(now / STEP_MS)
}

/** The code of one step: RFC 6238 with SHA-1, 30 seconds and 6 digits, which every app knows. */
export function totpCode(secret: Uint8Array, step: number): string {
  const counter = Buffer.alloc(8)
  counter.writeBigInt64BE(BigInt(step))
  const hash = createHmac('sha1', secret).update(counter).digest()
  const offset = hash.readUInt8(hash.length - 1) & 0x0f
  const number = hash.readUInt32BE(offset) & 0x7fffffff
  return String(number % 10 ** DIGITS).padStart(DIGITS, '0')
}

/** Which step around now a code belongs to, if any. How long this takes tells nothing about the codes. */
export function findTotpStep(secret: Uint8Array, code: string, now: number): number | undefined {
  if (!isTotpCode(code)) return undefined
  const given = Buffer.from(code)
  let found: number | undefined
  for (const offset of WINDOW) {
    const step = totpStep(now) + offset
    if (timingSafeEqual(Buffer.from(totpCode(secret, step)), given)) found = step
  }
  return found
}

/** Whether a text has the form of a one-time code: six digits. */
export function isTotpCode(text: string): boolean {
  return text.length === DIGITS && /^[0-9]+$/.test(text)
}

/** What apps read from the QR code. */
export function totpProvisioningUrl(secret: Uint8Array, account: string): string {
  return `otpauth://totp/${ISSUER}:${encodeURIComponent(account)}?issuer=${ISSUER}&secret=${base32(secret)}`
}
