import type { Migration } from './migration.ts'

/**
 * Adds what signers require of the holder of a token, the key that a session is bound to, and the tokens and proofs that were used and are accepted once.
 * A token that has enrolled an identity may log it in once.
 */
export const possession: Migration = {
  version: 29,
  name: 'possession',
  statements: ({ text, int, bool, no }) => [
    `alter table ext_jwt_signers add column require_possession ${text} not null default 'none'`,
    `alter table ext_jwt_signers add column one_use ${bool} not null default ${no}`,
    `alter table api_sessions add column bound_key ${text}`,
    `create table used_credentials (
      digest ${text} primary key,
      used_for ${text} not null,
      expires_at ${int} not null
    )`,
    'create index used_credentials_expires_at on used_credentials (expires_at)',
  ],
}
