import type { Migration } from './migration.ts'

/**
 * One-time codes: the secrets, sealed; wrong codes of the last minutes, which outlive the enrollment they were meant for;
 * and on identities and sessions which enrollment is verified and which was passed.
 */
export const totps: Migration = {
  version: 9,
  name: 'totps',
  statements: ({ text, int }) => [
    `create table totps (
      id ${text} primary key,
      identity_id ${text} not null references identities (id) on delete cascade,
      secret ${text} not null,
      recovery_codes ${text} not null,
      spent_recovery_codes ${int} not null,
      last_step ${int} not null,
      created_at ${int} not null,
      updated_at ${int} not null
    )`,
    `create unique index totps_identity_id on totps (identity_id)`,
    `create table totp_guesses (
      identity_id ${text} primary key references identities (id) on delete cascade,
      wrong_at ${text} not null,
      locked_until ${int} not null
    )`,
    `alter table identities add column verified_totp_id ${text}`,
    `alter table api_sessions add column passed_totp_id ${text}`,
  ],
}
