import type { AccountRole } from '@countersign/contract'
import type { Kysely } from 'kysely'
import type { ClientCredential } from '../actor-credential.ts'
import { prepared } from '../prepared.ts'
import type { Database } from '../schema.ts'

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

const activeByClient = prepared(5, (db, id: string, issuer: string, clientId: string, revision: number, now: number) =>
  activeAccounts(db)
    .innerJoin('api_account_clients as client', 'client.account_id', 'account.id')
    .where('account.id', '=', id)
    .where('client.issuer', '=', issuer)
    .where('client.client_id', '=', clientId)
    .where('provider.revision', '=', revision)
    .where(({ eb, or }) => or([eb('client.retires_at', 'is', null), eb('client.retires_at', '>', now)])),
)

/** The role of an active account; undefined also when the client is not the account's, or is retired, or when the provider record has changed. */
export async function findAccountRole(
  db: Db,
  { id, client, now }: { readonly id: string; readonly client: ClientCredential; readonly now: number },
): Promise<AccountRole | undefined> {
  const { issuer, clientId, providerRevision } = client
  const [row] = await activeByClient(db, id, issuer, clientId, providerRevision, now)
  return row?.role as AccountRole | undefined
}
