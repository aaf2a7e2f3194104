import type { SignInWay } from '@countersign/core'
import type { Kysely } from 'kysely'
import type { StoredIdentity } from '../store/identity-row.ts'
import { prepared } from '../store/prepared.ts'
import type { Database } from '../store/schema.ts'
import { isSignerTrusted } from '../token/login-obstacles.ts'
import { type SessionCertificate, sessionCertificate } from './session-certificate.ts'

/** Signing in by JWT leaves no authenticator behind: sessions name the signer in its place, as existing clients know it. */
const SIGNER_PREFIX = 'extJwtId:'

export const authenticatorIdOfSigner = (signerId: string): string => SIGNER_PREFIX + signerId

const ACCOUNT_PREFIX = 'apiAccount:'

export const authenticatorIdOfAccount = (accountId: string): string => ACCOUNT_PREFIX + accountId

/** How a session was opened, and what there is to say about its certificate where that was the way. */
export interface SessionOrigin {
  readonly way: SignInWay
  readonly certificate?: SessionCertificate | undefined
}

/** What a session's `authenticatorId` stands for; undefined when that is gone, or would not let this identity in any more. */
export async function findSessionOrigin(
  db: Kysely<Database>,
  authenticatorId: string,
  identity: StoredIdentity,
): Promise<SessionOrigin | undefined> {
  if (authenticatorId.startsWith(SIGNER_PREFIX)) {
    const way = await findSignerWay(db, authenticatorId.slice(SIGNER_PREFIX.length), identity)
    return way && { way }
  }
  if (authenticatorId.startsWith(ACCOUNT_PREFIX)) {
    const way = await findAccountWay(db, authenticatorId.slice(ACCOUNT_PREFIX.length))
    return way && { way }
  }
  const [row] = await authenticatorById(db, authenticatorId)
  if (!row) return undefined
  if (row.method === 'updb') return { way: { method: 'updb' } }
  return { way: { method: 'cert' }, certificate: sessionCertificate(row) }
}

const authenticatorById = prepared(1, (db, id: string) =>
  db
    .selectFrom('authenticators')
    .select(['method', 'last_auth_resolved_to_root', 'extend_requested_at', 'key_roll_requested'])
    .where('id', '=', id),
)

const enabledSignerById = prepared(1, (db, id: string) =>
  db.selectFrom('ext_jwt_signers').select('written_by_admin').where('id', '=', id).where('enabled', '=', true),
)

/** A signer that was disabled or deleted lets nobody in, and one that is not trusted nobody who has gained power since. */
async function findSignerWay(
  db: Kysely<Database>,
  signerId: string,
  identity: StoredIdentity,
): Promise<SignInWay | undefined> {
  const [signer] = await enabledSignerById(db, signerId)
  const isTrusted = signer && isSignerTrusted({ writtenByAdmin: Boolean(signer.written_by_admin) }, identity)
  return isTrusted ? { method: 'ext-jwt', signerId } : undefined
}

/** An account that was disabled or deleted, or whose organization was, lets nobody in. */
async function findAccountWay(db: Kysely<Database>, accountId: string): Promise<SignInWay | undefined> {
  const account = await db
    .selectFrom('api_accounts')
    .innerJoin('organizations', 'organizations.id', 'api_accounts.organization_id')
    .select('api_accounts.id')
    .where('api_accounts.id', '=', accountId)
    .where('api_accounts.active', '=', true)
    .where('organizations.active', '=', true)
    .executeTakeFirst()
  return account && { method: 'api-account', accountId }
}
