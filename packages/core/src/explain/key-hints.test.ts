import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { mintKey, mintKeyFrom } from '@countersign/testkit'
import type { SignerKeys } from '../key/signer-key.ts'
import { assertHints, KEY, keysOf, NOW_MS, signerOf, tokenOf } from './explain.fixture.ts'
import type { UnusedKey } from './explanation.ts'

const CLAIMS = { iss: 'https://idp.example/a', aud: 'api://countersign' }
const VALID = tokenOf(CLAIMS)
const EC = mintKey('P-256')

describe('hints on keys and signatures', () => {
  it('D18 names an unknown kid, and the kids of the signer', async () => {
    const others = Array.from({ length: 12 }, (_, index) => mintKeyFrom(EC.privateKey, 'P-256', `kid-${index}`))
    const text = await assertHints(VALID, ['kid-unknown'], { keys: keysOf(...others) })
    assert.match(
      text,
      /names the key "RSA-first", the signer "corp" has "kid-0", .*"kid-9", …: refresh the signer's keys/,
    )
    assert.equal(text.includes('kid-10'), false)
    await assertHints(VALID, [], { keys: keysOf(...others, KEY) })
  })

  it('F-16 F-17 gives a hint for a key that is not pinned or waits, also when no key is usable', async () => {
    const unusedKeys = (why: UnusedKey) => new Map([['waiting', why]])
    const token = tokenOf(CLAIMS, { header: { kid: 'waiting' } })
    for (const keys of [keysOf(KEY), new Map()]) {
      await assertHints(token, ['keys-not-pinned'], { keys, unusedKeys: unusedKeys('not-pinned') })
      await assertHints(token, ['keys-unconfirmed'], { keys, unusedKeys: unusedKeys('unconfirmed') })
    }
    await assertHints(token, ['kid-unknown'])
    await assertHints(VALID, [], { unusedKeys: unusedKeys('not-pinned') })
  })

  it('gives a hint for a token without kid, even when there is only one key', async () => {
    const text = await assertHints(tokenOf(CLAIMS, { header: { kid: undefined } }), ['kid-missing'])
    assert.match(text, /put "kid" into the header, one of "RSA-first"/)
    await assertHints(tokenOf(CLAIMS, { header: { kid: '' } }), ['kid-missing'])
    await assertHints(VALID, [])
  })

  it('gives a hint for a signer without keys', async () => {
    await assertHints(VALID, ['no-keys'], { keys: new Map() })
    await assertHints(VALID, [], { keys: keysOf(KEY) })
  })

  it('gives a hint for an algorithm that the key does not allow', async () => {
    const text = await assertHints(tokenOf(CLAIMS, { header: { alg: 'ES256' } }), ['algorithm-not-fitting'])
    assert.match(text, /alg is "ES256", the key "RSA-first" of the signer "corp" is for RS256, .*PS512/)
    await assertHints(tokenOf(CLAIMS, { alg: 'PS384' }), [])
  })

  it('gives a hint for a token signed with a shared secret, and none for its key', async () => {
    const secret = tokenOf(CLAIMS, { alg: 'HS256', sign: () => Buffer.alloc(32, 7) })
    const text = await assertHints(secret, ['algorithm-symmetric'])
    assert.match(text, /alg is "HS256".*RS256 or ES256/)
    await assertHints(tokenOf(CLAIMS, { alg: 'HS512', header: { kid: 'hmac' }, sign: () => Buffer.alloc(64) }), [
      'algorithm-symmetric',
    ])
    await assertHints(VALID, [])
  })

  it('gives a hint for an unsigned token', async () => {
    await assertHints(tokenOf(CLAIMS, { header: { alg: 'none' }, sign: () => Buffer.alloc(0) }), ['algorithm-none'])
    await assertHints(VALID, [])
  })

  it('distinguishes a truncated signature from one by another key', async () => {
    const cut = await assertHints(VALID.slice(0, -42), ['token-truncated'])
    assert.match(cut, /the signature has 225 of 256 bytes/)
    const other = mintKey('RSA', 'other')
    await assertHints(tokenOf(CLAIMS, { key: mintKeyFrom(other.privateKey, 'RSA', KEY.kid) }), ['signature-invalid'])
    await assertHints(VALID, [])
  })

  it('gives a hint for a certificate that is not currently valid', async () => {
    const withDates = (notAfter: string): SignerKeys =>
      new Map(
        [...keysOf(KEY)].map(([kid, key]) => [kid, { ...key, notBefore: new Date(0), notAfter: new Date(notAfter) }]),
      )
    const text = await assertHints(VALID, ['certificate-not-valid-now'], { keys: withDates('2026-01-01') })
    assert.match(text, /to 2026-01-01T00:00:00.000Z, which is not now: PATCH certPem/)
    await assertHints(VALID, [], { keys: withDates(new Date(NOW_MS).toISOString()) })
  })

  it('gives a hint for a disabled signer whose checks pass', async () => {
    await assertHints(VALID, ['signer-disabled'], { signers: [signerOf({ enabled: false })] })
    await assertHints(VALID, [], { signers: [signerOf()] })
  })
})
