import type { Migration } from './migration.ts'

/** Adds to decisions which identity was claimed, and the names of identity and signer, with indexes for the filters by them. */
export const decisionNames: Migration = {
  version: 22,
  name: 'decision-names',
  statements: ({ text }) => [
    ...NAMES.map((name) => `alter table auth_decisions add column ${name} ${text}`),
    ...INDEXED.map(
      (name) => `create index auth_decisions_${name} on auth_decisions (${name}, at, id) where ${name} is not null`,
    ),
  ],
}

const NAMES = ['claimed_identity', 'identity_name', 'signer_name']
const INDEXED = ['claimed_identity', 'identity_id', 'signer_id']
