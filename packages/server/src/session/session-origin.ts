import type { LoginMethod } from '@countersign/core'
import type { StoredIdentity } from '../store/identity-row.ts'
import { isAccountActive } from '../store/reads/actor-reads.ts'
import { findSessionAuthenticator } from '../store/reads/authenticator-reads.ts'
import { findEnabledSignerTrust } from '../store/reads/signer-reads.ts'
import type { ReadDatabase } from '../store/store.ts'
import { isSignerTrusted } from '../token/login-refusals.ts'
import { type SessionCertificate, sessionCertificate } from './session-certificate.ts'

/** A token login has no authenticator: its sessions name the signer instead, in the form that existing clients expect. */
const SIGNER_PREFIX = 'extJwtId:'

export const authenticatorIdOfSigner = (signerId: string): string => SIGNER_PREFIX + signerId

const ACCOUNT_PREFIX = 'apiAccount:'

export const authenticatorIdOfAccount = (accountId: string): string => ACCOUNT_PREFIX + accountId

/** How a session was opened; with the certificate's state for a certificate login. */
export interface SessionOrigin {
  readonly login: LoginMethod
  readonly certificate?: SessionCertificate | undefined
}

/** The login behind a session's `authenticatorId`; undefined when the credential is deleted or no longer valid for this identity. */
export async function findSessionOrigin(
  db: ReadDatabase,
  authenticatorId: string,
  identity: StoredIdentity,
): Promise<SessionOrigin | undefined> {
  if (authenticatorId.startsWith(SIGNER_PREFIX)) {
    const login = await findSignerLogin(db, authenticatorId.slice(SIGNER_PREFIX.length), identity)
    return login && { login }
  }
  if (authenticatorId.startsWith(ACCOUNT_PREFIX)) {
    const login = await findAccountLogin(db, authenticatorId.slice(ACCOUNT_PREFIX.length))
    return login && { login }
  }
  const row = await findSessionAuthenticator(db, authenticatorId)
  if (!row) return undefined
  if (row.method === 'updb') return { login: { method: 'password' } }
  return { login: { method: 'cert' }, certificate: sessionCertificate(row) }
}

/** Undefined when the signer is disabled or deleted, or is not trusted for the rights that the identity has now. */
async function findSignerLogin(
  db: ReadDatabase,
  signerId: string,
  identity: StoredIdentity,
): Promise<LoginMethod | undefined> {
  const signer = await findEnabledSignerTrust(db, signerId)
  const isTrusted = signer && isSignerTrusted(signer, identity)
  return isTrusted ? { method: 'ext-jwt', signerId } : undefined
}

/** Undefined when the account or its organization is inactive or deleted. */
async function findAccountLogin(db: ReadDatabase, accountId: string): Promise<LoginMethod | undefined> {
  return (await isAccountActive(db, accountId)) ? { method: 'api-account', accountId } : undefined
}
