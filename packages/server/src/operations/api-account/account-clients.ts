import {
  checkClientIdClaim,
  checkPlainText,
  checkQuota,
  clientIdClaimsOf,
  fieldError,
  findClientId,
} from '@countersign/core'
import { operation } from '../../store/operation.ts'
import type { StoredProvider } from '../../store/provider-row.ts'
import {
  type ClientKey,
  countClients,
  findAccountOfClient,
  findSiblingWithClient,
  listClientIdSettings,
} from '../../store/reads/account-client-reads.ts'
import { getProviderById } from '../../store/reads/provider-reads.ts'
import { loadQuotasOfAccount } from '../../store/reads/quota-reads.ts'
import type { Transaction } from '../../store/transaction.ts'
import { duplicateError } from '../../store/unique-violation.ts'
import { type AccountClient, deleteRetiredClient, insertClient } from '../../store/writes/account-client-writes.ts'
import type { ClientBinding } from './client-binding.ts'

/** Removes a client after its retirement. Does nothing when the account has no such retired client: another account may have it now. */
export const removeClient = operation({
  name: 'apiAccount.removeClient',
  access: 'none',
  async run(tx, { accountId, ...client }: ClientKey & { readonly accountId: string }): Promise<void> {
    await deleteRetiredClient(tx, accountId, client)
  },
})

interface ClientOwner {
  readonly accountId: string
  readonly provider: StoredProvider
}

/**
 * Adds a client to an account. Throws COULD_NOT_VALIDATE for a client of another account, which is named only if it is in the same organization,
 * and for a client whose tokens could name another account too.
 */
export async function addClient(
  tx: Transaction,
  { accountId, provider }: ClientOwner,
  client: AccountClient,
  binding: ClientBinding,
): Promise<void> {
  const { clientId } = client
  const { issuer } = provider
  checkPlainText('clientId', clientId)
  checkClientIdClaim(provider)
  await checkNewClient(tx, accountId)
  if (binding.by !== 'operator' && binding.revision !== provider.revision) {
    throw fieldError('identityProviderId', 'the provider record was changed meanwhile: try again', provider.id)
  }
  const own = await findSiblingWithClient(tx.db, accountId, { issuer, clientId })
  if (own) throw fieldError('clientId', `the account ${own.name} (${own.id}) already uses this client`, clientId)
  if (binding.by === 'proof') await checkUnambiguous(tx, { accountId, provider }, clientId, binding.claims)
  if (binding.by === 'operator') await checkSameReading(tx, provider)
  await insertClient(tx, { accountId, issuer }, client)
}

/** Refuses a client over the quota. Called before the client is registered at its provider, and again in the transaction. */
export async function checkNewClient({ db }: Pick<Transaction, 'db'>, accountId: string): Promise<void> {
  checkQuota('clientsPerAccount', await countClients(db, accountId), await loadQuotasOfAccount(db, accountId))
}

/** Refuses a token that names another account too, because that account's record reads the client id from another claim. */
async function checkUnambiguous(
  { db }: Transaction,
  { accountId, provider: { issuer } }: ClientOwner,
  clientId: string,
  claims: Parameters<typeof findClientId>[1],
): Promise<void> {
  for (const settings of await listClientIdSettings(db, issuer)) {
    const named = findClientId(settings, claims)
    const account = named === undefined ? undefined : await findAccountOfClient(db, { issuer, clientId: named })
    if (!account || account.id === accountId) continue
    const record = await getProviderById(db, account.identityProviderId)
    if (findClientId(record, claims) === named) throw duplicateError('api_account_clients_pkey', { clientId })
  }
}

/** Without a token, a client is certain to name one account only if all accounts of its issuer are read from the same claims. */
async function checkSameReading({ db }: Transaction, provider: StoredProvider): Promise<void> {
  const readings = (await listClientIdSettings(db, provider.issuer)).map((settings) =>
    String(clientIdClaimsOf(settings)),
  )
  if (readings.every((claims) => claims === String(clientIdClaimsOf(provider)))) return
  const reason = 'proofToken is required: other accounts of this issuer have their client id in another claim'
  throw fieldError('proofToken', reason, undefined)
}
