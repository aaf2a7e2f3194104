import { createLruCache } from '../create-lru-cache.ts'
import { JsonError } from '../json/json-error.ts'
import { isJsonObject, type JsonObject } from '../json/json-value.ts'
import { type JsonLimits, readJson } from '../json/read-json.ts'
import { decodeBase64url } from '../key/base64url.ts'
import { secretDigest } from '../secret.ts'
import { UntrustedJws } from './jws.ts'
import { mediaType } from './media-type.ts'
import { findPurposeFault, type TokenPurpose } from './token-purpose.ts'
import type { RefusalReason } from './verdict.ts'
import type { VerifiedTokenCache } from './verified-token-cache.ts'

export const MAX_TOKEN_LENGTH = 12 * 1024

const MAX_HEADER_BYTES = 4096
const HEADER_LIMITS: JsonLimits = { maxDepth: 8, maxMembers: 100 }
const CLAIMS_LIMITS: JsonLimits = { maxDepth: 32, maxMembers: 1000, largeIntegersAsNaN: true }

export type JwsReading =
  | { readonly ok: true; readonly jws: UntrustedJws }
  | { readonly ok: false; readonly reason: RefusalReason; readonly detail: string }

/**
 * Parses a compact JWS (RFC 7515 section 7.1) of at most 12 KiB: three parts in canonical base64url, header and claims one strict JSON
 * object each. Refuses what it does not support: `crit`, `b64`, encryption, nesting, and tokens for another purpose. Ignores keys and key
 * URLs in the header (`jwk`, `jku`, `x5u`, `x5c`). Returns a cached JWS without parsing the token again; the cache is for logins only.
 */
export function readJws(token: string, cache?: VerifiedTokenCache, purpose: TokenPurpose = 'login'): JwsReading {
  if (token.length > MAX_TOKEN_LENGTH) return refused('token-too-large', `longer than ${MAX_TOKEN_LENGTH} characters`)
  const digest = cache && secretDigest(token)
  const known = digest === undefined ? undefined : cache?.findJws(digest)
  if (known) return { ok: true, jws: known }
  const firstDot = token.indexOf('.')
  const secondDot = token.indexOf('.', firstDot + 1)
  if (firstDot === -1 || secondDot === -1) return malformed('not three parts with dots between')
  if (token.includes('.', secondDot + 1)) return refuseMoreParts(token)
  const header = readHeader(token.slice(0, firstDot), purpose)
  if (!header.ok) return header
  const claims = readPart(token.slice(firstDot + 1, secondDot), CLAIMS_LIMITS, MAX_TOKEN_LENGTH)
  if (!claims.ok) return malformed(`claims: ${claims.reason}`)
  const fault = findPurposeFault(purpose, header.object, claims.object)
  if (fault) return refused(fault.reason, fault.detail)
  const signature = decodeBase64url(token.slice(secondDot + 1))
  if (!signature) return malformed('signature: not canonical base64url')
  const signingInput = token.slice(0, secondDot)
  const read = { untrustedHeader: header.object, untrustedClaims: claims.object, signingInput, purpose, signature }
  return { ok: true, jws: new UntrustedJws(token, digest, read) }
}

type Refusal = Extract<JwsReading, { ok: false }>

/** Accepted headers by their encoded text: all tokens of one key carry the same header. */
const acceptedHeaders = createLruCache<string, JsonObject>(256)
const MAX_CACHED_HEADER_LENGTH = 1024

function readHeader(part: string, purpose: TokenPurpose): Refusal | { readonly ok: true; readonly object: JsonObject } {
  const known = acceptedHeaders.get(part)
  if (known) return { ok: true, object: known }
  const header = readPart(part, HEADER_LIMITS, MAX_HEADER_BYTES)
  if (!header.ok) return malformed(`header: ${header.reason}`)
  const refusal = checkHeader(header.object)
  if (refusal) return refusal
  // Each client has its own key in the header of its proofs.
  if (purpose !== 'proof' && part.length <= MAX_CACHED_HEADER_LENGTH)
    acceptedHeaders.set(part, Object.freeze(header.object))
  return header
}

type PartReading = { readonly ok: true; readonly object: JsonObject } | { readonly ok: false; readonly reason: string }

function readPart(part: string, limits: JsonLimits, maxBytes: number): PartReading {
  const bytes = decodeBase64url(part)
  if (!bytes) return { ok: false, reason: 'not canonical base64url' }
  if (bytes.length > maxBytes) return { ok: false, reason: `longer than ${maxBytes} bytes` }
  try {
    const value = readJson(bytes, limits)
    return isJsonObject(value) ? { ok: true, object: value } : { ok: false, reason: 'not a JSON object' }
  } catch (error) {
    if (error instanceof JsonError) return { ok: false, reason: error.message }
    throw error
  }
}

interface HeaderRule {
  readonly breaks: (header: JsonObject) => boolean
  readonly reason: RefusalReason
  readonly detail: string
}

const HEADER_RULES: readonly HeaderRule[] = [
  { breaks: ({ alg }) => typeof alg !== 'string', reason: 'token-malformed', detail: 'header: no "alg"' },
  { breaks: (header) => 'enc' in header, reason: 'token-encrypted', detail: 'header: "enc" marks an encrypted token' },
  { breaks: (header) => 'crit' in header, reason: 'header-not-understood', detail: 'header: "crit" is not supported' },
  { breaks: (header) => 'b64' in header, reason: 'header-not-understood', detail: 'header: "b64" is not supported' },
  {
    breaks: (header) => '__proto__' in header || 'constructor' in header,
    reason: 'header-not-understood',
    detail: 'header: a member name is not allowed',
  },
  { breaks: ({ cty }) => mediaType(cty) === 'jwt', reason: 'token-nested', detail: 'header: a token inside a token' },
]

/** Why a token with this header is not read; undefined when it is. */
export function checkHeader(header: JsonObject): Refusal | undefined {
  const broken = HEADER_RULES.find(({ breaks }) => breaks(header))
  return broken && refused(broken.reason, broken.detail)
}

function refuseMoreParts(token: string): Refusal {
  const encrypted = token.split('.', 6).length === 5
  return encrypted ? refused('token-encrypted', 'five parts, as an encrypted token has') : malformed('not three parts')
}

const refused = (reason: RefusalReason, detail: string): Refusal => ({ ok: false, reason, detail })
const malformed = (detail: string): Refusal => refused('token-malformed', detail)
