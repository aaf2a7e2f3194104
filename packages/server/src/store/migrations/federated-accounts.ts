import type { Migration } from './migration.ts'

/**
 * Adds federated accounts with their conditions, the expiry of accounts, and the access tokens that federated accounts get. The last use of an account
 * has a table of its own: it must not change the version of the account. Tokens of an earlier `revision` of their account are refused.
 */
export const federatedAccounts: Migration = {
  version: 20,
  name: 'federated-accounts',
  statements: ({ text, int, bool, no }) => [
    `alter table api_accounts add column kind ${text} not null default 'client'`,
    `alter table api_accounts add column conditions ${text}`,
    `alter table api_accounts add column expires_at ${int}`,
    `alter table api_accounts add column has_expired ${bool} not null default ${no}`,
    `alter table api_accounts add column revision ${int} not null default 1`,
    `create index api_accounts_expires_at on api_accounts (expires_at) where expires_at is not null and has_expired = ${no}`,
    `create table api_account_uses (
      account_id ${text} primary key references api_accounts (id) on delete cascade,
      used_at ${int},
      used_from ${text},
      warned_at ${int}
    )`,
    `create table api_account_tokens (
      digest ${text} primary key,
      account_id ${text} not null references api_accounts (id) on delete cascade,
      account_revision ${int} not null,
      provider_revision ${int} not null,
      created_at ${int} not null,
      expires_at ${int} not null
    )`,
    `create index api_account_tokens_account_id on api_account_tokens (account_id)`,
    `create index api_account_tokens_expires_at on api_account_tokens (expires_at)`,
  ],
}
