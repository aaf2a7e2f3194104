import assert from 'node:assert/strict'
import { createHash, X509Certificate } from 'node:crypto'
import { describe, it } from 'node:test'
import {
  getTestKeyPair,
  makeTestCertificate,
  type TestCertificateOptions,
  type TestKeyKind,
} from '@countersign/testkit'
import fc from 'fast-check'
import { AppError } from '../app-error.ts'
import { rsaKeyInfo } from '../key/rsa-keys.fixture.ts'
import * as der from './der-writer.ts'
import { formatPem } from './pem.ts'
import { readSignerCertificate } from './read-certificate.ts'

const good = makeTestCertificate({ kind: 'rsa2048', commonName: 'good signer' })
const goodEc = makeTestCertificate({ kind: 'ec256' })
const body = good.pem.split('\n').slice(1, -2).join('')

describe('readSignerCertificate', () => {
  it('reads the same values as node:crypto', () => {
    const read = readSignerCertificate(good.pem)
    assert.equal(read.commonName, 'good signer')
    assert.equal(read.keyKind, 'RSA')
    assert.equal(read.signatureAlgorithm, 'RSA-SHA256')
    assert.ok(read.der.equals(good.der))
    assertAgrees(good.der, good.pem)
  })

  it('reads every kind of key that is admitted', () => {
    const kinds = { rsa3072: 'RSA', ec256: 'P-256', ec384: 'P-384', ec521: 'P-521', ed25519: 'Ed25519' } as const
    for (const [kind, keyKind] of Object.entries(kinds)) {
      const { pem } = makeTestCertificate({ kind: kind as TestKeyKind })
      assert.equal(readSignerCertificate(pem).keyKind, keyKind)
    }
  })

  it('H-01 reads certificates outside their validity period, which is checked at use', () => {
    const old = makeTestCertificate({ notBefore: new Date('1999-01-01'), notAfter: new Date('2000-01-01') })
    assert.equal(readSignerCertificate(old.pem).notAfter.toISOString(), '2000-01-01T00:00:00.000Z')
    const far = makeTestCertificate({ notBefore: new Date('2050-01-01'), notAfter: new Date('9999-12-31T23:59:59Z') })
    assert.equal(readSignerCertificate(far.pem).notBefore.toISOString(), '2050-01-01T00:00:00.000Z')
    const never = makeTestCertificate({ notBefore: new Date('2030-01-02'), notAfter: new Date('2030-01-01') })
    assertRefused(never.pem, /ends before it begins/)
  })

  it('H-03 accepts one certificate with any line endings and white space around it', () => {
    const forms = [
      good.pem.trimEnd(),
      good.pem.replaceAll('\n', '\r\n'),
      `\n\r\n \t${good.pem}\n\n`,
      `-----BEGIN CERTIFICATE-----\n${body}\n-----END CERTIFICATE-----`,
    ]
    for (const pem of forms) assert.ok(readSignerCertificate(pem).der.equals(good.der))
  })

  it('H-03 refuses a certPem that is not exactly one certificate', () => {
    const key = good.privateKey.export({ format: 'pem', type: 'pkcs8' }).toString()
    const refused: Record<string, [string, RegExp]> = {
      'two certificates': [good.pem + goodEc.pem, /more than one/],
      'the same certificate twice': [good.pem + good.pem, /more than one/],
      'certificate and private key': [good.pem + key, /private key/],
      'private key and certificate': [key + good.pem, /private key/],
      'key only': [key, /private key/],
      'PKCS#1 key only': [good.privateKey.export({ format: 'pem', type: 'pkcs1' }).toString(), /private key/],
      'public key only': [good.publicKey.export({ format: 'pem', type: 'spki' }).toString(), /public key/],
      CSR: [formatPem('CERTIFICATE REQUEST', good.der), /certificate request/],
      'new CSR': [formatPem('NEW CERTIFICATE REQUEST', good.der), /certificate request/],
      'trusted certificate': [formatPem('TRUSTED CERTIFICATE', good.der), /TRUSTED/],
      'X509 label': [formatPem('X509 CERTIFICATE', good.der), /one CERTIFICATE block/],
      'text before': [`subject=CN\n${good.pem}`, /nothing but white space/],
      'text after': [`${good.pem}x`, /nothing but white space/],
      'byte order mark': [`\ufeff${good.pem}`, /nothing but white space/],
      'header lines': [good.pem.replace('-----\n', '-----\nProc-Type: 4\n\n'), /strict base64/],
      'no end': [good.pem.slice(0, -30), /strict base64/],
      'no line breaks': [good.pem.replaceAll('\n', ''), /strict base64/],
      'other end': [good.pem.replace('END CERTIFICATE', 'END CERTIFICATES'), /strict base64/],
      'base64 only': [body, /not a certificate/],
      'DER as text': [good.der.toString('latin1'), /not a certificate/],
      empty: ['', /not a certificate/],
      'no body': ['-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----\n', /strict base64/],
      'only the begin line': ['-----BEGIN CERTIFICATE-----', /strict base64/],
      'a space in the base64': [good.pem.replace('MII', 'MI I'), /strict base64/],
      'base64url letters': [
        formatPem('CERTIFICATE', good.der).replaceAll('/', '_').replaceAll('+', '-'),
        /strict base64/,
      ],
      'padding too much': [wrap(`${body.replaceAll('=', '')}====`), /strict base64/],
    }
    for (const [title, [pem, reason]] of Object.entries(refused)) assertRefused(pem, reason, title)
    assert.ok(readSignerCertificate(good.pem))
  })

  it('H-03 refuses spare bits in the last character, and bytes after the certificate', () => {
    const twoSpareBits = wrapToRemainder(2)
    assert.ok(readSignerCertificate(twoSpareBits))
    const sloppy = twoSpareBits.replace(/(.)=\n/, (_, last: string) => `${nextCharacter(last)}=\n`)
    assert.notEqual(sloppy, twoSpareBits)
    assertRefused(sloppy, /strict base64/)
    assertRefused(formatPem('CERTIFICATE', Buffer.concat([good.der, Buffer.from([0])])), /after the end/)
    assertRefused(formatPem('CERTIFICATE', Buffer.concat([good.der, good.der])), /after the end/)
  })

  it('H-03 errors never repeat any of the text', () => {
    const key = good.privateKey.export({ format: 'pem', type: 'pkcs8' }).toString()
    for (const pem of [key + good.pem, `secret-words ${good.pem}`, `${body}\n${good.pem}`]) {
      const error = refusalOf(pem)
      assert.deepEqual(error.publicCause && { ...error.publicCause, reason: '' }, {
        field: 'certPem',
        reason: '',
        value: '',
      })
      const shown = JSON.stringify([error.message, error.publicCause, String(error.cause)])
      assert.ok(
        !shown.includes('secret-words') && !shown.includes(body.slice(0, 16)) && !shown.includes(key.slice(28, 44)),
      )
    }
  })

  it('H-03 accepts 64 KiB of text and not one character more', () => {
    const padded = good.pem + ' '.repeat(65_536 - good.pem.length)
    assert.ok(readSignerCertificate(padded))
    assertRefused(`${padded} `, /64 KiB/)
  })

  it('H-04 refuses weak and unsupported keys with a reason', () => {
    const refused: [TestKeyKind, RegExp][] = [
      ['rsa1024', /2048 to 8192 bits/],
      ['rsaExponent3', /exponent/],
      ['rsaPss', /RSA-PSS/],
      ['ec224', /P-224/],
      ['secp256k1', /secp256k1/],
      ['ecExplicit', /explicit parameters/],
      ['dsa', /DSA/],
      ['ed448', /Ed448/],
    ]
    for (const [kind, reason] of refused) assertRefused(makeTestCertificate({ kind }).pem, reason, kind)
    assertRefused(makeTestCertificate({ rawPublicKeyInfo: rsaKeyInfo(2n ** 2047n + 1n, 1n) }).pem, /exponent/)
    assert.ok(
      readSignerCertificate(makeTestCertificate({ rawPublicKeyInfo: rsaKeyInfo(2n ** 2047n + 1n, 65537n) }).pem),
    )
  })

  it('H-04 refuses MD5 always, and SHA-1 in self-signed certificates', () => {
    const authority = makeTestCertificate({ kind: 'rsa2048', commonName: 'authority' })
    const sha1 = (options: TestCertificateOptions) =>
      makeTestCertificate({ kind: 'rsa2048', hash: 'sha1', ...options }).pem
    assertRefused(sha1({}), /SHA1/)
    assertRefused(makeTestCertificate({ kind: 'ec256', hash: 'sha1' }).pem, /SHA1/)
    assert.equal(readSignerCertificate(sha1({ issuer: authority })).signatureAlgorithm, 'RSA-SHA1')
    assertRefused(makeTestCertificate({ kind: 'rsa2048', hash: 'md5' }).pem, /MD5/)
    assertRefused(makeTestCertificate({ kind: 'rsa2048', hash: 'md5', issuer: authority }).pem, /MD5/)
    assert.ok(readSignerCertificate(makeTestCertificate({ kind: 'rsa2048', hash: 'sha512' }).pem))
  })

  it('H-04 reads the hash of an RSA-PSS signature from its parameters, with SHA-1 as default', () => {
    const pss = (...parameters: Buffer[]) =>
      makeTestCertificate({
        kind: 'rsa2048',
        rawSignatureAlgorithm: der.sequence(der.oid('1.2.840.113549.1.1.10'), ...parameters),
      }).pem
    const withHash = (id: string) => der.sequence(der.explicitTag(0, der.sequence(der.oid(id), der.nullValue())))
    assert.equal(readSignerCertificate(pss(withHash('2.16.840.1.101.3.4.2.1'))).signatureAlgorithm, 'RSA-PSS-SHA256')
    assertRefused(pss(der.sequence()), /SHA1/)
    assertRefused(pss(), /SHA1/)
    assertRefused(pss(withHash('1.2.840.113549.2.5')), /MD5/)
    assertRefused(pss(withHash('1.2.3')), /hash of the signature is unknown/)
  })

  it('names an unknown signature algorithm by its object identifier', () => {
    const { pem } = makeTestCertificate({ rawSignatureAlgorithm: der.sequence(der.oid('1.2.3.4')) })
    assert.equal(readSignerCertificate(pem).signatureAlgorithm, '1.2.3.4')
  })

  it('H-08 refuses control characters in the subject, and accepts all other text', () => {
    for (const commonName of ['a\0b', 'a\nb', 'a\x1b[31m', 'a\x7fb', 'a\x85b', 'a\u202eb', 'a\u2028b']) {
      assertRefused(makeTestCertificate({ commonName }).pem, /control characters/, JSON.stringify(commonName))
    }
    assertRefused(makeTestCertificate({ organization: 'a\tb' }).pem, /control characters/)
    for (const commonName of ['é 漢字 😀', '<script>', '']) {
      assert.equal(readSignerCertificate(makeTestCertificate({ commonName }).pem).commonName, commonName)
    }
  })

  it('H-08 refuses names that are not text or too long', () => {
    const named = (tag: number, content: Uint8Array) => makeTestCertificate({ rawSubject: rawName(tag, content) }).pem
    assert.equal(readSignerCertificate(named(0x1e, Buffer.from('0041006f', 'hex'))).commonName, 'Ao')
    assertRefused(named(0x1e, Buffer.from('d800', 'hex')), /decoded/)
    assert.equal(readSignerCertificate(named(0x0c, Buffer.from('c3a9', 'hex'))).commonName, 'é')
    assertRefused(named(0x0c, Buffer.from('c3', 'hex')), /decoded/)
    assert.ok(readSignerCertificate(named(0x0c, Buffer.alloc(256, 0x61))))
    assertRefused(named(0x0c, Buffer.alloc(257, 0x61)), /256 characters/)
    assertRefused(named(0x0c, Buffer.alloc(65_536, 0x61)), /64 KiB/)
    assert.ok(readSignerCertificate(named(0x12, Buffer.from('42'))))
    assertRefused(named(0x04, Buffer.from('42')), /not text/)
    assertRefused(named(0x80, Buffer.from('42')), /not text/)
    assert.equal(readSignerCertificate(makeTestCertificate({ rawSubject: der.sequence() }).pem).commonName, '')
  })

  it('H-09 refuses a public key that cannot be parsed', () => {
    const info = goodEc.publicKey.export({ format: 'der', type: 'spki' })
    assert.ok(readSignerCertificate(makeTestCertificate({ rawPublicKeyInfo: info }).pem))
    const offCurve = Buffer.from(info)
    offCurve[90] = (offCurve[90] ?? 0) ^ 1
    const infinity = Buffer.from('3019301306072a8648ce3d020106082a8648ce3d03010703020000', 'hex')
    const negative = rsaKeyInfo(2n ** 2047n + 1n, 65537n, { withoutSignOctet: true })
    for (const rawPublicKeyInfo of [offCurve, infinity, negative, Buffer.from('300a300506032b6570030100', 'hex')]) {
      assertRefused(makeTestCertificate({ rawPublicKeyInfo }).pem, /key/, rawPublicKeyInfo.toString('hex'))
    }
    assertRefused(makeTestCertificate({ rawPublicKeyInfo: der.sequence() }).pem, /not a valid certificate/)
  })

  it('refuses duplicate extensions, and different signature algorithms inside and outside', () => {
    const extension = der.sequence(der.oid('2.5.29.99'), der.octetString(Buffer.alloc(2)))
    assert.ok(readSignerCertificate(makeTestCertificate({ extensions: [extension] }).pem))
    assertRefused(makeTestCertificate({ extensions: [extension, extension] }).pem, /twice/)
    const at = good.der.lastIndexOf(Buffer.from('2a864886f70d01010b', 'hex'))
    const differing = Buffer.from(good.der)
    differing[at + 8] = 0x0c
    assertRefused(formatPem('CERTIFICATE', differing), /differ/)
  })

  it('reads every mutation of a real certificate as node:crypto does, or throws INVALID_CERT_PEM', () => {
    const sources = [good.der, goodEc.der, makeTestCertificate({ kind: 'ed25519', organization: 'é' }).der]
    const change = fc.record({ at: fc.nat(), to: fc.nat(255), kind: fc.constantFrom('set', 'insert', 'delete', 'cut') })
    let accepted = 0
    fc.assert(
      fc.property(fc.constantFrom(...sources), fc.array(change, { minLength: 1, maxLength: 3 }), (source, changes) => {
        const mutated = changes.reduce(mutate, source)
        if (isReadable(formatPem('CERTIFICATE', mutated))) {
          accepted += 1
          assertAgrees(mutated, formatPem('CERTIFICATE', mutated))
        }
      }),
      { numRuns: 2000 },
    )
    assert.ok(accepted > 0, 'mutations of serials and signatures are accepted')
  })

  it('throws INVALID_CERT_PEM for any text', () => {
    const piece = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 40 }),
      fc.constantFrom('-----BEGIN CERTIFICATE-----', '-----END CERTIFICATE-----', '\n', '\r\n', ' ', 'MIIB', '=', body),
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
        isReadable(pieces.join(''))
      }),
      { numRuns: 2000 },
    )
    for (const value of [undefined, null, 5, {}, ['x']]) assertRefused(value as unknown as string, /not text/)
  })
})

