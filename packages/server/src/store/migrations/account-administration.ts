import type { Migration } from './migration.ts'

/**
 * Provider records hold how their clients are administered; before, registration by RFC 7591 was the only way. Work at a provider is recorded as
 * jobs. Accounts have a plan of rotation, and the credentials of a planned rotation wait, sealed, until they are picked up.
 */
export const accountAdministration: Migration = {
  version: 19,
  name: 'account-administration',
  statements: ({ dialect, text, int }) => [
    `alter table identity_providers add column administration ${text}`,
    `update identity_providers set administration = ${JSON_OBJECT[dialect]('registration_url')} where registration_url is not null`,
    'alter table identity_providers drop column registration_url',
    'alter table identity_providers rename column registration_token to administration_secret',
    `alter table api_account_clients add column administered_by ${text}`,
    `update api_account_clients set administered_by = 'rfc7591' where registration_uri is not null`,
    'alter table api_account_clients rename column registration_uri to handle',
    `create table account_jobs (
      id ${text} primary key,
      organization_id ${text} not null references organizations (id) on delete cascade,
      identity_provider_id ${text} not null references identity_providers (id) on delete cascade,
      account_id ${text} not null,
      account_name ${text} not null,
      kind ${text} not null,
      state ${text} not null,
      input ${text} not null,
      client_id ${text},
      administered_by ${text},
      handle ${text},
      registration_token ${text},
      secret_id ${text},
      error ${text},
      attempts ${int} not null,
      due_at ${int} not null,
      created_at ${int} not null,
      updated_at ${int} not null
    )`,
    'create index account_jobs_organization_id on account_jobs (organization_id, created_at)',
    'create index account_jobs_due_at on account_jobs (due_at)',
    `alter table api_accounts add column rotation ${text}`,
    `alter table api_accounts add column rotated_at ${int} not null default 0`,
    'update api_accounts set rotated_at = created_at',
    `alter table api_accounts add column rotates_at ${int}`,
    'create index api_accounts_rotates_at on api_accounts (rotates_at) where rotates_at is not null',
    `create table account_pickups (
      account_id ${text} primary key references api_accounts (id) on delete cascade,
      sealed_credentials ${text} not null,
      created_at ${int} not null,
      expires_at ${int} not null
    )`,
  ],
}

const JSON_OBJECT = {
  sqlite: (column: string) => `json_object('kind', 'rfc7591', 'registrationUrl', ${column})`,
  postgres: (column: string) => `json_build_object('kind', 'rfc7591', 'registrationUrl', ${column})::text`,
}
