import type { Migration } from './migration.ts'

/**
 * Adds passkeys, whether policies allow or require them, and the passkey that a session has passed as second factor. Challenges are not stored when they
 * are made, only when they are spent.
 */
export const passkeys: Migration = {
  version: 23,
  name: 'passkeys',
  statements: ({ text, int, bool, no }) => [
    `alter table auth_policies add column passkey_allowed ${bool} not null default ${no}`,
    `alter table auth_policies add column require_passkey ${bool} not null default ${no}`,
    `alter table api_sessions add column passed_passkey_id ${text}`,
    `create table passkeys (
      id ${text} primary key,
      identity_id ${text} not null references identities (id) on delete cascade,
      name ${text} not null,
      rp_id ${text} not null,
      credential_id ${text} not null,
      public_key ${text} not null,
      counter ${int} not null,
      transports ${text} not null,
      aaguid ${text} not null,
      is_backup_eligible ${bool} not null,
      is_backed_up ${bool} not null,
      last_used_at ${int},
      created_at ${int} not null,
      updated_at ${int} not null
    )`,
    'create unique index passkeys_credential_id on passkeys (credential_id)',
    'create index passkeys_identity_id on passkeys (identity_id)',
    `create table spent_challenges (
      identity_id ${text} not null references identities (id) on delete cascade,
      challenge_digest ${text} not null,
      expires_at ${int} not null,
      primary key (identity_id, challenge_digest)
    )`,
    'create index spent_challenges_expires_at on spent_challenges (expires_at)',
  ],
}
