import type { Migration } from './migration.ts'

/** Adds to sessions the program that opened them. */
export const sessionClients: Migration = {
  version: 24,
  name: 'session-clients',
  statements: ({ text }) => [`alter table api_sessions add column client ${text}`],
}
