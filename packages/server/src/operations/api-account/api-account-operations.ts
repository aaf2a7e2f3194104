import type { AccountRole, ApiAccountPatch, ApiAccountWrite } from '@countersign/contract'
import { type AccountSettings, accountFromBody, checkPlainText, fieldError, patchedAccount } from '@countersign/core'
import type { Kysely } from 'kysely'
import type { ApiAccountRow } from '../../store/hosted-schema.ts'
import { notFound } from '../../store/not-found.ts'
import { insertRow } from '../../store/prepared.ts'
import { findAccountRow, findProvider } from '../../store/reads/hosted-reads.ts'
import type { Database } from '../../store/schema.ts'
import { duplicateError, refusingDuplicates } from '../../store/unique-violation.ts'
import type { WriteContext, WriteOperation } from '../../store/write-operation.ts'
import { deleteAccountIdentity, endAccountSessions, updateRights } from './account-identity.ts'

const ENTITY = 'apiAccounts'

/** A client at the provider as it is recorded; the secret is nowhere. */
export interface AccountClient {
  readonly clientId: string
  readonly registrationUri: string | null
  readonly sealedRegistrationToken: string | null
}

export interface OneAccount {
  readonly id: string
  readonly organizationId: string
}

export interface NewApiAccount extends OneAccount {
  readonly identityProviderId: string
  readonly settings: AccountSettings
  readonly client: AccountClient
}

const createApiAccount: WriteOperation<NewApiAccount, void> = async (context, account) => {
  const { db, now } = context
  const { id, organizationId, identityProviderId, settings, client } = account
  await checkNewAccount(db, organizationId, settings)
  const provider = await findProvider(db, organizationId, identityProviderId)
  if (!provider) throw notFound('identityProvider', identityProviderId)
  await refusingDuplicates({ name: settings.name }, () =>
    insertRow(db, 'api_accounts', {
      id,
      organization_id: organizationId,
      identity_provider_id: identityProviderId,
      ...accountColumns(settings),
      created_at: now,
      updated_at: now,
    }),
  )
  await insertClient(context, { accountId: id, issuer: provider.issuer, client })
  context.changed({ entity: ENTITY, id, action: 'created' })
}

function accountColumns({ name, contactEmail, description, role, active }: AccountSettings) {
  return { name, contact_email: contactEmail, description, role, active }
}

/** What would refuse the account, asked before a client is made for it; the transaction asks again. */
export async function checkNewAccount(
  db: Kysely<Database>,
  organizationId: string,
  account: AccountSettings,
): Promise<void> {
  const other = await db
    .selectFrom('api_accounts')
    .select('id')
    .where('organization_id', '=', organizationId)
    .where('name', '=', account.name)
    .executeTakeFirst()
  if (other) throw duplicateError('api_accounts_name', { name: account.name })
}

const replaceApiAccount: WriteOperation<OneAccount & { body: ApiAccountWrite }, void> = async (
  context,
  { body, ...one },
) => {
  await updateApiAccount(context, await getAccount(context, one), accountFromBody(body))
}

const patchApiAccount: WriteOperation<OneAccount & { body: ApiAccountPatch }, void> = async (
  context,
  { body, ...one },
) => {
  const current = await getAccount(context, one)
  const { name, contact_email: contactEmail, description } = current
  const settings = {
    name,
    contactEmail,
    description,
    role: current.role as AccountRole,
    active: Boolean(current.active),
  }
  await updateApiAccount(context, current, patchedAccount(settings, body))
}

async function updateApiAccount(context: WriteContext, current: ApiAccountRow, next: AccountSettings): Promise<void> {
  const { db, now } = context
  const { id } = current
  await refusingDuplicates({ name: next.name }, () =>
    db
      .updateTable('api_accounts')
      .set({ ...accountColumns(next), updated_at: now })
      .where('id', '=', id)
      .execute(),
  )
  if (next.role !== current.role) await updateRights(context, id, next.role)
  context.changed({ entity: ENTITY, id, action: 'updated' })
}

