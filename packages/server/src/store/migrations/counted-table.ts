import type { ColumnTypes } from './migration.ts'

const COUNTING = {
  insert: { suffix: 'in', step: '+ 1' },
  delete: { suffix: 'out', step: '- 1' },
} as const

/** Statements that maintain the number of a table's rows in `row_counts`, by a trigger for each of the events. */
export function countedTable(
  table: string,
  { trigger }: Pick<ColumnTypes, 'trigger'>,
  events: readonly (keyof typeof COUNTING)[] = ['insert', 'delete'],
): string[] {
  return [
    `insert into row_counts (table_name, total) select '${table}', count(*) from ${table}`,
    ...events.flatMap((event) => {
      const { suffix, step } = COUNTING[event]
      const run = `update row_counts set total = total ${step} where table_name = '${table}'`
      return trigger({ name: `${table}_counted_${suffix}`, table, event, run })
    }),
  ]
}
