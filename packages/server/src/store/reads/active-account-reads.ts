import type { AccountRole } from '@countersign/contract'
import type { Kysely } from 'kysely'
import { prepared } from '../prepared.ts'
import type { Database } from '../schema.ts'
import type { ClientKey } from './account-client-reads.ts'

type Db = Kysely<Database>

/** Accounts that are active, in an active organization and at an enabled provider. */
function activeAccounts(db: Db) {
  return db
    .selectFrom('api_accounts as account')
    .innerJoin('organizations as organization', 'organization.id', 'account.organization_id')
    .innerJoin('identity_providers as provider', 'provider.id', 'account.identity_provider_id')
    .select('account.role')
    .where('account.active', '=', true)
    .where('organization.active', '=', true)
    .where('provider.enabled', '=', true)
}

const activeById = prepared(1, (db, id: string) => activeAccounts(db).where('account.id', '=', id))

/** Whether an API account, its organization and its provider exist and are active. */
export async function isAccountActive(db: Db, id: string): Promise<boolean> {
  return (await activeById(db, id)).length > 0
}

const activeByClient = prepared(4, (db, id: string, issuer: string, clientId: string, now: number) =>
  activeAccounts(db)
    .innerJoin('api_account_clients as client', 'client.account_id', 'account.id')
    .where('account.id', '=', id)
    .where('client.issuer', '=', issuer)
    .where('client.client_id', '=', clientId)
    .where(({ eb, or }) => or([eb('client.retires_at', 'is', null), eb('client.retires_at', '>', now)])),
)

/** The role of an active account; undefined also when the client is not the account's, or is retired. */
export async function findAccountRole(
  db: Db,
  { id, client, now }: { readonly id: string; readonly client: ClientKey; readonly now: number },
): Promise<AccountRole | undefined> {
  const [row] = await activeByClient(db, id, client.issuer, client.clientId, now)
  return row?.role as AccountRole | undefined
}
