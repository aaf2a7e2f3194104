import assert from 'node:assert/strict'
import { createHash, createPublicKey, generateKeyPairSync } from 'node:crypto'
import { test } from 'node:test'
import { makeTestCertificate, mintKey } from '@countersign/testkit'
import fc from 'fast-check'
import { KeySetError, readKeySet } from './key-set.ts'
import { buildSignerKey } from './signer-key.ts'

const FUZZ_RUNS = 2000
const RSA = mintKey('RSA')
const P256 = mintKey('P-256')
const OTHER = mintKey('P-256', 'other')
const ED = mintKey('Ed25519')

/** Parses bytes, as in production: objects of the strict reader have no prototype. */
const read = (...keys: unknown[]) => readKeySet(Buffer.from(JSON.stringify({ keys })))
const kids = (...keys: unknown[]): string[] => [...read(...keys).keys.keys()]
const base64url = (value: bigint): string => {
  const hex = value.toString(16)
  return Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, 'hex').toString('base64url')
}

/** Asserts that the entry is ignored with a warning, and the valid one beside it is kept. */
function assertIgnored(entry: unknown, label = JSON.stringify(entry)?.slice(0, 80)): void {
  const { keys, warnings } = read(entry, P256.jwk)
  assert.deepEqual([...keys.keys()], [P256.kid], label)
  assert.equal(warnings.length, 1, label)
}

test('a number that is too large to be exact does not affect the keys', () => {
  const other = JSON.stringify(OTHER.jwk).replace('{', '{"nbf":12345678901234567890,')
  const { keys, warnings } = readKeySet(
    Buffer.from(`{"ver":12345678901234567890,"keys":[${JSON.stringify(P256.jwk)},${other}]}`),
  )
  assert.deepEqual([[...keys.keys()], warnings], [[P256.kid, OTHER.kid], []])
})

test('reads keys of every kind with their algorithms', () => {
  const all = [RSA, P256, mintKey('P-384'), mintKey('P-521'), ED]
  const { keys, warnings, exposesSecrets } = readKeySet(
    Buffer.from(JSON.stringify({ keys: all.map(({ jwk }) => jwk), other: 1 })),
  )
  assert.deepEqual(
    [...keys.values()].map(({ kid, algs }) => [kid, algs.join(' ')]),
    [
      [RSA.kid, 'RS256 RS384 RS512 PS256 PS384 PS512'],
      [P256.kid, 'ES256'],
      ['P-384-first', 'ES384'],
      ['P-521-first', 'ES512'],
      [ED.kid, 'EdDSA'],
    ],
  )
  for (const key of all) assert.ok(keys.get(key.kid)?.keyObject.equals(key.publicKey))
  assert.deepEqual([warnings, exposesSecrets], [[], false])
})

test('computes the thumbprint of RFC 7638', () => {
  const n =
    '0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1L6tSoc_BJECPebWKRXjBZCiFV4n3oknjhMstn64tZ_2W-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-65YGjQR0_FDW2QvzqY368QQMicAtaSqzs8KJZgnYb9c7d0zgdAZHzu6qMQvRL5hajrn1n91CbOpbISD08qNLyrdkt-bFTWhAI4vMQFh6WeZu0fM4lFd2NcRwr3XPksINHaQ-G_xBniIqbw0Ls1jF44-csFCur-kEgU8awapJzKnqDKgw'
  // Not through a key set: the private half of this key is in RFC 7517, so it is not admitted.
  const published = createPublicKey({ key: { kty: 'RSA', n, e: 'AQAB' }, format: 'jwk' })
  assert.equal(buildSignerKey('2011-04-29', published, 'RSA').thumbprint, 'NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs')
  const jwk = P256.jwk
  const canonical = `{"crv":"P-256","kty":"EC","x":"${jwk.x}","y":"${jwk.y}"}`
  assert.equal(read(jwk).keys.get(P256.kid)?.thumbprint, createHash('sha256').update(canonical).digest('base64url'))
})

test('F-11 an unusable key does not affect nine usable ones', () => {
  const usable = Array.from({ length: 9 }, (_, index) => ({ ...P256.jwk, kid: `k${index}` }))
  for (const broken of [null, 1, [], {}, { kty: 'RSA' }, { ...RSA.jwk, n: '!' }, { ...P256.jwk, x: 'AA' }]) {
    const { keys, warnings } = read(...usable.slice(0, 4), broken, ...usable.slice(4))
    assert.equal(keys.size, 9)
    assert.equal(warnings.length, 1)
    assert.match(warnings[0] ?? '', /^key 5/)
  }
})

