import { type RawBuilder, sql } from 'kysely'
import type { SortTerm } from './filter-to-sql.ts'

/** The values of a row that it is sorted by. */
export type SortPosition = Readonly<Record<`sort_${number}`, unknown>>

const columnOf = (index: number) => `sort_${index}` as const

/** The columns of a `SortPosition`. */
export function positionToSql(terms: readonly SortTerm[]): readonly RawBuilder<unknown>[] {
  return terms.map(({ value }, index) => sql`${value} as ${sql.ref(columnOf(index))}`)
}

/** The same of the row with this number only: the values may be long. */
export function lastPositionToSql(terms: readonly SortTerm[], count: number): readonly RawBuilder<unknown>[] {
  return terms.map((_, index) => {
    const column = sql.ref(columnOf(index))
    return sql`case when row_number() over () = cast(${count} as integer) then ${column} end as ${column}`
  })
}

/** The condition for rows after a position, in the order of `sortToSql`. */
export function afterToSql(terms: readonly SortTerm[], position: SortPosition): RawBuilder<boolean> {
  const at = (index: number) => position[columnOf(index)]
  const isAfter = terms.reduceRight<RawBuilder<boolean>>(
    (rest, term, index) => sql`(${comesAfter(term, at(index), STRICT)} or (${isAt(term, at(index))} and ${rest}))`,
    sql`false`,
  )
  // An index finds the first row by this.
  const [bound] = terms.map((term, index) => comesAfter(term, at(index), OR_SAME))
  return bound ? sql`${bound} and ${isAfter}` : isAfter
}

const STRICT = { above: sql`>`, below: sql`<`, isSameNull: false }
const OR_SAME = { above: sql`>=`, below: sql`<=`, isSameNull: true }

/** NULL comes before all other values. */
function comesAfter(
  { value, descending, notNull }: SortTerm,
  at: unknown,
  { above, below, isSameNull }: typeof STRICT,
): RawBuilder<boolean> {
  if (at === null && isSameNull) return descending ? sql`${value} is null` : sql`true`
  if (at === null) return descending ? sql`false` : sql`${value} is not null`
  if (!descending) return sql`${value} ${above} ${at}`
  return notNull ? sql`${value} ${below} ${at}` : sql`(${value} ${below} ${at} or ${value} is null)`
}

function isAt({ value }: SortTerm, at: unknown): RawBuilder<boolean> {
  return at === null ? sql`${value} is null` : sql`${value} = ${at}`
}
