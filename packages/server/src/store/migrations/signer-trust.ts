import type { Migration } from './migration.ts'

/**
 * Replaces the note whether an administrator saved a signer last by trust, which has a writer. The earlier release noted no writer, but it set
 * the note with every change, so its time is that of the last change. Adds the misspelt members of the last body.
 */
export const signerTrust: Migration = {
  version: 4,
  name: 'signer-trust',
  statements: ({ text, int }) => [
    'alter table ext_jwt_signers rename column written_by_admin to is_trusted',
    `alter table ext_jwt_signers add column written_by_id ${text}`,
    `alter table ext_jwt_signers add column written_by_name ${text}`,
    `alter table ext_jwt_signers add column written_at ${int} not null default 0`,
    'update ext_jwt_signers set written_at = updated_at',
    `alter table ext_jwt_signers add column near_misses ${text} not null default '[]'`,
  ],
}