test('G-18 refuses a document that is not a JWKS', () => {
  assert.equal(readKeySet(Buffer.from('{"keys":[]}')).keys.size, 0)
  assert.equal(readKeySet(Buffer.from('{"keys":[null]}')).warnings.length, 1)
  const texts = [
    '',
    '{',
    '[]',
    'null',
    '"keys"',
    '{}',
    '{"keys":{}}',
    '{"keys":null}',
    '{"keys":"x"}',
    '{"keys":[],"keys":[]}',
    '\ufeff{"keys":[]}',
    '<html>',
    `{"keys":${'['.repeat(5000)}`,
    `{"keys":[],"x":${'[['.repeat(10)}${']]'.repeat(10)}}`,
    JSON.stringify([P256.jwk]),
    JSON.stringify(P256.jwk),
  ]
  for (const text of texts) assert.throws(() => readKeySet(Buffer.from(text)), KeySetError, text.slice(0, 40))
})

test('G-19 refuses a set of more than a hundred keys', () => {
  const set = (count: number) => Array.from({ length: count }, (_, index) => ({ ...P256.jwk, kid: `k${index}` }))
  assert.equal(read(...set(100)).keys.size, 100)
  assert.throws(() => read(...set(101)), KeySetError)
  assert.throws(() => readKeySet(Buffer.from(`{"keys":[${Array(100_000).fill('{}').join(',')}]}`)), KeySetError)
})

test('G-20 with the same kid, equal keys are merged and different keys are both refused', () => {
  const twice = read(P256.jwk, P256.jwk)
  assert.deepEqual([[...twice.keys.keys()], twice.warnings], [[P256.kid], []])
  const conflict = read({ ...P256.jwk, kid: 'k' }, ED.jwk, { ...OTHER.jwk, kid: 'k' }, { ...P256.jwk, kid: 'k' })
  assert.deepEqual([...conflict.keys.keys()], [ED.kid])
  assert.equal(conflict.warnings.length, 2)
  assert.deepEqual(kids({ ...P256.jwk, kid: 'k' }, { ...OTHER.jwk, kid: 'k', use: 'enc' }), ['k'])
  const algs = read({ ...RSA.jwk, alg: 'RS256' }, { ...RSA.jwk, alg: 'PS256' }).keys.get(RSA.kid)
  assert.deepEqual([algs?.algs, algs?.alg], [['RS256', 'PS256'], undefined])
})

test('G-21 ignores symmetric keys and published private keys, and reports the exposed secret', () => {
  assert.equal(read(P256.jwk).exposesSecrets, false)
  const secrets = [
    { kty: 'oct', kid: 'k', k: 'c2VjcmV0' },
    { kty: 'oct', kid: 'k' },
    { ...RSA.jwk, k: 'c2VjcmV0' },
    ...['d', 'p', 'q', 'dp', 'dq', 'qi'].map((name) => ({ ...RSA.jwk, kid: 'k', [name]: 'AQAB' })),
    { ...RSA.jwk, kid: 'k', oth: [] },
    { ...OTHER.privateKey.export({ format: 'jwk' }), kid: 'k' },
    { ...ED.privateKey.export({ format: 'jwk' }), kid: 'k' },
  ]
  for (const secret of secrets) {
    assertIgnored(secret)
    assert.equal(read(secret, P256.jwk).exposesSecrets, true)
  }
  assert.deepEqual(kids({ ...RSA.jwk, d: null }), [RSA.kid])
})

test('G-22 respects use and key_ops', () => {
  const key = OTHER.jwk
  for (const members of [
    { use: 'sig' },
    { use: undefined },
    { use: null },
    { key_ops: ['verify'] },
    { key_ops: ['sign', 'verify'] },
    { use: 'sig', key_ops: ['verify'] },
  ]) {
    assert.deepEqual(kids({ ...key, ...members }), [OTHER.kid])
  }
  for (const members of [
    { use: 'SIG' },
    { use: ['sig'] },
    { use: 1 },
    { key_ops: ['encrypt'] },
    { key_ops: ['sign'] },
    { key_ops: [] },
    { key_ops: 'verify' },
    { use: 'enc', key_ops: ['verify'] },
    { use: 'sig', key_ops: ['encrypt'] },
    { use: 'sig', key_ops: ['verify', 'encrypt'] },
    { key_ops: ['verify', 1] },
  ]) {
    assertIgnored({ ...key, ...members })
  }
})

