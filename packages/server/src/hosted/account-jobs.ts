import { randomUUID } from 'node:crypto'
import { AppError } from '@countersign/core'
import type { Logger } from 'pino'
import { beginJob, type RepeatedJob } from '../operations/account-job/begin-job.ts'
import { type AppliedState, endEnableJob, stateToApply } from '../operations/account-job/enable-job.ts'
import { type CreatedByJob, failJob } from '../operations/account-job/fail-job.ts'
import { tookTooLong } from '../operations/account-job/finish-job.ts'
import { JOB_DEADLINE_MS, JOB_LEASE_MS, JOB_SHOWN_MS, retryDelayMs } from '../operations/account-job/job-time.ts'
import { pruneJobs } from '../operations/account-job/prune-jobs.ts'
import { settleJob, takeJob } from '../operations/account-job/settle-job.ts'
import type { ClientName } from '../outbound/administration/provider-administration.ts'
import { OutboundError, type OutboundReason } from '../outbound/outbound-error.ts'
import { withDeadline } from '../outbound/with-deadline.ts'
import type { Clock } from '../platform/clock.ts'
import { FairQueue } from '../platform/fair-queue.ts'
import { settleWithin } from '../platform/settle-within.ts'
import { SYSTEM_ACTOR } from '../store/actor.ts'
import { accountClient, jobClient } from '../store/hosted-rows.ts'
import type { AccountJobRow } from '../store/hosted-schema.ts'
import type { OperationMeta } from '../store/operation-meta.ts'
import type { StoredProvider } from '../store/provider-row.ts'
import { findCurrentClient, findUsableClients } from '../store/reads/account-client-reads.ts'
import { listDueJobs } from '../store/reads/account-job-reads.ts'
import { getProviderById } from '../store/reads/provider-reads.ts'
import type { Store } from '../store/store.ts'
import type { AccountClient } from '../store/writes/account-client-writes.ts'
import { FIRST_ATTEMPT, type JobChange } from '../store/writes/account-job-writes.ts'
import {
  type AccountClients,
  type Credentials,
  credentialsOf,
  type ProviderInTime,
  providerFailed,
} from './account-clients.ts'
import { OrganizationRounds, ROUND_LIMITS, type RoundLimits } from './organization-rounds.ts'

interface AccountJobsParts {
  readonly store: Store
  readonly clock: Clock
  readonly log: Logger
  readonly accountClients: AccountClients
  readonly roundLimits?: RoundLimits
}

/** What a job creates at the provider. */
export interface JobPlan {
  readonly provider: StoredProvider
  readonly accountId: string
  readonly accountName: string
  readonly kind: 'create' | 'rotate'
  /** What repeating the job needs. */
  readonly input: object
  /** The failed job that this one repeats. */
  readonly repeats?: RepeatedJob | undefined
}

/** What a job has created: a client, or a further secret of a client. */
export type JobResult =
  | { readonly client: AccountClient; readonly credentials: Credentials }
  | { readonly secretOf: string; readonly replaced: readonly string[]; readonly credentials: Credentials }

interface TimedPlan extends JobPlan {
  readonly provider: ProviderInTime
}

interface Done {
  readonly result: JobResult
  readonly created: CreatedByJob
}

/** Many may wait: one that is refused is tried again only after its lease. */
const REMOVALS = { atOnce: 16, perKey: 2, maxWaiting: 10_000 }
/** How long a request waits for work at a provider that succeeds whatever the provider does. The work goes on afterwards. */
const REQUEST_WAITS_MS = 5_000
const MAX_JOBS_PER_ORGANIZATION = 10
const INTERRUPTED = 'the controller was interrupted before the provider had responded, or before the result was stored'

/** Failures of one request after which the provider has created nothing. */
const NOTHING_CREATED: readonly OutboundReason[] = [
  'endpoint-refused',
  'address-refused',
  'name-not-resolved',
  'unreachable',
  'tls',
  'status',
]

/**
 * Work at identity providers that must not be forgotten. What a job creates there is removed again, by this process or after it by another, unless
 * it was stored.
 */
export class AccountJobs {
  readonly #parts: AccountJobsParts
  /** By organization, whose provider chooses the hosts, which may be slow. */
  readonly #queue = new FairQueue(REMOVALS)
  readonly #rounds: OrganizationRounds

  constructor(parts: AccountJobsParts) {
    this.#parts = parts
    this.#rounds = new OrganizationRounds(parts.roundLimits)
  }

  /** Creates a client and stores it. When either fails, removes it at the provider again. Throws PROVIDER_FAILED when the provider fails. */
  async create(
    plan: JobPlan,
    meta: OperationMeta,
    record: (result: JobResult, jobId: string) => Promise<void>,
  ): Promise<Credentials> {
    const id = await this.begin(plan, meta)
    return this.createFor(id, plan, record)
  }

