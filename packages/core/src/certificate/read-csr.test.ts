import 'reflect-metadata'
import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { createPublicKey, generateKeyPairSync, webcrypto } from 'node:crypto'
import { describe, it } from 'node:test'
import {
  buildForbiddenExtensions,
  buildTestAttribute,
  makeTestCertificate,
  makeTestCsr,
  type TestCsrOptions,
  type TestKeyKind,
} from '@countersign/testkit'
import * as peculiar from '@peculiar/x509'
import fc from 'fast-check'
import { AppError } from '../app-error.ts'
import { rocaModulus, rsaKeyInfo } from '../key/rsa-keys.fixture.ts'
import { buildExtension } from './build-extensions.ts'
import * as der from './der-writer.ts'
import { OID } from './object-identifiers.ts'
import { formatPem } from './pem.ts'
import { readCsr } from './read-csr.ts'

const good = makeTestCsr()
const LABEL = 'CERTIFICATE REQUEST'
const GOOD_KINDS: readonly TestKeyKind[] = ['rsa2048', 'rsa3072', 'ec256', 'ec384', 'ec521', 'ed25519']
const hasOpenssl = spawnSync('openssl', ['version']).status === 0

describe('readCsr', () => {
  it('D24 reads only the public key of a request', () => {
    for (const kind of GOOD_KINDS) {
      const { pem, publicKey } = makeTestCsr({ kind, extensions: buildForbiddenExtensions('spiffe://x/identity/y') })
      const read = readCsr(pem)
      assert.deepEqual(Object.keys(read).toSorted(), ['publicKey', 'publicKeyInfo'])
      assert.ok(read.publicKey.equals(publicKey), kind)
      assert.deepEqual(read.publicKeyInfo, publicKey.export({ format: 'der', type: 'spki' }))
    }
  })

  it('reads the requests of an independent library', async () => {
    const algorithms = [
      { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256', publicExponent: new Uint8Array([1, 0, 1]), modulusLength: 2048 },
      { name: 'ECDSA', namedCurve: 'P-384' },
      { name: 'Ed25519' },
    ]
    for (const algorithm of algorithms) {
      const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])
      if (!('publicKey' in keys)) throw new TypeError('a pair of keys was expected')
      const request = await peculiar.Pkcs10CertificateRequestGenerator.create({
        name: 'CN=someone, O=some company',
        keys,
        signingAlgorithm: { ...algorithm, hash: 'SHA-384' },
        extensions: [new peculiar.SubjectAlternativeNameExtension([{ type: 'dns', value: 'x.example.test' }])],
      })
      const spki = Buffer.from(await webcrypto.subtle.exportKey('spki', keys.publicKey))
      assert.deepEqual(readCsr(request.toString('pem')).publicKeyInfo, spki)
    }
  })

  // Only where openssl is installed; the independent library above is always available.
  const withOpenssl = hasOpenssl ? it : () => {}
  withOpenssl('reads the requests that openssl makes, for every key', () => {
    const keys = [
      ['rsa:2048'],
      ['ec', '-pkeyopt', 'ec_paramgen_curve:P-256'],
      ['ec', '-pkeyopt', 'ec_paramgen_curve:P-384'],
      ['ec', '-pkeyopt', 'ec_paramgen_curve:P-521'],
      ['ed25519'],
    ]
    for (const key of keys) {
      const text = execFileSync(
        'openssl',
        [
          'req',
          '-new',
          '-nodes',
          '-keyout',
          '-',
          '-subj',
          '/CN=x',
          '-addext',
          'subjectAltName=DNS:a',
          '-newkey',
          ...key,
        ],
        { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] },
      )
      const pem = text.slice(text.indexOf('-----BEGIN CERTIFICATE REQUEST'))
      const keyPem = text.slice(0, text.indexOf('-----BEGIN CERTIFICATE REQUEST'))
      assert.ok(readCsr(pem).publicKey.equals(createPublicKey(keyPem)), key[0])
    }
  })

  it('J-01 refuses a signature of another request or another key', () => {
    for (const kind of ['rsa2048', 'ec256', 'ec521', 'ed25519'] as const) {
      assert.ok(readCsr(makeTestCsr({ kind }).pem))
      const flip = (bytes: Buffer, at: number) => bytes.with(at, (bytes.at(at) ?? 0) ^ 1)
      const flipped = makeTestCsr({ kind, changeSignature: (signature) => Buffer.from(flip(signature, -1)) })
      assertRefused(flipped.pem, /signature/, kind)
      const { der: request } = makeTestCsr({ kind, subject: { commonName: 'test client' } })
      const at = request.indexOf('test client')
      assertRefused(formatPem(LABEL, Buffer.from(flip(request, at))), /signature/, kind)
      const other = makeTestCsr({ kind: kind.startsWith('rsa') ? 'rsa3072' : kind })
      assertRefused(makeTestCsr({ kind, signedBy: other.privateKey }).pem, /signature/, kind)
      assertRefused(makeTestCsr({ kind, changeSignature: () => Buffer.alloc(0) }).pem, /signature/, kind)
    }
  })

  it('J-01 refuses a signature algorithm that does not match the key', () => {
    const ec = makeTestCsr({ kind: 'ec256' })
    assertRefused(makeTestCsr({ kind: 'ed25519', signedBy: ec.privateKey }).pem, /signature/)
    assertRefused(makeTestCsr({ kind: 'rsa2048', signedBy: ec.privateKey }).pem, /signature/)
  })

  it('J-05 refuses a malformed request, and ignores everything that a certificate does not need', () => {
    const constraints = (isCa: boolean) =>
      buildExtension(OID.basicConstraints, der.sequence(...(isCa ? [der.boolean(true)] : [])), true)
    const ask = (...extensions: Buffer[]) => buildTestAttribute(OID.extensionRequest, der.sequence(...extensions))
    const challenge = buildTestAttribute('1.2.840.113549.1.9.7', der.printableString('secret'))
    const refused: Record<string, [TestCsrOptions, RegExp]> = {
      'two extensionRequest attributes': [
        { rawAttributes: [ask(constraints(false)), ask(constraints(true))] },
        /twice/,
      ],
      'two values of extensionRequest': [
        {
          rawAttributes: [
            buildTestAttribute(OID.extensionRequest, der.sequence(constraints(false)), der.sequence(constraints(true))),
          ],
        },
        /more elements/,
      ],
      'two basicConstraints': [{ rawAttributes: [ask(constraints(false), constraints(true))] }, /twice/],
      'no element in an attribute': [{ rawAttributes: [buildTestAttribute(OID.extensionRequest)] }, /no value/],
      'an attribute without values': [{ rawAttributes: [der.sequence(der.oid(OID.extensionRequest))] }, /missing/],
      'an attribute that is none': [{ rawAttributes: [der.integer(5)] }, /more elements/],
      'version 1': [{ version: 1 }, /version/],
      'version 2': [{ version: 2 }, /version/],
      'version 256': [{ version: 256 }, /version/],
      'the challenge twice': [{ rawAttributes: [challenge, challenge] }, /twice/],
    }
    for (const [title, [options, reason]] of Object.entries(refused)) {
      assertRefused(makeTestCsr(options).pem, reason, title)
    }
    for (const rawAttributes of [[], [challenge], [ask(constraints(true))], [challenge, ask(constraints(true))]]) {
      assert.ok(readCsr(makeTestCsr({ rawAttributes, version: 0 }).pem))
    }
  })

  it('J-06 refuses weak and unsupported keys with a reason', () => {
    const kinds: [TestKeyKind, RegExp][] = [
      ['rsa1024', /2048 to 8192 bits/],
      ['rsaExponent3', /exponent/],
      ['rsaPss', /RSA-PSS/],
      ['ec224', /P-224/],
      ['secp256k1', /secp256k1/],
      ['ecExplicit', /explicit parameters/],
      ['dsa', /DSA/],
      ['ed448', /Ed448/],
    ]
    for (const [kind, reason] of kinds) assertRefused(makeTestCsr({ kind }).pem, reason, kind)
    for (const namedCurve of ['prime192v1', 'brainpoolP256r1']) {
      assertRefused(
        makeTestCsr({ keyPair: generateKeyPairSync('ec', { namedCurve }) }).pem,
        /not supported/,
        namedCurve,
      )
    }
    const modulus = 2n ** 2047n + 1n
    const x25519 = generateKeyPairSync('x25519').publicKey.export({ format: 'der', type: 'spki' })
    const foreign: [Buffer, RegExp][] = [
      [rsaKeyInfo(2n ** 16383n + 1n, 65537n), /2048 to 8192 bits/],
      [rsaKeyInfo(modulus, 1n), /exponent/],
      [rsaKeyInfo(modulus + 1n, 65537n), /even/],
      [x25519, /X25519/],
    ]
    for (const [rawPublicKeyInfo, reason] of foreign) assertRefused(makeTestCsr({ rawPublicKeyInfo }).pem, reason)
    // The counterpart of the forged ones has a valid key, and only an invalid signature.
    assertRefused(makeTestCsr({ rawPublicKeyInfo: rsaKeyInfo(modulus, 65537n) }).pem, /signature/)
    for (const kind of GOOD_KINDS) assert.ok(readCsr(makeTestCsr({ kind }).pem), kind)
  })

  it('J-07 refuses valid signatures with broken hashes', () => {
    assertRefused(makeTestCsr({ kind: 'rsa2048', hash: 'sha1' }).pem, /RSA-SHA1/)
    assertRefused(makeTestCsr({ kind: 'rsa2048', hash: 'md5' }).pem, /RSA-MD5/)
    assertRefused(makeTestCsr({ kind: 'ec256', hash: 'sha1' }).pem, /ECDSA-SHA1/)
    const md4 = der.sequence(der.oid('1.2.840.113549.1.1.3'), der.nullValue())
    assertRefused(makeTestCsr({ kind: 'rsa2048', rawSignatureAlgorithm: md4 }).pem, /RSA-MD4/)
    for (const hash of ['sha256', 'sha384', 'sha512'] as const) {
      assert.ok(readCsr(makeTestCsr({ kind: 'rsa2048', hash }).pem))
      assert.ok(readCsr(makeTestCsr({ kind: 'ec256', hash }).pem))
    }
  })

  it('J-08 refuses a key of the flawed generator of CVE-2017-15361', () => {
    assertRefused(makeTestCsr({ rawPublicKeyInfo: rsaKeyInfo(rocaModulus(), 65537n) }).pem, /ROCA/)
    assertRefused(makeTestCsr({ rawPublicKeyInfo: rsaKeyInfo(rocaModulus() + 2n, 65537n) }).pem, /signature/)
  })

  it('J-10 accepts one request with either label and any line endings, and nothing around it', () => {
    const { pem } = good
    const body = pem.split('\n').slice(1, -2).join('')
    const accepted = [
      pem.trimEnd(),
      pem.replaceAll('\n', '\r\n'),
      ` \t\r\n${pem}\n`,
      formatPem('NEW CERTIFICATE REQUEST', good.der),
      `-----BEGIN ${LABEL}-----\n${body}\n-----END ${LABEL}-----`,
    ]
    for (const text of accepted) assert.ok(readCsr(text).publicKey.equals(good.publicKey))
    const certificate = makeTestCertificate().pem
    const key = good.privateKey.export({ format: 'pem', type: 'pkcs8' }).toString()
    const refused: Record<string, [string, RegExp]> = {
      'two requests': [pem + makeTestCsr().pem, /more than one/],
      'the same request twice': [pem + pem, /more than one/],
      'request and certificate': [pem + certificate, /certificate; send only/],
      certificate: [certificate, /certificate; send only/],
      'request under the label of a certificate': [formatPem('CERTIFICATE', good.der), /certificate; send/],
      'private key and request': [key + pem, /private key/],
      'public key': [good.publicKey.export({ format: 'pem', type: 'spki' }).toString(), /public key/],
      'text before': [`subject=CN\n${pem}`, /nothing but white space/],
      'text after': [`${pem}x`, /nothing but white space/],
      'byte order mark': [`\ufeff${pem}`, /nothing but white space/],
      'no line breaks': [pem.replaceAll('\n', ''), /strict base64/],
      'labels that differ': [pem.replace('END CERT', 'END NEW CERT'), /strict base64/],
      'header lines': [pem.replace('-----\n', '-----\nProc-Type: 4\n\n'), /strict base64/],
      'base64 only': [body, /not a certificate request in PEM form/],
      'DER as text': [good.der.toString('latin1'), /not a certificate request in PEM form/],
      'no body': [`-----BEGIN ${LABEL}-----\n-----END ${LABEL}-----\n`, /strict base64/],
    }
    for (const [title, [text, reason]] of Object.entries(refused)) {
      assertRefused(text, /could not decode csrPem as PEM/, title)
      assertRefused(text, reason, title)
    }
  })

  it('J-11 refuses every non-canonical encoding of a request', () => {
    const ask = buildTestAttribute(OID.extensionRequest, der.sequence())
    const challenge = buildTestAttribute('1.2.840.113549.1.9.7', der.printableString('a longer secret'))
    const both = makeTestCsr({ rawAttributes: [ask, challenge] })
    assert.ok(readCsr(both.pem))
    const refused: Record<string, [Buffer, RegExp]> = {
      'a byte after the end': [Buffer.concat([good.der, Buffer.from([0])]), /after the end/],
      'two requests in one block': [Buffer.concat([good.der, good.der]), /after the end/],
      'indefinite length': [
        Buffer.concat([Buffer.from([0x30, 0x80]), contentOf(good.der), Buffer.from([0, 0])]),
        /length/,
      ],
      'a longer length than needed': [withLongLength(good.der), /length/],
      'a padded version': [withInfo('020100', '02020000'), /badly encoded/],
    }
    for (const [title, [bytes, reason]] of Object.entries(refused)) {
      assertRefused(formatPem(LABEL, bytes), reason, title)
    }
    const swapped = makeTestCsr({
      changeInfo: (info) => {
        const without = contentOf(info).subarray(0, -2)
        return der.sequence(without, der.explicitTag(0, ...[ask, challenge].toSorted(Buffer.compare).reverse()))
      },
    })
    assertRefused(swapped.pem, /sorted/)
    const trailing = makeTestCsr({ changeInfo: (info) => der.sequence(contentOf(info), der.nullValue()) })
    assertRefused(trailing.pem, /more elements/)
  })

  it('J-12 quickly refuses deep nesting and overflowing object identifiers', () => {
    let deep = der.nullValue()
    for (let level = 0; level < 1000; level++) deep = der.sequence(deep)
    const arcs = der.element(0x06, Buffer.concat([Buffer.from([0x2a]), Buffer.alloc(2000, 0xff), Buffer.from([1])]))
    const hostile = [
      makeTestCsr({ rawSubject: deep }),
      makeTestCsr({ rawAttributes: [der.sequence(der.oid('1.2.3'), der.setOf(deep))] }),
      makeTestCsr({ rawSubject: der.sequence(der.setOf(der.sequence(arcs, der.utf8String('x')))) }),
      makeTestCsr({ rawAttributes: [der.sequence(arcs, der.setOf(der.nullValue()))] }),
    ]
    const times = hostile.map(({ pem }) => {
      const start = performance.now()
      assertRefused(pem, /nested too deeply|badly encoded/)
      return performance.now() - start
    })
    assert.ok(Math.min(...times) < 20, `${times}`)
  })

  it('J-13 J-03 refuses a value that is not text or empty, and more than 16 KiB as too large', () => {
    for (const value of ['', undefined, null, 5, {}, [good.pem]]) {
      assertRefused(value as string, /must not be null or empty/)
    }
    const padded = good.pem + ' '.repeat(16_384 - good.pem.length)
    assert.ok(readCsr(padded))
    const names = der.sequence(...Array.from({ length: 10_000 }, (_, i) => der.implicitTag(2, Buffer.from(`h${i}`))))
    const many = makeTestCsr({ extensions: [buildExtension(OID.subjectAltName, names)] }).pem
    for (const text of [`${padded} `, many, 'x'.repeat(1_048_576), 'é'.repeat(8_193)]) {
      assert.equal(refusalOf(text).code, 'REQUEST_ENTITY_TOO_LARGE')
    }
  })

  it('J-23 refuses an empty extended key usage', () => {
    const usage = (...ids: string[]) => {
      const value = der.sequence(...ids.map(der.oid))
      return makeTestCsr({ extensions: [buildExtension(OID.extendedKeyUsage, value)] }).pem
    }
    assertRefused(usage(), /extended key usage is empty/)
    assert.ok(readCsr(usage(OID.clientAuth)))
    const odd = [der.nullValue(), der.sequence(der.nullValue()), Buffer.alloc(0), Buffer.from([0x30, 0x80])]
    for (const value of odd) {
      assertRefused(makeTestCsr({ extensions: [buildExtension(OID.extendedKeyUsage, value)] }).pem, /not a valid/)
    }
  })

  it('D36 errors never repeat any of the text', () => {
    const key = good.privateKey.export({ format: 'pem', type: 'pkcs8' }).toString()
    const body = good.pem.slice(60, 120)
    for (const text of [key + good.pem, `secret-words\n${good.pem}`, good.pem.replace('MI', 'MJ')]) {
      const error = refusalOf(text)
      const shown = JSON.stringify([error.message, error.publicCause, String(error.cause)])
      assert.ok(!shown.includes('secret-words') && !shown.includes(body) && !shown.includes(key.slice(28, 44)))
    }
  })

  it('refuses every mutation of a request, because every byte is signed or part of the signature', () => {
    const sources = [good.der, makeTestCsr({ kind: 'ed25519' }).der, makeTestCsr({ kind: 'rsa2048' }).der]
    fc.assert(
      fc.property(fc.constantFrom(...sources), fc.nat(), fc.integer({ min: 1, max: 255 }), (source, at, mask) => {
        const index = at % source.length
        const mutated = Buffer.from(source.with(index, (source[index] ?? 0) ^ mask))
        assert.equal(refusalOf(formatPem(LABEL, mutated)).code, 'COULD_NOT_PROCESS_CSR')
      }),
      { numRuns: 1000 },
    )
  })
})