test('G-22 an encryption key, as Keycloak publishes it, is ignored without a warning', () => {
  const encryption = { ...RSA.jwk, kid: 'enc', use: 'enc', alg: 'RSA-OAEP' }
  const { keys, warnings, notForSignatures } = read(encryption, { ...OTHER.jwk, use: 'sig' })
  assert.deepEqual([[...keys.keys()], warnings], [[OTHER.kid], []])
  assert.deepEqual([notForSignatures.length, read(OTHER.jwk).notForSignatures.length], [1, 0])
  assert.equal(read({ ...encryption, use: 'sig' }, OTHER.jwk).warnings.length, 1)
  assert.equal(read({ ...encryption, d: 'AQAB' }).exposesSecrets, true)
})

test('G-23 A-06 a JWK without alg may be used with every algorithm of its kind, one with alg only with that', () => {
  assert.deepEqual(read({ ...RSA.jwk, alg: 'PS384' }).keys.get(RSA.kid)?.algs, ['PS384'])
  assert.equal(read(RSA.jwk).keys.get(RSA.kid)?.algs.length, 6)
  assert.equal(read({ ...RSA.jwk, alg: null }).keys.get(RSA.kid)?.algs.length, 6)
  for (const alg of ['RSA-OAEP', 'HS256', 'none', 'ES256', 'EdDSA', 'rs256', '', 7, ['RS256'], '__proto__'])
    assertIgnored({ ...RSA.jwk, alg })
  assertIgnored({ ...OTHER.jwk, alg: 'ES384' })
})

test('G-24 refuses weak RSA keys', () => {
  const modulus = BigInt(`0x${Buffer.from(String(RSA.jwk.n), 'base64url').toString('hex')}`)
  const rsa = (n: bigint, e: bigint) => ({ kty: 'RSA', kid: 'k', n: base64url(n), e: base64url(e) })
  for (const e of [65537n, 65539n, 2n ** 32n - 1n]) assert.deepEqual(kids(rsa(modulus, e)), ['k'])
  for (const e of [0n, 1n, 2n, 3n, 17n, 65536n, 65538n, 2n ** 32n + 1n, 2n ** 64n + 1n]) assertIgnored(rsa(modulus, e))
  assertIgnored(rsa(modulus - 1n, 65537n))
  assertIgnored(rsa(2n ** 8192n + 1n, 65537n))
  assertIgnored(rsa(2n ** 2046n + 1n, 65537n))
  for (const modulusLength of [512, 1024]) {
    const { publicKey } = generateKeyPairSync('rsa', { modulusLength })
    assertIgnored({ ...publicKey.export({ format: 'jwk' }), kid: 'k' })
  }
  // The flawed generator of CVE-2017-15361 can produce n = 1 modulo all primes of the test.
  const product = [
    2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89, 97, 101, 103, 107, 109,
    113, 127, 131, 137, 139, 149, 151, 157, 163, 167,
  ].reduce((all, prime) => all * BigInt(prime), 1n)
  assertIgnored(rsa((2n ** 2047n / product + 12345n) * product + 1n, 65537n))
})

test('G-25 refuses EC keys that are not a point on their curve', () => {
  const p384 = mintKey('P-384').jwk
  const zero = Buffer.alloc(32).toString('base64url')
  assert.deepEqual(kids(OTHER.jwk), [OTHER.kid])
  const bad = [
    { x: OTHER.jwk.y, y: OTHER.jwk.x },
    { x: P256.jwk.x },
    { x: zero, y: zero },
    { crv: 'P-384' },
    { crv: 'P-521' },
    { crv: 'secp256k1' },
    { crv: 'P-224' },
    { crv: '__proto__' },
    { crv: ['P-256'] },
    { crv: {} },
    { crv: undefined },
    { x: undefined },
    { y: undefined },
    { x: '' },
    { x: 7 },
    { x: `${OTHER.jwk.x}=` },
    { x: `${OTHER.jwk.x}AA` },
    { x: Buffer.alloc(31, 1).toString('base64url') },
    { x: p384.x, y: p384.y },
    { x: p384.x, y: p384.y, crv: 'P-521' },
    { x: Buffer.concat([Buffer.alloc(1), Buffer.from(String(OTHER.jwk.x), 'base64url')]).toString('base64url') },
    { kty: 'ec' },
    { kty: 'OKP' },
    { kty: ['EC'] },
    { kty: {} },
  ]
  for (const members of bad) assertIgnored({ ...OTHER.jwk, ...members })
  const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'secp256k1' })
  assertIgnored({ ...publicKey.export({ format: 'jwk' }), kid: 'k' })
})

