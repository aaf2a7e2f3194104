import type { AccountJobKind, AccountJobState } from '@countersign/contract'
import type { ExpressionBuilder } from 'kysely'
import type { AccountJobRow } from '../hosted-schema.ts'
import { insertRow } from '../prepared.ts'
import type { Database } from '../schema.ts'
import type { Transaction } from '../transaction.ts'
import type { AccountClient } from './account-client-writes.ts'

export interface NewJob {
  readonly id: string
  readonly organizationId: string
  readonly identityProviderId: string
  readonly accountId: string
  readonly accountName: string
  readonly kind: AccountJobKind
  readonly state: AccountJobState
  /** JSON. */
  readonly input?: string
  readonly client?: AccountClient
  readonly secretId?: string
  readonly dueAt: number
}

/** The attempt of the process that has begun the job. */
export const FIRST_ATTEMPT = 0

/** Jobs are in no cache and report no change. */
export async function insertJob({ db, now }: Transaction, job: NewJob): Promise<void> {
  await insertRow(db, 'account_jobs', {
    id: job.id,
    organization_id: job.organizationId,
    identity_provider_id: job.identityProviderId,
    account_id: job.accountId,
    account_name: job.accountName,
    kind: job.kind,
    state: job.state,
    input: job.input ?? '{}',
    ...clientCells(job.client),
    secret_id: job.secretId ?? null,
    error: null,
    attempts: FIRST_ATTEMPT,
    due_at: job.dueAt,
    created_at: now,
    updated_at: now,
  })
}

export interface JobChange {
  readonly state: AccountJobState
  readonly error: string | null
  readonly dueAt: number
  /** Undefined leaves it as it is. */
  readonly client?: AccountClient | undefined
  readonly input?: string | undefined
}

/** A job as one process has it. When another process takes the job, it has another number of attempts. */
export interface JobAttempt {
  readonly id: string
  readonly attempts: number
}

/** Returns false when another process has taken the job, or it is gone. */
export async function updateJob(
  { db, now }: Transaction,
  { id, attempts }: JobAttempt,
  change: JobChange,
): Promise<boolean> {
  const updated = await db
    .updateTable('account_jobs')
    .set((row) => ({
      state: change.state,
      error: change.error,
      due_at: change.dueAt,
      ...(change.client && clientCells(change.client)),
      ...(change.input !== undefined && { input: change.input }),
      updated_at: laterThanBefore(row, now),
    }))
    .where('id', '=', id)
    .where('attempts', '=', attempts)
    .returning('id')
    .executeTakeFirst()
  return updated !== undefined
}

/**
 * Takes a job until `dueAt`: one that is due, also when its process has not ended, or a waiting one that is `wanted` now. Returns undefined when there
 * is no such job.
 */
export async function claimJob(
  { db, now }: Transaction,
  id: string,
  { dueAt, isWanted }: { readonly dueAt: number; readonly isWanted: boolean },
): Promise<AccountJobRow | undefined> {
  return db
    .updateTable('account_jobs')
    .set((row) => ({
      state: 'running',
      due_at: dueAt,
      attempts: row('attempts', '+', 1),
      updated_at: laterThanBefore(row, now),
    }))
    .where('id', '=', id)
    .where('state', 'in', ['running', 'pending'])
    .where(({ eb, or }) => or([eb('due_at', '<=', now), ...(isWanted ? [eb('state', '=', 'pending')] : [])]))
    .returningAll()
    .executeTakeFirst()
}

/** Returns false when there is no such job, or another process has taken it. */
export async function deleteJob({ db }: Transaction, id: string, attempts?: number): Promise<boolean> {
  const all = db.deleteFrom('account_jobs').where('id', '=', id)
  const own = attempts === undefined ? all : all.where('attempts', '=', attempts)
  return (await own.returning('id').executeTakeFirst()) !== undefined
}

/** Deletes the jobs of an account that make no sense without it. */
export async function deleteJobsOfAccount({ db }: Transaction, accountId: string): Promise<void> {
  await db
    .deleteFrom('account_jobs')
    .where('account_id', '=', accountId)
    .where((is) => is.or([is('kind', 'in', ['remove-secret', 'enable']), is('state', '=', 'failed')]))
    .execute()
}

/** Deletes the failed jobs of an organization except the newest ones. */
export async function deleteSurplusJobs({ db }: Transaction, organizationId: string, kept: number): Promise<void> {
  const failed = db
    .selectFrom('account_jobs')
    .select('id')
    .where('organization_id', '=', organizationId)
    .where('state', '=', 'failed')
  const newest = failed.orderBy('created_at', 'desc').limit(kept)
  await db.deleteFrom('account_jobs').where('id', 'in', failed).where('id', 'not in', newest).execute()
}

/** Deletes the failed rotations of an account: the next one takes their place. */
export async function deleteFailedRotations({ db }: Transaction, accountId: string): Promise<void> {
  const failed = db.deleteFrom('account_jobs').where('account_id', '=', accountId).where('kind', '=', 'rotate')
  await failed.where('state', '=', 'failed').execute()
}

/** Deletes up to `limit` failed jobs whose time has come. Returns how many. */
export async function deleteForgottenJobs({ db, now }: Transaction, limit: number): Promise<number> {
  const old = db.selectFrom('account_jobs').select('id').where('state', '=', 'failed').where('due_at', '<=', now)
  const deleted = await db.deleteFrom('account_jobs').where('id', 'in', old.limit(limit)).returning('id').execute()
  return deleted.length
}

/** No two versions of a job share a time, which is its version. */
function laterThanBefore(row: ExpressionBuilder<Database, 'account_jobs'>, now: number) {
  return row
    .case()
    .when('updated_at', '>=', now)
    .then(row('updated_at', '+', 1))
    .else(now)
    .end()
}

function clientCells(client: AccountClient | undefined) {
  return {
    client_id: client?.clientId ?? null,
    administered_by: client?.administeredBy ?? null,
    handle: client?.handle ?? null,
    registration_token: client?.sealedToken ?? null,
  }
}
