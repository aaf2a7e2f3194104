import type { AccountJobKind } from '@countersign/contract'
import { type Kysely, sql } from 'kysely'
import { SYSTEM_ACTOR } from '../actor.ts'
import type { AccountJobRow } from '../hosted-schema.ts'
import { notFound } from '../not-found.ts'
import type { Database } from '../schema.ts'
import type { Store } from '../store.ts'
import { countOf } from './count-of.ts'

type Db = Kysely<Database>

/** The jobs of an organization, the newest first, at most `most`. */
export async function listJobs(db: Db, organizationId: string, most: number): Promise<AccountJobRow[]> {
  return db
    .selectFrom('account_jobs')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .limit(most)
    .execute()
}

export async function getJob(db: Db, organizationId: string, id: string): Promise<AccountJobRow> {
  const row = await db
    .selectFrom('account_jobs')
    .selectAll()
    .where('id', '=', id)
    .where('organization_id', '=', organizationId)
    .executeTakeFirst()
  if (!row) throw notFound('accountJob', id)
  return row
}

export async function findJob(db: Db, id: string): Promise<AccountJobRow | undefined> {
  return db.selectFrom('account_jobs').selectAll().where('id', '=', id).executeTakeFirst()
}

/** The number of jobs of an organization that have something to do, or may have, counted up to `most`. */
export async function countOpenJobs(db: Db, organizationId: string, most: number): Promise<number> {
  const jobs = db.selectFrom('account_jobs').select('id').where('organization_id', '=', organizationId)
  return countOf(db, jobs.where('state', '<>', 'failed').limit(most).as('counted'))
}

/** A job of this kind for the account that is not settled yet. */
export async function findOpenJob(
  db: Db,
  accountId: string,
  kind: AccountJobKind,
): Promise<Pick<AccountJobRow, 'id'> | undefined> {
  return db
    .selectFrom('account_jobs')
    .select('id')
    .where('account_id', '=', accountId)
    .where('kind', '=', kind)
    .where('state', 'in', ['running', 'pending'])
    .limit(1)
    .executeTakeFirst()
}

/** A job that still has something to do at the provider. */
export async function findOpenJobOfProvider(
  db: Db,
  providerId: string,
): Promise<Pick<AccountJobRow, 'id' | 'account_name'> | undefined> {
  return db
    .selectFrom('account_jobs')
    .select(['id', 'account_name'])
    .where('identity_provider_id', '=', providerId)
    .where('state', 'in', ['running', 'pending'])
    .limit(1)
    .executeTakeFirst()
}

export interface DueJob {
  readonly id: string
  readonly organizationId: string
}

/** Jobs that are due, up to `limit` of each organization. In random order, so that none waits for ever behind others. */
export async function listDueJobs(
  store: Pick<Store, 'db' | 'readLong'>,
  now: number,
  limit: number,
): Promise<DueJob[]> {
  const jobs = store.db
    .selectFrom((from) =>
      from
        .selectFrom('account_jobs as job')
        .select(['job.id', 'job.organization_id as organizationId'])
        .select(({ fn }) =>
          fn
            .agg<number>('row_number')
            .over((each) => each.partitionBy('job.organization_id').orderBy(sql`random()`))
            .as('nth'),
        )
        .where('job.due_at', '<=', now)
        .where('job.state', 'in', ['running', 'pending'])
        .as('due'),
    )
    .select(['id', 'organizationId'])
    .where('nth', '<=', limit)
  return store.readLong(SYSTEM_ACTOR.id, jobs.compile())
}