  /** Does the work of a job that has begun. */
  async createFor(
    id: string,
    plan: JobPlan,
    record: (result: JobResult, jobId: string) => Promise<void>,
    callerSignal?: AbortSignal,
  ): Promise<Credentials> {
    const progress: { created?: CreatedByJob } = {}
    try {
      const { result, created } = await (callerSignal
        ? this.#create(id, plan, callerSignal)
        : withDeadline(JOB_DEADLINE_MS, (signal) => this.#create(id, plan, signal)))
      progress.created = created
      await record(result, id)
      return result.credentials
    } catch (error) {
      await this.#fail(id, plan, error, progress.created)
      throw providerFailed(error)
    }
  }

  async #create(id: string, plan: JobPlan, signal: AbortSignal): Promise<Done> {
    const timed = { ...plan, provider: { ...plan.provider, signal } }
    const added = plan.kind === 'rotate' ? await this.#addSecret(id, timed) : undefined
    return added ?? this.#createClient(id, timed)
  }

  async begin(
    { provider, accountId, accountName, kind, input, repeats }: JobPlan,
    meta: OperationMeta,
  ): Promise<string> {
    const id = randomUUID()
    const { organizationId, id: identityProviderId } = provider
    const job = { id, organizationId, identityProviderId, accountId, accountName, kind, input: JSON.stringify(input) }
    await this.#parts.store.run(beginJob, { ...job, repeats }, meta)
    return id
  }

  /** Does jobs that a request has recorded. They go on when the request no longer waits for them. */
  async runNow(organizationId: string, ids: readonly string[]): Promise<void> {
    const runAll = async (): Promise<void> => {
      for (const id of ids) await this.#queue.run(organizationId, () => this.runPending(id))
    }
    await settleWithin(REQUEST_WAITS_MS, [runAll()])
  }

  /** Does the jobs that are due, and those of processes that have ended. */
  async runDue(): Promise<void> {
    const { store, clock } = this.#parts
    const due = await listDueJobs(store, clock.now(), MAX_JOBS_PER_ORGANIZATION)
    await this.#rounds.run(due, async ({ id }, signal) => (await this.#run(id, false, signal)) !== false)
    while (await store.run(pruneJobs, {}, this.#meta()));
  }

  /** Does what is left of a job at the provider, now. Returns whether nothing is left; undefined when another process is at work on it. */
  runPending(id: string): Promise<boolean | undefined> {
    return withDeadline(ROUND_LIMITS.endsMs, (signal) => this.#run(id, true, signal))
  }

  #meta(): OperationMeta {
    return { actorId: SYSTEM_ACTOR.id, now: this.#parts.clock.now() }
  }

  async #createClient(id: string, { provider, accountName }: TimedPlan): Promise<Done> {
    const { client, credentials } = await this.#parts.accountClients.create(provider, { name: accountName, marker: id })
    if (credentials === undefined) throw new TypeError('a created client has credentials')
    return { result: { client, credentials }, created: { client } }
  }

  /** Adds a secret where a client can have several. Resolves to undefined where another client is needed. */
  async #addSecret(id: string, { provider: record, accountId, input }: TimedPlan): Promise<Done | undefined> {
    const { accountClients, store, clock } = this.#parts
    const { provider, adapter } = accountClients.open(record)
    const row = await findCurrentClient(store.db, accountId)
    // Without an overlap the old tokens must end too, which only those of another client do.
    const isAtOnce = 'overlapMs' in input && input.overlapMs === 0
    if (isAtOnce || !adapter.secrets || row?.administered_by !== provider.administration.kind) return undefined
    const stored = accountClient(row)
    const client = accountClients.openClient(record, stored)
    const replaced = await adapter.secrets.list(provider, client)
    if (replaced.length >= adapter.secrets.most) return undefined
    // Recorded first: after a crash, the other secrets are the ones to remove.
    const change: JobChange = {
      state: 'running',
      error: null,
      dueAt: clock.now() + JOB_LEASE_MS,
      client: stored,
      input: JSON.stringify({ ...input, keptSecrets: replaced }),
    }
    if (!(await store.run(settleJob, { id, attempts: FIRST_ATTEMPT, change }, this.#meta()))) throw tookTooLong()
    const { id: secretId, secret } = await adapter.secrets.add(provider, client)
    const credentials = credentialsOf(record, stored.clientId, secret)
    return { result: { secretOf: stored.clientId, replaced, credentials }, created: { client: stored, secretId } }
  }

  async #fail(id: string, plan: JobPlan, error: unknown, created: CreatedByJob | undefined): Promise<void> {
    const { store, clock, log, accountClients } = this.#parts
    const { provider: record, accountId, accountName } = plan
    const { organizationId, id: identityProviderId } = record
    try {
      // One request creates the client where none can be found afterwards.
      const isNothingLeft = !created && !accountClients.open(record).adapter.findLost && isBeforeCreation(error)
      const [state, ms] = isNothingLeft ? (['failed', JOB_SHOWN_MS] as const) : (['pending', JOB_LEASE_MS] as const)
      const change: JobChange = { state, error: textOf(error), dueAt: clock.now() + ms, client: created?.client }
      const isUnstored = error instanceof AppError && error.code === 'PROVIDER_FAILED'
      const args = { id, organizationId, identityProviderId, accountId, accountName, change, created, isUnstored }
      const left = await store.run(failJob, args, this.#meta())
      if (left !== undefined) await this.runNow(organizationId, [left])
    } catch (failure) {
      // Its lease ends, and the next round undoes it.
      log.error({ jobId: id, err: failure }, 'a failed job could not be recorded')
    }
  }

  /** Takes a job and does it. Returns whether nothing is left to do at the provider; undefined when the job could not be taken. */
  async #run(id: string, isWanted: boolean, signal: AbortSignal): Promise<boolean | undefined> {
    const { store, clock, log } = this.#parts
    const job = await store.run(takeJob, { id, isWanted }, this.#meta())
    if (!job) return undefined
    const { attempts, identity_provider_id: providerId } = job
    try {
      const record = { ...(await getProviderById(store.db, providerId)), signal }
      if (job.kind === 'enable') {
        await this.#enable(job, record)
        return true
      }
      const change = await this.#work(job, record)
      await store.run(settleJob, { id, attempts, change }, this.#meta())
      return true
    } catch (error) {
      log.error({ jobId: id, providerId, err: error }, 'work at an identity provider failed')
      const dueAt = clock.now() + retryDelayMs(attempts - 1)
      const change: JobChange = { state: 'pending', error: textOf(error), dueAt }
      await store.run(settleJob, { id, attempts, change }, this.#meta())
      return false
    }
  }

  /** Does the work of a job, or removes what an interrupted or failed one has left. Returns undefined when the job is done. */
  async #work(job: AccountJobRow, record: ProviderInTime): Promise<JobChange | undefined> {
    const { accountClients } = this.#parts
    const client = jobClient(job)
    switch (job.kind) {
      case 'remove':
        if (client) await accountClients.remove(record, client)
        return undefined
      case 'remove-secret': {
        const { provider, adapter } = accountClients.open(record)
        if (client)
          await adapter.secrets?.remove(provider, accountClients.openClient(record, client), job.secret_id ?? '')
        return undefined
      }
      default:
        return this.#undo(job, record, client)
    }
  }

  /** Enables or disables the clients of an account at the provider as the account is, until nothing has changed meanwhile. */
  async #enable({ id, attempts, account_id: accountId }: AccountJobRow, record: ProviderInTime): Promise<void> {
    const { accountClients, store, clock } = this.#parts
    const { provider, adapter } = accountClients.open(record)
    const apply = async (): Promise<AppliedState | undefined> => {
      const usable = await findUsableClients(store.db, accountId, clock.now())
      for (const client of usable?.clients ?? []) {
        if (client.administered_by !== provider.administration.kind) continue
        await adapter.setEnabled?.(
          provider,
          accountClients.openClient(record, accountClient(client)),
          usable?.active === true,
        )
      }
      return stateToApply(usable)
    }
    while (await store.run(endEnableJob, { id, attempts, accountId, applied: await apply() }, this.#meta()));
  }

  async #undo(job: AccountJobRow, record: ProviderInTime, client: AccountClient | undefined): Promise<JobChange> {
    const { accountClients, clock } = this.#parts
    const { provider, adapter } = accountClients.open(record)
    const forgotten = clock.now() + JOB_SHOWN_MS
    const error = job.error ?? INTERRUPTED
    const { keptSecrets } = JSON.parse(job.input) as { keptSecrets?: readonly string[] }
    if (client && keptSecrets && adapter.secrets) {
      const opened = accountClients.openClient(record, client)
      for (const secretId of await adapter.secrets.list(provider, opened)) {
        if (!keptSecrets.includes(secretId)) await adapter.secrets.remove(provider, opened, secretId)
      }
      return { state: 'failed', error, dueAt: forgotten }
    }
    if (client) {
      await accountClients.remove(record, client)
    } else if (adapter.findLost) {
      const lost = await adapter.findLost(provider, nameOf(job))
      for (const one of lost) await adapter.remove(provider, one)
    } else {
      return { state: 'unknown', error, dueAt: forgotten }
    }
    return { state: 'failed', error, dueAt: forgotten }
  }
}

/** Whether an attempt failed before the provider created something. */
function isBeforeCreation(error: unknown): boolean {
  return error instanceof AppError || (error instanceof OutboundError && NOTHING_CREATED.includes(error.reason))
}

function textOf(error: unknown): string {
  if (error instanceof OutboundError) return error.tenantMessage
  return error instanceof AppError ? error.code : 'internal error'
}

function nameOf({ account_name: name, id: marker }: AccountJobRow): ClientName {
  return { name, marker }
}
