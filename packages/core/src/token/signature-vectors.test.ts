import assert from 'node:assert/strict'
import { constants, createHash, createPublicKey, privateEncrypt, sign } from 'node:crypto'
import { test } from 'node:test'
import { mintKey, signBytes } from '@countersign/testkit'
import { secretDigest } from '../secret.ts'
import { readJws } from './read-jws.ts'
import { assertAccepted, assertRefused, KEY, KEYS, keysOf, NOW_MS, SIGNER, tokenWith } from './verify.fixture.ts'
import { verifySignature } from './verify-signature.ts'
import { verifyToken } from './verify-token.ts'

const RSA = mintKey('RSA')
const ED = mintKey('Ed25519')
const KEY_COUNT = 3
const ALL_KEYS = keysOf(KEY, RSA, ED)
assert.equal(ALL_KEYS.size, KEY_COUNT)

const P256_ORDER = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n
const ED25519_ORDER = 2n ** 252n + 27742317777372353535851937790883648493n
const MODULUS = BigInt(`0x${Buffer.from(String(RSA.jwk.n), 'base64url').toString('hex')}`)

const toBytes = (value: bigint, length: number): Buffer =>
  Buffer.from(value.toString(16).padStart(length * 2, '0'), 'hex')
const toBigInt = (bytes: Buffer): bigint => BigInt(`0x${bytes.toString('hex')}`)
const reversed = (bytes: Buffer): Buffer => Buffer.from(bytes).reverse()

test('T-01 refuses ECDSA signatures of trivial or oversized numbers, of other lengths, and in DER', async () => {
  await assertAccepted(tokenWith())
  const values = [0n, 1n, P256_ORDER - 1n, P256_ORDER, 2n ** 256n - 1n]
  for (const r of values) {
    for (const s of values)
      await assertRefused(
        tokenWith({}, { sign: () => Buffer.concat([toBytes(r, 32), toBytes(s, 32)]) }),
        'signature-invalid',
      )
  }
  const signValid = (input: Buffer): Buffer => signBytes('ES256', KEY.privateKey, input)
  const forms: ((input: Buffer) => Buffer)[] = [
    (input) => signValid(input).subarray(0, 63),
    (input) => Buffer.concat([signValid(input), Buffer.alloc(1)]),
    (input) => Buffer.concat([signValid(input), Buffer.alloc(6)]),
    (input) => Buffer.concat([Buffer.alloc(1), signValid(input)]),
    (input) => sign('sha256', input, { key: KEY.privateKey, dsaEncoding: 'der' }),
    (input) => {
      const both = signValid(input)
      return Buffer.concat([Buffer.alloc(1), both.subarray(0, 32), Buffer.alloc(1), both.subarray(32)])
    },
    (input) =>
      Buffer.concat([
        toBytes(toBigInt(signValid(input).subarray(0, 32)) + P256_ORDER, 33),
        signValid(input).subarray(32),
      ]),
  ]
  for (const form of forms) await assertRefused(tokenWith({}, { sign: form }), 'signature-invalid')
})

test('T-02 the negated ECDSA signature is valid too, so the digest of a token does not identify it', async () => {
  const token = tokenWith({ jti: 'one' })
  const [header, payload, signature = ''] = token.split('.')
  const bytes = Buffer.from(signature, 'base64url')
  const twin = Buffer.concat([bytes.subarray(0, 32), toBytes(P256_ORDER - toBigInt(bytes.subarray(32)), 32)])
  const first = await verifyToken(token, SIGNER, KEYS, NOW_MS)
  const other = `${header}.${payload}.${twin.toString('base64url')}`
  const second = await verifyToken(other, SIGNER, KEYS, NOW_MS)
  assert.ok(first.accepted && second.accepted)
  assert.deepEqual(first.token.claims, second.token.claims)
  assert.notEqual(secretDigest(token), secretDigest(other))
})

