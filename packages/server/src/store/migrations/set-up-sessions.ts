import type { Migration } from './migration.ts'

/**
 * Notes the session that sets up one-time codes and the identity that created an enrollment. Both are unknown for earlier rows: codes that are
 * not verified have to be set up again, and `identity.create` no longer shows the token of an earlier enrollment.
 */
export const setUpSessions: Migration = {
  version: 9,
  name: 'set-up-sessions',
  statements: ({ text }) => [
    `alter table totps add column session_id ${text}`,
    `alter table enrollments add column created_by ${text}`,
  ],
}
