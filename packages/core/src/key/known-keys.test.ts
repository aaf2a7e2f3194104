import assert from 'node:assert/strict'
import { createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { describe, it } from 'node:test'
import { admitPublicKey } from './admit-public-key.ts'
import { readKeySet } from './key-set.ts'
import { DEBIAN_WEAK_KEY, PUBLISHED_KEYS } from './known-keys.fixture.ts'
import { keyDigest, refuseKeys } from './known-keys.ts'
import { type RefusedKeys, readKeyBlocklist, readRefusedKeyLines } from './refused-keys.ts'

/** A new key object: admissions are cached per object. */
const again = (key: KeyObject): KeyObject => createPublicKey({ key: key.export({ format: 'jwk' }), format: 'jwk' })
const reasonFor = (key: KeyObject): string | undefined => {
  const admission = admitPublicKey(again(key))
  return admission.ok ? undefined : admission.reason
}

describe('keys whose private half is known', () => {
  it('J-08 refuses keys whose private half is published, and admits new ones of the same types', () => {
    for (const [name, key] of PUBLISHED_KEYS) assert.match(reasonFor(key) ?? '', /published/, name)
    const fresh = [
      generateKeyPairSync('rsa', { modulusLength: 2048 }),
      ...['P-256', 'P-384', 'P-521'].map((namedCurve) => generateKeyPairSync('ec', { namedCurve })),
      generateKeyPairSync('ed25519'),
    ]
    for (const { publicKey } of fresh) assert.equal(reasonFor(publicKey), undefined, publicKey.asymmetricKeyType)
  })

  it('J-08 refuses a published modulus also with another exponent, because its factors are known', () => {
    const [, rsa] = PUBLISHED_KEYS[0] ?? assert.fail()
    const jwk = { ...rsa.export({ format: 'jwk' }), e: Buffer.from([1, 0, 3]).toString('base64url') }
    assert.match(reasonFor(createPublicKey({ key: jwk, format: 'jwk' })) ?? '', /published/)
  })

  it('J-08 ignores them in the key set of a signer, with a warning', () => {
    const [, key] = PUBLISHED_KEYS[1] ?? assert.fail()
    const set = { keys: [{ ...key.export({ format: 'jwk' }), kid: 'example' }] }
    const { keys, warnings } = readKeySet(Buffer.from(JSON.stringify(set)))
    assert.equal(keys.size, 0)
    assert.match(warnings.join(), /kid "example"\): ignored, the private half of this key is published/)
  })

  const lists: Readonly<Record<string, RefusedKeys>> = {
    'lines of digests': readRefusedKeyLines(
      `# Debian, CVE-2008-0166\n\n${'f'.repeat(30)}\r\n${keyDigest(DEBIAN_WEAK_KEY).toString('hex').toUpperCase()}\n${'0'.repeat(64)}\n`,
    ),
    'a blocklist of badkeys': readKeyBlocklist(
      Buffer.concat([Buffer.alloc(16), keyDigest(DEBIAN_WEAK_KEY), Buffer.from([7]), Buffer.alloc(16, 0xff)]),
    ),
  }
  for (const [name, list] of Object.entries(lists)) {
    it(`J-08 refuses the keys of the operator's list, such as Debian's weak keys: ${name}`, (t) => {
      t.after(() => refuseKeys(undefined))
      assert.equal(reasonFor(DEBIAN_WEAK_KEY), undefined, 'unknown without the list')
      assert.equal(list.size, 3)
      refuseKeys(list)
      assert.match(reasonFor(DEBIAN_WEAK_KEY) ?? '', /keys\.refusedKeysFile/)
      assert.equal(reasonFor(generateKeyPairSync('ed25519').publicKey), undefined)
    })
  }

  it('finds every key of a long list and no other', () => {
    const digests = Array.from({ length: 1000 }, (_, index) => Buffer.from(index.toString(16).padStart(30, '0'), 'hex'))
    const list = readRefusedKeyLines(digests.map((digest) => digest.toString('hex')).join('\n'))
    for (const [index, digest] of digests.entries()) {
      assert.ok(list.has(digest))
      assert.ok(!list.has(Buffer.from((index + 1000).toString(16).padStart(30, '0'), 'hex')))
    }
    assert.ok(!readRefusedKeyLines('').has(Buffer.alloc(15)))
  })

  it('refuses invalid lists, and names the line', () => {
    for (const line of ['x', 'a'.repeat(29), 'a'.repeat(65), `${'a'.repeat(30)} comment`, 'g'.repeat(30)]) {
      assert.throws(() => readRefusedKeyLines(`${'a'.repeat(30)}\n${line}`), /^Error: line 2 /)
    }
    assert.throws(() => readKeyBlocklist(Buffer.alloc(17)), /16 bytes/)
    assert.throws(() => readKeyBlocklist(Buffer.alloc(0)), /16 bytes/)
    assert.throws(() => readKeyBlocklist(Buffer.concat([Buffer.alloc(16, 1), Buffer.alloc(16)])), /not sorted/)
  })
})
