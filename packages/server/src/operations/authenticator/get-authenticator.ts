import { notFound } from '../../store/not-found.ts'
import { findAuthenticator } from '../../store/reads/authenticator-reads.ts'
import type { AuthenticatorRow } from '../../store/schema.ts'
import type { Transaction } from '../../store/transaction.ts'

/** One authenticator; only of the identity `identityId` when given. Fails with NOT_FOUND. */
export async function getAuthenticator(
  { db }: Transaction,
  id: string,
  identityId?: string,
): Promise<AuthenticatorRow> {
  const row = await findAuthenticator(db, id, identityId)
  if (!row) throw notFound('authenticator', id)
  return row
}
