import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import {
  buildName,
  buildTbsCertificate,
  createSerial,
  type DistinguishedName,
  der,
  formatPem,
  joinCertificate,
} from '@countersign/core'

export interface TestKeyPair {
  readonly publicKey: KeyObject
  readonly privateKey: KeyObject
}

/** Key kinds. A signer's key must be refused when its kind is `dsa` or stands at or after `rsa1024`. */
const KEY_MAKERS = {
  rsa2048: () => generateKeyPairSync('rsa', { modulusLength: 2048 }),
  rsa3072: () => generateKeyPairSync('rsa', { modulusLength: 3072 }),
  rsa4096: () => generateKeyPairSync('rsa', { modulusLength: 4096 }),
  ec256: () => generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  ec384: () => generateKeyPairSync('ec', { namedCurve: 'P-384' }),
  ec521: () => generateKeyPairSync('ec', { namedCurve: 'P-521' }),
  ed25519: () => generateKeyPairSync('ed25519'),
  rsa1024: () => generateKeyPairSync('rsa', { modulusLength: 1024 }),
  rsaExponent3: () => generateKeyPairSync('rsa', { modulusLength: 2048, publicExponent: 3 }),
  rsaPss: () => generateKeyPairSync('rsa-pss', { modulusLength: 2048 }),
  ec224: () => generateKeyPairSync('ec', { namedCurve: 'secp224r1' }),
  secp256k1: () => generateKeyPairSync('ec', { namedCurve: 'secp256k1' }),
  ecExplicit: () => generateKeyPairSync('ec', { namedCurve: 'P-256', paramEncoding: 'explicit' }),
  dsa: () => generateKeyPairSync('dsa', { modulusLength: 1024, divisorLength: 160 }),
  ed448: () => generateKeyPairSync('ed448'),
} satisfies Record<string, () => TestKeyPair>

export type TestKeyKind = keyof typeof KEY_MAKERS

export type TestHash = 'md5' | 'sha1' | 'sha256' | 'sha384' | 'sha512'

const SIGNATURE_OIDS: Readonly<Record<string, Partial<Record<TestHash, string>>>> = {
  rsa: {
    md5: '1.2.840.113549.1.1.4',
    sha1: '1.2.840.113549.1.1.5',
    sha256: '1.2.840.113549.1.1.11',
    sha384: '1.2.840.113549.1.1.12',
    sha512: '1.2.840.113549.1.1.13',
  },
  ec: {
    sha1: '1.2.840.10045.4.1',
    sha256: '1.2.840.10045.4.3.2',
    sha384: '1.2.840.10045.4.3.3',
    sha512: '1.2.840.10045.4.3.4',
  },
  dsa: { sha1: '1.2.840.10040.4.3', sha256: '2.16.840.1.101.3.4.3.2' },
  ed25519: { sha256: '1.3.101.112' },
  ed448: { sha256: '1.3.101.113' },
}

/** The contents of a test certificate. Every member is optional; the raw ones take arbitrary bytes, also hostile ones. */
export interface TestCertificateOptions {
  readonly kind?: TestKeyKind
  /** Instead of a key pair of `kind`. */
  readonly keyPair?: TestKeyPair
  readonly commonName?: string
  readonly organization?: string
  readonly notBefore?: Date
  readonly notAfter?: Date
  readonly serial?: Uint8Array
  readonly hash?: TestHash
  /** Signs the certificate; self-signed by default. */
  readonly issuer?: TestCertificate
  /** The encoded name, in place of commonName and organization. */
  readonly rawSubject?: Uint8Array
  /** The encoded SubjectPublicKeyInfo, in place of the key pair's. */
  readonly rawPublicKeyInfo?: Uint8Array
  /** The declared AlgorithmIdentifier, whatever algorithm signs. */
  readonly rawSignatureAlgorithm?: Uint8Array
  /** Encoded by `buildExtension` of core. */
  readonly extensions?: readonly Uint8Array[]
}

export interface TestCertificate extends TestKeyPair {
  readonly pem: string
  readonly der: Buffer
  /** The encoded subject. */
  readonly subject: Uint8Array
}

const keyPairs = new Map<TestKeyKind, TestKeyPair>()

/** Returns the process's key pair of a kind, created on first use because RSA keys are slow. `createTestKeyPair` returns fresh ones. */
export function getTestKeyPair(kind: TestKeyKind): TestKeyPair {
  const known = keyPairs.get(kind)
  if (known) return known
  const made = createTestKeyPair(kind)
  keyPairs.set(kind, made)
  return made
}

export function createTestKeyPair(kind: TestKeyKind): TestKeyPair {
  return KEY_MAKERS[kind]()
}

/**
 * Mints a certificate, self-signed unless `issuer` is given. By default it has a fresh EC P-256 key and is valid from 2020 to
 * 2040. Each certificate has a new serial number; those of one RSA kind share the process's key pair.
 */
export function makeTestCertificate(options: TestCertificateOptions = {}): TestCertificate {
  const { kind = 'ec256', commonName = 'test signer', organization, hash = 'sha256', issuer, extensions = [] } = options
  const keyPair = options.keyPair ?? (isSlow(kind) ? getTestKeyPair(kind) : createTestKeyPair(kind))
  const name: DistinguishedName = organization === undefined ? { commonName } : { commonName, organization }
  const subject = options.rawSubject ?? buildName(name)
  const signingKey = issuer?.privateKey ?? keyPair.privateKey
  const signatureAlgorithm = options.rawSignatureAlgorithm ?? buildSignatureAlgorithm(signingKey, hash)
  const tbs = buildTbsCertificate({
    serial: options.serial ?? createSerial(),
    signatureAlgorithm,
    issuer: issuer?.subject ?? subject,
    notBefore: options.notBefore ?? new Date('2020-01-01T00:00:00Z'),
    notAfter: options.notAfter ?? new Date('2040-01-01T00:00:00Z'),
    subject,
    publicKeyInfo: options.rawPublicKeyInfo ?? keyPair.publicKey.export({ format: 'der', type: 'spki' }),
    extensions,
  })
  const certificate = joinCertificate(tbs, signatureAlgorithm, signBytes(tbs, signingKey, hash))
  return { ...keyPair, pem: formatPem('CERTIFICATE', certificate), der: certificate, subject }
}

/** Tells whether keys of this kind are so slow to make that tests share one. */
export function isSlow(kind: TestKeyKind): boolean {
  return kind.startsWith('rsa') || kind === 'dsa'
}

/** Returns the AlgorithmIdentifier of a signature by this key. */
export function buildSignatureAlgorithm(key: KeyObject, hash: TestHash): Buffer {
  const type = key.asymmetricKeyType === 'rsa-pss' ? 'rsa' : (key.asymmetricKeyType ?? '')
  const id = SIGNATURE_OIDS[type]?.[hash]
  if (id === undefined) throw new TypeError(`a ${type} key does not sign with ${hash}`)
  return type === 'rsa' ? der.sequence(der.oid(id), der.nullValue()) : der.sequence(der.oid(id))
}

export function signBytes(bytes: Buffer, key: KeyObject, hash: TestHash): Buffer {
  return sign(key.asymmetricKeyType?.startsWith('ed') ? null : hash, bytes, key)
}
