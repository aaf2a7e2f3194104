import type { Migration } from './migration.ts'

/** Finds the changes of one kind in an organization, the newest first, without reading the others. */
export const changeKinds: Migration = {
  version: 35,
  name: 'change-kinds',
  statements: () => [
    'create index change_log_kind on change_log (organization_id, entity, action, at, seq) where organization_id is not null',
  ],
}
