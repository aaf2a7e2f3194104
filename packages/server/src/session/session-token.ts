import { encodeTime, newSecret, secretDigest, TIME_LENGTH } from '@countersign/core'

/** A session token: its creation time and 256 random bits. */
export function newSessionToken(now: number): string {
  return encodeTime(now) + newSecret()
}

/**
 * The digest by which a token is stored and looked up. It begins with the token's time, so that sessions of the same moment are
 * adjacent in the index and share a page.
 */
export function sessionTokenDigest(token: string): string {
  return token.slice(0, TIME_LENGTH) + secretDigest(token)
}
