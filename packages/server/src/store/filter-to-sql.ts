import {
  type Comparison,
  type FilterOptions,
  matchesAbsent,
  type Operand,
  type OrderOperator,
  type Predicate,
  type Scalar,
  type ScalarType,
  type SortField,
  type SymbolType,
} from '@countersign/core'
import { type RawBuilder, sql } from 'kysely'
import type { StoreDialect } from './transaction.ts'

/** A table whose rows each point at the `id` of the main table. */
interface ChildTable {
  readonly table: string
  readonly ownerColumn: string
  readonly valueColumn: string
}

/**
 * Where a symbol lives. A set is a child table; so is what a column may be `foundBy`, where the main table has no index of it; tags are a text
 * column with a JSON object; a parent is the row that the column `key` points at; what is found out by a query of our own stands in
 * `expression`. `notNull` lets PostgreSQL sort by an index.
 */
export type ColumnBinding =
  | {
      readonly kind: 'column'
      readonly column: string
      readonly type: ScalarType
      readonly notNull?: true
      readonly foundBy?: ChildTable
    }
  | { readonly kind: 'expression'; readonly expression: string; readonly type: ScalarType; readonly notNull?: true }
  | ({ readonly kind: 'set' } & ChildTable)
  | { readonly kind: 'tags'; readonly column: string }
  | {
      readonly kind: 'parent'
      readonly table: string
      readonly key: string
      readonly column: string
      readonly type: ScalarType
    }

/** The main table of a list and the symbols that may be asked of it; tags are bound under the name `tags`. */
export interface FilterTable {
  readonly table: string
  /** Whether the database keeps count of its rows, which is what a list of all of them costs most. */
  readonly isCounted?: true
  /** Whether a caller who names no limit is given everything. */
  readonly isWholeByDefault?: true
  readonly columns: ReadonlyMap<string, ColumnBinding>
}

/** What the parser may accept for a table, so that a symbol is declared in one place. */
export function buildFilterOptions({ columns }: FilterTable): FilterOptions {
  const symbols = new Map<string, SymbolType>()
  for (const [symbol, binding] of columns) {
    if (binding.kind !== 'tags') symbols.set(symbol, binding.kind === 'set' ? 'set' : binding.type)
  }
  return { symbols, tags: columns.get('tags')?.kind === 'tags' }
}

/**
 * A condition for `where` (and only there: on an absent value it may be NULL, which counts as false). Negation is pushed
 * down to the comparisons, so that NULL never meets a NOT and `column = ?` stays as plain as an index needs it.
 * Names come from the table binding alone; everything the caller wrote is bound.
 */
export function predicateToSql(predicate: Predicate, table: FilterTable, dialect: StoreDialect): RawBuilder<boolean> {
  return compile(predicate, { table, dialect }, false)
}

/** The terms of `order by`. Absent values come first ascending and last descending, as SQLite has it. */
export function sortToSql(
  sort: readonly SortField[],
  table: FilterTable,
  dialect: StoreDialect,
): readonly RawBuilder<unknown>[] {
  return sort.map(({ symbol, descending }) => {
    const binding = findColumn(table, symbol)
    const nulls = dialect === 'sqlite' || binding.notNull ? sql`` : descending ? sql` nulls last` : sql` nulls first`
    return sql`${scalarValue(table, binding)} ${descending ? sql`desc` : sql`asc`}${nulls}`
  })
}

interface Context {
  readonly table: FilterTable
  readonly dialect: StoreDialect
}

type Fragment = RawBuilder<unknown>

/** The left side as SQL; its type decides how values are bound. */
interface LeftSide {
  readonly value: Fragment
  readonly type: ScalarType
}

function compile(predicate: Predicate, context: Context, negate: boolean): RawBuilder<boolean> {
  switch (predicate.kind) {
    case 'constant':
      return predicate.value !== negate ? sql`true` : sql`false`
    case 'and':
    case 'or': {
      const isAnd = (predicate.kind === 'and') !== negate
      const terms = predicate.terms.map((term) => compile(term, context, negate))
      return sql`(${sql.join(terms, isAnd ? sql` and ` : sql` or `)})`
    }
    case 'not':
      return compile(predicate.term, context, !negate)
    case 'isEmpty':
      return exists(predicate.set, context, negate, () => sql`true`)
    case 'anyOf': {
      const test = (value: Fragment) =>
        compileComparison(predicate.test, { value, type: 'string' }, context.dialect, false)
      if (!negate && isFoundByIndex(predicate.test))
        return isMember(findSet(context.table, predicate.set), context, test)
      return exists(predicate.set, context, !negate, test)
    }
    case 'allOf':
      return exists(predicate.set, context, negate, (value) => {
        return compileComparison(predicate.test, { value, type: 'string' }, context.dialect, true)
      })
    case 'comparison': {
      const { comparison } = predicate
      const foundBy = findChildTable(comparison, context)
      if (!negate && foundBy) {
        const test = (value: Fragment) =>
          compileComparison(comparison, { value, type: 'string' }, context.dialect, false)
        return isMember(foundBy, context, test)
      }
      return compileComparison(comparison, compileOperand(comparison.operand, context), context.dialect, negate)
    }
  }
}

