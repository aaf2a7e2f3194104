import type { Migration } from './migration.ts'

/**
 * Finds a network by its name in any letter case without reading all of them. Here only A to Z are folded; a name with other letters is folded
 * when it is next written.
 */
export const networkNames: Migration = {
  version: 5,
  name: 'network-names',
  statements: ({ text }) => [
    `alter table networks add column folded_name ${text} not null default ''`,
    `update networks set folded_name = lower(name)`,
    `create index networks_folded_name on networks (network_group_id, folded_name) where deleted_at is null`,
  ],
}
