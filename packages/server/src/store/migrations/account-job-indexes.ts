import type { Migration } from './migration.ts'

/** Finds the jobs of an account and of a provider record without reading those of all organizations. */
export const accountJobIndexes: Migration = {
  version: 25,
  name: 'account-job-indexes',
  statements: () => [
    'create index account_jobs_account_id on account_jobs (account_id)',
    'create index account_jobs_identity_provider_id on account_jobs (identity_provider_id)',
  ],
}
