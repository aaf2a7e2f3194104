import type { AccountRole, AdministrationKind, ProviderKind } from '@countersign/contract'
import type { ClientIdSettings } from '@countersign/core'
import type { Kysely } from 'kysely'
import { LONG_AGO } from '../client-retirement.ts'
import type { Bool } from '../columns/column.ts'
import type { ApiAccountClientRow, ApiAccountRow } from '../hosted-schema.ts'
import { prepared } from '../prepared.ts'
import type { Database } from '../schema.ts'
import { countOf } from './count-of.ts'

type Db = Kysely<Database>

/** A client at an identity provider. The same client id at another issuer is another client. */
export interface ClientKey {
  readonly issuer: string
  readonly clientId: string
}

/** An account with what decides whether it has access. */
export interface AccountAccess {
  readonly id: string
  readonly organizationId: string
  readonly identityProviderId: string
  readonly role: AccountRole
  /** Both the account and its organization are active. */
  readonly isActive: boolean
  /** Set while the operator has suspended its organization. */
  readonly suspension: { readonly reason: string | null } | undefined
  /** When access ends; null for never. Zero when it has ended whatever the clock says. */
  readonly expiresAt: number | null
}

/** The account that a client belongs to. */
export interface KnownAccount extends AccountAccess {
  /** When the client's tokens stop being accepted; null while no other client replaces it. */
  readonly retiresAt: number | null
  /** When the client was added to the account. */
  readonly registeredAt: number
  readonly client: ClientKey
}

const accountOfClient = prepared(2, (db, issuer: string, clientId: string) =>
  db
    .selectFrom('api_account_clients as client')
    .innerJoin('api_accounts as account', 'account.id', 'client.account_id')
    .innerJoin('organizations as organization', 'organization.id', 'account.organization_id')
    .select(['account.id', 'account.organization_id', 'account.identity_provider_id', 'account.role'])
    .select(['account.active', 'organization.active as organization_active', 'organization.suspension_reason'])
    .select(['account.expires_at', 'account.has_expired'])
    .select(['client.retires_at', 'client.created_at'])
    .where('client.issuer', '=', issuer)
    .where('client.client_id', '=', clientId),
)

export async function findAccountOfClient(db: Db, { issuer, clientId }: ClientKey): Promise<KnownAccount | undefined> {
  const [row] = await accountOfClient(db, issuer, clientId)
  return (
    row && {
      ...accountAccess(row),
      retiresAt: row.retires_at,
      registeredAt: row.created_at,
      client: { issuer, clientId },
    }
  )
}

type AccessRow = Pick<
  ApiAccountRow,
  'id' | 'organization_id' | 'identity_provider_id' | 'role' | 'active' | 'expires_at' | 'has_expired'
> & { readonly organization_active: Bool; readonly suspension_reason: string | null }

export function accountAccess(row: AccessRow): AccountAccess {
  return {
    id: row.id,
    organizationId: row.organization_id,
    identityProviderId: row.identity_provider_id,
    role: row.role as AccountRole,
    isActive: Boolean(row.active) && Boolean(row.organization_active),
    suspension: row.organization_active ? undefined : { reason: row.suspension_reason },
    expiresAt: row.has_expired ? LONG_AGO : row.expires_at,
  }
}

/** The account that has this client, if it is in the same organization as `accountId`. */
export async function findSiblingWithClient(
  db: Db,
  accountId: string,
  { issuer, clientId }: ClientKey,
): Promise<Pick<ApiAccountRow, 'id' | 'name'> | undefined> {
  return db
    .selectFrom('api_account_clients as client')
    .innerJoin('api_accounts as other', 'other.id', 'client.account_id')
    .innerJoin('api_accounts as account', 'account.organization_id', 'other.organization_id')
    .select(['other.id', 'other.name'])
    .where('client.issuer', '=', issuer)
    .where('client.client_id', '=', clientId)
    .where('account.id', '=', accountId)
    .executeTakeFirst()
}

/** The different ways in which the client ids of an issuer's accounts are read, over all organizations. */
export async function listClientIdSettings(db: Db, issuer: string): Promise<ClientIdSettings[]> {
  const rows = await db
    .selectFrom('identity_providers as provider')
    .select(['provider.kind', 'provider.client_id_claim'])
    .distinct()
    .where('provider.issuer', '=', issuer)
    .where((is) =>
      is.exists(
        is
          .selectFrom('api_accounts as account')
          .select('account.id')
          .whereRef('account.identity_provider_id', '=', 'provider.id'),
      ),
    )
    .execute()
  return rows.map(({ kind, client_id_claim: clientIdClaim }) => ({ kind: kind as ProviderKind, issuer, clientIdClaim }))
}

/** All clients of an account: the current one, and replaced ones that are not removed yet. */
export async function listClients(db: Db, accountId: string): Promise<ApiAccountClientRow[]> {
  return db.selectFrom('api_account_clients').selectAll().where('account_id', '=', accountId).execute()
}

export async function countClients(db: Db, accountId: string): Promise<number> {
  const clients = db.selectFrom('api_account_clients').select('client_id').where('account_id', '=', accountId)
  return countOf(db, clients.as('counted'))
}

/** The current client of an account, with whether the account is active; undefined for an account without a client. */
export async function findCurrentClient(
  db: Db,
  accountId: string,
): Promise<(ApiAccountClientRow & Pick<ApiAccountRow, 'active'>) | undefined> {
  return db
    .selectFrom('api_account_clients as client')
    .innerJoin('api_accounts as account', 'account.id', 'client.account_id')
    .selectAll('client')
    .select('account.active')
    .where('client.account_id', '=', accountId)
    .where('client.retires_at', 'is', null)
    .executeTakeFirst()
}

/** The clients of an account whose tokens are accepted, or would be if it were active. */
export interface UsableClients {
  readonly active: boolean
  readonly clients: readonly ApiAccountClientRow[]
}

/** The current client of an account, and those that a rotation has left valid; undefined for an account without one. */
export async function findUsableClients(db: Db, accountId: string, now: number): Promise<UsableClients | undefined> {
  const current = await findCurrentClient(db, accountId)
  if (!current) return undefined
  const clients = (await listClients(db, accountId)).filter(({ retires_at: at }) => at === null || at > now)
  return { active: Boolean(current.active), clients }
}

/** Whether a record has clients that an administration of this kind created. */
export async function hasClientsOf(db: Db, providerId: string, kind: AdministrationKind): Promise<boolean> {
  const found = await db
    .selectFrom('api_account_clients as client')
    .innerJoin('api_accounts as account', 'account.id', 'client.account_id')
    .select('client.client_id')
    .where('account.identity_provider_id', '=', providerId)
    .where('client.administered_by', '=', kind)
    .executeTakeFirst()
  return found !== undefined
}
