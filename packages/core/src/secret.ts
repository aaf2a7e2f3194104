import { hash } from 'node:crypto'
import { takeRandomBytes } from './random-pool.ts'

const SECRET_BYTES = 32

/** A fresh secret of 256 random bits, as text. It is kept nowhere. */
export function newSecret(): string {
  const bytes = takeRandomBytes(SECRET_BYTES)
  const secret = bytes.toString('base64url')
  bytes.fill(0)
  return secret
}

/** What is stored and looked up in place of a secret or a token: whoever steals it can present none of them. */
export function secretDigest(secret: string): string {
  return hash('sha256', secret, 'base64url')
}
