import { createLruCache } from '../create-lru-cache.ts'
import { isJsonObject, type JsonObject } from '../json/json-value.ts'
import { admitPublicKey } from '../key/admit-public-key.ts'
import { ALGORITHMS } from '../key/algorithms.ts'
import { readJwkPublicKey } from '../key/jwk-public-key.ts'
import { holdsSecret } from '../key/key-set.ts'
import { buildSignerKey, type SignerKey } from '../key/signer-key.ts'
import type { UntrustedJws } from '../token/jws.ts'
import { readJws } from '../token/read-jws.ts'

/** Enough for a key and a signature of RSA with 8192 bits. */
export const MAX_PROOF_LENGTH = 4096
const MAX_JTI_LENGTH = 512
const MAX_NONCE_LENGTH = 256

/** A well-formed DPoP proof (RFC 9449 section 4.2). Nothing in it has been verified. */
export interface UntrustedProof {
  readonly jws: UntrustedJws
  /** The key in its header, which fits its algorithm. */
  readonly key: SignerKey
  readonly jti: string
  readonly htm: string
  readonly htu: string
  /** In seconds. */
  readonly iat: number
  readonly ath: string | undefined
  readonly nonce: string | undefined
}

export type ProofReading =
  | { readonly ok: true; readonly proof: UntrustedProof }
  | { readonly ok: false; readonly detail: string }

/**
 * Parses a DPoP proof of at most 4 KiB by the rules for tokens, and admits the key in its header by the rules for keys of signers: the same algorithms,
 * no symmetric key and none with a private part.
 */
export function readProof(text: string): ProofReading {
  if (text.length > MAX_PROOF_LENGTH) return refused(`longer than ${MAX_PROOF_LENGTH} characters`)
  const reading = readJws(text, undefined, 'proof')
  if (!reading.ok) return refused(reading.detail)
  const { jws } = reading
  const { jti, htm, htu, iat, ath, nonce } = jws.untrustedClaims
  if (!isText(jti, MAX_JTI_LENGTH)) return refused(`"jti" must be a text of 1 to ${MAX_JTI_LENGTH} characters`)
  if (!isText(htm, MAX_PROOF_LENGTH)) return refused('"htm" must be a text')
  if (!isText(htu, MAX_PROOF_LENGTH)) return refused('"htu" must be a text')
  if (typeof iat !== 'number' || !Number.isFinite(iat)) return refused('"iat" must be a number')
  if (ath !== undefined && !isText(ath, MAX_PROOF_LENGTH)) return refused('"ath" must be a text')
  if (nonce !== undefined && !isText(nonce, MAX_NONCE_LENGTH))
    return refused(`"nonce" must be a text of 1 to ${MAX_NONCE_LENGTH} characters`)
  const key = readKey(text.slice(0, text.indexOf('.')), jws.untrustedHeader)
  if (typeof key === 'string') return refused(key)
  return { ok: true, proof: { jws, key, jti, htm, htu, iat, ath, nonce } }
}

const MAX_CACHED_KEYS = 1000
const MAX_CACHED_LENGTH = 1024
/** Admitted keys by the encoded header: all proofs of a client carry the same one. */
const admittedKeys = createLruCache<string, SignerKey>(MAX_CACHED_KEYS)

/** Returns what is wrong as text. */
function readKey(encoded: string, header: JsonObject): SignerKey | string {
  const known = admittedKeys.get(encoded)
  if (known) return known
  const { jwk, alg } = header
  const kind = typeof alg === 'string' ? ALGORITHMS.get(alg)?.keyKind : undefined
  if (typeof alg !== 'string' || kind === undefined) return 'header: the algorithm is not supported'
  if (!isJsonObject(jwk)) return 'header: "jwk" must be a public key'
  if (holdsSecret(jwk)) return 'header: "jwk" has a private key'
  if (jwk.alg !== undefined && jwk.alg !== alg) return 'header: "alg" of the key is another one'
  const reading = readJwkPublicKey(jwk)
  if (!reading.ok) return `header: "jwk": ${reading.reason}`
  const admission = admitPublicKey(reading.key, numbersOf(jwk))
  if (!admission.ok) return `header: "jwk": ${admission.reason}`
  if (admission.kind !== kind) return 'header: the algorithm does not fit the key'
  const key = buildSignerKey('', reading.key, kind, alg)
  if (encoded.length <= MAX_CACHED_LENGTH) admittedKeys.set(encoded, key)
  return key
}

/** The numbers of a key whose encoding has a fixed length, so that they need not be exported; undefined for RSA. */
function numbersOf({ kty, crv, x, y }: JsonObject): Record<string, string> | undefined {
  if (kty === 'RSA' || typeof crv !== 'string' || typeof x !== 'string') return undefined
  return { kty: String(kty), crv, x, ...(typeof y === 'string' && { y }) }
}

function isText(value: unknown, maxLength: number): value is string {
  return typeof value === 'string' && value !== '' && value.length <= maxLength
}

const refused = (detail: string): ProofReading => ({ ok: false, detail })
