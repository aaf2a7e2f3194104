import type { Migration } from './migration.ts'

/** Counts the signers and third-party CAs that a caller wrote last, and that are not trusted, without reading them. */
export const trustWriters: Migration = {
  version: 34,
  name: 'trust-writers',
  statements: () => [
    'create index ext_jwt_signers_written_by_id on ext_jwt_signers (written_by_id, is_trusted)',
    'create index cas_written_by_id on cas (written_by_id, is_trusted)',
  ],
}
