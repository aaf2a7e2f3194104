import { randomUUID } from 'node:crypto'
import type { ApiAccountCreate, ApiAccountPatch, ApiAccountRotate, ApiAccountWrite } from '@countersign/contract'
import { type AccountSettings, AppError, accountFromBody, checkWrittenConditions, fieldError } from '@countersign/core'
import type { RepeatedJob } from '../operations/account-job/begin-job.ts'
import { checkNewClient } from '../operations/api-account/account-clients.ts'
import { checkNewAccount, createApiAccount } from '../operations/api-account/create-api-account.ts'
import { deleteApiAccount } from '../operations/api-account/delete-api-account.ts'
import { checkHasClients, rotateApiAccount } from '../operations/api-account/rotate-api-account.ts'
import { patchApiAccount, replaceApiAccount } from '../operations/api-account/update-api-account.ts'
import type { AccountJobRow } from '../store/hosted-schema.ts'
import type { OperationMeta } from '../store/operation-meta.ts'
import type { OwnedKey } from '../store/owned-key.ts'
import type { StoredProvider } from '../store/provider-row.ts'
import { findJob, getJob } from '../store/reads/account-job-reads.ts'
import { getAccount } from '../store/reads/account-reads.ts'
import { getProvider } from '../store/reads/provider-reads.ts'
import { checkVersion } from '../store/row-version.ts'
import type { Store } from '../store/store.ts'
import { type AccountClients, type Credentials, existingClient } from './account-clients.ts'
import type { AccountJobs } from './account-jobs.ts'
import type { BindClient } from './client-bindings.ts'

/** An account with its credentials, shown once; undefined for a client that existed before. */
export interface AccountWithCredentials {
  readonly id: string
  readonly credentials: Credentials | undefined
}

interface ApiAccountsParts {
  readonly store: Store
  readonly accountClients: AccountClients
  readonly accountJobs: AccountJobs
}

interface NewAccount {
  readonly id: string
  readonly provider: StoredProvider
  readonly settings: AccountSettings
  readonly repeats?: RepeatedJob
}

interface Rotation {
  readonly id: string
  readonly overlapMs: number
  readonly repeats?: RepeatedJob
}

const DEFAULT_OVERLAP_MINUTES = 60
const MS_PER_MINUTE = 60_000