/** Whether few members of a set can be found by their value, without looking at the sets of all rows. */
function isFoundByIndex({ kind, negated }: Comparison): boolean {
  return !negated && (kind === 'equal' || kind === 'in')
}

function findChildTable(comparison: Comparison, { table }: Context): ChildTable | undefined {
  const { operand } = comparison
  if (operand.kind !== 'symbol' || !isFoundByIndex(comparison)) return undefined
  const binding = table.columns.get(operand.symbol)
  return binding?.kind === 'column' ? binding.foundBy : undefined
}

/** Starts from the members: SQLite would ask an `exists` of every row. */
function isMember(set: ChildTable, { table }: Context, test: (element: Fragment) => Fragment): RawBuilder<boolean> {
  const matches = test(columnOf(set.table, set.valueColumn))
  const owners = sql`select ${columnOf(set.table, set.ownerColumn)} from ${sql.table(set.table)} where ${matches}`
  return sql`${columnOf(table.table, 'id')} in (${owners})`
}

function exists(
  symbol: string,
  { table }: Context,
  wanted: boolean,
  test: (element: Fragment) => Fragment,
): RawBuilder<boolean> {
  const set = findSet(table, symbol)
  const rows = sql`exists (select 1 ${membersOf(table, set)} and ${test(columnOf(set.table, set.valueColumn))})`
  return wanted ? sql`${rows}` : sql`not ${rows}`
}

function compileComparison(
  comparison: Comparison,
  left: LeftSide,
  dialect: StoreDialect,
  negate: boolean,
): RawBuilder<boolean> {
  const flip = comparison.negated !== negate
  if (comparison.kind === 'isNull') return flip ? sql`${left.value} is not null` : sql`${left.value} is null`
  const answer = compileAnswer(comparison, left, dialect, flip)
  return matchesAbsent(comparison) !== negate ? sql`(${answer} or ${left.value} is null)` : answer
}

const ORDER: Readonly<Record<OrderOperator, { readonly plain: Fragment; readonly flipped: Fragment }>> = {
  '<': { plain: sql`<`, flipped: sql`>=` },
  '<=': { plain: sql`<=`, flipped: sql`>` },
  '>': { plain: sql`>`, flipped: sql`<=` },
  '>=': { plain: sql`>=`, flipped: sql`<` },
}

/** The comparison for a present value, or its opposite; NULL for an absent one. */
function compileAnswer(
  comparison: Exclude<Comparison, { kind: 'isNull' }>,
  { value, type }: LeftSide,
  dialect: StoreDialect,
  flip: boolean,
): RawBuilder<boolean> {
  const bound = (scalar: Scalar) => bindScalar(scalar, type, dialect)
  switch (comparison.kind) {
    case 'equal':
      return sql`${value} ${flip ? sql`<>` : sql`=`} ${bound(comparison.value)}`
    case 'order':
      return sql`${value} ${ORDER[comparison.operator][flip ? 'flipped' : 'plain']} ${bound(comparison.value)}`
    case 'contains':
      return compileContains(comparison, textForm({ value, type }, dialect), dialect, flip)
    case 'in':
      return sql`${value} ${flip ? sql`not in` : sql`in`} (${sql.join(comparison.values.map(bound))})`
    case 'between':
      return flip
        ? sql`(${value} < ${bound(comparison.low)} or ${value} >= ${bound(comparison.high)})`
        : sql`(${value} >= ${bound(comparison.low)} and ${value} < ${bound(comparison.high)})`
  }
}

