import type { Migration } from './migration.ts'

/** Notes with each session under which rules of its signer it was opened. Of sessions that are open, that is not known. */
export const signerSessions: Migration = {
  version: 17,
  name: 'signer-sessions',
  statements: ({ int }) => [
    `alter table ext_jwt_signers add column session_revision ${int} not null default 1`,
    `alter table api_sessions add column signer_revision ${int}`,
  ],
}
