import assert from 'node:assert/strict'
import { test } from 'node:test'
import { patchedSigner, replacedSigner, signerFromBody } from './signer-settings.ts'

const REQUIRED = { name: 'n', enabled: true, issuer: 'i', audience: 'a', jwksEndpoint: 'https://x.example/' }

test('D6 a member that the body omits gets its default', () => {
  const signer = signerFromBody(REQUIRED)
  const { claimsProperty, enrollNameClaimsSelector, targetToken, scopes, enrollAuthPolicyId, tags } = signer
  assert.deepEqual([claimsProperty, enrollNameClaimsSelector, targetToken], ['/sub', '/sub', 'ACCESS'])
  assert.deepEqual([scopes, enrollAuthPolicyId, tags], [null, null, {}])
  assert.deepEqual(
    signerFromBody({ ...REQUIRED, claimsProperty: ' ', scopes: [], tags: {}, requiredClaims: {} }),
    signer,
  )
})

test('D6 an empty PATCH returns the same object', () => {
  const signer = signerFromBody({ ...REQUIRED, tags: { a: 'b' }, requiredClaims: { hd: 'x' } })
  for (const body of [{}, { tags: {} }, { requiredClaims: {} }]) assert.equal(patchedSigner(signer, body), signer)
  assert.notEqual(patchedSigner(signer, { kid: '' }), signer)
})

test('D6 a PATCH changes the given members, and resets blank ones to their defaults', () => {
  const signer = signerFromBody({ ...REQUIRED, claimsProperty: '/email', kid: 'k', scopes: 'a b', tags: { a: 'b' } })
  assert.deepEqual(patchedSigner(signer, { name: 'm' }), { ...signer, name: 'm' })
  assert.deepEqual(patchedSigner(signer, { claimsProperty: '', kid: '', scopes: [] }), {
    ...signer,
    claimsProperty: '/sub',
    kid: null,
    scopes: null,
  })
  assert.deepEqual(patchedSigner(signer, { useExternalId: false, tags: { c: 1 } }), { ...signer, tags: { c: 1 } })
})

test('D2 D15 scopes keep their order, as a string and as an array', () => {
  const scopesOf = (scopes: string | string[]) => signerFromBody({ ...REQUIRED, scopes }).scopes
  assert.deepEqual(scopesOf('b  a\tb'), ['b', 'a', 'b'])
  assert.deepEqual(scopesOf(['b', '', 'a']), ['b', 'a'])
  assert.equal(scopesOf(['']), null)
})

test('a PUT that omits additional audiences keeps them; null and [] clear them', () => {
  const signer = signerFromBody({ ...REQUIRED, kid: 'k', additionalAudiences: ['b', 'a'] })
  assert.deepEqual(signerFromBody(REQUIRED).additionalAudiences, [])
  assert.deepEqual(replacedSigner(signer, REQUIRED), { ...signer, kid: null })
  for (const additionalAudiences of [null, []]) {
    assert.deepEqual(replacedSigner(signer, { ...REQUIRED, additionalAudiences }).additionalAudiences, [])
    assert.deepEqual(patchedSigner(signer, { additionalAudiences }), { ...signer, additionalAudiences: [] })
  }
})
