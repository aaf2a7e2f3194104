import { type KeyObject, verify } from 'node:crypto'
import { AppError } from '../app-error.ts'
import { createDerCursor, getOnlyChild, readOctetsOfBitString, readOid } from './der-cursor.ts'
import { checkSorted, DerError, type DerNode, readDer, TAG } from './der-reader.ts'
import { element } from './der-writer.ts'
import { explainPem, type PemMistake } from './explain-pem.ts'
import { OID } from './object-identifiers.ts'
import { readExtensionList } from './parse-certificate.ts'
import { findOnlyPemBlock } from './pem.ts'
import { readPublicKeyInfo } from './read-public-key-info.ts'
import { readSignatureAlgorithm } from './signature-algorithms.ts'

/** The only part of a certificate request that is used: a key whose private half the sender has proven to hold. */
export interface CsrKey {
  readonly publicKey: KeyObject
  /** The same key, encoded. */
  readonly publicKeyInfo: Buffer
}

const MAX_PEM_BYTES = 16 * 1024
const LABELS = ['CERTIFICATE REQUEST', 'NEW CERTIFICATE REQUEST'] as const
const ATTRIBUTES = 0xa0

/** Common mistakes. The first label in the text determines the reason. */
const OTHER_BLOCKS: readonly PemMistake[] = [
  ['PRIVATE KEY-----', 'it contains a private key; send only the request, and replace the key, which is now disclosed'],
  ['BEGIN CERTIFICATE-----', 'it contains a certificate; send only the certificate request'],
  ['PUBLIC KEY-----', 'it contains a bare public key, not a certificate request'],
]

/** The accepted signature algorithms by their encoded AlgorithmIdentifier, with key type and hash. */
const SIGNATURES: ReadonlyMap<string, { readonly keyType: string; readonly hash: string | null }> = new Map([
  ['300d06092a864886f70d01010b0500', { keyType: 'rsa', hash: 'sha256' }],
  ['300d06092a864886f70d01010c0500', { keyType: 'rsa', hash: 'sha384' }],
  ['300d06092a864886f70d01010d0500', { keyType: 'rsa', hash: 'sha512' }],
  ['300a06082a8648ce3d040302', { keyType: 'ec', hash: 'sha256' }],
  ['300a06082a8648ce3d040303', { keyType: 'ec', hash: 'sha384' }],
  ['300a06082a8648ce3d040304', { keyType: 'ec', hash: 'sha512' }],
  ['300506032b6570', { keyType: 'ed25519', hash: null }],
])

/**
 * Reads a PKCS #10 certificate request in PEM form: at most 16 KiB, one block with nothing but white space around it,
 * canonical DER, a key that `admitPublicKey` admits and a valid signature with SHA-2 or Ed25519. Subject and extensions
 * are ignored, because the controller decides the content of a certificate; they are only checked for duplicate and empty
 * entries. Throws AppError COULD_NOT_PROCESS_CSR or REQUEST_ENTITY_TOO_LARGE. Errors repeat nothing of the text.
 */
export function readCsr(pem: string): CsrKey {
  if (typeof pem !== 'string' || pem === '') throw refusal('csrPem must not be null or empty')
  if (Buffer.byteLength(pem) > MAX_PEM_BYTES) {
    throw new AppError('REQUEST_ENTITY_TOO_LARGE', { message: 'a certificate request may have 16 KiB at most' })
  }
  const der = findRequestBlock(pem)
  if (!der) {
    throw refusal(`could not decode csrPem as PEM: ${explainPem(pem, 'certificate request', OTHER_BLOCKS)}`)
  }
  try {
    return readRequest(readDer(der))
  } catch (error) {
    if (error instanceof DerError) throw refusal(`it is not a valid certificate request: ${error.message}`)
    throw error
  }
}

function findRequestBlock(pem: string): Buffer | undefined {
  for (const label of LABELS) {
    const der = findOnlyPemBlock(pem, label)
    if (der) return der
  }
  return undefined
}

/** RFC 2986 section 4: the signed part, the algorithm and the signature. */
function readRequest(node: DerNode): CsrKey {
  if (node.tag !== TAG.sequence) throw new DerError('it does not begin with a sequence')
  if (!reencode(node).equals(node.bytes)) throw new DerError('it is not in canonical form')
  const outer = createDerCursor(node)
  const info = outer.take(TAG.sequence)
  const algorithm = outer.take(TAG.sequence)
  const signature = readOctetsOfBitString(outer.take(TAG.bitString))
  outer.end()
  const key = readInfo(info)
  checkSignature(info.bytes, algorithm, signature, key.publicKey)
  return key
}

/** RFC 2986 section 4.1. The attributes are optional, because some clients omit them when empty. */
function readInfo(node: DerNode): CsrKey {
  const cursor = createDerCursor(node)
  const version = cursor.take(TAG.integer).content
  if (version.length !== 1 || version[0] !== 0) throw new DerError('the version is unknown')
  cursor.take(TAG.sequence)
  const publicKeyInfo = cursor.take(TAG.sequence)
  const attributes = cursor.takeOptional(ATTRIBUTES)
  cursor.end()
  if (attributes) checkAttributes(attributes)
  const key = readPublicKeyInfo(publicKeyInfo)
  if (!key.ok) throw refusal(key.reason)
  return { publicKey: key.publicKey, publicKeyInfo: publicKeyInfo.bytes }
}

function checkAttributes(node: DerNode): void {
  checkSorted(node.children)
  const seen = new Set<string>()
  for (const attribute of createDerCursor(node).takeRest(TAG.sequence)) {
    const cursor = createDerCursor(attribute)
    const id = readOid(cursor.take(TAG.oid))
    const values = cursor.take(TAG.set)
    cursor.end()
    if (seen.has(id)) throw new DerError('an attribute appears twice')
    if (values.children.length === 0) throw new DerError('an attribute has no value')
    seen.add(id)
    if (id === OID.extensionRequest) checkExtensions(getOnlyChild(values, TAG.sequence))
  }
}

/** The extensions are not copied into the certificate, but malformed ones are refused. */
function checkExtensions(node: DerNode): void {
  const extendedKeyUsage = readExtensionList(node).get(OID.extendedKeyUsage)
  if (!extendedKeyUsage) return
  const usages = readDer(extendedKeyUsage.value)
  if (usages.tag !== TAG.sequence || createDerCursor(usages).takeRest(TAG.oid).length === 0) {
    throw new DerError('the extended key usage is empty or malformed')
  }
}

function checkSignature(signed: Buffer, algorithm: DerNode, signature: Buffer, publicKey: KeyObject): void {
  const scheme = SIGNATURES.get(algorithm.bytes.toString('hex'))
  if (!scheme) {
    const { name } = readSignatureAlgorithm(algorithm)
    throw refusal(
      `signatures with ${name} are not accepted; use RSA (PKCS #1) or ECDSA with SHA-256 or better, or Ed25519`,
    )
  }
  const isValid = scheme.keyType === publicKey.asymmetricKeyType && verify(scheme.hash, signed, publicKey, signature)
  if (!isValid) throw refusal('its signature does not verify with its public key')
}

/** Encodes parsed elements again, in canonical DER. */
function reencode({ tag, content, children }: DerNode): Buffer {
  if (children.length === 0) return element(tag, content)
  const parts = children.map(reencode)
  return element(tag, ...(tag === TAG.set ? parts.toSorted(Buffer.compare) : parts))
}

function refusal(message: string): AppError {
  return new AppError('COULD_NOT_PROCESS_CSR', { message })
}
