import { type KeyObject, X509Certificate } from 'node:crypto'
import {
  allowsClientAuth,
  allowsKeyUsage,
  hasUnsupportedExtension,
  readBasicConstraints,
} from './certificate-extensions.ts'
import { DerError } from './der-reader.ts'
import { MAX_CERTIFICATE_BYTES, type ParsedCertificate, parseCertificate } from './parse-certificate.ts'
import { readPublicKeyInfo } from './read-public-key-info.ts'
import { readSignatureAlgorithm } from './signature-algorithms.ts'

/** A certificate that may sign others, with its admitted key. */
export interface AuthorityCertificate {
  readonly parsed: ParsedCertificate
  readonly publicKey: KeyObject
  /** The number of further CAs that may stand between it and a leaf; undefined for any number. */
  readonly pathLength: number | undefined
}

/** Clients send as many certificates as they like. */
const MAX_INTERMEDIATES = 8
/** Bounds the search when many certificates have the same name. */
const MAX_SIGNATURE_CHECKS = 16

const HASHES: ReadonlySet<string> = new Set(['SHA256', 'SHA384', 'SHA512'])

/**
 * Reads a certificate that may sign certificates for client authentication: a CA by its basic constraints and key usage, with an admitted key.
 * Undefined for any other, and for one with an extension that is not supported.
 */
export function readAuthorityCertificate(der: Buffer): AuthorityCertificate | undefined {
  return orUndefined(() => {
    if (der.length > MAX_CERTIFICATE_BYTES) return undefined
    const parsed = parseCertificate(der)
    const { isCa, pathLength } = readBasicConstraints(parsed)
    const maySign = isCa && allowsKeyUsage(parsed, 'keyCertSign') && allowsClientAuth(parsed)
    if (!maySign || hasUnsupportedExtension(parsed)) return undefined
    const key = readPublicKeyInfo(parsed.publicKeyInfo)
    return key.ok ? { parsed, publicKey: key.publicKey, pathLength } : undefined
  })
}

/** The CAs among certificates that the client sent after its own. Only the first eight certificates are read. */
export function readIntermediates(sent: readonly Buffer[]): readonly AuthorityCertificate[] {
  return sent.slice(0, MAX_INTERMEDIATES).flatMap((der) => readAuthorityCertificate(der) ?? [])
}

/**
 * Finds the path from a certificate to a CA, over intermediates in any order. Returns the certificates between the two. Checks names,
 * signatures, path lengths, and the dates of the CA and of those between; the dates and the usage of the certificate itself are for the caller.
 */
export function findCertificatePath(
  leaf: ParsedCertificate,
  intermediates: readonly AuthorityCertificate[],
  ca: AuthorityCertificate,
  now: number,
): readonly AuthorityCertificate[] | undefined {
  if (!isCurrent(ca.parsed, now)) return undefined
  const usable = intermediates.filter(({ parsed }) => isCurrent(parsed, now))
  let checksLeft = MAX_SIGNATURE_CHECKS
  const isIssuer = (
    { parsed, publicKey, pathLength }: AuthorityCertificate,
    child: ParsedCertificate,
    below: number,
  ) => {
    if (!child.issuer.equals(parsed.subject) || below > (pathLength ?? below) || checksLeft === 0) return false
    checksLeft -= 1
    return isSignedBy(child, publicKey)
  }
  const search = (
    child: ParsedCertificate,
    path: readonly AuthorityCertificate[],
  ): readonly AuthorityCertificate[] | undefined => {
    if (isIssuer(ca, child, path.length)) return path
    for (const candidate of usable) {
      if (path.includes(candidate) || !isIssuer(candidate, child, path.length)) continue
      const found = search(candidate.parsed, [...path, candidate])
      if (found) return found
    }
    return undefined
  }
  return search(leaf, [])
}

/** Whether the key of a certificate is admitted: see `admitPublicKey`. */
export function isAdmittedKey({ publicKeyInfo }: ParsedCertificate): boolean {
  return orUndefined(() => readPublicKeyInfo(publicKeyInfo).ok) === true
}

/** Whether the key has signed the certificate, with a hash that is not broken. */
export function isSignedBy({ der, signatureAlgorithm }: ParsedCertificate, publicKey: KeyObject): boolean {
  const isSigned = orUndefined(() => {
    const { name, hash } = readSignatureAlgorithm(signatureAlgorithm)
    const isAllowed = hash === undefined ? name === 'Ed25519' : HASHES.has(hash)
    return isAllowed && new X509Certificate(der).verify(publicKey)
  })
  return isSigned === true
}

/** Whether an instant is within the validity, both ends included. */
export function isCurrent({ notBefore, notAfter }: ParsedCertificate, now: number): boolean {
  return notBefore.getTime() <= now && now <= notAfter.getTime()
}

/** OpenSSL refuses some certificates and signatures with an exception. */
function orUndefined<Value>(read: () => Value): Value | undefined {
  try {
    return read()
  } catch (error) {
    if (error instanceof DerError || isOpensslError(error)) return undefined
    throw error
  }
}

function isOpensslError(error: unknown): boolean {
  return error instanceof Error && String((error as { code?: unknown }).code ?? '').startsWith('ERR_OSSL')
}
