import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type IndexedSigner, SignerIndex } from './signer-index.ts'

const signer = (id: string, issuer = 'https://a', audience = 'x'): IndexedSigner => ({ id, issuer, audience })

function indexOf(...signers: IndexedSigner[]): SignerIndex<IndexedSigner> {
  const index = new SignerIndex<IndexedSigner>()
  for (const each of signers) index.put(each)
  return index
}

const idsOf = (signers: readonly IndexedSigner[]): string[] => signers.map(({ id }) => id)

test('D9 chooses by the pair of issuer and audience, sorted by id', () => {
  const index = indexOf(
    signer('c', 'https://a', 'x'),
    signer('a', 'https://a', 'y'),
    signer('b', 'https://a', 'z'),
    signer('d', 'https://b', 'x'),
  )
  assert.deepEqual(idsOf(index.choose('https://a', ['x', 'y']).candidates), ['a', 'c'])
  assert.deepEqual(idsOf(index.choose('https://a', ['y', 'x', 'x', 'y']).candidates), ['a', 'c'])
  assert.deepEqual(idsOf(index.choose('https://b', ['x', 'y']).candidates), ['d'])
})

test('D9 returns whether the issuer is known', () => {
  const index = indexOf(signer('a'))
  assert.deepEqual(index.choose('https://a', ['other']), { issuerKnown: true, candidates: [] })
  assert.deepEqual(index.choose('https://a', []), { issuerKnown: true, candidates: [] })
  for (const issuer of ['https://a/', 'HTTPS://A', '', undefined, '__proto__'])
    assert.deepEqual(index.choose(issuer, ['x']), { issuerKnown: false, candidates: [] })
})

test('D-06 issuers that differ in a slash, case or Unicode form are different', () => {
  const issuers = ['https://a', 'https://a/', 'https://A', 'https://\u00e9', 'https://e\u0301']
  const index = indexOf(...issuers.map((issuer, id) => signer(`${id}`, issuer)))
  const chosen = issuers.map((issuer) => idsOf(index.choose(issuer, ['x']).candidates).join())
  assert.deepEqual(chosen, ['0', '1', '2', '3', '4'])
})

test('D-13 a change or removal leaves no stale entries', () => {
  const index = indexOf(signer('a'), signer('b', 'https://a', 'y'))
  index.put(signer('a', 'https://moved', 'x'))
  assert.deepEqual(idsOf(index.choose('https://a', ['x', 'y']).candidates), ['b'])
  assert.deepEqual(idsOf(index.choose('https://moved', ['x']).candidates), ['a'])
  index.delete('b')
  index.delete('b')
  assert.equal(index.choose('https://a', ['y']).issuerKnown, false)
  assert.equal(index.findById('b'), undefined)
  assert.equal(index.findById('a')?.issuer, 'https://moved')
  assert.equal(index.size, 1)
})

test('D13 signers that share a pair for a moment are all candidates', () => {
  const index = indexOf(signer('b'), signer('a'))
  assert.deepEqual(idsOf(index.choose('https://a', ['x']).candidates), ['a', 'b'])
  index.delete('a')
  assert.deepEqual(idsOf(index.choose('https://a', ['x']).candidates), ['b'])
})

test('returns a bounded number of signers of an issuer', () => {
  const index = indexOf(
    signer('b', 'https://a', '1'),
    signer('a', 'https://a', '2'),
    signer('c', 'https://a', '3'),
    signer('d', 'https://b'),
  )
  assert.deepEqual(idsOf(index.findByIssuer('https://a', 2)), ['a', 'b'])
  assert.deepEqual(idsOf(index.findByIssuer('https://a', 9)), ['a', 'b', 'c'])
  assert.deepEqual(index.findByIssuer('https://c', 9), [])
})

test('a signer is found by each of its audiences, and only once by several', () => {
  const several = { ...signer('b', 'https://a', 'x'), additionalAudiences: ['y', 'z'] }
  const index = indexOf(several, signer('a', 'https://a', 'w'))
  for (const audience of ['x', 'y', 'z']) {
    assert.deepEqual(idsOf(index.choose('https://a', [audience]).candidates), ['b'])
  }
  assert.deepEqual(idsOf(index.choose('https://a', ['z', 'x', 'w']).candidates), ['a', 'b'])
  assert.deepEqual(idsOf(index.choose('https://b', ['y']).candidates), [])
  assert.deepEqual(idsOf(index.findByIssuer('https://a', 5)), ['a', 'b'])
  index.put({ ...several, additionalAudiences: ['z'] })
  assert.deepEqual(idsOf(index.choose('https://a', ['y']).candidates), [])
  assert.deepEqual(idsOf(index.choose('https://a', ['z']).candidates), ['b'])
  index.delete('b')
  for (const audience of ['x', 'z']) assert.deepEqual(index.choose('https://a', [audience]).candidates, [])
})
