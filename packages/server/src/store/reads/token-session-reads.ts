import type { Linked } from '@countersign/core'
import type { Kysely } from 'kysely'
import { readJsonColumn } from '../json-column.ts'
import type { Database } from '../schema.ts'
import type { EndedSession } from '../writes/end-sessions.ts'

/** A session that a token opened, with what decides about the power of the token's signer over its identity. */
export interface TokenSession extends EndedSession, Linked {
  readonly isAdmin: boolean
}

/** The tokens of an identity, or those with a `sub`, a `sid` or both. */
export type TokenSelection =
  | { readonly identityId: string }
  | { readonly sub?: string | undefined; readonly sid?: string | undefined }

/** The sessions that rest on tokens of a signer which were issued until `issuedAt`, or at an unknown time. */
export async function findTokenSessions(
  db: Kysely<Database>,
  signerId: string,
  tokens: TokenSelection,
  issuedAt: number,
): Promise<TokenSession[]> {
  let query = db
    .selectFrom('api_sessions as session')
    .innerJoin('identities', 'identities.id', 'session.identity_id')
    .select(['session.id', 'session.identity_id', 'session.ip_address'])
    .select(['is_admin', 'enrolled_by_signer_id as enrolledBySignerId', 'linked_signers'])
    .where('session.signer_id', '=', signerId)
    .where((is) => is.or([is('session.token_issued_at', 'is', null), is('session.token_issued_at', '<=', issuedAt)]))
  if ('identityId' in tokens) query = query.where('session.identity_id', '=', tokens.identityId)
  else {
    const { sub, sid } = tokens
    if (sub !== undefined) query = query.where('session.subject', '=', sub)
    if (sid !== undefined) query = query.where('session.provider_session_id', '=', sid)
  }
  const rows = await query.execute()
  return rows.map(({ is_admin: isAdmin, linked_signers: linkedSigners, ...session }) => ({
    ...session,
    isAdmin: Boolean(isAdmin),
    linkedSigners: readJsonColumn<readonly string[]>(linkedSigners),
  }))
}