/** Adds a client; those that stood for the account until now go on until `retiresAt` at most. */
const rotateApiAccount: WriteOperation<OneAccount & { client: AccountClient; retiresAt: number }, void> = async (
  context,
  { id, organizationId, client, retiresAt },
) => {
  const { db, now } = context
  const account = await getAccount(context, { id, organizationId })
  const provider = await db
    .selectFrom('identity_providers')
    .select('issuer')
    .where('id', '=', account.identity_provider_id)
    .executeTakeFirstOrThrow()
  await db
    .updateTable('api_account_clients')
    .set({ retires_at: retiresAt })
    .where('account_id', '=', id)
    .where((is) => is.or([is('retires_at', 'is', null), is('retires_at', '>', retiresAt)]))
    .execute()
  if (retiresAt <= now) await endAccountSessions(context, id)
  await insertClient(context, { accountId: id, issuer: provider.issuer, client })
  await db.updateTable('api_accounts').set({ updated_at: now }).where('id', '=', id).execute()
  context.changed({ entity: ENTITY, id, action: 'updated' })
}

const removeClient: WriteOperation<{ issuer: string; clientId: string }, void> = async (
  context,
  { issuer, clientId },
) => {
  const removed = await context.db
    .deleteFrom('api_account_clients')
    .where('issuer', '=', issuer)
    .where('client_id', '=', clientId)
    .returning('account_id')
    .executeTakeFirst()
  if (removed) context.changed({ entity: ENTITY, id: removed.account_id, action: 'updated' })
}

const deleteApiAccount: WriteOperation<OneAccount, void> = async (context, { id, organizationId }) => {
  await getAccount(context, { id, organizationId })
  await deleteAccountIdentity(context, id)
  await context.db.deleteFrom('api_accounts').where('id', '=', id).execute()
  context.changed({ entity: ENTITY, id, action: 'deleted' })
}

export const API_ACCOUNT_WRITES = {
  'apiAccount.create': createApiAccount,
  'apiAccount.replace': replaceApiAccount,
  'apiAccount.patch': patchApiAccount,
  'apiAccount.rotate': rotateApiAccount,
  'apiAccount.removeClient': removeClient,
  'apiAccount.delete': deleteApiAccount,
}

async function insertClient(
  { db, now }: WriteContext,
  { accountId, issuer, client }: { accountId: string; issuer: string; client: AccountClient },
): Promise<void> {
  const { clientId } = client
  checkPlainText('clientId', clientId)
  await refuseOwnClient(db, { accountId, issuer, clientId })
  await refusingDuplicates({ clientId }, () =>
    insertRow(db, 'api_account_clients', {
      issuer,
      client_id: clientId,
      account_id: accountId,
      registration_uri: client.registrationUri,
      registration_token: client.sealedRegistrationToken,
      retires_at: null,
      created_at: now,
    }),
  )
}

/** A client of the same organization can be told of. */
async function refuseOwnClient(
  db: Kysely<Database>,
  { accountId, issuer, clientId }: { accountId: string; issuer: string; clientId: string },
): Promise<void> {
  const own = await db
    .selectFrom('api_account_clients as client')
    .innerJoin('api_accounts as other', 'other.id', 'client.account_id')
    .innerJoin('api_accounts as account', 'account.organization_id', 'other.organization_id')
    .select(['other.id', 'other.name'])
    .where('client.issuer', '=', issuer)
    .where('client.client_id', '=', clientId)
    .where('account.id', '=', accountId)
    .executeTakeFirst()
  if (own) throw fieldError('clientId', `the client stands for the account ${own.name} (${own.id}) already`, clientId)
}

async function getAccount({ db }: WriteContext, { id, organizationId }: OneAccount): Promise<ApiAccountRow> {
  const row = await findAccountRow(db, organizationId, id)
  if (!row) throw notFound('apiAccount', id)
  return row
}
