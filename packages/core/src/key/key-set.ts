import { AppError } from '../app-error.ts'
import { formatPem } from '../certificate/pem.ts'
import { readSignerCertificate } from '../certificate/read-certificate.ts'
import { JsonError } from '../json/json-error.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../json/json-value.ts'
import { type JsonLimits, readJson } from '../json/read-json.ts'
import { admitPublicKey } from './admit-public-key.ts'
import { ALGORITHMS } from './algorithms.ts'
import { buildCertificateKey } from './certificate-key.ts'
import { compareX5c, readJwkPublicKey } from './jwk-public-key.ts'
import { buildSignerKey, type SignerKey } from './signer-key.ts'

const MAX_KEYS = 100
const MAX_KID_LENGTH = 4096
const MAX_SHOWN_KID = 64
const LIMITS: JsonLimits = { maxDepth: 16, maxMembers: 10_000, largeIntegersAsNaN: true }

const PRIVATE_MEMBERS = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k']
const SIGNATURE_OPERATIONS: readonly JsonValue[] = ['sign', 'verify']

/** The whole JWKS is unusable; keep the last usable one. */
export class KeySetError extends Error {
  override readonly name = 'KeySetError'
}

export interface KeySet {
  readonly keys: ReadonlyMap<string, SignerKey>
  /** One sentence for each entry that was ignored or is unusual. */
  readonly warnings: readonly string[]
  /** One sentence for each entry that is valid, but not for signatures. */
  readonly notForSignatures: readonly string[]
  /** Whether the provider publishes a secret: a symmetric key or a private key. */
  readonly exposesSecrets: boolean
}

/**
 * Parses a JWKS (RFC 7517) and admits its keys one by one, so that an unusable entry does not affect the others. When two different keys have
 * the same `kid`, neither is used.
 * @throws {KeySetError} when `source` is not a JWKS, or has more than 100 keys
 */
export function readKeySet(source: JsonValue | Buffer): KeySet {
  const entries = readEntries(source)
  const keys = new Map<string, SignerKey>()
  const ambiguous = new Set<string>()
  const warnings: string[] = []
  const notForSignatures: string[] = []
  entries.forEach((entry, index) => {
    const reading = readEntry(entry)
    const warn = (reason: string): unknown => warnings.push(`${entryName(entry, index)}: ${reason}`)
    if (reading.warning !== undefined) warn(reading.warning)
    if (reading.note !== undefined) notForSignatures.push(`${entryName(entry, index)}: ${reading.note}`)
    if (!reading.key) return
    const { kid } = reading.key
    const earlier = keys.get(kid)
    if (ambiguous.has(kid) || (earlier && earlier.thumbprint !== reading.key.thumbprint)) {
      ambiguous.add(kid)
      keys.delete(kid)
      warn('another key has the same kid, so neither is used')
    } else {
      keys.set(kid, earlier ? mergeAlgorithms(earlier, reading.key) : reading.key)
    }
  })
  const exposesSecrets = entries.some((entry) => isJsonObject(entry) && holdsSecret(entry))
  return { keys, warnings, notForSignatures, exposesSecrets }
}

function readEntries(source: JsonValue | Buffer): JsonValue[] {
  const document = Buffer.isBuffer(source) ? parse(source) : (source as JsonValue)
  if (!isJsonObject(document) || !Array.isArray(document.keys)) {
    throw new KeySetError('the document is not a JWKS: it has no array "keys"')
  }
  if (document.keys.length > MAX_KEYS) throw new KeySetError(`the JWKS has more than ${MAX_KEYS} keys`)
  return document.keys
}

function parse(source: Buffer): JsonValue {
  try {
    return readJson(source, LIMITS)
  } catch (error) {
    if (error instanceof JsonError)
      throw new KeySetError(`the JWKS is not valid JSON: ${error.message}`, { cause: error })
    throw error
  }
}

interface EntryReading {
  readonly key?: SignerKey
  readonly warning?: string
  readonly note?: string
}

