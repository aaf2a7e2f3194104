import type { AccountJob } from '@countersign/contract'
import type { ApiAccounts } from '../../hosted/api-accounts.ts'
import type { ClientBindings } from '../../hosted/client-bindings.ts'
import { dismissJob } from '../../operations/account-job/dismiss-job.ts'
import { clientNameOf } from '../../outbound/administration/provider-administration.ts'
import type { Clock } from '../../platform/clock.ts'
import type { AccountJobRow } from '../../store/hosted-schema.ts'
import { getJob, listJobs } from '../../store/reads/account-job-reads.ts'
import { getAccount } from '../../store/reads/account-reads.ts'
import type { Store } from '../../store/store.ts'
import { withVersion } from '../pipeline/envelope.ts'
import { hostedCallerOf, type Route } from '../pipeline/route.ts'
import { hostedMeta } from './hosted-meta.ts'
import { accountView } from './identity-views.ts'
import { ownedKeyOf } from './owned-key-of.ts'

interface AccountJobRouteParts {
  readonly store: Pick<Store, 'db' | 'run'>
  readonly clock: Clock
  readonly apiAccounts: ApiAccounts
  readonly clientBindings: ClientBindings
}

const READ = { hosted: 'read' } as const
const ADMIN = { hosted: 'admin' } as const
const COLLECTION = '/identity/v1/account-jobs'
const ONE = `${COLLECTION}/:id`
const MAX_LISTED = 1_000

/** Work at identity providers for API accounts that is not done yet, or has failed. */
export function accountJobRoutes({ store, clock, apiAccounts, clientBindings }: AccountJobRouteParts): Route[] {
  const base = { bodyCap: 'management', body: null, note: null } as const
  return [
    {
      ...base,
      method: 'GET',
      paths: [COLLECTION],
      access: READ,
      handle: async (call) => {
        const jobs = await listJobs(store.db, hostedCallerOf(call).organizationId, MAX_LISTED)
        return { status: 200, json: jobs.map(jobView) }
      },
    },
    {
      ...base,
      method: 'GET',
      paths: [ONE],
      access: READ,
      handle: async (call) => {
        const { id, organizationId } = ownedKeyOf(call)
        const job = await getJob(store.db, organizationId, id)
        return withVersion({ status: 200, json: jobView(job) }, job.updated_at)
      },
    },
    {
      ...base,
      method: 'POST',
      paths: [`${ONE}/repeat`],
      access: ADMIN,
      handle: async (call) => {
        const key = ownedKeyOf(call)
        const bind = await clientBindings.of(hostedCallerOf(call))
        const made = await apiAccounts.repeat(key, bind, hostedMeta(call, clock.now()))
        if (!made) return { status: 204 }
        const found = await getAccount(store.db, key.organizationId, made.id)
        const json = { ...accountView(found), ...(made.credentials && { credentials: made.credentials }) }
        return withVersion({ status: 200, json }, found.account.updated_at)
      },
    },
    {
      ...base,
      method: 'DELETE',
      paths: [ONE],
      access: ADMIN,
      handle: async (call) => {
        await store.run(dismissJob, ownedKeyOf(call), hostedMeta(call, clock.now()))
        return { status: 204 }
      },
    },
  ]
}

function jobView(job: AccountJobRow): AccountJob {
  const time = (ms: number) => new Date(ms).toISOString()
  const isCreation = job.kind === 'create' || job.kind === 'rotate'
  return {
    id: job.id,
    organizationId: job.organization_id,
    identityProviderId: job.identity_provider_id,
    accountId: job.account_id,
    accountName: job.account_name,
    kind: job.kind,
    state: job.state,
    clientId: job.client_id,
    clientName: isCreation ? clientNameOf({ name: job.account_name, marker: job.id }) : null,
    error: job.error,
    attempts: job.attempts,
    nextAttemptAt: job.state === 'pending' ? time(job.due_at) : null,
    createdAt: time(job.created_at),
    updatedAt: time(job.updated_at),
  }
}