test('T-03 refuses Ed25519 signatures with S + L, a low-order R, or another length', async () => {
  await assertAccepted(tokenWith({}, { key: ED }), { keys: ALL_KEYS })
  const signValid = (input: Buffer): Buffer => signBytes('EdDSA', ED.privateKey, input)
  const forms: ((input: Buffer) => Buffer)[] = [
    (input) =>
      Buffer.concat([
        signValid(input).subarray(0, 32),
        reversed(toBytes(toBigInt(reversed(signValid(input).subarray(32))) + ED25519_ORDER, 32)),
      ]),
    (input) => signValid(input).subarray(0, 63),
    (input) => Buffer.concat([signValid(input), Buffer.alloc(1)]),
    () => Buffer.alloc(64),
    () => Buffer.alloc(64, 0xff),
  ]
  for (const form of forms)
    await assertRefused(tokenWith({}, { key: ED, sign: form }), 'signature-invalid', { keys: ALL_KEYS })

  // With the private scalar a, from SHA-512(seed), R = identity and S = k a satisfy the equation.
  const seed = Buffer.from(String(ED.privateKey.export({ format: 'jwk' }).d), 'base64url')
  const digest = createHash('sha512').update(seed).digest().subarray(0, 32)
  digest.writeUInt8(digest.readUInt8(0) & 248, 0)
  digest.writeUInt8((digest.readUInt8(31) & 63) | 64, 31)
  const identity = Buffer.from(`01${'00'.repeat(31)}`, 'hex')
  const forge = (input: Buffer): Buffer => {
    const challenge = createHash('sha512')
      .update(identity)
      .update(Buffer.from(String(ED.jwk.x), 'base64url'))
      .update(input)
      .digest()
    const s = (toBigInt(reversed(challenge)) * toBigInt(reversed(digest))) % ED25519_ORDER
    return Buffer.concat([identity, reversed(toBytes(s, 32))])
  }
  await assertRefused(tokenWith({}, { key: ED, sign: forge }), 'signature-invalid', { keys: ALL_KEYS })
})

const SHA256_INFO = Buffer.from('3031300d060960864801650304020105000420', 'hex')
const sha256 = (input: Buffer): Buffer => createHash('sha256').update(input).digest()
/** The RSA private operation on an unpadded block. */
const rawRsa = (block: Buffer): Buffer =>
  privateEncrypt({ key: RSA.privateKey, padding: constants.RSA_NO_PADDING }, block)
const pkcs1Block = (tail: Buffer, before = Buffer.from([0, 1]), fill = 0xff): Buffer =>
  Buffer.concat([before, Buffer.alloc(256 - before.length - 1 - tail.length, fill), Buffer.alloc(1), tail])

test('T-04 refuses every PKCS #1 v1.5 block except the exact one', async () => {
  const keys = ALL_KEYS
  await assertAccepted(
    tokenWith({}, { key: RSA, sign: (input) => rawRsa(pkcs1Block(Buffer.concat([SHA256_INFO, sha256(input)]))) }),
    { keys },
  )
  const withoutNull = Buffer.from('302f300b0609608648016503040201' + '0420', 'hex')
  const longForm = Buffer.from('308131300d060960864801650304020105000420', 'hex')
  const sha1Info = Buffer.from('3021300906052b0e03021a05000414', 'hex')
  const garbage = Buffer.alloc(100, 7)
  const blocks: ((input: Buffer) => Buffer)[] = [
    (input) => pkcs1Block(Buffer.concat([withoutNull, sha256(input)])),
    (input) => pkcs1Block(Buffer.concat([longForm, sha256(input)])),
    (input) => pkcs1Block(Buffer.concat([SHA256_INFO, sha256(input), garbage])),
    (input) => pkcs1Block(Buffer.concat([SHA256_INFO, sha256(input).subarray(1)])),
    (input) => pkcs1Block(Buffer.concat([garbage, SHA256_INFO, sha256(input)])),
    (input) => pkcs1Block(Buffer.concat([sha1Info, createHash('sha1').update(input).digest()])),
    (input) => pkcs1Block(sha256(input)),
    (input) => pkcs1Block(Buffer.concat([SHA256_INFO, sha256(input)]), Buffer.from([0, 2])),
    (input) => pkcs1Block(Buffer.concat([SHA256_INFO, sha256(input)]), Buffer.from([0, 0])),
    (input) => pkcs1Block(Buffer.concat([SHA256_INFO, sha256(input)]), Buffer.from([0, 1]), 0xfe),
    (input) => Buffer.concat([Buffer.from([0, 1, 0xff, 0]), SHA256_INFO, sha256(input), Buffer.alloc(256 - 55)]),
  ]
  for (const block of blocks)
    await assertRefused(tokenWith({}, { key: RSA, sign: (input) => rawRsa(block(input)) }), 'signature-invalid', {
      keys,
    })
})

