import { createHash, type KeyObject } from 'node:crypto'
import { AppError } from '../app-error.ts'
import type { PublicKeyKind } from '../key/admit-public-key.ts'
import { DerError } from './der-reader.ts'
import { explainPem, type PemMistake } from './explain-pem.ts'
import { OID } from './object-identifiers.ts'
import { type ParsedCertificate, parseCertificate } from './parse-certificate.ts'
import { findOnlyPemBlock } from './pem.ts'
import { readPublicKeyInfo } from './read-public-key-info.ts'
import { readSignatureAlgorithm } from './signature-algorithms.ts'

/** The part of a certificate that a signer uses. */
export interface SignerCertificate {
  readonly der: Buffer
  readonly publicKey: KeyObject
  readonly keyKind: PublicKeyKind
  /** Lower-case hex, without separators. */
  readonly fingerprintSha1: string
  /** `''` when the subject has none. */
  readonly commonName: string
  readonly notBefore: Date
  readonly notAfter: Date
  readonly signatureAlgorithm: string
}

const MAX_PEM_CHARACTERS = 64 * 1024
const MAX_COMMON_NAME_CHARACTERS = 256

/** Collisions are practical: an attacker can create a second certificate with the same signature. */
const BROKEN_HASHES: ReadonlySet<string> = new Set(['MD2', 'MD4', 'MD5'])

/** Common mistakes. The first label in the text determines the reason. */
const OTHER_BLOCKS: readonly PemMistake[] = [
  [
    'PRIVATE KEY-----',
    'it contains a private key; give only the certificate, and replace the key, which is now disclosed',
  ],
  ['CERTIFICATE REQUEST-----', 'it contains a certificate request, not a certificate'],
  ['TRUSTED CERTIFICATE-----', 'it contains a TRUSTED CERTIFICATE block; convert it to a plain certificate'],
  ['PUBLIC KEY-----', 'it contains a bare public key, not a certificate'],
]

/**
 * Reads the certificate of a signer: exactly one PEM block with nothing but white space around it, strict DER, and a key
 * that `admitPublicKey` admits. Does not check the dates or the issuer's signature: the administrator who saves the signer
 * trusts the certificate. Throws only AppError INVALID_CERT_PEM, with a reason that repeats nothing of the text.
 */
export function readSignerCertificate(pem: string): SignerCertificate {
  if (typeof pem !== 'string') throw refusal('it is not text')
  if (pem.length > MAX_PEM_CHARACTERS) throw refusal('it is longer than 64 KiB')
  const der = findOnlyPemBlock(pem, 'CERTIFICATE') ?? throwRefusal(explainPem(pem, 'certificate', OTHER_BLOCKS))
  try {
    return readCertificate(parseCertificate(der))
  } catch (error) {
    if (error instanceof DerError) throw refusal(`it is not a valid certificate: ${error.message}`)
    throw error
  }
}

function readCertificate(certificate: ParsedCertificate): SignerCertificate {
  const { der, notBefore, notAfter } = certificate
  const signature = readSignatureAlgorithm(certificate.signatureAlgorithm)
  checkHash(signature.hash, certificate)
  if (notBefore > notAfter) throw refusal('its validity ends before it begins')
  const commonName = readCommonName(certificate)
  const key = readPublicKeyInfo(certificate.publicKeyInfo)
  if (!key.ok) throw refusal(key.reason)
  const fingerprintSha1 = createHash('sha1').update(der).digest('hex')
  const { publicKey, keyKind } = key
  const signatureAlgorithm = signature.name
  return { der, publicKey, keyKind, fingerprintSha1, commonName, notBefore, notAfter, signatureAlgorithm }
}

/** SHA-1 is refused only in self-signed certificates: the signer does not choose the hash of its CA. */
function checkHash(hash: string | undefined, { issuer, subject }: ParsedCertificate): void {
  if (hash === undefined) return
  const isRefused = BROKEN_HASHES.has(hash) || (hash === 'SHA1' && issuer.equals(subject))
  if (isRefused) throw refusal(`its signature uses ${hash}; use SHA256 or better`)
}

/** The last common name is used, as in existing controllers. */
function readCommonName({ subjectAttributes }: ParsedCertificate): string {
  if (subjectAttributes.some(({ value }) => hasControlCharacter(value))) {
    throw refusal('its subject contains control characters')
  }
  const commonName = subjectAttributes.findLast(({ type }) => type === OID.commonName)?.value ?? ''
  if (commonName.length > MAX_COMMON_NAME_CHARACTERS) throw refusal('its common name is longer than 256 characters')
  return commonName
}

/** C0, C1, line separators and bidirectional controls. */
function hasControlCharacter(text: string): boolean {
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0
    if (code < 0x20 || (code >= 0x7f && code < 0xa0)) return true
    if ((code >= 0x2028 && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069)) return true
  }
  return false
}

function throwRefusal(reason: string): never {
  throw refusal(reason)
}

function refusal(reason: string): AppError {
  return new AppError('INVALID_CERT_PEM', { field: 'certPem', reason, value: '' })
}
