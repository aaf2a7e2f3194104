import type { ColumnTypes } from './migration.ts'

/** Statements that from then on keep count of the rows of a table. */
export function countedTable(table: string, { trigger }: Pick<ColumnTypes, 'trigger'>): string[] {
  const add = (step: string) => `update row_counts set total = total ${step} where table_name = '${table}'`
  return [
    `insert into row_counts (table_name, total) select '${table}', count(*) from ${table}`,
    ...trigger({ name: `${table}_counted_in`, table, event: 'insert', run: add('+ 1') }),
    ...trigger({ name: `${table}_counted_out`, table, event: 'delete', run: add('- 1') }),
  ]
}
