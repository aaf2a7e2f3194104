import type { Migration } from './migration.ts'

/** The budget of each key endpoint for fetches that unknown kids cause: the time at which it is full again. */
export const keyFetches: Migration = {
  version: 6,
  name: 'key-fetches',
  statements: ({ text, int }) => [
    `create table key_fetches (
      endpoint ${text} primary key,
      full_at ${int} not null
    )`,
  ],
}
