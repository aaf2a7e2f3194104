import type { OidcClientId } from '@countersign/core'
import type { Kysely } from 'kysely'
import type { OidcLoginDetails } from '../oidc-login.ts'
import type { RefreshGrant } from '../oidc-schema.ts'
import { prepared } from '../prepared.ts'
import type { Database } from '../schema.ts'

export interface StoredOidcSession {
  readonly clientId: OidcClientId
  readonly scopes: readonly string[]
  readonly details: OidcLoginDetails
}

const sessionById = prepared(1, (db, id: string) =>
  db.selectFrom('oidc_sessions').selectAll().where('session_id', '=', id),
)

/** What a session of the OpenID provider holds; undefined for other sessions. */
export async function findOidcSession(db: Kysely<Database>, id: string): Promise<StoredOidcSession | undefined> {
  const [row] = await sessionById(db, id)
  if (!row) return undefined
  return {
    clientId: row.client_id as OidcClientId,
    scopes: JSON.parse(row.scopes),
    details: JSON.parse(row.details),
  }
}

const spentByJti = prepared(1, (db, jti: string) =>
  db.selectFrom('oidc_spent_tokens').select(['spent_at', 'spent_by']).where('jti', '=', jti),
)

/** When and how a client first got a new refresh token for this one. */
export async function findSpentToken(
  db: Kysely<Database>,
  jti: string,
): Promise<{ readonly spentAt: number; readonly spentBy: RefreshGrant } | undefined> {
  const [row] = await spentByJti(db, jti)
  return row && { spentAt: row.spent_at, spentBy: row.spent_by }
}

const certificateOfSession = prepared(2, (db, fingerprint: string, sessionId: string) =>
  db
    .selectFrom('api_session_certificates')
    .select('not_after')
    .where('fingerprint', '=', fingerprint)
    .where('api_session_id', '=', sessionId),
)

/** Whether a certificate that was issued for this session has this fingerprint and is valid. */
export async function isSessionCertificate(
  db: Kysely<Database>,
  { fingerprint, sessionId, now }: { readonly fingerprint: string; readonly sessionId: string; readonly now: number },
): Promise<boolean> {
  const [row] = await certificateOfSession(db, fingerprint, sessionId)
  return row !== undefined && now <= row.not_after
}