function isReadable(pem: string): boolean {
  try {
    readSignerCertificate(pem)
    return true
  } catch (error) {
    if (error instanceof AppError && error.code === 'INVALID_CERT_PEM') return false
    throw error
  }
}

function refusalOf(pem: string): AppError {
  try {
    readSignerCertificate(pem)
  } catch (error) {
    if (error instanceof AppError) return error
    throw error
  }
  throw new assert.AssertionError({ message: 'the certificate was accepted' })
}

function assertRefused(pem: string, reason: RegExp, title?: string): void {
  const error = refusalOf(pem)
  assert.equal(error.code, 'INVALID_CERT_PEM', title)
  assert.match(JSON.stringify(error.publicCause), reason, title)
}

function assertAgrees(bytes: Buffer, pem: string): void {
  const ours = readSignerCertificate(pem)
  const theirs = new X509Certificate(bytes)
  assert.equal(ours.fingerprintSha1, theirs.fingerprint.replaceAll(':', '').toLowerCase())
  assert.equal(ours.fingerprintSha1, createHash('sha1').update(bytes).digest('hex'))
  assert.equal(ours.notBefore.getTime(), theirs.validFromDate.getTime())
  assert.equal(ours.notAfter.getTime(), theirs.validToDate.getTime())
  assert.ok(ours.publicKey.equals(theirs.publicKey))
}

