import { createHash } from 'node:crypto'
import { type AppError, fieldError } from '../app-error.ts'
import { certificateDigests } from '../certificate/certificate-digests.ts'
import {
  allowsClientAuth,
  allowsKeyUsage,
  hasUnsupportedExtension,
  readBasicConstraints,
} from '../certificate/certificate-extensions.ts'
import { DerError } from '../certificate/der-reader.ts'
import { MAX_CERTIFICATE_BYTES, type ParsedCertificate, parseCertificate } from '../certificate/parse-certificate.ts'
import { findOnlyPemBlock } from '../certificate/pem.ts'
import { readPublicKeyInfo } from '../certificate/read-public-key-info.ts'

/** What is stored of the certificate of a CA besides its text. */
export interface CaCertificateFacts {
  /** SHA-1 of the first certificate in lower-case hex. */
  readonly fingerprint: string
  /** Of its subject: certificates of the CA are found by it. */
  readonly subjectDigest: string
}

const MAX_CERTIFICATES = 10
const LABEL = /-----BEGIN ([^\n-]*)-----/

/**
 * Reads the text of a new CA: certificates, with any text before the first. Only the first one counts. `ownAuthorities` are the certificates of
 * our CA, which is no third party: what it signs is no proof of a private key. Throws COULD_NOT_VALIDATE, which repeats nothing of the text.
 */
export function readCaCertificate(pem: string, ownAuthorities: readonly Buffer[]): CaCertificateFacts {
  const [first] = readCertificates(pem)
  if (!first) throw refusal('at least one leaf certificate must be supplied')
  const { bytes: key } = first.publicKeyInfo
  if (ownAuthorities.some((own) => own.includes(key)))
    throw refusal('the certificate has the key of this controller’s CA')
  const fault = orRefuse(1, () => findFault(first))
  if (fault !== undefined) throw refusal(fault)
  return { fingerprint: certificateDigests(first).fingerprint, subjectDigest: nameDigest(first.subject) }
}

/** Why certificates of a CA could never be accepted: the conditions of `readAuthorityCertificate`, with a reason each. */
function findFault(certificate: ParsedCertificate): string | undefined {
  if (!readBasicConstraints(certificate).isCa) return 'certificate is not a CA'
  if (certificate.der.length > MAX_CERTIFICATE_BYTES) return 'the certificate is too long'
  if (!allowsKeyUsage(certificate, 'keyCertSign'))
    return 'the key usage of the certificate excludes signing certificates'
  if (!allowsClientAuth(certificate)) return 'the extended key usage of the certificate excludes client authentication'
  if (hasUnsupportedExtension(certificate)) {
    return 'the certificate has name constraints, or a critical extension that is not supported'
  }
  const key = readPublicKeyInfo(certificate.publicKeyInfo)
  return key.ok ? undefined : key.reason
}

/** The digest by which CAs are found by their encoded name. */
export function nameDigest(name: Buffer): string {
  return createHash('sha256').update(name).digest('base64url')
}

/** The first certificate of a stored CA in DER. */
export function firstCertificate(pem: string): Buffer {
  const [block] = splitBlocks(pem)
  const der = block && findOnlyPemBlock(block.text, 'CERTIFICATE')
  if (!der) throw new TypeError('a stored CA has no certificate')
  return der
}

function readCertificates(pem: string): ParsedCertificate[] {
  if (pem.trim() === '') return []
  const blocks = splitBlocks(pem)
  if (blocks.length === 0) throw refusal('could not parse block #1')
  if (blocks.length > MAX_CERTIFICATES) throw refusal(`more than ${MAX_CERTIFICATES} certificates are given`)
  return blocks.map(({ label, text }, index) => {
    const number = index + 1
    if (label !== 'CERTIFICATE') throw refusal(`block #${number} is not a certificate`)
    const der = findOnlyPemBlock(text, label)
    if (!der) throw refusal(`could not parse block #${number}`)
    return orRefuse(number, () => parseCertificate(der))
  })
}

/** The blocks in order. What follows the last one belongs to it, so that it cannot be read unless that is blank. */
function splitBlocks(pem: string): { readonly label: string; readonly text: string }[] {
  const [, ...parts] = pem.split(LABEL)
  return parts.flatMap((label, at) => {
    if (at % 2 === 1) return []
    const rest = parts[at + 1] ?? ''
    const end = `-----END ${label}-----`
    const isLast = at + 2 >= parts.length
    const text = isLast ? rest : rest.slice(0, Math.max(rest.indexOf(end), 0)) + end
    return [{ label, text: `-----BEGIN ${label}-----${text}` }]
  })
}

function orRefuse<Value>(number: number, read: () => Value): Value {
  try {
    return read()
  } catch (error) {
    throw error instanceof DerError ? refusal(`could not parse block #${number} as an x509 certificate`) : error
  }
}

function refusal(reason: string): AppError {
  return fieldError('certPem', reason, '')
}
