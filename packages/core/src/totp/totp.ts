import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { base32 } from './base32.ts'

const SECRET_BYTES = 20
const DIGITS = 6
const STEP_MS = 30_000
/** A code is accepted one step early or late, as RFC 6238 recommends: clocks drift and people type slowly. */
const WINDOW = [-1, 0, 1]
const ISSUER = 'Countersign'

/** A new secret of the length that RFC 4226 recommends for SHA-1. */
export function newTotpSecret(): Buffer {
  return randomBytes(SECRET_BYTES)
}

/** The RFC 6238 time step of an instant in milliseconds. */
export function totpStep(now: number): number {
  return Math.floor(now / STEP_MS)
}

/** The code of one step: RFC 6238 with SHA-1, 30 seconds and 6 digits, which every authenticator app supports. */
export function totpCode(secret: Uint8Array, step: number): string {
  const counter = Buffer.alloc(8)
  counter.writeBigInt64BE(BigInt(step))
  const hash = createHmac('sha1', secret).update(counter).digest()
  const offset = hash.readUInt8(hash.length - 1) & 0x0f
  const number = hash.readUInt32BE(offset) & 0x7fffffff
  return String(number % 10 ** DIGITS).padStart(DIGITS, '0')
}

/** Returns the step within the window that a code belongs to, or undefined. Takes constant time. */
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

/** Whether a text is six digits. */
export function isTotpCode(text: string): boolean {
  return text.length === DIGITS && /^[0-9]+$/.test(text)
}

/** The content of the QR code for authenticator apps. */
export function totpProvisioningUrl(secret: Uint8Array, account: string): string {
  return `otpauth://totp/${ISSUER}:${encodeURIComponent(account)}?issuer=${ISSUER}&secret=${base32(secret)}`
}
