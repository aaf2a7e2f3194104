import { hash, randomFillSync } from 'node:crypto'

const TOKEN_BYTES = 32

/** Randomness is fetched for many tokens at once: one fetch costs more than the rest of making a token. */
const pool = Buffer.alloc(64 * TOKEN_BYTES)
let used = pool.length

/** A fresh bearer token: 256 random bits. It is shown to the caller once and kept nowhere. */
export function newSessionToken(): string {
  if (used === pool.length) {
    randomFillSync(pool)
    used = 0
  }
  const bytes = pool.subarray(used, used + TOKEN_BYTES)
  used += TOKEN_BYTES
  const token = bytes.toString('base64url')
  bytes.fill(0)
  return token
}

/** What is stored and looked up in place of the token: a thief of the database can present none of these. */
export function sessionTokenDigest(token: string): string {
  return hash('sha256', token, 'base64url')
}