test('G-26 A-06 refuses Ed25519 points of low order or in a non-canonical form, and other OKP keys', () => {
  assert.deepEqual(kids(ED.jwk), [ED.kid])
  const encodings = [
    '0100000000000000000000000000000000000000000000000000000000000000',
    '0100000000000000000000000000000000000000000000000000000000000080',
    'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
    'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff',
    '0000000000000000000000000000000000000000000000000000000000000000',
    '0000000000000000000000000000000000000000000000000000000000000080',
    '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
    '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85',
    'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
    'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa',
    'edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
    'edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff',
    'eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
    'eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff',
  ]
  for (const encoding of encodings)
    assertIgnored({ kty: 'OKP', crv: 'Ed25519', kid: 'k', x: Buffer.from(encoding, 'hex').toString('base64url') })
  for (const type of ['x25519', 'ed448', 'x448'] as const) {
    const { publicKey } =
      type === 'x25519'
        ? generateKeyPairSync('x25519')
        : type === 'ed448'
          ? generateKeyPairSync('ed448')
          : generateKeyPairSync('x448')
    assertIgnored({ ...publicKey.export({ format: 'jwk' }), kid: 'k' })
  }
})

/** A self-signed P-256 certificate that expired in 2020. Its private key was discarded. */
const EXPIRED_CERTIFICATE =
  'MIIBZDCCAQugAwIBAgIBATAKBggqhkjOPQQDAjASMRAwDgYDVQQDDAdleHBpcmVkMB4XDTE5MDEwMTAwMDAwMFoXDTIwMDEwMTAwMDAwMFowEjEQMA4GA1UEAwwHZXhwaXJlZDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABOU2rdoJCtjuoQrG7QbYqCs0VKGPyVyyhSIMctzaL8ZoNn2wZSOopRYjlLzDhhkRZYr5UvzzZkyWFyp9C8lf5f2jUjBQMAkGA1UdEwQCMAAwHQYDVR0OBBYEFLLYzdRpvoGMDvywfSwNoU7xFHP5MCQGA1UdIwQdMBuhFqQUMBIxEDAOBgNVBAMMB2V4cGlyZWSCAQEwCgYIKoZIzj0EAwIDRwAwRAIgdrJ0bJ7Mm2a/EnV4/0jtt7b69M3QVfX+uvWCuhP5IkICIHQ82fNkmJpAWN+c20gW3icD42KAZu0P24y/Meq/wrAx'

test('M-28 a certificate with a curve of its own is not parsed, and the key is used without it', () => {
  const x5c = [makeTestCertificate({ kind: 'ecExplicit' }).der.toString('base64')]
  // Cut off in its signature.
  const broken = makeTestCertificate().der.subarray(0, -1)
  broken.writeUInt16BE(broken.length - 4, 2)
  for (const bad of [x5c, [broken.toString('base64')]]) {
    const { keys, warnings } = read({ ...OTHER.jwk, x5c: bad })
    assert.deepEqual([keys.size, warnings.length], [1, 1])
  }
  assert.equal(read(OTHER.jwk).warnings.length, 0)
})

