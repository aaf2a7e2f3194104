import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findIssuerSimilarity } from './issuer-similarity.ts'

test('an issuer that is longer than that of any signer is similar to none', () => {
  const issuer = 'https://idp.example/a'
  const longest = `${issuer}${'/'.padEnd(2048 - issuer.length, 'x')}`
  assert.equal(findIssuerSimilarity(longest, issuer), 'same-host')
  assert.equal(findIssuerSimilarity(`${longest}x`, issuer), undefined)
  assert.equal(findIssuerSimilarity(issuer, `${longest}x`), undefined)
})
