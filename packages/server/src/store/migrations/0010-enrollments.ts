import type { Migration } from './migration.ts'

/** One-time tokens of identities that were made ahead of time: at most one of each method for an identity. */
export const enrollments: Migration = {
  version: 10,
  name: 'enrollments',
  statements: ({ text, bool, int, no }) => [
    `create table enrollments (
      id ${text} primary key,
      identity_id ${text} not null references identities (id) on delete cascade,
      method ${text} not null,
      username ${text},
      token_digest ${text} not null,
      sealed_token ${text} not null,
      expires_at ${int} not null,
      is_system ${bool} not null default ${no},
      tags ${text} not null,
      created_at ${int} not null,
      updated_at ${int} not null
    )`,
    `create unique index enrollments_identity_id_method on enrollments (identity_id, method)`,
    `create unique index enrollments_token_digest on enrollments (token_digest)`,
    `create unique index enrollments_username on enrollments (username)`,
  ],
}
