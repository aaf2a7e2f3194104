import type { Migration } from './migration.ts'

/** Finds the identities of a policy that hold rights without reading those that hold none, which are most. */
export const identityRights: Migration = {
  version: 8,
  name: 'identity-rights',
  statements: () => [
    `create index identities_rights on identities (auth_policy_id, is_admin, permissions) where is_admin or permissions <> '[]'`,
  ],
}
