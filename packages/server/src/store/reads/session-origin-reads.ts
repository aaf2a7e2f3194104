import { accountIdOf, isTrustedFor, type LoginMethod, type LoginMethodName } from '@countersign/core'
import type { StoredSession } from '../api-session-row.ts'
import type { StoredIdentity } from '../identity-row.ts'
import { type SessionCertificate, sessionCertificate } from '../session-certificate.ts'
import type { ReadDatabase } from '../store.ts'
import { findAccountEnd } from './active-account-reads.ts'
import { findSessionAuthenticator, isCertificateTrustedFor } from './authenticator-reads.ts'
import { isSessionCa } from './ca-reads.ts'
import { findRetirementAfter } from './retired-client-reads.ts'
import { type EnabledSignerTrust, findEnabledSignerTrust } from './signer-reads.ts'

/** A token login has no authenticator: its sessions name the signer instead, in the form that existing clients expect. */
export const authenticatorIdOfSigner = (signerId: string): string => `extJwtId:${signerId}`

export const authenticatorIdOfAccount = (accountId: string): string => `apiAccount:${accountId}`

/** How a session was opened; with the certificate's state for a certificate login. */
export interface SessionOrigin {
  readonly login: LoginMethod
  readonly certificate?: SessionCertificate | undefined
  /** From when on the login no longer counts; undefined when that is not known. */
  readonly retiresAt?: number | undefined
}

/** What decides whether the sessions of a signer's tokens still count. */
export type SignerOfSession = Pick<EnabledSignerTrust, 'isTrusted' | 'sessionRevision' | 'removedKeys'>

type Owner = Pick<StoredIdentity, 'id' | 'isAdmin' | 'permissions'>
type SessionRow = Pick<
  StoredSession,
  | 'method'
  | 'authenticatorId'
  | 'signerId'
  | 'signerSessionRevision'
  | 'keyThumbprint'
  | 'caId'
  | 'caRevision'
  | 'createdAt'
> & {
  /** When it was read with the session. */
  readonly signer?: SignerOfSession | null
}
type FindOrigin = (db: ReadDatabase, session: SessionRow, identity: Owner) => Promise<SessionOrigin | undefined>

const FIND_ORIGIN: Readonly<Record<LoginMethodName, FindOrigin>> = {
  // A removed authenticator has ended its sessions, except the one that removed it.
  password: async () => ({ login: { method: 'password' } }),
  passkey: async () => ({ login: { method: 'passkey' } }),
  // Undefined also when the third-party CA is deleted, no longer logs in, has another claim, or is not trusted for the rights of the identity, and when
  // the signer that enrolled the certificate was not.
  cert: async (db, { authenticatorId, caId, caRevision }, identity) => {
    if (caId !== null) {
      const isValid = await isSessionCa(db, { id: caId, revision: caRevision ?? 0 }, identity)
      return isValid ? { login: { method: 'cert', caId } } : undefined
    }
    const row = await findSessionAuthenticator(db, authenticatorId)
    if (row && !isCertificateTrustedFor(row, identity)) return undefined
    return { login: { method: 'cert' }, certificate: row && sessionCertificate(row) }
  },
  // Undefined also when the signer is disabled, has been restricted or lost the token's key since, or is not trusted for the identity's present rights.
  'ext-jwt': async (db, { signerId, signerSessionRevision, keyThumbprint, signer: known }, identity) => {
    if (signerId === null) return undefined
    const signer = known === undefined ? await findEnabledSignerTrust(db, signerId) : known
    if (!signer || !isTrustedFor(signer, identity)) return undefined
    const isCurrent = signerSessionRevision === null || signerSessionRevision === signer.sessionRevision
    const { removedKeys } = signer
    if (removedKeys.length > 0 && (keyThumbprint === null || removedKeys.includes(keyThumbprint))) return undefined
    return isCurrent ? { login: { method: 'ext-jwt', signerId } } : undefined
  },
  // Undefined also when the account or its organization is inactive.
  'api-account': async (db, { createdAt }, { id }) => {
    const accountId = accountIdOf(id)
    const end = await findAccountEnd(db, accountId)
    if (end === undefined) return undefined
    const retiresAt = Math.min(end, (await findRetirementAfter(db, accountId, createdAt)) ?? end)
    return { login: { method: 'api-account', accountId }, ...(Number.isFinite(retiresAt) && { retiresAt }) }
  },
}

/** The login behind a session; undefined when the credential is deleted or no longer valid for this identity. */
export async function findSessionOrigin(
  db: ReadDatabase,
  session: SessionRow,
  identity: Owner,
): Promise<SessionOrigin | undefined> {
  return FIND_ORIGIN[session.method](db, session, identity)
}
