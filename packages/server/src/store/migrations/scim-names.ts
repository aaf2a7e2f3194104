import type { Migration } from './migration.ts'

/**
 * Finds the users of a signer that no SCIM request has described by the name or external id of their identity without regard to letter case. Only
 * linked identities are users.
 */
export const scimNames: Migration = {
  version: 16,
  name: 'scim-names',
  statements: () =>
    ['name', 'external_id'].map(
      (column) =>
        `create index identities_folded_${column} on identities (lower(${column})) where enrolled_by_signer_id is not null or linked_signers <> '[]'`,
    ),
}
