import type { AuthenticatorMethod } from '@countersign/contract'
import { isTrustedFor, type PermissionHolder } from '@countersign/core'
import type { Kysely } from 'kysely'
import { prepared } from '../prepared.ts'
import type { AuthenticatorRow, Database } from '../schema.ts'

const authenticatorById = prepared(1, (db, id: string) =>
  db.selectFrom('authenticators').selectAll().where('id', '=', id),
)

/** One authenticator; only of the identity `identityId` when given. */
export async function findAuthenticator(
  db: Kysely<Database>,
  id: string,
  identityId?: string,
): Promise<AuthenticatorRow | undefined> {
  const [row] = await authenticatorById(db, id)
  return row && (identityId === undefined || row.identity_id === identityId) ? row : undefined
}

export async function hasAuthenticator(
  db: Kysely<Database>,
  identityId: string,
  method: AuthenticatorMethod,
): Promise<boolean> {
  const row = await db
    .selectFrom('authenticators')
    .select('id')
    .where('identity_id', '=', identityId)
    .where('method', '=', method)
    .executeTakeFirst()
  return row !== undefined
}

/** The password authenticator of an identity. */
export async function findPasswordLogin(
  db: Kysely<Database>,
  identityId: string,
): Promise<{ readonly id: string; readonly username: string } | undefined> {
  const row = await db
    .selectFrom('authenticators')
    .select(['id', 'username'])
    .where('identity_id', '=', identityId)
    .where('method', '=', 'updb')
    .executeTakeFirst()
  return row && { id: row.id, username: row.username ?? '' }
}

/** Whether an authenticator of any identity has this user name. */
export async function isUsername(db: Kysely<Database>, username: string): Promise<boolean> {
  const row = await db.selectFrom('authenticators').select('id').where('username', '=', username).executeTakeFirst()
  return row !== undefined
}

/** Whether an authenticator other than this one records a certificate with this key. */
export async function isKeyInUse(db: Kysely<Database>, publicKeyDigest: string, id: string): Promise<boolean> {
  const row = await db
    .selectFrom('authenticators')
    .select('id')
    .where('public_key_digest', '=', publicKeyDigest)
    .where('id', '!=', id)
    .executeTakeFirst()
  return row !== undefined
}

/** Whether an authenticator records this certificate, or one with its key. */
export async function isCertificateInUse(
  db: Kysely<Database>,
  { fingerprint, publicKeyDigest = '' }: { readonly fingerprint: string; readonly publicKeyDigest?: string },
): Promise<boolean> {
  const row = await db
    .selectFrom('authenticators')
    .select('id')
    .where((eb) => eb.or([eb('fingerprint', '=', fingerprint), eb('public_key_digest', '=', publicKeyDigest)]))
    .executeTakeFirst()
  return row !== undefined
}

/** Whether another identity has an authenticator with this key. */
export async function isKeyOfOtherIdentity(
  db: Kysely<Database>,
  publicKeyDigest: string,
  identityId: string,
): Promise<boolean> {
  const row = await db
    .selectFrom('authenticators')
    .select('id')
    .where('public_key_digest', '=', publicKeyDigest)
    .where('identity_id', '!=', identityId)
    .executeTakeFirst()
  return row !== undefined
}

/** The columns that a certificate login needs. */
export type CertificateAuthenticator = Pick<
  AuthenticatorRow,
  | 'id'
  | 'identity_id'
  | 'fingerprint'
  | 'public_key_digest'
  | 'last_auth_resolved_to_root'
  | 'extend_requested_at'
  | 'key_roll_requested'
  | 'is_from_untrusted'
>

const certificateByFingerprint = prepared(1, (db, fingerprint: string) =>
  db
    .selectFrom('authenticators')
    .select([
      'id',
      'identity_id',
      'fingerprint',
      'public_key_digest',
      'last_auth_resolved_to_root',
      'extend_requested_at',
      'key_roll_requested',
      'is_from_untrusted',
    ])
    .where('fingerprint', '=', fingerprint)
    .where('method', '=', 'cert'),
)

/** The authenticator with the certificate of this fingerprint. */
export async function findCertificateAuthenticator(
  db: Kysely<Database>,
  fingerprint: string,
): Promise<CertificateAuthenticator | undefined> {
  const [row] = await certificateByFingerprint(db, fingerprint)
  return row
}

/** Whether a recorded certificate may log its identity in, whose rights need a trusted signer. */
export function isCertificateTrustedFor(
  row: Pick<CertificateAuthenticator, 'is_from_untrusted'>,
  identity: PermissionHolder,
): boolean {
  return isTrustedFor({ isTrusted: !row.is_from_untrusted }, identity)
}

/** The state of the certificate authenticators among these ids, by id. */
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

/** The password authenticator with this user name, and the digest to compare with. */
export async function findPasswordAuthenticator(db: Kysely<Database>, username: string) {
  return db
    .selectFrom('authenticators')
    .select(['id', 'identity_id', 'password_digest as digest'])
    .where('username', '=', username)
    .where('method', '=', 'updb')
    .executeTakeFirst()
}

const credentialById = prepared(1, (db, id: string) =>
  db.selectFrom('authenticators').select(['password_digest', 'fingerprint']).where('id', '=', id),
)

/** Whether an authenticator has this password digest or certificate fingerprint now. */
export async function hasCredential(db: Kysely<Database>, id: string, credential: string): Promise<boolean> {
  const [row] = await credentialById(db, id)
  return row !== undefined && (row.password_digest ?? row.fingerprint) === credential
}

const originById = prepared(1, (db, id: string) =>
  db
    .selectFrom('authenticators')
    .select(['last_auth_resolved_to_root', 'extend_requested_at', 'key_roll_requested', 'is_from_untrusted'])
    .where('id', '=', id),
)

/** The columns that a session needs of the authenticator that opened it. */
export async function findSessionAuthenticator(db: Kysely<Database>, id: string) {
  const [row] = await originById(db, id)
  return row
}
