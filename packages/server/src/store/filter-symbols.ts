import { listFields, type Members } from '@countersign/contract/resource'
import { type ColumnMap, listColumns } from './columns/column-map.ts'
import type { ColumnBinding } from './filter-to-sql.ts'

type Symbols = readonly (readonly [symbol: string, binding: ColumnBinding])[]

/** The symbols of the members that are filterable, where the map stores them; inner members by their path. */
export function bindFilterable(members: Members, columns: ColumnMap): Symbols {
  const filterable = listFields(members).filter(([, { notes }]) => notes.filterable)
  return bindMembers(
    filterable.map(([path]) => path),
    columns,
  )
}

/** The symbols of these members, in their order. */
export function bindMembers(names: readonly string[], columns: ColumnMap): Symbols {
  const places = new Map(
    listColumns(columns).map(([member, column, { type, isNullable }]) => {
      return [member, { kind: 'column', column, type, ...(!isNullable && { notNull: true as const }) } as const]
    }),
  )
  return names.map((name) => {
    const place = places.get(name)
    if (!place) throw new TypeError(`the member ${name} has no column to filter by`)
    return [name, place]
  })
}

/** The symbols in this order; those that it does not name come last. */
export function inOrder(order: readonly string[], symbols: Symbols): Symbols {
  const rank = ([symbol]: Symbols[number]) => (order.includes(symbol) ? order.indexOf(symbol) : order.length)
  return symbols.toSorted((a, b) => rank(a) - rank(b))
}
