import { hash } from 'node:crypto'
import { takeRandomBytes } from './random-pool.ts'

const SECRET_BYTES = 32

/** A new secret of 256 random bits, base64url. No copy is kept. */
export function newSecret(): string {
  const bytes = takeRandomBytes(SECRET_BYTES)
  const secret = bytes.toString('base64url')
  bytes.fill(0)
  return secret
}

/** The digest under which a secret or a token is stored and looked up. A stolen digest cannot be used in place of the secret. */
export function secretDigest(secret: string): string {
  return hash('sha256', secret, 'base64url')
}
