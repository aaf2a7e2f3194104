import { listFields, type Members } from '@countersign/contract/resource'
import { type ColumnMap, listColumns } from './columns/column-map.ts'
import type { ColumnBinding } from './filter-to-sql.ts'

type Symbols = readonly (readonly [symbol: string, binding: ColumnBinding])[]

/** Binds the filterable members to their columns; nested members by their path. */
export function bindFilterable(members: Members, columns: ColumnMap): Symbols {
  const filterable = listFields(members).filter(([, { notes }]) => notes.filterable)
  return bindMembers(
    filterable.map(([path]) => path),
    columns,
  )
}

/** Binds these members to their columns, in this order. */
export function bindMembers(names: readonly string[], columns: ColumnMap): Symbols {
  const bindings = new Map(
    listColumns(columns).map(([member, column, { type, isNullable }]) => {
      return [member, { kind: 'column', column, type, ...(!isNullable && { notNull: true as const }) } as const]
    }),
  )
  return names.map((name) => {
    const binding = bindings.get(name)
    if (!binding) throw new TypeError(`the member ${name} has no column to filter by`)
    return [name, binding]
  })
}

/** Sorts symbols by `order`; those that it does not name come last. */
export function inOrder(order: readonly string[], symbols: Symbols): Symbols {
  const rank = ([symbol]: Symbols[number]) => (order.includes(symbol) ? order.indexOf(symbol) : order.length)
  return symbols.toSorted((a, b) => rank(a) - rank(b))
}
