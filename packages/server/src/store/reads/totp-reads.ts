import { type CodeGuesses, NO_CODE_GUESSES } from '@countersign/core'
import type { Kysely } from 'kysely'
import type { Database, TotpRow } from '../schema.ts'

/** The TOTP enrollment of an identity, verified or not, whichever session set it up. */
export async function findTotp(db: Kysely<Database>, identityId: string): Promise<TotpRow | undefined> {
  return db.selectFrom('totps').selectAll().where('identity_id', '=', identityId).executeTakeFirst()
}

/**
 * The TOTP enrollment of an identity as one of its sessions sees it: until it is verified, only the session that set it up. Otherwise a thief
 * of the password could plant a secret for the owner to verify.
 */
export async function findVisibleTotp(
  db: Kysely<Database>,
  identityId: string,
  { sessionId, verifiedTotpId }: { readonly sessionId: string; readonly verifiedTotpId: string | null },
): Promise<TotpRow | undefined> {
  const totp = await findTotp(db, identityId)
  return totp && (totp.id === verifiedTotpId || totp.session_id === sessionId) ? totp : undefined
}

/** The id of an identity's verified TOTP enrollment: null when it has none, undefined when the identity does not exist. */
export async function findVerifiedTotpId(db: Kysely<Database>, identityId: string): Promise<string | null | undefined> {
  const row = await db
    .selectFrom('identities')
    .select('verified_totp_id')
    .where('id', '=', identityId)
    .executeTakeFirst()
  return row?.verified_totp_id
}

export async function loadCodeGuesses(db: Kysely<Database>, identityId: string): Promise<CodeGuesses> {
  const row = await db.selectFrom('totp_guesses').selectAll().where('identity_id', '=', identityId).executeTakeFirst()
  if (!row) return NO_CODE_GUESSES
  return { wrongAt: JSON.parse(row.wrong_at), lockedUntil: row.locked_until, locks: row.locks }
}
