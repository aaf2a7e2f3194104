import { isLinkedTo, type RevocationCause, type RevokedTokens, revocationKey } from '@countersign/core'
import { isLastAdministrator } from '../../store/reads/administrator-reads.ts'
import { findIdentityByClaim } from '../../store/reads/identity-reads.ts'
import { findTokenSessions, type TokenSelection } from '../../store/reads/token-session-reads.ts'
import type { StoredSigner } from '../../store/signer-row.ts'
import type { Transaction } from '../../store/transaction.ts'
import { deleteSessions } from '../../store/writes/end-sessions.ts'
import { revokeTokens } from '../../store/writes/token-revocation-writes.ts'

export interface EndedAccess {
  readonly sessions: number
  /** The identities whose sessions ended. */
  readonly identityIds: readonly string[]
}

/**
 * Revokes tokens of a signer that were issued until `issuedAt`, and ends the sessions that they opened. Concerns only identities that are linked to
 * the signer, and never the sessions of the last administrator. Runs under the lock that logins share: a login sees the revocation, or its session
 * is found here.
 */
export async function endProviderSessions(
  tx: Transaction,
  signer: StoredSigner,
  tokens: RevokedTokens,
  { cause, issuedAt }: { readonly cause: RevocationCause; readonly issuedAt: number },
): Promise<EndedAccess> {
  const { id: signerId, name: signerName } = signer
  await revokeTokens(tx, { signerId, key: revocationKey(tokens), revokedAt: issuedAt, cause })
  const selected = await selectTokens(tx, signer, tokens)
  const ended = []
  for (const session of selected ? await findTokenSessions(tx.db, signerId, selected, issuedAt) : []) {
    if (!isLinkedTo(session, signerId)) continue
    if (session.isAdmin && (await isLastAdministrator(tx.db, session.identity_id, tx.now))) continue
    ended.push(session)
  }
  await deleteSessions(tx, ended, { cause, signerId, signerName })
  return { sessions: ended.length, identityIds: [...new Set(ended.map((session) => session.identity_id))] }
}

/** Undefined when the claim names no identity. */
async function selectTokens(
  { db }: Transaction,
  signer: StoredSigner,
  tokens: RevokedTokens,
): Promise<TokenSelection | undefined> {
  if (!('identityClaim' in tokens)) return tokens
  const identity = await findIdentityByClaim(db, signer, tokens.identityClaim)
  return identity && { identityId: identity.id }
}
