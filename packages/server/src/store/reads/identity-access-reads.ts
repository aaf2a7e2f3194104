import type { EnrollmentKey } from '@countersign/core'
import { type Kysely, sql } from 'kysely'
import { prepared } from '../prepared.ts'
import type { Database } from '../schema.ts'
import type { Transaction } from '../transaction.ts'

/** The literal makes the partial index usable. */
const NOT_EXPIRED = { sqlite: sql<boolean>`has_expired = 0`, postgres: sql<boolean>`has_expired = false` }

/** The ids of identities whose access has ended at `now`, which is not recorded yet. */
export async function findIdentitiesToExpire(
  { db, dialect }: Pick<Transaction, 'db' | 'dialect'>,
  now: number,
  limit: number,
): Promise<string[]> {
  const rows = await db
    .selectFrom('identities')
    .select('id')
    .where('expires_at', '<=', now)
    .where(NOT_EXPIRED[dialect])
    .limit(limit)
    .execute()
  return rows.map(({ id }) => id)
}

const deletionOfId = prepared(1, (db, id: string) =>
  db.selectFrom('deleted_identities').select('deleted_at').where('id', '=', id),
)

const deletionOfExternalId = prepared(1, (db, externalId: string) =>
  db
    .selectFrom('deleted_identities')
    .select('deleted_at')
    .where('external_id', '=', externalId)
    .orderBy('deleted_at', 'desc')
    .limit(1),
)

/** The id of the note of an external id that an identity has lost. The space makes it no id of an identity. */
export const lostExternalIdNote = (externalId: string): string => `lost ${externalId}`

/** When an identity that still existed lost this external id last. */
export async function findLoss(db: Kysely<Database>, externalId: string): Promise<number | undefined> {
  const [row] = await deletionOfId(db, lostExternalIdNote(externalId))
  return row?.deleted_at
}

/** When the identity with this key was deleted last. */
export async function findDeletion(db: Kysely<Database>, key: EnrollmentKey): Promise<number | undefined> {
  const [row] = await (key.useExternalId ? deletionOfExternalId(db, key.externalId) : deletionOfId(db, key.id))
  return row?.deleted_at
}
