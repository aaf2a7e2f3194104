import { createPublicKey, type JsonWebKey, type KeyObject, X509Certificate } from 'node:crypto'
import { isQuickToParse } from '../certificate/is-quick-to-parse.ts'
import type { JsonObject, JsonValue } from '../json/json-value.ts'
import { decodeBase64url } from './base64url.ts'

/** The public members of each supported key type, with their fixed length in bytes. No other member of a JWK is imported. */
const MEMBERS: ReadonlyMap<string, Readonly<Record<string, number | undefined>>> = new Map([
  ['RSA', { n: undefined, e: undefined }],
  ['EC P-256', { x: 32, y: 32 }],
  ['EC P-384', { x: 48, y: 48 }],
  ['EC P-521', { x: 66, y: 66 }],
  ['OKP Ed25519', { x: 32 }],
])

/** 8192 bits plus a leading zero byte. Longer numbers are refused before the import. */
const MAX_MEMBER_BYTES = 1025

export type JwkReading =
  | { readonly ok: true; readonly key: KeyObject }
  | { readonly ok: false; readonly reason: string }

/** Imports the public key of a JWK from `n` and `e`, or from `crv`, `x` and `y`, alone. Does not check it with `admitPublicKey`. */
export function readJwkPublicKey(jwk: JsonObject): JwkReading {
  const { kty, crv } = jwk
  if (typeof kty !== 'string') return refused('it has no "kty"')
  const publicJwk: JsonWebKey = kty !== 'RSA' && typeof crv === 'string' ? { kty, crv } : { kty }
  const type = publicJwk.crv === undefined ? kty : `${kty} ${publicJwk.crv}`
  const members = MEMBERS.get(type)
  if (!members) return refused(`keys of type ${JSON.stringify(type.slice(0, 64))} are not supported`)
  for (const [name, length] of Object.entries(members)) {
    const bytes = decodeMember(jwk[name])
    if (!bytes || bytes.length > MAX_MEMBER_BYTES) return refused(`"${name}" is missing or not base64url`)
    if (length !== undefined && bytes.length !== length) return refused(`"${name}" must have ${length} bytes`)
    publicJwk[name] = bytes.toString('base64url')
  }
  try {
    return { ok: true, key: createPublicKey({ key: publicJwk, format: 'jwk' }) }
  } catch {
    return refused('the numbers are not a key of this type')
  }
}

/** Compares the key with that of the certificate in `x5c`, which must be the same (RFC 7517 section 4.7). */
export function compareX5c(x5c: JsonValue | undefined, key: KeyObject): 'absent' | 'same' | 'other' | 'unreadable' {
  if (x5c === undefined || x5c === null || (Array.isArray(x5c) && x5c.length === 0)) return 'absent'
  const first = Array.isArray(x5c) ? x5c[0] : undefined
  if (typeof first !== 'string') return 'unreadable'
  const certificate = Buffer.from(first, 'base64')
  if (!isQuickToParse(certificate)) return 'unreadable'
  try {
    return new X509Certificate(certificate).publicKey.equals(key) ? 'same' : 'other'
  } catch {
    return 'unreadable'
  }
}

const refused = (reason: string): JwkReading => ({ ok: false, reason })

function decodeMember(value: JsonValue | undefined): Buffer | undefined {
  return typeof value === 'string' && value !== '' ? decodeBase64url(value) : undefined
}
