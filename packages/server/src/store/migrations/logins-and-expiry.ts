import type { Migration } from './migration.ts'

/**
 * Adds the recent logins of each identity beside its last one, and the expiry of certificates. Upkeep reads the expiry of certificates of earlier
 * releases; the index finds them.
 */
export const loginsAndExpiry: Migration = {
  version: 33,
  name: 'logins-and-expiry',
  statements: ({ text, int }) => [
    `alter table last_logins add column recent ${text} not null default ''`,
    `alter table authenticators add column not_after ${int}`,
    `alter table authenticators add column pending_not_after ${int}`,
    `create index authenticators_unread_expiry on authenticators (id) where method = 'cert' and not_after is null`,
  ],
}
