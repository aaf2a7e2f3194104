import type { Migration } from './migration.ts'

/**
 * Adds the test cases of signers, and the verified claims of recent logins, for predictions. Rows of deleted signers and identities are deleted by the
 * operations that delete these: a reference would make writes of these rows wait for logins.
 */
export const keptLogins: Migration = {
  version: 27,
  name: 'kept-logins',
  statements: ({ text, int }) => [
    `alter table ext_jwt_signers add column test_cases ${text} not null default '[]'`,
    `create table kept_logins (
      signer_id ${text} not null,
      digest ${text} not null,
      identity_id ${text},
      outcome ${text} not null,
      sealed_claims ${text} not null,
      at ${int} not null,
      primary key (signer_id, digest)
    )`,
    'create index kept_logins_identity_id on kept_logins (identity_id)',
    'create index kept_logins_signer_at on kept_logins (signer_id, at)',
    'create index kept_logins_at on kept_logins (at)',
  ],
}
