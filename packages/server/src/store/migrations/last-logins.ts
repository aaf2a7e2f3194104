import type { Migration } from './migration.ts'

/**
 * Adds the last login of each identity. It has a table of its own: a login must change neither the version of its identity nor the indexes of
 * the large row.
 */
export const lastLogins: Migration = {
  version: 18,
  name: 'last-logins',
  statements: ({ text, int }) => [
    `create table last_logins (
      identity_id ${text} primary key references identities (id) on delete cascade,
      at ${int} not null,
      method ${text} not null
    )`,
  ],
}
