import type { Generated, Selectable } from 'kysely'
import type { Bool } from './columns/column.ts'

/** A login that a client began at the authorization endpoint. */
interface OidcLoginTable {
  id: string
  client_id: string
  redirect_uri: string
  /** JSON: a list. */
  scopes: string
  state: string | null
  nonce: string | null
  /** S256. */
  code_challenge: string
  /** JSON: a list. */
  config_types: string
  /** SHA-256 of the cookie of the browser that began the login; null when a program began it. */
  browser_digest: string | null
  /** The session of the identity that has logged in. Without a foreign key: it outlives the session, so that a code is recognised when it is reused. */
  session_id: string | null
  /** JSON of `OidcLoginDetails`, once an identity has logged in. */
  details: string | null
  /** Not a digest: who reads the database can get the code from the callback by the id of the login. It is useless without the verifier. */
  code: string | null
  code_expires_at: number | null
  redeemed_at: number | null
  created_at: number
  expires_at: number
}

/** What a session of the OpenID provider holds beside its API session. */
interface OidcSessionTable {
  session_id: string
  client_id: string
  /** JSON: a list. */
  scopes: string
  /** JSON of `OidcLoginDetails`. */
  details: string
}

/** How a client gets a new refresh token for one that it has: `refresh` replaces it, `exchange` leaves it valid. */
export type RefreshGrant = 'refresh' | 'exchange'

/** A refresh token that was exchanged for a new one, or replaced by it. */
interface OidcSpentTokenTable {
  jti: string
  session_id: string
  spent_at: number
  spent_by: RefreshGrant
  expires_at: number
}

/** A key pair that signs tokens from `active_at` on, until a later one is active. */
interface OidcKeyTable {
  kid: string
  /** JSON: the public key. */
  public_jwk: string
  /** Sealed: PKCS#8 PEM. */
  private_key: string
  created_at: number
  active_at: number
}

interface RevocationTable {
  /** The id of a token, a session or an identity. */
  id: string
  type: string
  issued_before: number | null
  expires_at: number
  is_system: Generated<Bool>
  tags: string
  created_at: number
  updated_at: number
}

export interface OidcTables {
  oidc_logins: OidcLoginTable
  oidc_sessions: OidcSessionTable
  oidc_spent_tokens: OidcSpentTokenTable
  oidc_keys: OidcKeyTable
  revocations: RevocationTable
}

export type OidcLoginRow = Selectable<OidcLoginTable>
export type OidcKeyRow = Selectable<OidcKeyTable>
export type RevocationRow = Selectable<RevocationTable>
