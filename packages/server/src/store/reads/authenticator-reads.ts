import type { Kysely } from 'kysely'
import { prepared } from '../prepared.ts'
import type { AuthenticatorRow, Database } from '../schema.ts'

const authenticatorById = prepared(1, (db, id: string) =>
  db.selectFrom('authenticators').selectAll().where('id', '=', id),
)

/** One authenticator, of one identity only where that is given. */
export async function findAuthenticator(
  db: Kysely<Database>,
  id: string,
  identityId?: string,
): Promise<AuthenticatorRow | undefined> {
  const [row] = await authenticatorById(db, id)
  return row && (identityId === undefined || row.identity_id === identityId) ? row : undefined
}

/** What a sign-in by certificate needs to know of the recorded one. */
export type CertificateAuthenticator = Pick<
  AuthenticatorRow,
  | 'id'
  | 'identity_id'
  | 'public_key_digest'
  | 'last_auth_resolved_to_root'
  | 'extend_requested_at'
  | 'key_roll_requested'
>

const certificateByFingerprint = prepared(1, (db, fingerprint: string) =>
  db
    .selectFrom('authenticators')
    .select([
      'id',
      'identity_id',
      'public_key_digest',
      'last_auth_resolved_to_root',
      'extend_requested_at',
      'key_roll_requested',
    ])
    .where('fingerprint', '=', fingerprint)
    .where('method', '=', 'cert'),
)

/** The authenticator that records the certificate with this fingerprint as good. */
export async function findCertificateAuthenticator(
  db: Kysely<Database>,
  fingerprint: string,
): Promise<CertificateAuthenticator | undefined> {
  const [row] = await certificateByFingerprint(db, fingerprint)
  return row
}

/** What is known of the certificates among these authenticators, by id. */
export async function loadCertificateStates(db: Kysely<Database>, ids: readonly string[]) {
  if (ids.length === 0) return new Map<string, Pick<CertificateAuthenticator, (typeof STATE)[number]>>()
  const rows = await db
    .selectFrom('authenticators')
    .select(STATE)
    .where('id', 'in', [...new Set(ids)])
    .where('method', '=', 'cert')
    .execute()
  return new Map(rows.map((row) => [row.id, row]))
}

const STATE = ['id', 'last_auth_resolved_to_root', 'extend_requested_at', 'key_roll_requested'] as const
