import type { AccountRole } from '@countersign/contract'
import { type Kysely, sql } from 'kysely'
import { SYSTEM_ACTOR } from '../actor.ts'
import type { AccountCredential, FederatedCredential } from '../actor-credential.ts'
import { LONG_AGO } from '../client-retirement.ts'
import { prepared } from '../prepared.ts'
import type { Database } from '../schema.ts'
import type { Store } from '../store.ts'

type Db = Kysely<Database>

/** Accounts that are active, in an active organization and at an enabled provider. */
function activeAccounts(db: Db) {
  return db
    .selectFrom('api_accounts as account')
    .innerJoin('organizations as organization', 'organization.id', 'account.organization_id')
    .innerJoin('identity_providers as provider', 'provider.id', 'account.identity_provider_id')
    .select(['account.role', 'account.expires_at', 'account.has_expired'])
    .where('account.active', '=', true)
    .where('organization.active', '=', true)
    .where('provider.enabled', '=', true)
}

const activeById = prepared(1, (db, id: string) => activeAccounts(db).where('account.id', '=', id))

/** When the access of an API account ends, or Infinity. Undefined unless the account, its organization and its provider exist and are active. */
export async function findAccountEnd(db: Db, id: string): Promise<number | undefined> {
  const [row] = await activeById(db, id)
  return row && endOf(row)
}

type ActiveRow = Awaited<ReturnType<typeof activeById>>[number]

function endOf({ expires_at: expiresAt, has_expired: hasExpired }: ActiveRow): number {
  return hasExpired ? LONG_AGO : (expiresAt ?? Number.POSITIVE_INFINITY)
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

const activeByRevision = prepared(3, (db, id: string, revision: number, providerRevision: number) =>
  activeAccounts(db)
    .where('account.id', '=', id)
    .where('account.kind', '=', 'federated')
    .where('account.revision', '=', revision)
    .where('provider.revision', '=', providerRevision),
)

const unexpiredToken = prepared(3, (db, digest: string, accountId: string, now: number) =>
  db
    .selectFrom('api_account_tokens')
    .select('digest')
    .where('digest', '=', digest)
    .where('account_id', '=', accountId)
    .where('expires_at', '>', now),
)

interface AccountActor {
  readonly id: string
  readonly credential: AccountCredential
  readonly now: number
}

/**
 * The role of an active account that has not expired; undefined also when the client is not the account's, or is retired, when the token has expired, or
 * when the conditions of the account or its provider record have changed.
 */
export async function findAccountRole(db: Db, actor: AccountActor): Promise<AccountRole | undefined> {
  const { id, credential, now } = actor
  const row =
    'clientId' in credential
      ? (await activeByClient(db, id, credential.issuer, credential.clientId, credential.providerRevision, now))[0]
      : await findFederated(db, { ...actor, credential })
  return row && now < endOf(row) ? (row.role as AccountRole) : undefined
}

async function findFederated(
  db: Db,
  { id, credential, now }: AccountActor & { readonly credential: FederatedCredential },
): Promise<ActiveRow | undefined> {
  const { accountRevision, providerRevision, tokenDigest } = credential
  const [row] = await activeByRevision(db, id, accountRevision, providerRevision)
  if (!row || tokenDigest === undefined) return row
  return (await unexpiredToken(db, tokenDigest, id, now)).length > 0 ? row : undefined
}

/** An account whose rotation is due. */
export interface DueRotation {
  readonly id: string
  readonly organizationId: string
}

/** Active accounts that have not expired and whose planned rotation is due, up to `limit` of each organization, in random order. */
export async function listDueRotations(
  store: Pick<Store, 'db' | 'readLong'>,
  now: number,
  limit: number,
): Promise<DueRotation[]> {
  const due = activeAccounts(store.db)
    .select(['account.id', 'account.organization_id as organizationId'])
    .select(({ fn }) =>
      fn
        .agg<number>('row_number')
        .over((each) => each.partitionBy('account.organization_id').orderBy(sql`random()`))
        .as('nth'),
    )
    .where('account.rotates_at', '<=', now)
    .where('account.has_expired', '=', false)
    .where(({ eb, or }) => or([eb('account.expires_at', 'is', null), eb('account.expires_at', '>', now)]))
  const first = store.db.selectFrom(due.as('due')).select(['id', 'organizationId']).where('nth', '<=', limit)
  return store.readLong(SYSTEM_ACTOR.id, first.compile())
}
