import { isIssuedBefore, type RevocableToken, type RevocationCause } from '@countersign/core'
import type { Kysely } from 'kysely'
import { preparedForIds } from '../prepared.ts'
import type { Database } from '../schema.ts'

/** Tokens that were issued until `revokedAt` are refused. */
export interface Revocation {
  readonly revokedAt: number
  readonly cause: RevocationCause
}

const byKeys = preparedForIds(1, (db, keys, signerId: string) =>
  db
    .selectFrom('token_revocations')
    .select(['revoked_at as revokedAt', 'cause'])
    .where('signer_id', '=', signerId)
    .where('revocation_key', 'in', keys)
    .orderBy('revoked_at', 'desc')
    .limit(1),
)

/** The latest revocation that selects a token of a signer, whenever it was issued. */
export async function findLatestRevocation(
  db: Kysely<Database>,
  signerId: string,
  { revocationKeys }: Pick<RevocableToken, 'revocationKeys'>,
): Promise<Revocation | undefined> {
  const [latest] = await byKeys(db, revocationKeys, signerId)
  return latest
}

/** Whether a logout token or security event token was used. The transaction that uses it decides. */
export async function isEventTokenUsed(
  db: Kysely<Database>,
  { signerId, idDigest }: { readonly signerId: string; readonly idDigest: string },
): Promise<boolean> {
  const used = db.selectFrom('used_event_tokens').select('id_digest')
  const found = await used.where('signer_id', '=', signerId).where('id_digest', '=', idDigest).executeTakeFirst()
  return found !== undefined
}

/** The revocation by which a token of a signer is refused. */
export async function findRevocation(
  db: Kysely<Database>,
  signerId: string,
  token: RevocableToken,
): Promise<Revocation | undefined> {
  const latest = await findLatestRevocation(db, signerId, token)
  return latest && isIssuedBefore(token, latest.revokedAt) ? latest : undefined
}
