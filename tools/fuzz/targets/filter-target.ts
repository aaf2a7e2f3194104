import assert from 'node:assert/strict'
import { AppError, compareRows, evaluate, type FilterSymbols, parseFilter, type SymbolType } from '@countersign/core'
import type { FuzzTarget } from '../fuzz-target.ts'
import { createMutator } from '../mutate.ts'

const SYMBOLS: FilterSymbols = new Map<string, SymbolType>([
  ['name', 'string'],
  ['enabled', 'bool'],
  ['count', 'number'],
  ['createdAt', 'datetime'],
  ['roles', 'set'],
])
const ROW: Readonly<Record<string, unknown>> = {
  name: 'acme',
  enabled: true,
  count: 3,
  createdAt: 1_790_000_000_000,
  roles: ['a', 'b'],
  tags: { team: 'x' },
}

const FILTERS = [
  'name = "acme" and enabled = true sort by name desc, createdAt limit 10',
  'not (name contains "a" or name icontains "B") skip 5 limit none',
  'anyOf(roles) = "a" and allOf(roles) != "c" and count(roles) > 1 and not isEmpty(roles)',
  'count in [1, 2, 3] or count between 1 and 5 or name not in ["x", "y"]',
  'createdAt > datetime(2026-01-01T00:00:00Z) and tags.team = "x" and name = null',
  'true',
].map((text) => Buffer.from(text))
const WORDS = [
  'and ',
  'or ',
  'not ',
  'in ',
  'between ',
  'contains ',
  'icontains ',
  'true',
  'false',
  'null',
  'none',
  'sort by ',
  'skip ',
  'limit ',
  'asc',
  'desc',
  'anyOf(',
  'allOf(',
  'count(',
  'isEmpty(',
  'from ',
  'where ',
  '(',
  ')',
  '[',
  ']',
  '"',
  '\\"',
  '\\',
  ',',
  '=',
  '!=',
  '<',
  '<=',
  '>',
  '>=',
  'name',
  'roles',
  'tags.',
  'datetime(',
  '2026-02-30T25:00:00Z',
  '-1',
  '1e999',
  '0.5',
  'not not not ',
  '((((((((',
  ' and name="a"',
  '\u0000',
  '\u{1f600}',
]

/** The filter parser. Evaluating and sorting by an accepted filter must work. */
export const filterTarget: FuzzTarget = {
  name: 'filter',
  createInputs: (random) => {
    const next = createMutator(random, { corpus: FILTERS, dictionary: WORDS, maxLength: 8300 })
    return () => next().toString(random.onceIn(8) ? 'utf16le' : 'utf8')
  },
  accepts: (input) => {
    try {
      const { predicate, sort } = parseFilter(input.toString(), { symbols: SYMBOLS, tags: true })
      const readRow = (symbol: string): unknown => ROW[symbol]
      assert.equal(typeof evaluate(predicate, readRow), 'boolean')
      assert.equal(compareRows(sort, readRow, readRow), 0)
      return true
    } catch (error) {
      if (error instanceof AppError && error.code === 'INVALID_FILTER') return false
      throw error
    }
  },
}
