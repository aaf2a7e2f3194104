import type { Migration } from './migration.ts'

/** Notes the CA with which keys were fetched. Keys from before count as fetched without one, so that a signer with a CA fetches again. */
export const keySetCas: Migration = {
  version: 7,
  name: 'key-set-cas',
  statements: ({ text }) =>
    ['signer_key_sets', 'identity_provider_key_sets'].map(
      (table) => `alter table ${table} add column ca_digest ${text} not null default ''`,
    ),
}
