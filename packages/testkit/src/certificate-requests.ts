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

/** The contents of a certificate request. Every member is optional; the raw ones take arbitrary bytes. */
export interface TestCsrOptions {
  readonly kind?: TestKeyKind
  /** Instead of a key pair of `kind`. */
  readonly keyPair?: TestKeyPair
  readonly subject?: DistinguishedName
  readonly hash?: TestHash
  readonly version?: number
  /** The requested extensions, encoded by `buildExtension` of core. */
  readonly extensions?: readonly Uint8Array[]
  /** Used for the signature in place of the request's own key. */
  readonly signedBy?: KeyObject
  /** The encoded name, in place of `subject`. */
  readonly rawSubject?: Uint8Array
  readonly rawPublicKeyInfo?: Uint8Array
  readonly rawSignatureAlgorithm?: Uint8Array
  /** Encoded attributes in place of the one that carries `extensions`; they are sorted. */
  readonly rawAttributes?: readonly Uint8Array[]
  /** Changes the request info just before it is signed. */
  readonly changeInfo?: (info: Buffer) => Buffer
  readonly changeSignature?: (signature: Buffer) => Buffer
  readonly label?: string
}

export interface TestCsr extends TestKeyPair {
  readonly pem: string
  readonly der: Buffer
}

/** Returns a certificate request (PKCS #10). By default it is valid and has a fresh EC P-256 key. */
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

/** Builds one attribute of a request from its encoded values. */
export function buildTestAttribute(id: string, ...values: readonly Uint8Array[]): Buffer {
  return der.sequence(der.oid(id), der.setOf(...values))
}

/** Extensions that no client may get: a CA, certificate signing, every usage, and names of others. */
export function buildForbiddenExtensions(spiffeUri: string): Buffer[] {
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