test('W-80 an entry with only kid and x5c has the key and the dates of the certificate', () => {
  const key = read({ kid: 'k', x5c: [EXPIRED_CERTIFICATE] }).keys.get('k') ?? assert.fail()
  assert.ok(key.notAfter && key.notAfter.getTime() < Date.now(), 'an expired certificate verifies nothing')
  assert.equal(key.x5c, EXPIRED_CERTIFICATE)
  assert.deepEqual(kids({ kid: 'k', alg: 'ES256', x5c: [EXPIRED_CERTIFICATE] }), ['k'])
  for (const entry of [
    { kid: 'k', x5c: [] },
    { kid: 'k', x5c: [7] },
    { kid: 'k', x5c: ['AAAA'] },
    { kid: 'k', alg: 'RS256', x5c: [EXPIRED_CERTIFICATE] },
    { kid: 'k', alg: 7, x5c: [EXPIRED_CERTIFICATE] },
    { x5c: [EXPIRED_CERTIFICATE] },
  ]) {
    assertIgnored(entry)
  }
})

test('G-27 refuses a key whose x5c has another key, and ignores the dates of x5c', () => {
  const ofCertificate = createPublicKey(
    `-----BEGIN CERTIFICATE-----\n${EXPIRED_CERTIFICATE}\n-----END CERTIFICATE-----`,
  )
  const same = { ...ofCertificate.export({ format: 'jwk' }), kid: 'k' }
  assert.deepEqual(kids({ ...same, x5c: [EXPIRED_CERTIFICATE] }), ['k'])
  assert.deepEqual(read({ ...same, x5c: [EXPIRED_CERTIFICATE] }).keys.get('k')?.notAfter, undefined)
  assertIgnored({ ...OTHER.jwk, x5c: [EXPIRED_CERTIFICATE] })
  assertIgnored({ ...RSA.jwk, x5c: [EXPIRED_CERTIFICATE] })
  for (const x5c of [['AAAA'], [7], 'x', [''], {}]) {
    const { keys, warnings } = read({ ...same, x5c })
    assert.equal(keys.size, 1)
    assert.equal(warnings.length, 1)
  }
  assert.deepEqual(read({ ...same, x5c: [] }).warnings, [])
  assertIgnored({ kid: 'k', kty: 'EC', crv: 'P-256', x5c: [EXPIRED_CERTIFICATE] })
})

test('F-12 accepts any text as kid, and refuses a missing or endless kid', () => {
  const texts = ['../x', '"', "'", '\0', '\n', '🔑', '__proto__', 'constructor', 'k'.repeat(4096)]
  for (const kid of texts) assert.deepEqual(kids({ ...OTHER.jwk, kid }), [kid])
  for (const kid of [undefined, null, '', 7, ['k'], {}, 'k'.repeat(4097)]) assertIgnored({ ...OTHER.jwk, kid })
  const [warning = ''] = read({ kty: 'x', kid: `a\nb"${'k'.repeat(500)}` }).warnings
  assert.ok(warning.length < 200 && !warning.includes('\n'))
})

test('no document makes the reader throw, and valid keys in it are always found', () => {
  const names = ['kty', 'kid', 'use', 'key_ops', 'alg', 'n', 'e', 'crv', 'x', 'y', 'd', 'k', 'x5c', '__proto__']
  const likely = ['RSA', 'EC', 'OKP', 'oct', 'P-256', 'Ed25519', 'sig', 'AQAB', String(RSA.jwk.n), String(ED.jwk.x)]
  const plain = fc.oneof(fc.constantFrom(...likely, null, true, 7, 1.5), fc.string())
  const value = fc.oneof(plain, fc.array(plain, { maxLength: 2 }), fc.dictionary(fc.string(), plain, { maxKeys: 2 }))
  const entry = fc.oneof(fc.dictionary(fc.constantFrom(...names), value), value)
  fc.assert(
    fc.property(fc.array(entry, { maxLength: 5 }), (entries) => {
      assert.ok(read(...entries, { ...P256.jwk, kid: 'the valid key' }).keys.has('the valid key'))
    }),
    { numRuns: FUZZ_RUNS },
  )
})

test('no bytes make the reader throw anything except its own error', () => {
  const text = Buffer.from(JSON.stringify({ keys: [P256.jwk, ED.jwk] }))
  fc.assert(
    fc.property(fc.nat(text.length - 1), fc.uint8Array({ maxLength: 4 }), (at, bytes) => {
      try {
        readKeySet(Buffer.concat([text.subarray(0, at), bytes, text.subarray(at + bytes.length)]))
      } catch (error) {
        assert.ok(error instanceof KeySetError, String(error))
      }
    }),
    { numRuns: FUZZ_RUNS },
  )
})
