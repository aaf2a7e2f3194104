import type { JsonObject } from '../json/json-value.ts'

export type TokenKind = 'access' | 'id' | 'refresh'

/** The kind of a token, and why it was recognised. */
export interface DetectedTokenKind {
  readonly kind: TokenKind
  /** For use in a hint. */
  readonly evidence: string
}

interface KindRule extends DetectedTokenKind {
  readonly matches: (header: JsonObject, claims: JsonObject) => boolean
}

const isAccessType = ({ typ }: JsonObject): boolean =>
  typeof typ === 'string' && ['at+jwt', 'application/at+jwt'].includes(typ.toLowerCase())
const hasIdPrefix = ({ jti }: JsonObject, prefix: string): boolean => typeof jti === 'string' && jti.startsWith(prefix)
const claim = (kind: TokenKind, name: string, value: string): KindRule => ({
  kind,
  evidence: `"${name}" is "${value}"`,
  matches: (_, claims) => claims[name] === value,
})
const present = (kind: TokenKind, name: string): KindRule => ({
  kind,
  evidence: `it has "${name}"`,
  matches: (_, claims) => claims[name] !== undefined,
})

/** Most reliable first: explicit types (RFC 9068, Keycloak, Cognito, Okta), then claims that only one kind of token has. */
const RULES: readonly KindRule[] = [
  { kind: 'access', evidence: 'its header says "at+jwt"', matches: (header) => isAccessType(header) },
  claim('access', 'typ', 'Bearer'),
  claim('id', 'typ', 'ID'),
  claim('refresh', 'typ', 'Refresh'),
  claim('refresh', 'typ', 'Offline'),
  claim('access', 'token_use', 'access'),
  claim('id', 'token_use', 'id'),
  { kind: 'access', evidence: 'its "jti" begins with "AT."', matches: (_, claims) => hasIdPrefix(claims, 'AT.') },
  { kind: 'id', evidence: 'its "jti" begins with "ID."', matches: (_, claims) => hasIdPrefix(claims, 'ID.') },
  present('id', 'at_hash'),
  present('id', 'c_hash'),
  present('access', 'scp'),
  present('access', 'scope'),
  present('access', 'appid'),
  present('access', 'azpacr'),
  present('access', 'cid'),
  present('id', 'nonce'),
]

/** Returns the kind of an unverified token; undefined when nothing in it matches the kind. */
export function detectTokenKind(header: JsonObject, claims: JsonObject): DetectedTokenKind | undefined {
  return RULES.find(({ matches }) => matches(header, claims))
}
