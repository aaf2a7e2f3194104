import type { EnrollmentMethod } from '@countersign/contract'
import type { Tags } from '@countersign/core'
import type { Transaction } from '../transaction.ts'

const ENTITY = 'enrollments'

/** A one-time token as it is stored, and when it expires. */
export interface StoredToken {
  readonly tokenDigest: string
  readonly sealedToken: string
  readonly expiresAt: number
}

export interface NewEnrollment extends StoredToken {
  readonly id: string
  readonly method: EnrollmentMethod
  /** Null unless the method is `updb`. */
  readonly username: string | null
  /** Null unless the method is `ottca`. */
  readonly caId: string | null
  readonly tags?: Tags
}

export async function insertEnrollment(
  tx: Transaction,
  identityId: string,
  { id, method, username, caId, tags = {}, ...token }: NewEnrollment,
): Promise<void> {
  const { db, now } = tx
  await db
    .insertInto('enrollments')
    .values({
      id,
      identity_id: identityId,
      method,
      username,
      ca_id: caId,
      ...tokenColumns(tx, token),
      tags: JSON.stringify(tags),
      created_at: now,
      updated_at: now,
    })
    .execute()
  tx.changed({ entity: ENTITY, id, action: 'created' })
}

/** Replaces the token: the old one is invalid from now on. */
export async function updateEnrollmentToken(tx: Transaction, id: string, token: StoredToken): Promise<void> {
  await tx.db
    .updateTable('enrollments')
    .set({ ...tokenColumns(tx, token), updated_at: tx.now })
    .where('id', '=', id)
    .execute()
  tx.changed({ entity: ENTITY, id, action: 'updated' })
}

export async function deleteEnrollment(tx: Transaction, id: string): Promise<void> {
  await tx.db.deleteFrom('enrollments').where('id', '=', id).execute()
  tx.changed({ entity: ENTITY, id, action: 'deleted' })
}

function tokenColumns({ actorId }: Transaction, { tokenDigest, sealedToken, expiresAt }: StoredToken) {
  return { token_digest: tokenDigest, sealed_token: sealedToken, created_by: actorId, expires_at: expiresAt }
}
