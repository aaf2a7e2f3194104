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
import type { Argument } from './prepared.ts'
import type { StoreDialect } from './transaction.ts'

/** A table whose rows each point at the `id` of the main table. */
interface ChildTable {
  readonly table: string
  readonly ownerColumn: string
  readonly valueColumn: string
}

/**
 * Where a symbol is stored. `set`: a child table. `tags`: a text column with a JSON object. `parent`: the row that the column `key` points at.
 * `expression`: SQL of our own, in which `:now` is the time of the request. `notNull` lets PostgreSQL sort by
 * an index.
 */
export type ColumnBinding =
  | {
      readonly kind: 'column'
      readonly column: string
      readonly type: ScalarType
      readonly notNull?: true
    }
  | {
      readonly kind: 'expression'
      readonly expression: string | Readonly<Record<StoreDialect, string>>
      readonly type: ScalarType
      readonly notNull?: true
    }
  | ({ readonly kind: 'set' } & ChildTable)
  | { readonly kind: 'tags'; readonly column: string }
  | {
      readonly kind: 'parent'
      readonly table: string
      readonly key: string
      readonly column: string
      readonly type: ScalarType
    }

/** Where a list in order of id begins: after an id, or with all rows. */
export interface FromId {
  readonly descending: boolean
  readonly after?: string | undefined
}

/** The main table of a list and its filter symbols; tags are bound under the name `tags`. */
export interface FilterTable {
  readonly table: string
  /** Whether the database maintains the number of its rows; counting them is the slowest part of an unfiltered list. */
  readonly isCounted?: true
  /** Symbols whose index finds the one row with a value, or a few, beside `id`. */
  readonly indexed?: readonly string[]
  /** Symbols whose index finds the rows with a value, which can be about a thousand. */
  readonly shared?: readonly string[]
  /** The rows in order of id, of a view in which no index finds a row. */
  readonly inIdOrder?: (from: FromId) => RawBuilder<unknown>
  /** Whether a request without a limit returns all rows. */
  readonly isUnlimitedByDefault?: true
  readonly columns: ReadonlyMap<string, ColumnBinding>
}

/** The parser's options for a table, so that a symbol is declared in one place. */
export function buildFilterOptions(table: FilterTable): FilterOptions {
  const { columns } = table
  const symbols = new Map<string, SymbolType>()
  for (const [symbol, binding] of columns) {
    if (binding.kind !== 'tags') symbols.set(symbol, binding.kind === 'set' ? 'set' : binding.type)
  }
  return { symbols, tags: columns.get('tags')?.kind === 'tags', isComputed: (symbol) => isComputed(symbol, table) }
}

/** Whether the value of a symbol is computed for each row. */
export function isComputed(symbol: string, { columns }: FilterTable): boolean {
  const kind = columns.get(symbol)?.kind
  return kind === 'expression' || kind === 'parent'
}

/**
 * A condition for `where` (and only there: on an absent value it may be NULL, which counts as false). Negation is pushed
 * down to the comparisons, so that NULL is never negated and `column = ?` can use an index.
 * Names come only from the table binding; every value from the caller is a bound parameter.
 */
export function predicateToSql(
  predicate: Predicate,
  table: FilterTable,
  dialect: StoreDialect,
  now?: RequestTime,
): RawBuilder<boolean> {
  return compile(predicate, { table, dialect, now }, false)
}

/** A value that rows are sorted by. */
export interface SortTerm {
  readonly value: RawBuilder<unknown>
  readonly descending: boolean
  readonly notNull: boolean
}

export function sortTerms(
  sort: readonly SortField[],
  table: FilterTable,
  dialect: StoreDialect,
  now?: RequestTime,
): readonly SortTerm[] {
  return sort.map(({ symbol, descending }) => {
    const binding = findColumn(table, symbol)
    return { value: scalarValue({ table, dialect, now }, binding), descending, notNull: binding.notNull === true }
  })
}

/** The terms of `order by`. NULL sorts first ascending and last descending, as in SQLite. */
export function sortToSql(terms: readonly SortTerm[], dialect: StoreDialect): readonly RawBuilder<unknown>[] {
  return terms.map(({ value, descending, notNull }) => {
    const nulls = dialect === 'sqlite' || notNull ? sql`` : descending ? sql` nulls last` : sql` nulls first`
    return sql`${value} ${descending ? sql`desc` : sql`asc`}${nulls}`
  })
}

/** The value of `:now`, or the placeholder of a statement that is kept. */
export type RequestTime = number | Argument

interface Context {
  readonly table: FilterTable
  readonly dialect: StoreDialect
  readonly now?: RequestTime | undefined
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
      if (!negate && canUseIndex(predicate.test)) return isMember(findSet(context.table, predicate.set), context, test)
      return exists(predicate.set, context, !negate, test)
    }
    case 'allOf':
      return exists(predicate.set, context, negate, (value) => {
        return compileComparison(predicate.test, { value, type: 'string' }, context.dialect, true)
      })
    case 'comparison': {
      const { comparison } = predicate
      return compileComparison(comparison, compileOperand(comparison.operand, context), context.dialect, negate)
    }
  }
}

