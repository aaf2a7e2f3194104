import { hash } from 'node:crypto'
import { type AltName, buildAltName } from './alt-name.ts'
import type { CertificateProfile } from './certificate-profiles.ts'
import { createDerCursor, readOctetsOfBitString } from './der-cursor.ts'
import { readDer, TAG } from './der-reader.ts'
import { boolean, explicitTag, implicitTag, integer, namedBits, octetString, oid, sequence } from './der-writer.ts'
import { OID } from './object-identifiers.ts'

const KEY_ID_BYTES = 20

/** A certificate extension with an encoded value. */
export function buildExtension(id: string, value: Uint8Array, critical = false): Buffer {
  return sequence(oid(id), ...(critical ? [boolean(true)] : []), octetString(value))
}

export function buildBasicConstraints({ isCa, pathLength }: CertificateProfile): Buffer {
  const content = isCa ? [boolean(true), ...(pathLength === undefined ? [] : [integer(pathLength)])] : []
  return buildExtension(OID.basicConstraints, sequence(...content), true)
}

export function buildKeyUsage(keyUsage: readonly number[]): Buffer {
  return buildExtension(OID.keyUsage, namedBits(keyUsage), true)
}

export function buildExtendedKeyUsage({ extendedKeyUsage }: CertificateProfile): Buffer {
  return buildExtension(OID.extendedKeyUsage, sequence(...extendedKeyUsage.map(oid)))
}

export function buildSubjectAltNames(altNames: readonly AltName[]): Buffer {
  return buildExtension(OID.subjectAltName, sequence(...altNames.map(buildAltName)))
}

export function buildSubjectKeyIdentifier(publicKeyInfo: Buffer): Buffer {
  return buildExtension(OID.subjectKeyIdentifier, octetString(computeKeyId(publicKeyInfo)))
}

export function buildAuthorityKeyIdentifier(issuerKeyInfo: Buffer): Buffer {
  return buildExtension(OID.authorityKeyIdentifier, sequence(implicitTag(0, computeKeyId(issuerKeyInfo))))
}

/** The address of the list of revoked certificates that covers the certificate (RFC 5280 section 4.2.1.13). */
export function buildDistributionPoint(url: string): Buffer {
  const fullName = explicitTag(0, explicitTag(0, buildAltName({ type: 'uri', uri: url })))
  return buildExtension(OID.crlDistributionPoints, sequence(sequence(fullName)))
}

/** Cached, because every certificate needs the key id of its issuer. */
const keyIds = new WeakMap<Buffer, Buffer>()

/** RFC 7093 section 2, method 1: the first 160 bits of SHA-256 over the key in a SubjectPublicKeyInfo. */
export function computeKeyId(publicKeyInfo: Buffer): Buffer {
  const known = keyIds.get(publicKeyInfo)
  if (known) return known
  const cursor = createDerCursor(readDer(publicKeyInfo))
  cursor.take(TAG.sequence)
  const key = readOctetsOfBitString(cursor.take(TAG.bitString))
  const keyId = hash('sha256', key, 'buffer').subarray(0, KEY_ID_BYTES)
  keyIds.set(publicKeyInfo, keyId)
  return keyId
}