/** EMSA-PSS of RFC 8017 for a 2048-bit key, with any hash and mask hash. */
function pssBlock(input: Buffer, salt: Buffer, maskHash: string): Buffer {
  const h = createHash('sha256').update(Buffer.alloc(8)).update(sha256(input)).update(salt).digest()
  const data = Buffer.concat([Buffer.alloc(256 - 32 - salt.length - 2), Buffer.from([1]), salt])
  const mask = Buffer.concat(
    Array.from({ length: 16 }, (_, counter) =>
      createHash(maskHash)
        .update(h)
        .update(toBytes(BigInt(counter), 4))
        .digest(),
    ),
  )
  const masked = Buffer.from(data.map((byte, index) => byte ^ (mask[index] ?? 0)))
  masked.writeUInt8(masked.readUInt8(0) & 0x7f, 0)
  return Buffer.concat([masked, h, Buffer.from([0xbc])])
}

test('T-05 refuses PSS with another salt length, mask or padding', async () => {
  const keys = ALL_KEYS
  const pss =
    (salt: number, maskHash = 'sha256') =>
    (input: Buffer): Buffer =>
      rawRsa(pssBlock(input, Buffer.alloc(salt, 5), maskHash))
  await assertAccepted(tokenWith({}, { key: RSA, alg: 'PS256', sign: pss(32) }), { keys })
  for (const salt of [0, 1, 20, 31, 33, 64, 222])
    await assertRefused(tokenWith({}, { key: RSA, alg: 'PS256', sign: pss(salt) }), 'signature-invalid', { keys })
  await assertRefused(tokenWith({}, { key: RSA, alg: 'PS256', sign: pss(32, 'sha1') }), 'signature-invalid', { keys })
  await assertRefused(tokenWith({}, { key: RSA, alg: 'RS256', sign: pss(32) }), 'signature-invalid', { keys })
  await assertRefused(tokenWith({}, { key: RSA, alg: 'PS384', sign: pss(32) }), 'signature-invalid', { keys })
})

test('T-06 refuses RSA signatures that are trivial, unreduced, padded or short', async () => {
  const keys = ALL_KEYS
  const signValid = (input: Buffer): Buffer => signBytes('RS256', RSA.privateKey, input)
  await assertAccepted(tokenWith({}, { key: RSA, sign: signValid }), { keys })
  const forms: ((input: Buffer) => Buffer)[] = [
    ...[0n, 1n, MODULUS - 1n, MODULUS].map((value) => () => toBytes(value, 256)),
    (input) => toBytes(toBigInt(signValid(input)) + MODULUS, 257),
    (input) => Buffer.concat([Buffer.alloc(1), signValid(input)]),
    (input) => Buffer.concat([signValid(input), Buffer.alloc(1)]),
    (input) => signValid(input).subarray(0, 255),
    (input) => signValid(input).subarray(1),
    (input) => reversed(signValid(input)),
    () => Buffer.alloc(1),
  ]
  for (const alg of ['RS256', 'PS256'] as const) {
    for (const form of forms)
      await assertRefused(tokenWith({}, { key: RSA, alg, sign: form }), 'signature-invalid', { keys })
  }
})

test('O-01 twenty thousand verifications of garbage each return a verdict', async () => {
  const tokens = [KEY, RSA, ED].flatMap((key) => [
    tokenWith({}, { key, sign: () => Buffer.alloc(64, 1) }),
    tokenWith({}, { key, sign: () => Buffer.alloc(256, 1) }),
    tokenWith({}, { key, header: { alg: 'ES256' }, sign: () => Buffer.alloc(64) }),
    tokenWith({}, { key, header: { alg: 'PS512' }, sign: () => Buffer.alloc(256, 0xff) }),
    `${tokenWith({}, { key }).slice(0, -4)}AAAA`,
  ])
  const rounds = Math.ceil(20_000 / tokens.length)
  let refused = 0
  for (let round = 0; round < rounds; round += 1) {
    const verdicts = await Promise.all(tokens.map((token) => verifyToken(token, SIGNER, ALL_KEYS, NOW_MS)))
    refused += verdicts.filter(({ accepted }) => !accepted).length
  }
  assert.equal(refused, rounds * tokens.length)
  await assertAccepted(tokenWith())
})

test('a key that does not match its algorithms returns false instead of throwing', async () => {
  const reading = readJws(tokenWith())
  assert.ok(reading.ok)
  const key = KEYS.get(KEY.kid)
  assert.ok(key)
  assert.equal(await verifySignature(reading.jws, key), true)
  assert.equal(await verifySignature(reading.jws, { ...key, keyObject: ED.publicKey }), false)
  assert.equal(await verifySignature(reading.jws, { ...key, keyObject: createPublicKey(RSA.privateKey) }), false)
  assert.equal(await verifySignature(reading.jws, { ...key, algs: ['ES384'] }), false)
  assert.equal(await verifySignature(reading.jws, { ...key, algs: [] }), false)
})
