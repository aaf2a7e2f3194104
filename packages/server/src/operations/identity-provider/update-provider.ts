import type { IdentityProviderPatch } from '@countersign/contract'
import {
  AppError,
  audienceOf,
  checkClientIdClaim,
  clientIdClaimsOf,
  type ProviderSettings,
  patchedProvider,
  validateProvider,
} from '@countersign/core'
import { operation } from '../../store/operation.ts'
import type { OwnedKey } from '../../store/owned-key.ts'
import type { StoredProvider } from '../../store/provider-row.ts'
import { findAccountOfProvider } from '../../store/reads/account-reads.ts'
import { findLocalOrganization } from '../../store/reads/organization-reads.ts'
import { getProvider } from '../../store/reads/provider-reads.ts'
import type { Transaction } from '../../store/transaction.ts'
import { endSessionsOfAccounts } from '../../store/writes/end-sessions.ts'
import { updateProvider } from '../../store/writes/provider-writes.ts'
import type { SealedRegistrationToken, WriteProvider } from './create-provider.ts'

export const replaceProvider = operation({
  name: 'identityProvider.replace',
  access: { hosted: 'admin' },
  target: 'identityProviders',
  async run(tx, { id, organizationId, provider, sealedRegistrationToken }: WriteProvider): Promise<void> {
    const current = await getProvider(tx.db, organizationId, id)
    await changeProvider(tx, current, provider, sealedRegistrationToken)
  },
})

export interface PatchProvider extends OwnedKey, SealedRegistrationToken {
  readonly patch: IdentityProviderPatch
}

export const patchProvider = operation({
  name: 'identityProvider.patch',
  access: { hosted: 'admin' },
  target: 'identityProviders',
  async run(tx, { id, organizationId, patch, sealedRegistrationToken }: PatchProvider): Promise<void> {
    const current = await getProvider(tx.db, organizationId, id)
    await changeProvider(tx, current, patchedProvider(current, patch), sealedRegistrationToken)
  },
})

/** Disabling a provider ends the sessions of its accounts. */
async function changeProvider(
  tx: Transaction,
  current: StoredProvider,
  next: ProviderSettings,
  sealedRegistrationToken: string | null | undefined,
): Promise<void> {
  validateProvider(next)
  await checkSameClients(tx, current, next)
  if (current.enabled && !next.enabled) await endSessionsOfAccounts(tx, { providerId: current.id })
  await updateProvider(tx, current, next, nextRegistrationToken(current, next, sealedRegistrationToken))
}

/** A changed registration URL drops the token: the new server must not receive the token of the old one. */
function nextRegistrationToken(
  current: StoredProvider,
  next: ProviderSettings,
  given: string | null | undefined,
): string | null {
  if (given !== undefined) return given
  return next.registrationUrl === current.registrationUrl ? current.registrationToken : null
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
  const message = `${changed.what} can not change while the provider has API accounts: create another provider`
  throw new AppError('ENTITY_CAN_NOT_BE_UPDATED', { message })
}
