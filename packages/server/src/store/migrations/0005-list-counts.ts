import { countedTable } from './counted-table.ts'
import type { Migration } from './migration.ts'

const COUNTED = ['identities', 'authenticators']

/**
 * What lists of large tables need: how many rows there are without counting them, and the attributes of identities each
 * once, by stepping through the index from one to the next instead of reading every row.
 */
export const listCounts: Migration = {
  version: 5,
  name: 'list-counts',
  statements: ({ text, int, trigger }) => [
    `create table row_counts (
      table_name ${text} primary key,
      total ${int} not null
    )`,
    ...COUNTED.flatMap((table) => countedTable(table, { trigger })),
    `create view identity_role_attributes as
      with recursive names (id) as (
        select min(attribute) from identity_attributes
        union all
        select (select min(attribute) from identity_attributes where attribute > names.id) from names
        where names.id is not null
      )
      select id from names where id is not null`,
  ],
}