/** Creates, rotates and deletes API accounts, here and at the provider. Work at the provider is recorded as jobs first. */
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
    confirmBroad = false,
  ): Promise<AccountWithCredentials> {
    const { store } = this.#parts
    const provider = await getProvider(store.db, organizationId, body.identityProviderId)
    const id = randomUUID()
    const settings = accountFromBody(body)
    const { kind = 'client' } = body
    const account = { id, organizationId, identityProviderId: provider.id, settings, kind, confirmBroad }
    await checkNewAccount(store, organizationId, settings)
    if (kind === 'federated') {
      if (body.clientId) throw fieldError('clientId', 'a federated account has no client', body.clientId)
      await store.run(createApiAccount, account, meta)
      return { id, credentials: undefined }
    }
    checkWrittenConditions({ ...account, conditions: settings.conditions, current: null })
    const clientId = body.clientId || undefined
    if (clientId === undefined) return this.#createWithClient({ id, provider, settings }, bind, meta)
    const binding = await bind(provider, { clientId, proofToken: body.proofToken })
    await store.run(createApiAccount, { ...account, client: existingClient(clientId), binding }, meta)
    return { id, credentials: undefined }
  }

  async #createWithClient(account: NewAccount, bind: BindClient, meta: OperationMeta): Promise<AccountWithCredentials> {
    const { store, accountClients, accountJobs } = this.#parts
    const { id, provider, settings, repeats } = account
    const { organizationId } = provider
    const binding = await bind(provider, { clientId: undefined, proofToken: undefined })
    accountClients.checkCreates(provider)
    const plan = {
      provider,
      accountId: id,
      accountName: settings.name,
      kind: 'create',
      input: { settings },
      repeats,
    } as const
    const left: string[] = []
    const credentials = await accountJobs.create(plan, meta, async (result, jobId) => {
      if (!('client' in result)) throw new TypeError('a new account has a new client')
      const { client } = result
      const args = { id, organizationId, identityProviderId: provider.id, settings, client, binding, jobId }
      left.push(...(await store.run(createApiAccount, args, meta)))
    })
    await accountJobs.runNow(organizationId, left)
    return { id, credentials }
  }

  /** The previous credentials stay valid until the overlap ends. */
  async rotate(
    organizationId: string,
    id: string,
    { overlapMinutes = DEFAULT_OVERLAP_MINUTES, ...body }: ApiAccountRotate,
    bind: BindClient,
    meta: OperationMeta,
  ): Promise<AccountWithCredentials> {
    const { store } = this.#parts
    const clientId = body.clientId || undefined
    const overlapMs = overlapMinutes * MS_PER_MINUTE
    if (clientId === undefined) return this.#rotateByProvider(organizationId, { id, overlapMs }, bind, meta)
    const { account, provider } = await getAccount(store.db, organizationId, id)
    checkHasClients(account)
    await checkNewClient(store, id)
    const binding = await bind(provider, { clientId, proofToken: body.proofToken })
    const credential = { client: existingClient(clientId), binding }
    await store.run(rotateApiAccount, { id, organizationId, credential, overlapMs }, meta)
    return { id, credentials: undefined }
  }

  async #rotateByProvider(
    organizationId: string,
    { id, overlapMs, repeats }: Rotation,
    bind: BindClient,
    meta: OperationMeta,
  ): Promise<AccountWithCredentials> {
    const { store, accountClients, accountJobs } = this.#parts
    const { account, provider } = await getAccount(store.db, organizationId, id)
    // Also before a client is registered: the transaction checks both again.
    checkVersion(account.updated_at, meta.ifMatch)
    checkHasClients(account)
    await checkNewClient(store, id)
    const binding = await bind(provider, { clientId: undefined, proofToken: undefined })
    accountClients.checkCreates(provider)
    const plan = {
      provider,
      accountId: id,
      accountName: account.name,
      kind: 'rotate',
      input: { overlapMs },
      repeats,
    } as const
    const left: string[] = []
    const credentials = await accountJobs.create(plan, meta, async (result, jobId) => {
      const credential = 'client' in result ? { client: result.client, binding } : result
      left.push(...(await store.run(rotateApiAccount, { id, organizationId, credential, overlapMs, jobId }, meta)))
    })
    await accountJobs.runNow(organizationId, left)
    return { id, credentials }
  }

  async replace(key: OwnedKey, body: ApiAccountWrite, meta: OperationMeta, confirmBroad = false): Promise<void> {
    const { store, accountJobs } = this.#parts
    const args = { ...key, body, confirmBroad }
    await accountJobs.runNow(key.organizationId, await store.run(replaceApiAccount, args, meta))
  }

  async patch(key: OwnedKey, body: ApiAccountPatch, meta: OperationMeta, confirmBroad = false): Promise<void> {
    const { store, accountJobs } = this.#parts
    const args = { ...key, body, confirmBroad }
    await accountJobs.runNow(key.organizationId, await store.run(patchApiAccount, args, meta))
  }

  /** Deletes the account here, then its clients at the provider. */
  async remove(organizationId: string, id: string, meta: OperationMeta): Promise<void> {
    const { store, accountJobs } = this.#parts
    await accountJobs.runNow(organizationId, await store.run(deleteApiAccount, { id, organizationId }, meta))
  }

  /** Repeats a job that has failed, or does a pending one now. Returns the account when it has new credentials. */
  async repeat(
    { id, organizationId }: OwnedKey,
    bind: BindClient,
    { ifMatch, ...meta }: OperationMeta,
  ): Promise<AccountWithCredentials | undefined> {
    const { store, accountJobs } = this.#parts
    const job = await getJob(store.db, organizationId, id)
    checkVersion(job.updated_at, ifMatch)
    const wasPending = job.state === 'pending'
    const isUndone = wasPending ? await accountJobs.runPending(id) : job.state !== 'running' || undefined
    if (isUndone === undefined) throw fieldError('id', 'the job is at work: try again later', id)
    if (!isUndone) {
      const error = (await findJob(store.db, id))?.error ?? ''
      throw new AppError('PROVIDER_FAILED', { message: `the provider did not do what is left: ${error}` })
    }
    return job.kind === 'create' || job.kind === 'rotate'
      ? this.#repeatCreation(job, { id, ...(!wasPending && { ifMatch }) }, bind, meta)
      : undefined
  }

  async #repeatCreation(
    job: AccountJobRow,
    repeats: RepeatedJob,
    bind: BindClient,
    meta: OperationMeta,
  ): Promise<AccountWithCredentials> {
    const { organization_id: organizationId, identity_provider_id: providerId, account_id: id } = job
    const input = JSON.parse(job.input) as { readonly settings: AccountSettings; readonly overlapMs: number }
    if (job.kind === 'rotate') {
      return this.#rotateByProvider(organizationId, { id, overlapMs: input.overlapMs, repeats }, bind, meta)
    }
    const { store } = this.#parts
    const { settings } = input
    const provider = await getProvider(store.db, organizationId, providerId)
    await checkNewAccount(store, organizationId, settings)
    return this.#createWithClient({ id, provider, settings, repeats }, bind, meta)
  }
}
