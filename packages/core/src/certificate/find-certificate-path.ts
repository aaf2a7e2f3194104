import { hash, type KeyObject, X509Certificate } from 'node:crypto'
import {
  allowsClientAuth,
  allowsKeyUsage,
  hasUnsupportedExtension,
  readBasicConstraints,
} from './certificate-extensions.ts'
import { DerError } from './der-reader.ts'
import { isQuickToParse } from './is-quick-to-parse.ts'
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

/** How many signatures may still be verified. Searches for one certificate share it: many certificates and CAs can have the same name. */
export interface SignatureBudget {
  left: number
  /** Those with keys that are slow to verify with. */
  slowLeft: number
}

/** Results of earlier searches, for one connection. A result is never out of date: it depends on two certificates only. */
export type CheckedSignatures = Map<string, boolean>

interface PathSearch {
  readonly now: number
  readonly budget: SignatureBudget
  readonly checked?: CheckedSignatures
}

/** Clients send as many certificates as they like. */
const MAX_INTERMEDIATES = 8

/** Clients with one connection and many CAs must not fill the memory. */
const MAX_REMEMBERED = 64

const SLOW_CURVES: ReadonlySet<string> = new Set(['secp384r1', 'secp521r1'])
const MAX_QUICK_RSA_BITS = 4096

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
 * Finds the path from a certificate to a CA, over intermediates in any order. Returns the certificates between the two, the lowest first. Checks
 * names, signatures, path lengths, and the dates of the CA and of those between; the dates and the usage of the certificate itself are for the
 * caller. Searches from the CA downwards: a key verifies only after the CA has vouched for it, so that strangers cannot choose a slow one.
 */
export function findCertificatePath(
  leaf: ParsedCertificate,
  intermediates: readonly AuthorityCertificate[],
  ca: AuthorityCertificate,
  { now, budget, checked }: PathSearch,
): readonly AuthorityCertificate[] | undefined {
  if (!isCurrent(ca.parsed, now)) return undefined
  const usable = intermediates.filter(({ parsed }) => isCurrent(parsed, now) && !parsed.der.equals(ca.parsed.der))
  const hasIssued = (issuer: AuthorityCertificate, child: ParsedCertificate) =>
    child.issuer.equals(issuer.parsed.subject) && takeFrom(budget, issuer) && isIssuedBy(child, issuer, checked)
  const search = (
    issuer: AuthorityCertificate,
    path: readonly AuthorityCertificate[],
    casBelow: number,
  ): readonly AuthorityCertificate[] | undefined => {
    if (hasIssued(issuer, leaf)) return path
    if (casBelow === 0) return undefined
    for (const candidate of usable) {
      if (path.includes(candidate) || !hasIssued(issuer, candidate.parsed)) continue
      const found = search(candidate, [candidate, ...path], Math.min(casBelow - 1, candidate.pathLength ?? Infinity))
      if (found) return found
    }
    return undefined
  }
  return search(ca, [], ca.pathLength ?? Infinity)
}

/** Remembered results count too: whether a path is found must not depend on earlier searches. */
function takeFrom(budget: SignatureBudget, { publicKey }: AuthorityCertificate): boolean {
  const isSlow = isSlowKey(publicKey)
  if (budget.left === 0 || (isSlow && budget.slowLeft === 0)) return false
  budget.left -= 1
  if (isSlow) budget.slowLeft -= 1
  return true
}

function isSlowKey({ asymmetricKeyDetails: { namedCurve = '', modulusLength = 0 } = {} }: KeyObject): boolean {
  return SLOW_CURVES.has(namedCurve) || modulusLength > MAX_QUICK_RSA_BITS
}

function isIssuedBy(child: ParsedCertificate, issuer: AuthorityCertificate, checked?: CheckedSignatures): boolean {
  if (!checked) return isSignedBy(child, issuer.publicKey)
  const name = hash('sha256', Buffer.concat([issuer.parsed.der, child.der]), 'base64')
  const known = checked.get(name)
  if (known !== undefined) return known
  const isSigned = isSignedBy(child, issuer.publicKey)
  if (checked.size < MAX_REMEMBERED) checked.set(name, isSigned)
  return isSigned
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
    return isAllowed && isQuickToParse(der) && new X509Certificate(der).verify(publicKey)
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
