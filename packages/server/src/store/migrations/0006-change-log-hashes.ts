import type { Migration } from './migration.ts'

/** What a thing was before a change and is after it, as hashes that can be compared with the events that were sent. */
export const changeLogHashes: Migration = {
  version: 6,
  name: 'change-log-hashes',
  statements: ({ text }) => [
    `alter table change_log add column before_hash ${text}`,
    `alter table change_log add column after_hash ${text}`,
    `alter table change_log add column source_address ${text}`,
  ],
}
