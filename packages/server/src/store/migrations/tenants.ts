import type { Migration } from './migration.ts'

/**
 * Adds the suspension and the quotas of organizations, and the organization to what is recorded about it. Its events are read by index. Entries from
 * before belong to no organization: which one is not known for records that are deleted.
 */
export const tenants: Migration = {
  version: 21,
  name: 'tenants',
  statements: ({ text, int }) => [
    `alter table organizations add column suspended_at ${int}`,
    `alter table organizations add column suspension_reason ${text}`,
    ...['networks', 'accounts', 'providers', 'clients_per_account'].map(
      (name) => `alter table organizations add column quota_${name} ${int}`,
    ),
    `alter table change_log add column organization_id ${text}`,
    `alter table change_log add column entity_name ${text}`,
    `alter table change_log add column changed_members ${text}`,
    `create index change_log_organization on change_log (organization_id, at, seq) where organization_id is not null`,
    `alter table auth_decisions add column organization_id ${text}`,
    `create index auth_decisions_organization on auth_decisions (organization_id, at, id) where organization_id is not null`,
  ],
}