function mutate(bytes: Buffer, { at, to, kind }: { at: number; to: number; kind: string }): Buffer {
  const index = at % Math.max(1, bytes.length)
  const before = bytes.subarray(0, index)
  const pieces: Record<string, Buffer[]> = {
    set: [before, Buffer.from([to]), bytes.subarray(index + 1)],
    insert: [before, Buffer.from([to]), bytes.subarray(index)],
    delete: [before, bytes.subarray(index + 1)],
    cut: [before],
  }
  return Buffer.concat(pieces[kind] ?? [])
}

function rawName(tag: number, content: Uint8Array): Buffer {
  return der.sequence(der.setOf(der.sequence(der.oid('2.5.4.3'), der.element(tag, content))))
}

function wrap(base64: string): string {
  return `-----BEGIN CERTIFICATE-----\n${base64}\n-----END CERTIFICATE-----\n`
}

/** A certificate whose length modulo three is `remainder`, so that its base64 ends in unused bits. */
function wrapToRemainder(remainder: number): string {
  for (let extra = 0; ; extra++) {
    const { pem, der: bytes } = makeTestCertificate({
      keyPair: getTestKeyPair('rsa2048'),
      commonName: 'x'.repeat(extra + 1),
    })
    if (bytes.length % 3 === remainder) return pem
  }
}

function nextCharacter(character: string): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
  return alphabet.charAt(alphabet.indexOf(character) + 1)
}