function readEntry(entry: JsonValue): EntryReading {
  if (!isJsonObject(entry)) return { warning: 'ignored, not a JSON object' }
  if (holdsSecret(entry)) return { warning: 'ignored, the provider published a secret key' }
  if (isForEncryption(entry)) return { note: 'ignored, it is for encryption' }
  const { kid } = entry
  if (typeof kid !== 'string' || kid === '') return { warning: 'ignored, it has no kid that a token could name' }
  if (kid.length > MAX_KID_LENGTH) return { warning: `ignored, its kid is longer than ${MAX_KID_LENGTH} characters` }
  if (!isForSignatures(entry)) return { warning: 'ignored, it is not for verifying signatures' }
  if (isBareCertificate(entry)) return readBareCertificate(kid, entry)
  const reading = readJwkPublicKey(entry)
  if (!reading.ok) return { warning: `ignored, ${reading.reason}` }
  const admission = admitPublicKey(reading.key)
  if (!admission.ok) return { warning: `ignored, ${admission.reason}` }
  const alg = entry.alg ?? undefined
  if (alg !== undefined && (typeof alg !== 'string' || ALGORITHMS.get(alg)?.keyKind !== admission.kind)) {
    return { warning: 'ignored, its "alg" is not supported with a key of this type' }
  }
  const certificateKey = compareX5c(entry.x5c, reading.key)
  if (certificateKey === 'other') return { warning: 'ignored, the certificate in "x5c" has another key' }
  const key = buildSignerKey(kid, reading.key, admission.kind, alg)
  return certificateKey === 'unreadable'
    ? { key, warning: '"x5c" cannot be read; the key is used without it' }
    : { key }
}

/** An entry without the members of a key: the certificate is the key, under the rules for the certificate of a signer. */
function isBareCertificate({ kty, x5c }: JsonObject): boolean {
  return (kty ?? undefined) === undefined && Array.isArray(x5c) && x5c.length > 0
}

function readBareCertificate(kid: string, { x5c, alg }: JsonObject): EntryReading {
  const first = Array.isArray(x5c) ? x5c[0] : undefined
  if (typeof first !== 'string') return { warning: 'ignored, its "x5c" is not text' }
  try {
    const certificate = Buffer.from(first, 'base64')
    const { publicKey, notBefore, notAfter } = readSignerCertificate(formatPem('CERTIFICATE', certificate))
    const reading = buildCertificateKey(publicKey, kid, notBefore, notAfter)
    if (!reading.ok) return { warning: `ignored, ${reading.reason}` }
    const key = { ...reading.key, x5c: certificate.toString('base64') }
    if ((alg ?? undefined) === undefined) return { key }
    if (typeof alg !== 'string' || !key.algs.includes(alg)) {
      return { warning: 'ignored, its "alg" is not supported with a key of this type' }
    }
    return { key: { ...key, alg, algs: [alg] } }
  } catch (error) {
    if (!(error instanceof AppError) || !error.publicCause || !('reason' in error.publicCause)) throw error
    return { warning: `ignored, the certificate in "x5c" is refused: ${error.publicCause.reason}` }
  }
}

/** Whether a JWK has a symmetric key, or members of a private one. */
export function holdsSecret(jwk: JsonObject): boolean {
  return jwk.kty === 'oct' || PRIVATE_MEMBERS.some((name) => jwk[name] !== undefined && jwk[name] !== null)
}

/** Providers such as Keycloak publish encryption keys in the same set. That is not a mistake. */
function isForEncryption(jwk: JsonObject): boolean {
  return jwk.use === 'enc' && (jwk.key_ops ?? undefined) === undefined
}

function isForSignatures(jwk: JsonObject): boolean {
  const use = jwk.use ?? 'sig'
  const operations = jwk.key_ops ?? ['verify']
  if (use !== 'sig' || !Array.isArray(operations)) return false
  return operations.includes('verify') && operations.every((operation) => SIGNATURE_OPERATIONS.includes(operation))
}

function mergeAlgorithms(first: SignerKey, second: SignerKey): SignerKey {
  if (first.alg === second.alg) return first
  const { alg: _, ...key } = first
  return { ...key, algs: [...new Set([...first.algs, ...second.algs])] }
}

function entryName(entry: JsonValue, index: number): string {
  const kid =
    isJsonObject(entry) && typeof entry.kid === 'string'
      ? ` (kid ${JSON.stringify(entry.kid.slice(0, MAX_SHOWN_KID))})`
      : ''
  return `key ${index + 1}${kid}`
}
