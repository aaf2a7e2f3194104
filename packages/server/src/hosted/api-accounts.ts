import { randomUUID } from 'node:crypto'
import type { ApiAccountCreate, ApiAccountRotate } from '@countersign/contract'
import { accountFromBody } from '@countersign/core'
import { checkNewClient } from '../operations/api-account/account-clients.ts'
import { checkNewAccount, createApiAccount } from '../operations/api-account/create-api-account.ts'
import { deleteApiAccount } from '../operations/api-account/delete-api-account.ts'
import { rotateApiAccount } from '../operations/api-account/rotate-api-account.ts'
import type { OperationMeta } from '../store/operation-meta.ts'
import type { StoredProvider } from '../store/provider-row.ts'
import { getAccount } from '../store/reads/account-reads.ts'
import { getProvider } from '../store/reads/provider-reads.ts'
import { checkVersion } from '../store/row-version.ts'
import type { Store } from '../store/store.ts'
import type { AccountClients, Credentials, NewClient } from './account-clients.ts'
import type { BindClient } from './client-bindings.ts'

/** An account with its credentials, shown once; undefined for a client that existed before. */
export interface AccountWithCredentials {
  readonly id: string
  readonly credentials: Credentials | undefined
}

interface ApiAccountsParts {
  readonly store: Store
  readonly accountClients: AccountClients
}

const DEFAULT_OVERLAP_MINUTES = 60
const MS_PER_MINUTE = 60_000

/** Creates, rotates and deletes API accounts, here and at the provider. A new client is registered at the provider first. */
export class ApiAccounts {
  readonly #parts: ApiAccountsParts

  constructor(parts: ApiAccountsParts) {
    this.#parts = parts
  }

  async create(
    organizationId: string,
    body: ApiAccountCreate,
    bind: BindClient,
    meta: OperationMeta,
  ): Promise<AccountWithCredentials> {
    const { store, accountClients } = this.#parts
    const provider = await getProvider(store.db, organizationId, body.identityProviderId)
    const id = randomUUID()
    const settings = accountFromBody(body)
    const account = { id, organizationId, identityProviderId: provider.id, settings }
    await checkNewAccount(store, organizationId, settings)
    const clientId = body.clientId || undefined
    const binding = await bind(provider, { clientId, proofToken: body.proofToken })
    const obtained = await accountClients.obtain(provider, { name: body.name, clientId })
    await this.#record(provider, obtained, () =>
      store.run(createApiAccount, { ...account, client: obtained.client, binding }, meta),
    )
    return { id, credentials: obtained.credentials }
  }

  /** The previous credentials stay valid until the overlap ends. */
  async rotate(
    organizationId: string,
    id: string,
    { overlapMinutes = DEFAULT_OVERLAP_MINUTES, ...body }: ApiAccountRotate,
    bind: BindClient,
    meta: OperationMeta,
  ): Promise<AccountWithCredentials> {
    const { store, accountClients } = this.#parts
    const { account, provider } = await getAccount(store.db, organizationId, id)
    // Also before a client is registered: the transaction checks both again.
    checkVersion(account.updated_at, meta.ifMatch)
    await checkNewClient(store, id)
    const clientId = body.clientId || undefined
    const binding = await bind(provider, { clientId, proofToken: body.proofToken })
    const obtained = await accountClients.obtain(provider, { name: account.name, clientId })
    const overlapMs = overlapMinutes * MS_PER_MINUTE
    await this.#record(provider, obtained, () =>
      store.run(rotateApiAccount, { id, organizationId, client: obtained.client, binding, overlapMs }, meta),
    )
    return { id, credentials: obtained.credentials }
  }

  /** Deletes the account here, then its clients at the provider. */
  async remove(organizationId: string, id: string, meta: OperationMeta): Promise<void> {
    const { store, accountClients } = this.#parts
    const { provider } = await getAccount(store.db, organizationId, id)
    const clients = await store.run(deleteApiAccount, { id, organizationId }, meta)
    await accountClients.remove(provider, clients)
  }

  /** Stores a new client. When that fails, removes it at the provider again. */
  async #record(provider: StoredProvider, client: NewClient, record: () => Promise<void>): Promise<void> {
    try {
      await record()
    } catch (error) {
      await this.#parts.accountClients.discard(provider, client)
      throw error
    }
  }
}
