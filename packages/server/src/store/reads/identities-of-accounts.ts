import { accountIdentityId } from '@countersign/core'
import { type Kysely, sql } from 'kysely'
import type { Database } from '../schema.ts'

/** The owner of API accounts: one of their identity providers, or their organization. */
export type AccountOwner = { readonly providerId: string } | { readonly organizationId: string }

/** The ids of the identities that the accounts of an owner have on this controller. */
export function identitiesOfAccounts(db: Kysely<Database>, owner: AccountOwner) {
  const [column, id] =
    'providerId' in owner
      ? (['account.identity_provider_id', owner.providerId] as const)
      : (['account.organization_id', owner.organizationId] as const)
  return db
    .selectFrom('api_accounts as account')
    .innerJoin('identities', (join) => join.on('identities.id', '=', sql`${accountIdentityId('')} || account.id`))
    .select('identities.id')
    .where(column, '=', id)
}
