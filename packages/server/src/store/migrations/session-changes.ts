import type { Migration } from './migration.ts'

/** Finds the old entries of sessions and revocations in the change log without reading the others. */
export const sessionChanges: Migration = {
  version: 36,
  name: 'session-changes',
  statements: () => [
    "create index change_log_sessions on change_log (at) where entity in ('apiSessions', 'revocations')",
  ],
}
