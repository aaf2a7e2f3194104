import type { IdentityProviderPatch } from '@countersign/contract'
import {
  AppError,
  checkTellsClients,
  clientIdClaimsOf,
  type ProviderSettings,
  patchedProvider,
  validateProvider,
} from '@countersign/core'
import { notFound } from '../../store/not-found.ts'
import { insertRow } from '../../store/prepared.ts'
import { providerColumns, type StoredProvider } from '../../store/provider-row.ts'
import { findProvider } from '../../store/reads/hosted-reads.ts'
import { refusingDuplicates } from '../../store/unique-violation.ts'
import type { WriteContext, WriteOperation } from '../../store/write-operation.ts'
import { endAccountSessions } from '../api-account/account-identity.ts'

const ENTITY = 'identityProviders'

export interface InOrganization {
  readonly organizationId: string
  readonly id: string
}

/** What a provider wants to see before it registers clients; undefined leaves it as it is. */
export interface WithRegistrationToken {
  readonly sealedRegistrationToken?: string | null | undefined
}

const createProvider: WriteOperation<
  InOrganization & WithRegistrationToken & { provider: ProviderSettings },
  void
> = async (context, { id, organizationId, provider, sealedRegistrationToken }) => {
  validateProvider(provider)
  checkTellsClients(provider)
  const { db, now } = context
  await refusingDuplicates({ name: provider.name }, () =>
    insertRow(db, 'identity_providers', {
      id,
      organization_id: organizationId,
      ...providerColumns(provider),
      registration_token: sealedRegistrationToken ?? null,
      revision: 1,
      created_at: now,
      updated_at: now,
    }),
  )
  context.changed({ entity: ENTITY, id, action: 'created' })
}

const replaceProvider: WriteOperation<
  InOrganization & WithRegistrationToken & { provider: ProviderSettings },
  void
> = async (context, { id, organizationId, provider, sealedRegistrationToken }) => {
  const current = await getProvider(context, { id, organizationId })
  await updateProvider(context, current, provider, sealedRegistrationToken)
}

const patchProvider: WriteOperation<
  InOrganization & WithRegistrationToken & { patch: IdentityProviderPatch },
  void
> = async (context, { id, organizationId, patch, sealedRegistrationToken }) => {
  const current = await getProvider(context, { id, organizationId })
  await updateProvider(context, current, patchedProvider(current, patch), sealedRegistrationToken)
}

const deleteProvider: WriteOperation<InOrganization, void> = async (context, { id, organizationId }) => {
  const { db } = context
  await getProvider(context, { id, organizationId })
  const account = await db
    .selectFrom('api_accounts')
    .select(['id', 'name'])
    .where('identity_provider_id', '=', id)
    .executeTakeFirst()
  if (account) {
    const message = `the API account ${account.name} (${account.id}) is of this provider`
    throw new AppError('CAN_NOT_DELETE_REFERENCED_ENTITY', { message })
  }
  await db.deleteFrom('identity_providers').where('id', '=', id).execute()
  context.changed({ entity: ENTITY, id, action: 'deleted' })
}

export const IDENTITY_PROVIDER_WRITES = {
  'identityProvider.create': createProvider,
  'identityProvider.replace': replaceProvider,
  'identityProvider.patch': patchProvider,
  'identityProvider.delete': deleteProvider,
}

async function getProvider({ db }: WriteContext, { id, organizationId }: InOrganization): Promise<StoredProvider> {
  const provider = await findProvider(db, organizationId, id)
  if (!provider) throw notFound('identityProvider', id)
  return provider
}

async function updateProvider(
  context: WriteContext,
  current: StoredProvider,
  next: ProviderSettings,
  sealedRegistrationToken: string | null | undefined,
): Promise<void> {
  validateProvider(next)
  const { db, now } = context
  const registrationToken = nextRegistrationToken(current, next, sealedRegistrationToken)
  await checkSameClients(context, current, next)
  await refusingDuplicates({ name: next.name }, () =>
    db
      .updateTable('identity_providers')
      .set({
        ...providerColumns(next),
        registration_token: registrationToken,
        revision: current.revision + 1,
        updated_at: now,
      })
      .where('id', '=', current.id)
      .execute(),
  )
  if (current.enabled && !next.enabled) await endSessionsOfAccounts(context, current.id)
  context.changed({ entity: ENTITY, id: current.id, action: 'updated' })
}

async function endSessionsOfAccounts(context: WriteContext, providerId: string): Promise<void> {
  const accounts = await context.db
    .selectFrom('api_accounts')
    .select('id')
    .where('identity_provider_id', '=', providerId)
    .execute()
  for (const { id } of accounts) await endAccountSessions(context, id)
}

/** A token that was given for one address is not shown to another, which whoever names it could read. */
function nextRegistrationToken(
  current: StoredProvider,
  next: ProviderSettings,
  given: string | null | undefined,
): string | null {
  if (given !== undefined) return given
  return next.registrationUrl === current.registrationUrl ? current.registrationToken : null
}

/**
 * Accounts are known by issuer and client id: with another issuer, or with the client id in another claim, they would become somebody
 * else's clients, of another organization too.
 */
async function checkSameClients({ db }: WriteContext, current: StoredProvider, next: ProviderSettings): Promise<void> {
  if (next.clientIdClaim !== current.clientIdClaim) checkTellsClients(next)
  const changed = CLIENTS_KNOWN_BY.find(({ read }) => read(current) !== read(next))
  const account =
    changed &&
    (await db.selectFrom('api_accounts').select('id').where('identity_provider_id', '=', current.id).executeTakeFirst())
  if (!account) return
  const message = `${changed.what} can not change while the provider has API accounts: make another record`
  throw new AppError('ENTITY_CAN_NOT_BE_UPDATED', { message })
}

const CLIENTS_KNOWN_BY: readonly { what: string; read: (provider: ProviderSettings) => string }[] = [
  { what: 'the issuer', read: ({ issuer }) => issuer },
  { what: 'the claim that names the client', read: (provider) => JSON.stringify(clientIdClaimsOf(provider)) },
]
