import type { Migration } from './migration.ts'

/** Why sign-ins were refused, for a day. Nothing is referenced: a decision outlives the signer and the identity it names. */
export const authDecisions: Migration = {
  version: 3,
  name: 'auth-decisions',
  statements: ({ text, int }) => [
    `create table auth_decisions (
      id ${text} primary key,
      at ${int} not null,
      method ${text} not null,
      reason ${text} not null,
      signer_id ${text},
      identity_id ${text},
      remote_address ${text} not null,
      explanation ${text} not null
    )`,
    `create index auth_decisions_at on auth_decisions (at)`,
  ],
}
