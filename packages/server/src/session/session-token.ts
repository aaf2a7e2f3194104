import { newSecret, secretDigest, TIME_LENGTH, timeLetters } from '@countersign/core'

/** A session's token: the time it was made at, and 256 random bits. */
export function newSessionToken(now: number): string {
  return timeLetters(now) + newSecret()
}

/**
 * What is stored and looked up in place of a token. It begins with the token's time, so that sessions of the same moment stand
 * side by side in the index: one page of it is written for all of them and not one for each.
 */
export function sessionTokenDigest(token: string): string {
  return token.slice(0, TIME_LENGTH) + secretDigest(token)
}
