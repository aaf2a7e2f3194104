import { accountIdentityId } from '@countersign/core'
import { type Kysely, sql } from 'kysely'
import type { Database } from '../schema.ts'

/** The ids of the identities that accounts of an identity provider have on this controller. */
export function identitiesOfProvider(db: Kysely<Database>, providerId: string) {
  return db
    .selectFrom('api_accounts as account')
    .innerJoin('identities', (join) => join.on('identities.id', '=', sql`${accountIdentityId('')} || account.id`))
    .select('identities.id')
    .where('account.identity_provider_id', '=', providerId)
}
