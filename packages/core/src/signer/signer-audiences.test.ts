import assert from 'node:assert/strict'
import { test } from 'node:test'
import { acceptsAudience, isSignerNamed, signerAudiences } from './signer-audiences.ts'

const SIGNER = { issuer: 'https://idp.example', audience: 'a', additionalAudiences: ['b', 'c'] }

test('a signer accepts its audience and the additional ones', () => {
  assert.deepEqual(signerAudiences(SIGNER), ['a', 'b', 'c'])
  assert.deepEqual(signerAudiences({ audience: 'a' }), ['a'])
  for (const audience of ['a', 'b', 'c']) assert.equal(acceptsAudience(SIGNER, ['x', audience]), true, audience)
  for (const audiences of [[], ['x'], ['A'], ['']]) assert.equal(acceptsAudience(SIGNER, audiences), false)
  assert.equal(acceptsAudience({ audience: 'a' }, ['b']), false)
})

test('a token is for the signer when both its issuer and an audience match', () => {
  assert.equal(isSignerNamed(SIGNER, SIGNER.issuer, ['b']), true)
  assert.equal(isSignerNamed(SIGNER, `${SIGNER.issuer}/`, ['b']), false)
  assert.equal(isSignerNamed(SIGNER, undefined, ['b']), false)
  assert.equal(isSignerNamed(SIGNER, SIGNER.issuer, ['x']), false)
})
