import { createHash, randomBytes } from 'node:crypto'

const TOKEN_BYTES = 32

/** A fresh bearer token: 256 random bits. It is shown to the caller once and kept nowhere. */
export function newSessionToken(): string {
  return randomBytes(TOKEN_BYTES).toString('base64url')
}

/** What is stored and looked up in place of the token: a thief of the database can present none of these. */
export function sessionTokenDigest(token: string): string {
  return createHash('sha256').update(token).digest('base64url')
}
