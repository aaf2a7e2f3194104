import type { Migration } from './migration.ts'

/** New sessions are counted by the writer, once for all of a commit: a trigger for each of them takes a tenth of the time of writing it. */
export const startedSessions: Migration = {
  version: 12,
  name: 'started-sessions',
  statements: ({ dialect }) => (dialect === 'sqlite' ? ['drop trigger api_sessions_counted_in'] : []),
}
