import {
  foldAscii,
  parseDatetime,
  type ScimFilter,
  type ScimOperator,
  type ScimValue,
  scimError,
} from '@countersign/core'
import { type RawBuilder, sql } from 'kysely'
import type { StoreDialect } from '../transaction.ts'

/** Where an attribute is stored. `folded`: text in lower case, compared without regard to case. `complex`: only its presence can be tested. */
export interface ScimColumn {
  readonly expression: RawBuilder<unknown>
  readonly type: 'folded' | 'exact' | 'boolean' | 'instant' | 'complex'
}

/** The rows with the values of a multi-valued attribute, and the columns of their parts. */
interface ScimValues {
  readonly from: RawBuilder<unknown>
  readonly parts: ReadonlyMap<string, ScimColumn>
}

export interface ScimFilterTable {
  readonly dialect: StoreDialect
  readonly columns: ReadonlyMap<string, ScimColumn>
  readonly values: ReadonlyMap<string, ScimValues>
}

type Condition = RawBuilder<boolean>

/** The condition of a list. Fails with the keyword `invalidFilter` for an attribute that is not listed. */
export function scimFilterToSql(filter: ScimFilter, table: ScimFilterTable): Condition {
  switch (filter.kind) {
    case 'and':
    case 'or': {
      const terms = filter.terms.map((term) => sql`(${scimFilterToSql(term, table)})`)
      return sql<boolean>`(${sql.join(terms, filter.kind === 'and' ? sql` and ` : sql` or `)})`
    }
    case 'not':
      return sql<boolean>`not coalesce(${scimFilterToSql(filter.term, table)}, ${sql.lit(false)})`
    case 'some': {
      const single = partsOf(filter.attribute, table)
      if (single.size > 0) return scimFilterToSql(filter.term, { ...table, columns: single, values: new Map() })
      const { from, parts } = valuesOf(filter.attribute, table)
      const condition = scimFilterToSql(filter.term, { ...table, columns: parts, values: new Map() })
      return sql<boolean>`exists (select 1 from ${from} where ${condition})`
    }
    case 'present':
      return onColumn(filter.attribute, table, ({ expression }) => sql<boolean>`${expression} is not null`)
    case 'compare': {
      const { attribute, operator, value } = filter
      return onColumn(attribute, table, (column) => compare(column, operator, value, table.dialect))
    }
  }
}

function onColumn(attribute: string, table: ScimFilterTable, test: (column: ScimColumn) => Condition): Condition {
  const column = table.columns.get(attribute)
  if (column) return test(column)
  // `emails.type`, and `emails` for its value.
  const [name = '', part = 'value'] = attribute.split('.')
  const { from, parts } = valuesOf(name, table)
  const ofPart = parts.get(part)
  if (!ofPart) throw unknown(attribute)
  return sql<boolean>`exists (select 1 from ${from} where ${test(ofPart)})`
}

/** The columns of the parts of an attribute with one value: `name[familyName eq "a"]`. */
function partsOf(attribute: string, { columns }: ScimFilterTable): ReadonlyMap<string, ScimColumn> {
  const prefix = `${attribute}.`
  const parts = [...columns].filter(([name]) => name.startsWith(prefix))
  return new Map(parts.map(([name, column]) => [name.slice(prefix.length), column]))
}

function valuesOf(attribute: string, { values }: ScimFilterTable): ScimValues {
  const found = values.get(attribute)
  if (!found) throw unknown(attribute)
  return found
}

const unknown = (attribute: string) =>
  scimError('invalidFilter', `a filter cannot use the attribute ${attribute.slice(0, 128)}`)

const ORDER: Readonly<Partial<Record<ScimOperator, RawBuilder<unknown>>>> = {
  eq: sql`=`,
  gt: sql`>`,
  ge: sql`>=`,
  lt: sql`<`,
  le: sql`<=`,
}

function compare(column: ScimColumn, operator: ScimOperator, value: ScimValue, dialect: StoreDialect): Condition {
  const { expression, type } = column
  if (operator === 'ne') return sql<boolean>`not coalesce(${compare(column, 'eq', value, dialect)}, ${sql.lit(false)})`
  if (value === null) {
    if (operator !== 'eq') throw unusable()
    return sql<boolean>`${expression} is null`
  }
  const bound = boundValue(type, value)
  const sign = ORDER[operator]
  if (sign && (type !== 'boolean' || operator === 'eq')) return sql<boolean>`${expression} ${sign} ${bound}`
  if (typeof bound !== 'string') throw unusable()
  return partial(expression, operator, bound, dialect)
}

function partial(
  expression: RawBuilder<unknown>,
  operator: ScimOperator,
  text: string,
  dialect: StoreDialect,
): Condition {
  const length = [...text].length
  if (length === 0) return sql<boolean>`${expression} is not null`
  const isPostgres = dialect === 'postgres'
  if (operator === 'sw') return sql<boolean>`substr(${expression}, 1, ${sql.lit(length)}) = ${text}`
  if (operator === 'co') {
    return isPostgres
      ? sql<boolean>`strpos(${expression}, ${text}) > 0`
      : sql<boolean>`instr(${expression}, ${text}) > 0`
  }
  return isPostgres
    ? sql<boolean>`right(${expression}, ${sql.lit(length)}) = ${text}`
    : sql<boolean>`substr(${expression}, ${sql.lit(-length)}) = ${text}`
}

function boundValue(type: ScimColumn['type'], value: Exclude<ScimValue, null>): string | number | boolean {
  if (type === 'complex') throw unusable()
  if (type === 'boolean') {
    if (typeof value === 'boolean') return value
    const text = foldAscii(String(value))
    if (text !== 'true' && text !== 'false') throw unusable()
    return text === 'true'
  }
  if (typeof value !== 'string') throw unusable()
  if (type === 'instant') {
    const instant = parseDatetime(value)
    if (instant === undefined) throw unusable()
    return instant
  }
  return type === 'folded' ? foldAscii(value) : value
}

const unusable = () => scimError('invalidFilter', 'a value or an operator of the filter does not fit its attribute')
