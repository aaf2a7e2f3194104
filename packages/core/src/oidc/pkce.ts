import { hash, timingSafeEqual } from 'node:crypto'

const VERIFIER = /^[A-Za-z0-9._~-]{43,128}$/
/** SHA-256 in base64url without padding. */
const CHALLENGE = /^[A-Za-z0-9_-]{43}$/

/** Whether a text is a challenge of the method S256 (RFC 7636 section 4.2). */
export function isCodeChallenge(text: string): boolean {
  return CHALLENGE.test(text)
}

/** Whether the verifier belongs to the challenge (RFC 7636 section 4.6). */
export function isRightVerifier(challenge: string, verifier: string): boolean {
  if (!VERIFIER.test(verifier)) return false
  const expected = Buffer.from(hash('sha256', verifier, 'base64url'))
  const given = Buffer.from(challenge)
  return expected.length === given.length && timingSafeEqual(expected, given)
}
