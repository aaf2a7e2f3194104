import { ALL_TOKENS_KEY, type RevocationCause } from '@countersign/core'
import type { Kysely } from 'kysely'
import type { Database } from '../schema.ts'
import type { Transaction } from '../transaction.ts'

export interface NewRevocation {
  readonly signerId: string
  readonly key: string
  /** Tokens that were issued until then are refused. */
  readonly revokedAt: number
  readonly cause: RevocationCause
}

/** Revokes tokens of a signer. A later revocation of the same tokens stays. */
export async function revokeTokens(tx: Transaction, { signerId, key, revokedAt, cause }: NewRevocation): Promise<void> {
  await tx.db
    .insertInto('token_revocations')
    .values({ signer_id: signerId, revocation_key: key, revoked_at: revokedAt, cause })
    .onConflict((conflict) =>
      conflict
        .columns(['signer_id', 'revocation_key'])
        .doUpdateSet({ revoked_at: revokedAt, cause })
        .where('token_revocations.revoked_at', '<', revokedAt),
    )
    .execute()
  tx.changed({ entity: 'tokenRevocations', id: signerId, action: 'updated' })
}

interface EventToken {
  readonly signerId: string
  readonly idDigest: string
  /** From then on the token is refused for its age. */
  readonly expiresAt: number
}

/** Notes the use of a logout token or security event token. Returns false when it was used before. */
export async function useEventToken({ db }: Transaction, token: EventToken): Promise<boolean> {
  const inserted = await db
    .insertInto('used_event_tokens')
    .values({ signer_id: token.signerId, id_digest: token.idDigest, expires_at: token.expiresAt })
    .onConflict((conflict) => conflict.columns(['signer_id', 'id_digest']).doNothing())
    .returning('id_digest')
    .executeTakeFirst()
  return inserted !== undefined
}

/** Deletes up to `limit` notes of tokens that are too old to be used. Returns how many. */
export async function deleteOldEventTokens({ db, now }: Transaction, limit: number): Promise<number> {
  const old = db.selectFrom('used_event_tokens').select('id_digest').where('expires_at', '<=', now).limit(limit)
  const deleted = db.deleteFrom('used_event_tokens').where('expires_at', '<=', now).where('id_digest', 'in', old)
  return (await deleted.returning('id_digest').execute()).length
}

/**
 * Replaces the revocations of a signer that are at least so old by one for all its tokens, of the latest of their times: what was refused stays
 * refused. Does nothing when there is no other than that for all tokens.
 */
export async function mergeRevocations(tx: Transaction, signerId: string, until: number): Promise<void> {
  const { db } = tx
  const old = db.selectFrom('token_revocations').where('signer_id', '=', signerId).where('revoked_at', '<=', until)
  const other = await old.where('revocation_key', '!=', ALL_TOKENS_KEY).select('revoked_at').limit(1).executeTakeFirst()
  if (!other) return
  const latest = await old
    .select(['revoked_at', 'cause'])
    .orderBy('revoked_at', 'desc')
    .limit(1)
    .executeTakeFirstOrThrow()
  await db.deleteFrom('token_revocations').where('signer_id', '=', signerId).where('revoked_at', '<=', until).execute()
  await revokeTokens(tx, { signerId, key: ALL_TOKENS_KEY, revokedAt: latest.revoked_at, cause: latest.cause })
}

export interface SignerRevocations {
  readonly signerId: string
  readonly count: number
  readonly oldest: number
  readonly maxTokenAgeSeconds: number | null
  readonly clockSkewSeconds: number
}

/** How many revocations each signer has, with what limits the life of its tokens. */
export async function countRevocations(db: Kysely<Database>): Promise<SignerRevocations[]> {
  return db
    .selectFrom('token_revocations')
    .innerJoin('ext_jwt_signers as signer', 'signer.id', 'token_revocations.signer_id')
    .select(['signer.id as signerId', 'signer.max_token_age_seconds as maxTokenAgeSeconds'])
    .select('signer.clock_skew_seconds as clockSkewSeconds')
    .select(({ fn }) => [fn.countAll<number>().as('count'), fn.min('revoked_at').as('oldest')])
    .groupBy(['signer.id', 'signer.max_token_age_seconds', 'signer.clock_skew_seconds'])
    .execute()
}

/** The time of the newest of the `count` oldest revocations of a signer. */
export async function findOldRevocation(
  db: Kysely<Database>,
  signerId: string,
  count: number,
): Promise<number | undefined> {
  const row = await db
    .selectFrom('token_revocations')
    .select('revoked_at')
    .where('signer_id', '=', signerId)
    .orderBy('revoked_at')
    .offset(count - 1)
    .limit(1)
    .executeTakeFirst()
  return row?.revoked_at
}
