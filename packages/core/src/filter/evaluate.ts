import {
  type Comparison,
  foldAscii,
  matchesAbsent,
  type Operand,
  type OrderOperator,
  type Predicate,
  type Scalar,
  type SortField,
} from './filter.ts'

/**
 * Returns the value of a symbol in a row: a scalar (instants in milliseconds), an array for a set, the tags object for `tags`.
 * Null and undefined both mean absent.
 */
export type RowReader = (symbol: string) => unknown

/** Whether a row matches. Defines the semantics of the language; the SQL of both databases must agree with it. */
export function evaluate(predicate: Predicate, row: RowReader): boolean {
  switch (predicate.kind) {
    case 'constant':
      return predicate.value
    case 'and':
      return predicate.terms.every((term) => evaluate(term, row))
    case 'or':
      return predicate.terms.some((term) => evaluate(term, row))
    case 'not':
      return !evaluate(predicate.term, row)
    case 'isEmpty':
      return readSet(row, predicate.set).length === 0
    case 'anyOf':
      return readSet(row, predicate.set).some((element) => holds(predicate.test, element))
    case 'allOf':
      return readSet(row, predicate.set).every((element) => holds(predicate.test, element))
    case 'comparison':
      return holds(predicate.comparison, readOperand(predicate.comparison.operand, row))
  }
}

/** Compares two rows by the sort fields. Absent values are first when ascending and last when descending. */
export function compareRows(sort: readonly SortField[], left: RowReader, right: RowReader): number {
  for (const { symbol, descending } of sort) {
    const order = compareNullable(scalarOf(left(symbol)), scalarOf(right(symbol)))
    if (order !== 0) return descending ? -order : order
  }
  return 0
}

/** Compares text by code points, as both databases do, not by UTF-16 units. */
export function compareText(left: string, right: string): number {
  const length = Math.min(left.length, right.length)
  let at = 0
  while (at < length && left.charCodeAt(at) === right.charCodeAt(at)) at++
  return at === length ? left.length - right.length : unitRank(left.charCodeAt(at)) - unitRank(right.charCodeAt(at))
}

/** Surrogates encode code points above all other units. */
function unitRank(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit
}

const ORDER: Readonly<Record<OrderOperator, (order: number) => boolean>> = {
  '<': (order) => order < 0,
  '<=': (order) => order <= 0,
  '>': (order) => order > 0,
  '>=': (order) => order >= 0,
}

function holds(comparison: Comparison, value: Scalar | null): boolean {
  return value === null ? matchesAbsent(comparison) : matches(comparison, value) !== comparison.negated
}

/** Without regard to `negated`. */
function matches(comparison: Comparison, value: Scalar): boolean {
  switch (comparison.kind) {
    case 'isNull':
      return false
    case 'equal':
      return value === comparison.value
    case 'order':
      return ORDER[comparison.operator](compareScalars(value, comparison.value))
    case 'contains':
      return (comparison.ignoreCase ? foldAscii(String(value)) : String(value)).includes(comparison.text)
    case 'in':
      return comparison.values.some((candidate) => candidate === value)
    case 'between':
      return compareScalars(value, comparison.low) >= 0 && compareScalars(value, comparison.high) < 0
  }
}

function compareNullable(left: Scalar | null, right: Scalar | null): number {
  if (left === null || right === null) return Number(left !== null) - Number(right !== null)
  return compareScalars(left, right)
}

function compareScalars(left: Scalar, right: Scalar): number {
  return typeof left === 'string' && typeof right === 'string' ? compareText(left, right) : Number(left) - Number(right)
}

function readOperand(operand: Operand, row: RowReader): Scalar | null {
  switch (operand.kind) {
    case 'symbol':
      return scalarOf(row(operand.symbol))
    case 'tag':
      return readTag(row('tags'), operand.key)
    case 'count':
      return readSet(row, operand.set).length
    case 'element':
      throw new TypeError('an element operand is valid only inside anyOf and allOf')
  }
}

/** The text form of a tag. Values other than string, number and boolean count as absent. */
function readTag(tags: unknown, key: string): string | null {
  if (typeof tags !== 'object' || tags === null || !Object.hasOwn(tags, key)) return null
  const value = scalarOf((tags as Record<string, unknown>)[key])
  return value === null ? null : String(value)
}

function readSet(row: RowReader, set: string): string[] {
  const value = row(set)
  return Array.isArray(value) ? value : []
}

function scalarOf(value: unknown): Scalar | null {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : null
}
