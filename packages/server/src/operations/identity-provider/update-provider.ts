import type { IdentityProviderPatch, IdentityProviderWrite } from '@countersign/contract'
import {
  AppError,
  audienceOf,
  checkClientIdClaim,
  checkOwnAudience,
  clientIdClaimsOf,
  type DiscoveredProvider,
  organizationAudience,
  type ProviderSettings,
  patchedProvider,
  replacedProvider,
  secretDestination,
  validateProvider,
} from '@countersign/core'
import { operation } from '../../store/operation.ts'
import type { OwnedKey } from '../../store/owned-key.ts'
import type { StoredProvider } from '../../store/provider-row.ts'
import { hasClientsOf } from '../../store/reads/account-client-reads.ts'
import { findOpenJobOfProvider } from '../../store/reads/account-job-reads.ts'
import { findAccountOfProvider } from '../../store/reads/account-reads.ts'
import { findLocalOrganization } from '../../store/reads/organization-reads.ts'
import { getProvider } from '../../store/reads/provider-reads.ts'
import type { Transaction } from '../../store/transaction.ts'
import { endSessionsOfAccounts } from '../../store/writes/end-sessions.ts'
import { updateProvider, verifiesAlike } from '../../store/writes/provider-writes.ts'
import { checkSecret, type GivenSecret, isSecretOf } from './create-provider.ts'

export interface ReplaceProvider extends OwnedKey {
  readonly body: IdentityProviderWrite
  readonly discovered: DiscoveredProvider
  readonly secret?: GivenSecret | undefined
}

export const replaceProvider = operation({
  name: 'identityProvider.replace',
  access: { hosted: 'admin' },
  target: 'identityProviders',
  async run(tx, { id, organizationId, body, discovered, secret }: ReplaceProvider): Promise<void> {
    const current = await getProvider(tx.db, organizationId, id)
    await changeProvider(
      tx,
      current,
      replacedProvider(current, body, discovered, organizationAudience(organizationId)),
      secret,
    )
  },
})

export interface PatchProvider extends OwnedKey {
  readonly patch: IdentityProviderPatch
  readonly secret?: GivenSecret | undefined
}

export const patchProvider = operation({
  name: 'identityProvider.patch',
  access: { hosted: 'admin' },
  target: 'identityProviders',
  async run(tx, { id, organizationId, patch, secret }: PatchProvider): Promise<void> {
    const current = await getProvider(tx.db, organizationId, id)
    await changeProvider(tx, current, patchedProvider(current, patch), secret)
  },
})

/** Disabling a provider, or verifying its tokens in another way, ends the sessions of its accounts. */
async function changeProvider(
  tx: Transaction,
  current: StoredProvider,
  next: ProviderSettings,
  secret: GivenSecret | undefined,
): Promise<void> {
  validateProvider(next)
  checkOwnAudience(current.organizationId, next)
  checkSecret(next, secret)
  await checkSameClients(tx, current, next)
  await checkSameAdministration(tx, current, next)
  if (current.enabled && !verifiesAlike(current, next)) await endSessionsOfAccounts(tx, { providerId: current.id })
  await updateProvider(tx, current, next, nextSecret(current, next, secret))
}

/** A changed address drops the secret: the new server must not receive the secret of the old one. */
function nextSecret(current: StoredProvider, next: ProviderSettings, given: GivenSecret | undefined): string | null {
  if (given && isSecretOf(next, given)) return given.sealed
  return secretDestination(next) === secretDestination(current) ? current.administrationSecret : null
}

/** Refuses to change the kind of administration while clients exist that only the present one can remove. Those of RFC 7591 have tokens of their own. */
async function checkSameAdministration(
  { db }: Transaction,
  { id, administration }: StoredProvider,
  next: ProviderSettings,
): Promise<void> {
  const kind = administration?.kind
  if (kind === undefined || kind === 'rfc7591' || kind === next.administration?.kind) return
  if (!(await hasClientsOf(db, id, kind)) && !(await findOpenJobOfProvider(db, id))) return
  const message = `accounts have clients that the administration of the kind ${kind} created: delete the accounts first`
  throw new AppError('ENTITY_CAN_NOT_BE_UPDATED', { message })
}

const CLIENT_KEYS: readonly { what: string; read: (provider: ProviderSettings) => string }[] = [
  { what: 'the issuer', read: ({ issuer }) => issuer },
  { what: 'the claim that names the client', read: (provider) => JSON.stringify(clientIdClaimsOf(provider)) },
]

/** The operator's accounts need no proof; those of others were proven by tokens for this audience only. */
const PROVEN_KEYS: typeof CLIENT_KEYS = [
  ...CLIENT_KEYS,
  { what: 'the audience', read: (provider) => audienceOf(provider) ?? '' },
]

const CLIENT_SETTINGS = ['kind', 'issuer', 'clientIdClaim'] as const

/**
 * Refuses to change the issuer, the audience or the client id's claim while the provider has accounts. Accounts are looked up by issuer and
 * client id, and with another issuer, audience or claim they could match clients of another organization.
 */
async function checkSameClients({ db }: Transaction, current: StoredProvider, next: ProviderSettings): Promise<void> {
  if (CLIENT_SETTINGS.some((member) => next[member] !== current[member])) checkClientIdClaim(next)
  const isOfOperator = current.organizationId === (await findLocalOrganization(db))
  const changed = (isOfOperator ? CLIENT_KEYS : PROVEN_KEYS).find(({ read }) => read(current) !== read(next))
  if (!changed || !(await findAccountOfProvider(db, current.id))) return
  const message = `${changed.what} cannot change while the provider has API accounts: create another provider`
  throw new AppError('ENTITY_CAN_NOT_BE_UPDATED', { message })
}