function refusalOf(pem: string): AppError {
  try {
    readCsr(pem)
  } catch (error) {
    if (error instanceof AppError) return error
    throw error
  }
  throw new assert.AssertionError({ message: 'the request was accepted' })
}

function assertRefused(pem: string, reason: RegExp, title?: string): void {
  const error = refusalOf(pem)
  assert.equal(error.code, 'COULD_NOT_PROCESS_CSR', title)
  assert.match(JSON.stringify(error.publicCause), reason, title)
}

/** The content of a sequence whose length takes one, two or three octets. */
function contentOf(bytes: Buffer): Buffer {
  const first = bytes[1] ?? 0
  return bytes.subarray(first < 0x80 ? 2 : 2 + (first & 0x7f))
}

/** The same sequence with a non-minimal length. */
function withLongLength(bytes: Buffer): Buffer {
  const content = contentOf(bytes)
  return Buffer.concat([Buffer.from([0x30, 0x83, 0, content.length >> 8, content.length & 0xff]), content])
}

/** A request with a part of the signed bytes replaced, and correct lengths. */
function withInfo(from: string, to: string): Buffer {
  return makeTestCsr({
    changeInfo: (info) => der.sequence(Buffer.from(contentOf(info).toString('hex').replace(from, to), 'hex')),
  }).der
}
