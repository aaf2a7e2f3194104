import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isCodeChallenge, isRightVerifier } from './pkce.ts'

/** RFC 7636, appendix B. */
const VERIFIER = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk'
const CHALLENGE = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'

test('the verifier of RFC 7636 belongs to its challenge, and no other text does', () => {
  assert.ok(isCodeChallenge(CHALLENGE))
  assert.ok(isRightVerifier(CHALLENGE, VERIFIER))
  for (const verifier of ['', 'short', `${VERIFIER}x`, CHALLENGE, `${VERIFIER.slice(1)}é`]) {
    assert.equal(isRightVerifier(CHALLENGE, verifier), false, verifier)
  }
  assert.equal(isRightVerifier('short', VERIFIER), false)
  for (const text of ['', 'short', `${CHALLENGE}=`, CHALLENGE.replace('-', '+')])
    assert.equal(isCodeChallenge(text), false)
})
