import type { LoginWay } from '@countersign/core'
import type { StoredIdentity } from '../store/identity-row.ts'
import { isAccountActive } from '../store/reads/actor-reads.ts'
import { findSessionAuthenticator } from '../store/reads/authenticator-reads.ts'
import { findEnabledSignerTrust } from '../store/reads/signer-reads.ts'
import type { ReadDatabase } from '../store/store.ts'
import { isSignerTrusted } from '../token/login-obstacles.ts'
import { type SessionCertificate, sessionCertificate } from './session-certificate.ts'

/** Signing in by JWT leaves no authenticator behind: sessions name the signer in its place, as existing clients know it. */
const SIGNER_PREFIX = 'extJwtId:'

export const authenticatorIdOfSigner = (signerId: string): string => SIGNER_PREFIX + signerId

const ACCOUNT_PREFIX = 'apiAccount:'

export const authenticatorIdOfAccount = (accountId: string): string => ACCOUNT_PREFIX + accountId

/** How a session was opened, and what there is to say about its certificate where that was the way. */
export interface SessionOrigin {
  readonly way: LoginWay
  readonly certificate?: SessionCertificate | undefined
}

/** What a session's `authenticatorId` stands for; undefined when that is gone, or would not let this identity in any more. */
export async function findSessionOrigin(
  db: ReadDatabase,
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
  const row = await findSessionAuthenticator(db, authenticatorId)
  if (!row) return undefined
  if (row.method === 'updb') return { way: { method: 'password' } }
  return { way: { method: 'cert' }, certificate: sessionCertificate(row) }
}

/** A signer that was disabled or deleted lets nobody in, and one that is not trusted nobody who has gained power since. */
async function findSignerWay(
  db: ReadDatabase,
  signerId: string,
  identity: StoredIdentity,
): Promise<LoginWay | undefined> {
  const signer = await findEnabledSignerTrust(db, signerId)
  const isTrusted = signer && isSignerTrusted(signer, identity)
  return isTrusted ? { method: 'ext-jwt', signerId } : undefined
}

/** An account that was disabled or deleted, or whose organization was, lets nobody in. */
async function findAccountWay(db: ReadDatabase, accountId: string): Promise<LoginWay | undefined> {
  return (await isAccountActive(db, accountId)) ? { method: 'api-account', accountId } : undefined
}
