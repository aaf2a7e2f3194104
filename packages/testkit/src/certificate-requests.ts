import type { KeyObject } from 'node:crypto'
import { buildExtension, buildName, type DistinguishedName, der, formatPem, OID } from '@countersign/core'
import {
  buildSignatureAlgorithm,
  createTestKeyPair,
  getTestKeyPair,
  isSlow,
  signBytes,
  type TestHash,
  type TestKeyKind,
  type TestKeyPair,
} from './certificates.ts'

/** What to put into a certificate request; every member may be left out, and the raw ones take any bytes. */
export interface TestCsrOptions {
  readonly kind?: TestKeyKind
  /** Instead of a key pair of `kind`. */
  readonly keyPair?: TestKeyPair
  readonly subject?: DistinguishedName
  readonly hash?: TestHash
  readonly version?: number
  /** What the request asks to have in the certificate, see `buildExtension` of core. */
  readonly extensions?: readonly Uint8Array[]
  /** Signed by this key instead of its own. */
  readonly signedBy?: KeyObject
  /** The encoded name, in place of `subject`. */
  readonly rawSubject?: Uint8Array
  readonly rawPublicKeyInfo?: Uint8Array
  readonly rawSignatureAlgorithm?: Uint8Array
  /** Encoded attributes in place of the one that carries `extensions`; they are put in order. */
  readonly rawAttributes?: readonly Uint8Array[]
  /** Has the last say over what is signed. */
  readonly changeInfo?: (info: Buffer) => Buffer
  readonly changeSignature?: (signature: Buffer) => Buffer
  readonly label?: string
}

export interface TestCsr extends TestKeyPair {
  readonly pem: string
  readonly der: Buffer
}

/** A certificate request (PKCS #10), valid for a fresh EC P-256 key when nothing else is asked for. */
export function makeTestCsr(options: TestCsrOptions = {}): TestCsr {
  const { kind = 'ec256', subject = { commonName: 'test client' }, hash = 'sha256', extensions = [] } = options
  const keyPair = options.keyPair ?? (isSlow(kind) ? getTestKeyPair(kind) : createTestKeyPair(kind))
  const attributes =
    options.rawAttributes ??
    (extensions.length === 0 ? [] : [buildTestAttribute(OID.extensionRequest, der.sequence(...extensions))])
  const built = der.sequence(
    der.integer(options.version ?? 0),
    options.rawSubject ?? buildName(subject),
    options.rawPublicKeyInfo ?? keyPair.publicKey.export({ format: 'der', type: 'spki' }),
    der.explicitTag(0, ...attributes.toSorted(Buffer.compare)),
  )
  const info = options.changeInfo?.(built) ?? built
  const key = options.signedBy ?? keyPair.privateKey
  const signature = signBytes(info, key, hash)
  const request = der.sequence(
    info,
    options.rawSignatureAlgorithm ?? buildSignatureAlgorithm(key, hash),
    der.bitString(options.changeSignature?.(signature) ?? signature),
  )
  const pem = formatPem(options.label ?? 'CERTIFICATE REQUEST', request)
  return { publicKey: keyPair.publicKey, privateKey: keyPair.privateKey, pem, der: request }
}

/** One attribute of a request around its already encoded values. */
export function buildTestAttribute(id: string, ...values: readonly Uint8Array[]): Buffer {
  return der.sequence(der.oid(id), der.setOf(...values))
}

/** Extensions that nobody may get: a CA, signing of certificates, every usage, and other people's names. */
export function buildGreedyExtensions(spiffeUri: string): Buffer[] {
  return [
    buildExtension(OID.basicConstraints, der.sequence(der.boolean(true), der.integer(5)), true),
    buildExtension(OID.keyUsage, der.namedBits([0, 5, 6]), true),
    buildExtension(OID.extendedKeyUsage, der.sequence(der.oid('2.5.29.37.0'), der.oid('1.3.6.1.5.5.7.3.3'))),
    buildExtension(
      OID.subjectAltName,
      der.sequence(
        der.implicitTag(1, Buffer.from('admin@example.test')),
        der.implicitTag(2, Buffer.from('controller.example.test')),
        der.implicitTag(6, Buffer.from(spiffeUri)),
        der.implicitTag(7, Buffer.from([127, 0, 0, 1])),
        der.explicitTag(0, der.oid('1.3.6.1.4.1.311.20.2.3'), der.explicitTag(0, der.utf8String('admin@corp'))),
      ),
    ),
    buildExtension('2.5.29.30', der.sequence(der.explicitTag(0)), true),
    buildExtension('1.3.6.1.5.5.7.1.1', der.sequence()),
    buildExtension('1.2.3.4.5', der.nullValue(), true),
  ]
}