/** Not LIKE, whose wildcards and case rules differ. lower() folds A to Z only: in SQLite always, here under collation C. */
function compileContains(
  { text, ignoreCase }: Extract<Comparison, { kind: 'contains' }>,
  value: Fragment,
  dialect: StoreDialect,
  flip: boolean,
): RawBuilder<boolean> {
  const isSqlite = dialect === 'sqlite'
  const folded = isSqlite ? sql`lower(${value})` : sql`lower(${value} collate "C")`
  const position = isSqlite ? sql`instr` : sql`strpos`
  return sql`${position}(${ignoreCase ? folded : value}, ${text}) ${flip ? sql`=` : sql`>`} 0`
}

/** A number's text form; SQLite would write a whole REAL as `5.0`. */
function textForm({ value, type }: LeftSide, dialect: StoreDialect): Fragment {
  if (type === 'string') return value
  if (dialect === 'postgres') return sql`cast(${value} as text)`
  return sql`cast(iif(${value} = cast(${value} as integer), cast(${value} as integer), ${value}) as text)`
}

function bindScalar(scalar: Scalar, type: ScalarType, dialect: StoreDialect): Fragment {
  if (dialect === 'sqlite') return sql`${typeof scalar === 'boolean' ? Number(scalar) : scalar}`
  // PostgreSQL would read the parameter as the column's bigint and fail on a fraction.
  return type === 'number' ? sql`cast(${scalar} as double precision)` : sql`${scalar}`
}

function compileOperand(operand: Operand, { table, dialect }: Context): LeftSide {
  switch (operand.kind) {
    case 'symbol': {
      const binding = table.columns.get(operand.symbol)
      if (binding?.kind === 'parent') return { value: parentValue(table, binding), type: binding.type }
      const found = findColumn(table, operand.symbol)
      return { value: scalarValue(table, found), type: found.type }
    }
    case 'tag':
      return { value: tagValue(table, operand.key, dialect), type: 'string' }
    case 'count':
      return { value: sql`(select count(*) ${membersOf(table, findSet(table, operand.set))})`, type: 'number' }
    case 'element':
      throw new TypeError('an element is only known inside anyOf and allOf')
  }
}

/**
 * The text form of a tag, NULL unless it is text, number or bool. Numbers keep the text they were written with: PostgreSQL's
 * `json` (not `jsonb`) and SQLite's `->` keep it too. The key is a value, never a part of a path.
 */
function tagValue({ table, columns }: FilterTable, key: string, dialect: StoreDialect): Fragment {
  const binding = columns.get('tags')
  if (binding?.kind !== 'tags') throw new TypeError(`table ${table} has no tags`)
  const tags = columnOf(table, binding.column)
  if (dialect === 'sqlite') {
    return sql`(select case tag.type when 'text' then tag.value when 'true' then 'true' when 'false' then 'false' when 'integer' then ${tags} -> tag.fullkey when 'real' then ${tags} -> tag.fullkey end from json_each(${tags}) as tag where tag.key = ${key})`
  }
  const json = sql`cast(${tags} as json)`
  const name = sql`cast(${key} as text)`
  return sql`(case when json_typeof(${json} -> ${name}) in ('string', 'number', 'boolean') then ${json} ->> ${name} end collate "C")`
}

function membersOf({ table }: FilterTable, set: ChildTable): Fragment {
  return sql`from ${sql.table(set.table)} where ${columnOf(set.table, set.ownerColumn)} = ${columnOf(table, 'id')}`
}

function parentValue({ table }: FilterTable, parent: Extract<ColumnBinding, { kind: 'parent' }>): Fragment {
  const isParent = sql`${columnOf(parent.table, 'id')} = ${columnOf(table, parent.key)}`
  return sql`(select ${columnOf(parent.table, parent.column)} from ${sql.table(parent.table)} where ${isParent})`
}

function columnOf(table: string, column: string): Fragment {
  return sql.ref(`${table}.${column}`)
}

type ScalarBinding = Extract<ColumnBinding, { kind: 'column' | 'expression' }>

function scalarValue({ table }: FilterTable, binding: ScalarBinding): Fragment {
  return binding.kind === 'column' ? columnOf(table, binding.column) : sql`(${sql.raw(binding.expression)})`
}

function findColumn({ table, columns }: FilterTable, symbol: string): ScalarBinding {
  const binding = columns.get(symbol)
  if (binding?.kind !== 'column' && binding?.kind !== 'expression')
    throw new TypeError(`table ${table} has no column for symbol ${symbol}`)
  return binding
}

function findSet({ table, columns }: FilterTable, symbol: string): Extract<ColumnBinding, { kind: 'set' }> {
  const binding = columns.get(symbol)
  if (binding?.kind !== 'set') throw new TypeError(`table ${table} has no set for symbol ${symbol}`)
  return binding
}
