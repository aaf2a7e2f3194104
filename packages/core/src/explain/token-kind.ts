import type { JsonObject } from '../json/json-value.ts'

export type TokenKind = 'access' | 'id' | 'refresh'

/** What gives a kind of token away. */
export interface TokenMark {
  readonly kind: TokenKind
  /** For a person, as it stands in the token. */
  readonly sign: string
}

interface MarkRule extends TokenMark {
  readonly shows: (header: JsonObject, claims: JsonObject) => boolean
}

const isAccessType = ({ typ }: JsonObject): boolean =>
  typeof typ === 'string' && ['at+jwt', 'application/at+jwt'].includes(typ.toLowerCase())
const hasIdPrefix = ({ jti }: JsonObject, prefix: string): boolean => typeof jti === 'string' && jti.startsWith(prefix)
const claim = (kind: TokenKind, name: string, value: string): MarkRule => ({
  kind,
  sign: `"${name}" is "${value}"`,
  shows: (_, claims) => claims[name] === value,
})
const present = (kind: TokenKind, name: string): MarkRule => ({
  kind,
  sign: `it has "${name}"`,
  shows: (_, claims) => claims[name] !== undefined,
})

/** The surest first: what providers say outright (RFC 9068, Keycloak, Cognito, Okta), then claims that only one kind has. */
const RULES: readonly MarkRule[] = [
  { kind: 'access', sign: 'its header says "at+jwt"', shows: (header) => isAccessType(header) },
  claim('access', 'typ', 'Bearer'),
  claim('id', 'typ', 'ID'),
  claim('refresh', 'typ', 'Refresh'),
  claim('refresh', 'typ', 'Offline'),
  claim('access', 'token_use', 'access'),
  claim('id', 'token_use', 'id'),
  { kind: 'access', sign: 'its "jti" begins with "AT."', shows: (_, claims) => hasIdPrefix(claims, 'AT.') },
  { kind: 'id', sign: 'its "jti" begins with "ID."', shows: (_, claims) => hasIdPrefix(claims, 'ID.') },
  present('id', 'at_hash'),
  present('id', 'c_hash'),
  present('access', 'scp'),
  present('access', 'scope'),
  present('access', 'appid'),
  present('access', 'azpacr'),
  present('access', 'cid'),
  present('id', 'nonce'),
]

/** Which kind of token it is, going by what it says; undefined where it may be either. */
export function findTokenMark(header: JsonObject, claims: JsonObject): TokenMark | undefined {
  return RULES.find(({ shows }) => shows(header, claims))
}
