import type { Migration } from './migration.ts'

/** The last good keys of each signer that fetches them, so that they outlive a restart and reach every node. */
export const signerKeySets: Migration = {
  version: 2,
  name: 'signer-key-sets',
  statements: ({ text, int }) => [
    `create table signer_key_sets (
      signer_id ${text} primary key references ext_jwt_signers (id) on delete cascade,
      url ${text} not null,
      jwks ${text} not null,
      fetched_at ${int} not null
    )`,
  ],
}
