import { type Kysely, sql } from 'kysely'
import { SYSTEM_ACTOR } from '../actor.ts'
import { LONG_AGO } from '../client-retirement.ts'
import type { ApiAccountClientRow } from '../hosted-schema.ts'
import { prepared } from '../prepared.ts'
import type { Database } from '../schema.ts'
import type { Store } from '../store.ts'
import type { ClientKey } from './account-client-reads.ts'

type Db = Kysely<Database>

const retirementAfter = prepared(2, (db, accountId: string, openedAt: number) =>
  db
    .selectFrom('api_account_clients')
    .select('retires_at')
    .where('account_id', '=', accountId)
    .where('retires_at', '>', openedAt)
    .orderBy('retires_at')
    .limit(1),
)

/** When a client retires that may have opened a session at `openedAt`: a session does not record its client. */
export async function findRetirementAfter(db: Db, accountId: string, openedAt: number): Promise<number | undefined> {
  const [row] = await retirementAfter(db, accountId, openedAt)
  return row?.retires_at ?? undefined
}

/** Clients that retired at `now` or before and may still have sessions. */
function retiredWithSessions(db: Db, now: number) {
  return db.selectFrom('api_account_clients').where('retires_at', '>', LONG_AGO).where('retires_at', '<=', now)
}

/** Up to `limit` accounts of clients that retired at `now` or before and may still have sessions. */
export async function listAccountsWithOldSessions(db: Db, now: number, limit: number): Promise<string[]> {
  const rows = await retiredWithSessions(db, now).select('account_id').distinct().limit(limit).execute()
  return rows.map(({ account_id: accountId }) => accountId)
}

/** When the last client of an account retired that may still have sessions. */
export async function findLastRetirement(db: Db, accountId: string, now: number): Promise<number | undefined> {
  const row = await retiredWithSessions(db, now)
    .select('retires_at')
    .where('account_id', '=', accountId)
    .orderBy('retires_at', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row?.retires_at ?? undefined
}

export interface RetiredClient extends ClientKey {
  readonly accountId: string
  readonly providerId: string
  readonly organizationId: string
}

/**
 * Retired clients without sessions, up to `limit` of each organization. In random order, so that none waits for ever behind others. Without their
 * tokens: there may be many, and each is read when it is its turn.
 */
export async function listRetiredClients(
  store: Pick<Store, 'db' | 'readLong'>,
  limit: number,
): Promise<RetiredClient[]> {
  const clients = store.db
    .selectFrom((from) =>
      from
        .selectFrom('api_account_clients as client')
        .innerJoin('api_accounts as account', 'account.id', 'client.account_id')
        .select(['client.issuer', 'client.client_id as clientId', 'client.account_id as accountId'])
        .select(['account.identity_provider_id as providerId', 'account.organization_id as organizationId'])
        .select(({ fn }) =>
          fn
            .agg<number>('row_number')
            .over((each) => each.partitionBy('account.organization_id').orderBy(sql`random()`))
            .as('nth'),
        )
        .where('client.retires_at', '=', LONG_AGO)
        .as('retired'),
    )
    .select(['issuer', 'clientId', 'accountId', 'providerId', 'organizationId'])
    .where('nth', '<=', limit)
  return store.readLong(SYSTEM_ACTOR.id, clients.compile())
}

/** The row of such a client; undefined when it was removed meanwhile. */
export async function findRetiredClient(
  db: Db,
  { issuer, clientId, accountId }: RetiredClient,
): Promise<ApiAccountClientRow | undefined> {
  return db
    .selectFrom('api_account_clients')
    .selectAll()
    .where('issuer', '=', issuer)
    .where('client_id', '=', clientId)
    .where('account_id', '=', accountId)
    .where('retires_at', '=', LONG_AGO)
    .executeTakeFirst()
}
