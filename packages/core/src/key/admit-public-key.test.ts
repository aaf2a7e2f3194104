import assert from 'node:assert/strict'
import { createPublicKey, generateKeyPairSync, type JsonWebKey, type KeyObject } from 'node:crypto'
import { describe, it } from 'node:test'
import { admitPublicKey } from './admit-public-key.ts'
import { rocaModulus } from './rsa-keys.fixture.ts'

const P25519 = 2n ** 255n - 19n
const ORDER_8_Y = 0x05fc536d880238b13933c6d305acdfd5f098eff289f4c345b027b2c28f95e826n

const validRsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey
const validModulus = toBigInt(validRsa.export({ format: 'jwk' }).n)

describe('admitPublicKey', () => {
  it('admits the five kinds of key and names them', () => {
    const kinds = [
      [validRsa, 'RSA'],
      [generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey, 'P-256'],
      [generateKeyPairSync('ec', { namedCurve: 'P-384' }).publicKey, 'P-384'],
      [generateKeyPairSync('ec', { namedCurve: 'P-521' }).publicKey, 'P-521'],
      [generateKeyPairSync('ed25519').publicKey, 'Ed25519'],
    ] as const
    for (const [key, kind] of kinds) assert.deepEqual(admitPublicKey(key), { ok: true, kind })
  })

  it('G-24 refuses RSA keys with an invalid size, exponent or modulus', () => {
    assert.ok(admitPublicKey(rsaKey(validModulus, 65537n)).ok, 'the valid counterpart of every refusal below')
    assert.ok(admitPublicKey(rsaKey(2n ** 8191n + 1n, 65537n)).ok, '8192 bits are allowed')
    assert.ok(admitPublicKey(rsaKey(validModulus, 2n ** 32n - 1n)).ok, 'the largest exponent')
    const refused: Record<string, [bigint, bigint, RegExp]> = {
      '2047 bits': [validModulus >> 1n, 65537n, /2048 to 8192 bits/],
      '512 bits': [2n ** 511n + 1n, 65537n, /2048 to 8192 bits/],
      '8193 bits': [2n ** 8192n + 1n, 65537n, /2048 to 8192 bits/],
      '20001 bits': [2n ** 20000n + 1n, 65537n, /2048 to 8192 bits/],
      'e = 0': [validModulus, 0n, /exponent/],
      'e = 1': [validModulus, 1n, /exponent/],
      'e = 3': [validModulus, 3n, /exponent/],
      'even e': [validModulus, 65538n, /exponent/],
      'e > 2^32': [validModulus, 2n ** 32n + 1n, /exponent/],
      'even modulus': [validModulus + 1n, 65537n, /even/],
    }
    for (const [title, [n, e, reason]] of Object.entries(refused)) assertRefused(rsaKey(n, e), reason, title)
  })

  it('G-24 refuses a modulus with the ROCA fingerprint, and admits its odd neighbour', () => {
    const modulus = rocaModulus()
    assertRefused(rsaKey(modulus, 65537n), /CVE-2017-15361/)
    assert.ok(admitPublicKey(rsaKey(modulus + 2n, 65537n)).ok)
  })

  it('G-25 the import refuses EC points that are not on the curve', () => {
    const valid = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'jwk' })
    assert.ok(admitPublicKey(createPublicKey({ key: valid, format: 'jwk' })).ok)
    const y = Buffer.from(valid.y ?? '', 'base64url')
    y.writeUInt8((y.at(-1) ?? 0) ^ 1, y.length - 1)
    const zero = Buffer.alloc(32).toString('base64url')
    const refused: JsonWebKey[] = [
      { ...valid, y: y.toString('base64url') },
      { ...valid, x: zero, y: zero },
      { ...valid, x: Buffer.alloc(31, 1).toString('base64url') },
      { ...valid, crv: 'P-384' },
    ]
    for (const key of refused) assert.throws(() => createPublicKey({ key, format: 'jwk' }))
  })

  it('G-25 refuses the point at infinity, compressed points, explicit parameters and other curves', () => {
    const named = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey
    const point = named.export({ format: 'der', type: 'spki' }).subarray(-65)
    const compressed = Buffer.concat([Buffer.from([2 + ((point[64] ?? 0) & 1)]), point.subarray(1, 33)])
    assert.ok(
      admitPublicKey(spkiKey(`3059301306072a8648ce3d020106082a8648ce3d030107034200${point.toString('hex')}`)).ok,
    )
    assertRefused(spkiKey('3019301306072a8648ce3d020106082a8648ce3d03010703020000'), /cannot be read/)
    assertRefused(
      spkiKey(`3039301306072a8648ce3d020106082a8648ce3d030107032200${compressed.toString('hex')}`),
      /uncompressed point/,
    )
    const explicit = generateKeyPairSync('ec', { namedCurve: 'P-256', paramEncoding: 'explicit' }).publicKey
    assertRefused(explicit, /named curve/)
    for (const namedCurve of ['secp256k1', 'secp224r1', 'brainpoolP256r1']) {
      assertRefused(generateKeyPairSync('ec', { namedCurve }).publicKey, /curve .* is not supported/, namedCurve)
    }
  })

  it('G-26 refuses all fourteen low-order and non-canonical encodings of Ed25519 points of low order', () => {
    const ys = [0n, 1n, P25519 - 1n, ORDER_8_Y, P25519 - ORDER_8_Y, P25519, P25519 + 1n]
    const encodings = new Set(ys.flatMap((y) => [y, y | (1n << 255n)]))
    assert.equal(encodings.size, 14)
    for (const encoding of encodings) assertRefused(ed25519Key(encoding), /Ed25519 point/, encoding.toString(16))
  })

  it('refuses Ed25519 points that are not on the curve or not canonical', () => {
    assertRefused(ed25519Key(2n), /not on the curve/)
    assert.ok(admitPublicKey(ed25519Key(3n)).ok, 'y = 3 is on the curve')
    assertRefused(ed25519Key(P25519 + 3n), /canonical/)
  })

  it('refuses every other type of key with a reason', () => {
    const others = [
      generateKeyPairSync('rsa-pss', { modulusLength: 2048 }).publicKey,
      generateKeyPairSync('dsa', { modulusLength: 1024, divisorLength: 160 }).publicKey,
      generateKeyPairSync('ed448').publicKey,
      generateKeyPairSync('x25519').publicKey,
      generateKeyPairSync('x448').publicKey,
    ]
    for (const key of others) assertRefused(key, /type .* not supported/, key.asymmetricKeyType)
    assertRefused(generateKeyPairSync('ed25519').privateKey, /private key/)
  })
})

function assertRefused(key: KeyObject, reason: RegExp, title?: string): void {
  const admission = admitPublicKey(key)
  assert.ok(!admission.ok, title)
  assert.match(admission.reason, reason, title)
}

function rsaKey(n: bigint, e: bigint): KeyObject {
  return createPublicKey({ key: { kty: 'RSA', n: toBase64url(n), e: toBase64url(e) }, format: 'jwk' })
}

function ed25519Key(encoding: bigint): KeyObject {
  const x = Buffer.from(encoding.toString(16).padStart(64, '0'), 'hex').reverse().toString('base64url')
  return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' })
}

function spkiKey(hex: string): KeyObject {
  return createPublicKey({ key: Buffer.from(hex, 'hex'), format: 'der', type: 'spki' })
}

function toBase64url(value: bigint): string {
  const hex = value.toString(16)
  return Buffer.from(hex.length % 2 ? `0${hex}` : hex, 'hex').toString('base64url')
}

function toBigInt(base64url: string | undefined): bigint {
  return BigInt(`0x${Buffer.from(base64url ?? '', 'base64url').toString('hex')}`)
}
