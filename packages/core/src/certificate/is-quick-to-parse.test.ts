import assert from 'node:assert/strict'
import { createECDH, ECDH } from 'node:crypto'
import { test } from 'node:test'
import { makeTestCertificate, type TestKeyKind } from '@countersign/testkit'
import * as der from './der-writer.ts'
import { isQuickToParse } from './is-quick-to-parse.ts'

const certificateOf = (kind: TestKeyKind): Buffer => makeTestCertificate({ kind }).der

const EC = '1.2.840.10045.2.1'
const CURVES = {
  prime256v1: '1.2.840.10045.3.1.7',
  secp384r1: '1.3.132.0.34',
  secp521r1: '1.3.132.0.35',
  secp224r1: '1.3.132.0.33',
} as const

/** A certificate whose point on a curve has this form. */
function withPoint(curve: keyof typeof CURVES, form: 'compressed' | 'uncompressed' | 'hybrid'): Buffer {
  const ecdh = createECDH(curve)
  const point = ECDH.convertKey(ecdh.generateKeys(), curve, undefined, undefined, form) as Buffer
  const parameters = der.oid(CURVES[curve])
  const rawPublicKeyInfo = der.sequence(der.sequence(der.oid(EC), parameters), der.bitString(point))
  return makeTestCertificate({ rawPublicKeyInfo }).der
}

test('M-28 keys that TLS uses are quick to parse', () => {
  for (const kind of ['rsa2048', 'rsaPss', 'ec256', 'ec384', 'ec521', 'ec224', 'ed25519', 'ed448'] as const) {
    assert.ok(isQuickToParse(certificateOf(kind)), kind)
  }
})

test('M-28 a curve of the sender’s own is not, and neither are algorithms that TLS does not use', () => {
  for (const kind of ['ecExplicit', 'dsa'] as const) assert.ok(!isQuickToParse(certificateOf(kind)), kind)
})

test('M-28 a point is compressed only on curves where that is quick', () => {
  for (const curve of ['prime256v1', 'secp384r1', 'secp521r1'] as const) {
    assert.ok(isQuickToParse(withPoint(curve, 'compressed')), curve)
  }
  assert.ok(!isQuickToParse(withPoint('secp224r1', 'compressed')))
  assert.ok(isQuickToParse(withPoint('secp224r1', 'uncompressed')))
  assert.ok(!isQuickToParse(withPoint('prime256v1', 'hybrid')))
})

test('M-28 a certificate of version 1 has its key one element earlier', () => {
  const certificate = certificateOf('ec256')
  const afterVersion = certificate.subarray(certificate.indexOf(Buffer.from([0xa0, 3, 2, 1, 2])) + 5)
  assert.ok(isQuickToParse(der.sequence(der.sequence(afterVersion))))
})

test('M-28 a long tag, which OpenSSL reads as a short one, does not move the key', () => {
  const { publicKey } = makeTestCertificate({ kind: 'ed25519' })
  const quick = publicKey.export({ format: 'der', type: 'spki' })
  const slow = makeTestCertificate({ kind: 'ecExplicit' }).publicKey.export({ format: 'der', type: 'spki' })
  const name = (text: Buffer) => der.element(0x31, der.sequence(der.oid('2.5.4.3'), der.element(0x0c, text)))
  const content = name(Buffer.concat([Buffer.from('AAAA'), der.nullValue(), der.nullValue(), quick]))
  const tbs = (issuer: Buffer, ...rest: Buffer[]) => {
    const time = der.sequence(der.time(new Date(0)), der.time(new Date(0)))
    const version = der.element(0xa0, der.integer(2))
    const algorithm = der.sequence(der.oid('1.2.840.10045.4.3.2'))
    return der.sequence(der.sequence(version, der.integer(1), algorithm, issuer, time, der.sequence(), ...rest))
  }
  const length = Buffer.from([content.length])
  assert.ok(!isQuickToParse(tbs(Buffer.concat([Buffer.from([0x3f, 0x10]), length, content]), slow)))
  assert.ok(isQuickToParse(tbs(der.sequence(content), quick)))
})

test('M-28 what is no certificate is not', () => {
  const certificate = certificateOf('ec256')
  for (const length of [0, 1, 2, 4, 30, 60, 150, certificate.length - 1]) {
    assert.ok(!isQuickToParse(certificate.subarray(0, length)), String(length))
  }
  const indefinite = Buffer.from(certificate)
  indefinite[1] = 0x80
  assert.ok(!isQuickToParse(indefinite))
  const long = Buffer.from(certificate)
  long[1] = 0x85
  assert.ok(!isQuickToParse(long))
  assert.ok(!isQuickToParse(der.sequence(der.sequence())))
  const rawPublicKeyInfo = der.sequence(der.sequence(der.nullValue()), der.bitString(Buffer.alloc(1)))
  assert.ok(!isQuickToParse(makeTestCertificate({ rawPublicKeyInfo }).der), 'no algorithm')
})
