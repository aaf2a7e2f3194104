import assert from 'node:assert/strict'
import { generateKeyPairSync, type JsonWebKey } from 'node:crypto'
import { test } from 'node:test'
import { findPasskeyKeyFault, PASSKEY_ALGORITHM_IDS } from './passkey-key.ts'

const bytes = (text = '') => new Uint8Array(Buffer.from(text, 'base64url'))

const p256 = (): JsonWebKey => generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'jwk' })
const ed25519 = (): JsonWebKey => generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' })
const rsa = (modulusLength: number): JsonWebKey =>
  generateKeyPairSync('rsa', { modulusLength }).publicKey.export({ format: 'jwk' })

const es256 = ({ x, y }: JsonWebKey): [number, unknown][] => [
  [1, 2],
  [3, -7],
  [-1, 1],
  [-2, bytes(x)],
  [-3, bytes(y)],
]
const rs256 = ({ n, e }: JsonWebKey): [number, unknown][] => [
  [1, 3],
  [3, -257],
  [-1, bytes(n)],
  [-2, bytes(e)],
]
const eddsa = (x: Uint8Array): [number, unknown][] => [
  [1, 1],
  [3, -8],
  [-1, 6],
  [-2, x],
]

test('admits keys of ES256, RS256 and EdDSA', () => {
  for (const key of [es256(p256()), rs256(rsa(2048)), eddsa(bytes(ed25519().x))]) {
    assert.equal(findPasskeyKeyFault(new Map(key)), undefined)
  }
  assert.deepEqual(PASSKEY_ALGORITHM_IDS, [-8, -7, -257])
})

test('refuses keys that verify forgeries, short keys and other algorithms', () => {
  const [otherAlgorithm, noAlgorithm] = [new Map(es256(p256())), new Map(es256(p256()))]
  otherAlgorithm.set(3, -35)
  noAlgorithm.delete(3)
  const offCurve = new Map(es256(p256())).set(-3, new Uint8Array(32).fill(1))
  const noNumber = new Map(es256(p256())).set(-2, 'text')
  const cases: [string, ReadonlyMap<number, unknown>][] = [
    ['ES384', otherAlgorithm],
    ['no algorithm', noAlgorithm],
    ['a point that is not on the curve', offCurve],
    ['a missing number', noNumber],
    ['RSA with 1024 bits', new Map(rs256(rsa(1024)))],
    ['RSA with e = 1', new Map(rs256({ ...rsa(2048), e: 'AQ' }))],
    ['a point of low order', new Map(eddsa(new Uint8Array(32)))],
  ]
  for (const [name, key] of cases) assert.equal(typeof findPasskeyKeyFault(key), 'string', name)
})