/** Whether an index finds the matching members of a set without reading all sets. */
function canUseIndex({ kind, negated }: Comparison): boolean {
  return !negated && (kind === 'equal' || kind === 'in')
}

/** Starts from the members: SQLite would evaluate an `exists` for every row. */
function isMember(set: ChildTable, { table }: Context, test: (element: Fragment) => Fragment): RawBuilder<boolean> {
  const matches = test(columnOf(set.table, set.valueColumn))
  const owners = sql`select ${columnOf(set.table, set.ownerColumn)} from ${sql.table(set.table)} where ${matches}`
  return sql`${columnOf(table.table, 'id')} in (${owners})`
}

function exists(
  symbol: string,
  { table }: Context,
  isExpected: boolean,
  test: (element: Fragment) => Fragment,
): RawBuilder<boolean> {
  const set = findSet(table, symbol)
  const rows = sql`exists (select 1 ${membersOf(table, set)} and ${test(columnOf(set.table, set.valueColumn))})`
  return isExpected ? sql`${rows}` : sql`not ${rows}`
}

function compileComparison(
  comparison: Comparison,
  left: LeftSide,
  dialect: StoreDialect,
  negate: boolean,
): RawBuilder<boolean> {
  const flip = comparison.negated !== negate
  if (comparison.kind === 'isNull') return flip ? sql`${left.value} is not null` : sql`${left.value} is null`
  const present = comparePresent(comparison, left, dialect, flip)
  return matchesAbsent(comparison) !== negate ? sql`(${present} or ${left.value} is null)` : present
}

const EQUAL = { plain: sql`=`, flipped: sql`<>` }
const ORDER: Readonly<Record<OrderOperator, { readonly plain: Fragment; readonly flipped: Fragment }>> = {
  '<': { plain: sql`<`, flipped: sql`>=` },
  '<=': { plain: sql`<=`, flipped: sql`>` },
  '>': { plain: sql`>`, flipped: sql`<=` },
  '>=': { plain: sql`>=`, flipped: sql`<` },
}

/** The comparison of a non-null value, negated when `flip`; NULL for NULL. */
function comparePresent(
  comparison: Exclude<Comparison, { kind: 'isNull' }>,
  { value, type }: LeftSide,
  dialect: StoreDialect,
  flip: boolean,
): RawBuilder<boolean> {
  const bound = (scalar: Scalar) => bindScalar(scalar, type, dialect)
  switch (comparison.kind) {
    case 'equal':
      return sql`${value} ${EQUAL[flip ? 'flipped' : 'plain']} ${bound(comparison.value)}`
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

/** Not LIKE, whose wildcards and case rules differ. lower() folds only A to Z: always in SQLite, in PostgreSQL with collation C. */
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

/** The text of a number; SQLite would write a whole REAL as `5.0`. */
function textForm({ value, type }: LeftSide, dialect: StoreDialect): Fragment {
  if (type === 'string') return value
  if (dialect === 'postgres') return sql`cast(${value} as text)`
  return sql`cast(iif(${value} = cast(${value} as integer), cast(${value} as integer), ${value}) as text)`
}

function bindScalar(scalar: Scalar, type: ScalarType, dialect: StoreDialect): Scalar | Fragment {
  if (dialect === 'sqlite') return typeof scalar === 'boolean' ? Number(scalar) : scalar
  // PostgreSQL would read the parameter as the column's bigint and fail on a fraction.
  return type === 'number' ? sql`cast(${scalar} as double precision)` : scalar
}

function compileOperand(operand: Operand, context: Context): LeftSide {
  const { table, dialect } = context
  switch (operand.kind) {
    case 'symbol': {
      const binding = table.columns.get(operand.symbol)
      if (binding?.kind === 'parent') return { value: parentValue(table, binding), type: binding.type }
      const found = findColumn(table, operand.symbol)
      return { value: scalarValue(context, found), type: found.type }
    }
    case 'tag':
      return { value: tagValue(table, operand.key, dialect), type: 'string' }
    case 'count':
      return { value: sql`(select count(*) ${membersOf(table, findSet(table, operand.set))})`, type: 'number' }
    case 'element':
      throw new TypeError('an element exists only inside anyOf and allOf')
  }
}

/**
 * The text form of a tag, NULL unless it is text, number or bool. Numbers keep their original text, as PostgreSQL's `json` (not `jsonb`)
 * and SQLite's `->` do. The key is a bound value, never part of a path.
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
  // Costs half of `sql.ref`, which parses the name.
  return sql.id(table, column)
}

type ScalarBinding = Extract<ColumnBinding, { kind: 'column' | 'expression' }>

function scalarValue({ table, dialect, now }: Context, binding: ScalarBinding): Fragment {
  if (binding.kind === 'column') return columnOf(table.table, binding.column)
  const { expression } = binding
  const parts = (typeof expression === 'string' ? expression : expression[dialect]).split(':now')
  if (parts.length > 1 && now === undefined) throw new TypeError('the expression needs the time of the request')
  // PostgreSQL cannot tell the type of a bare placeholder.
  return sql`(${sql.join(
    parts.map((part) => sql.raw(part)),
    sql`cast(${now} as bigint)`,
  )})`
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
