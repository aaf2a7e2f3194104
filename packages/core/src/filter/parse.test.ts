import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { AppError } from '../app-error.ts'
import { evaluate } from './evaluate.ts'
import { FILTER_BOUNDS, type FilterOptions, matchesEveryRow } from './filter.ts'
import { parseFilter } from './parse.ts'

const options: FilterOptions = {
  symbols: new Map([
    ['id', 'string'],
    ['name', 'string'],
    ['note', 'string'],
    ['enabled', 'bool'],
    ['size', 'number'],
    ['createdAt', 'datetime'],
    ['primary.cert.allowed', 'bool'],
    ['roleAttributes', 'set'],
    ['empty', 'set'],
    ['limit', 'string'],
  ]),
  tags: true,
}

/** `note` is absent. */
const row: Readonly<Record<string, unknown>> = {
  id: 'a1',
  name: 'Corp "IdP" 50',
  enabled: true,
  size: 12,
  createdAt: Date.UTC(2026, 0, 31, 10),
  'primary.cert.allowed': false,
  roleAttributes: ['sales', 'east'],
  empty: [],
  limit: 'x',
  tags: { owner: 'ann', n: 5, yes: true, 'a-b': 'dash', 'a.b': 'dot', nested: { x: 1 }, nil: null },
}

const matches = (text: string, readable: FilterOptions = options) =>
  evaluate(parseFilter(text, readable).predicate, (symbol) => row[symbol])

/** The message of the INVALID_FILTER error for a text. */
function refused(text: string, readable: FilterOptions = options): string {
  try {
    parseFilter(text, readable)
  } catch (error) {
    assert.ok(error instanceof AppError, String(error))
    assert.equal(error.code, 'INVALID_FILTER')
    assert.ok(error.publicCause && 'message' in error.publicCause)
    return error.publicCause.message
  }
  assert.fail(`accepted: ${text.slice(0, 80)}`)
}

const TRUTHS: readonly (readonly [text: string, expected: boolean])[] = [
  ['', true],
  ['  \t\r\n ', true],
  ['true', true],
  ['FALSE', false],
  ['id="a1"', true],
  [' id = "a1" ', true],
  ['ID = "a1" or true', true],
  ['id = "A1"', false],
  ['id = "X" or name="Corp \\"IdP\\" 50"', true],
  ['\'name\' contains "IdP"', true],
  ['\'limit\' = "x"', true],
  ['name > "Corp" AND name < "D"', true],
  ['name >= "E" or name <= "B"', false],
  ['name icontains "corp \\"idp"', true],
  ['name contains "corp"', false],
  ['name NOT contains "corp"', true],
  ['name not icontains "CORP"', false],
  ['name contains 50', true],
  ['name = 5', false],
  ['name in ["a", "Corp \\"IdP\\" 50"]', true],
  ['name not in ["a" , "b"]', true],
  ['name in [1,2.5]', false],
  ['enabled', true],
  ['not enabled', false],
  ['enabled and primary.cert.allowed', false],
  ['enabled = true', true],
  ['enabled != true', false],
  ['enabled = null', false],
  ['size = 12', true],
  ['size = 12.0', true],
  ['size != 1.2e1', false],
  ['size > -3 and size < 1e2', true],
  ['size between 12 and 13', true],
  ['size between 11 and 12', false],
  ['size between -1 and 12.5', true],
  ['size not between 12 and 13', false],
  ['size not between 13 and 14', true],
  ['size in [1, 12, 2.5]', true],
  ['size contains 2', true],
  ['size contains "3"', false],
  ['createdAt = datetime(2026-01-31T10:00:00Z)', true],
  ['createdAt = datetime( 2026-01-31T11:00:00+01:00 )', true],
  ['createdAt < datetime(2026-01-31T10:00:00.001Z)', true],
  ['createdAt between datetime(2026-01-31T10:00:00Z) and datetime(2026-02-01T00:00:00Z)', true],
  ['createdAt in [datetime(2026-01-31T10:00:00Z)]', true],
  ['note = null', true],
  ['note != null', false],
  ['name = NULL', false],
  ['name != null', true],
  ['note = "x"', false],
  ['note != "x"', true],
  ['note contains "x"', false],
  ['note not contains "x"', true],
  ['note not icontains "x"', true],
  ['note < "x"', false],
  ['note in ["x"]', false],
  ['note not in ["x"]', true],
  ['not note in ["x"]', true],
  ['tags.owner = "ann"', true],
  ['\'tags.owner\' = "ann"', true],
  ['tags.a-b = "dash"', true],
  ['tags.a.b = "dot"', true],
  ['tags.n = "5"', true],
  ['tags.n = 5', false],
  ['tags.n != 5', true],
  ['tags.n contains 5', true],
  ['tags.yes = true', true],
  ['tags.yes = "true"', true],
  ['tags.yes != false', true],
  ['tags.yes', true],
  ['not tags.yes', false],
  ['tags.owner', false],
  ['tags.absent', false],
  ['tags.nested = null', true],
  ['tags.nil = null', true],
  ['tags.absent = null', true],
  ['tags.constructor = null', true],
  ['tags.__proto__ = null', true],
  ['tags.absent != "x"', true],
  ['tags.owner in ["bob", "ann"]', true],
  ['anyOf(roleAttributes) = "sales"', true],
  ['ANYOF( roleAttributes ) = "west"', false],
  ['anyOf(roleAttributes) != "sales"', false],
  ['anyOf(roleAttributes) != "west"', true],
  ['allOf(roleAttributes) contains "s"', true],
  ['allOf(roleAttributes) = "sales"', false],
  ['allOf(empty) = "x"', true],
  ['anyOf(empty) != "x"', false],
  ['anyOf(roleAttributes) in ["east"]', true],
  ['anyOf(roleAttributes) not in ["east"]', false],
  ['anyOf(roleAttributes) not in ["west"]', true],
  ['anyOf(empty) not in ["west"]', true],
  ['allOf(roleAttributes) not in ["sales", "east"]', false],
  ['allOf(roleAttributes) not in ["sales"]', true],
  ['allOf(empty) not in ["x"]', false],
  ['anyOf(roleAttributes) = null', false],
  ['count(roleAttributes) = 2', true],
  ['count(roleAttributes) between 3 and 9', false],
  ['isEmpty(empty) and not isempty(roleAttributes)', true],
  ['true or true and false', true],
  ['(true or true) and false', false],
  ['not false or true', false],
  ['(not false) or true', true],
  ['true and not false and false', true],
  ['not not true', true],
]

describe('parseFilter', () => {
  for (const [text, expected] of TRUTHS) {
    const readable = { ...options, symbols: new Map([...options.symbols, ['ID', 'string'] as const]) }
    test(`${JSON.stringify(text)} is ${expected}`, () => assert.equal(matches(text, readable), expected))
  }

  test('unescapes strings', () => {
    const { predicate } = parseFilter('name = "\\" \\\\ \\f \\n \\r \\t ü 😀"', options)
    assert.equal(
      evaluate(predicate, () => '" \\ \f \n \r \t ü 😀'),
      true,
    )
    refused('name = "\\x"')
    refused('name = "\\')
  })

  test('reads sort, skip and limit after the predicate or alone', () => {
    const query = parseFilter('true sort by name, createdAt DESC , id asc skip 3 limit 2', options)
    assert.deepEqual(query.sort, [
      { symbol: 'name', descending: false },
      { symbol: 'createdAt', descending: true },
      { symbol: 'id', descending: false },
    ])
    assert.deepEqual([query.skip, query.limit], [3, 2])
    assert.deepEqual(parseFilter('limit 2', options), {
      predicate: { kind: 'constant', value: true },
      sort: [],
      limit: 2,
    })
    assert.equal(parseFilter('skip -4', options).skip, -4)
    assert.equal(parseFilter('true Limit NONE', options).limit, 'none')
    assert.equal(parseFilter('limit -1', options).limit, -1)
    assert.equal(parseFilter('Sort By name', options).sort.length, 1)
  })

  const UNEXPECTED: readonly (readonly [text: string, symbol: string, column: number])[] = [
    ['name === 3', '=', 6],
    ['true limit 2 skip 2', 'skip', 13],
    ['true skip 1 sort by name', 'sort', 12],
    ['name =', '<EOF>', 6],
    ['name = "open', '"', 7],
    ["name = 'L01'", "'", 7],
    ["name = 'L'", "'L'", 7],
    ['name = x', 'x', 7],
    ['name2 = "x"', '2', 4],
    ['tags.k2 = "x"', '2', 6],
    ['name # "x"', '#', 5],
    ['name = 😀', '😀', 7],
    ['name contains"x"', '"x"', 13],
    ['name="x"and true', 'and', 8],
    ['(true)or true', 'or', 6],
    ['not(true)', '(', 3],
    ['name not = "x"', '=', 9],
    ['name contains', '<EOF>', 13],
    ['name in []', ']', 9],
    ['name in ["a",]', ']', 13],
    ['name in "a"', '"a"', 8],
    ['name in ["a"', '<EOF>', 12],
    ['size between 1 or 2', 'or', 15],
    ['(true', '<EOF>', 5],
    ['true)', ')', 4],
    ['name', '<EOF>', 4],
    ['name and true', 'and', 5],
    ['true true', 'true', 5],
    ['anyOf(roleAttributes)', '<EOF>', 21],
    ['anyOf("a") = "b"', '"a"', 6],
    ['createdAt > Datetime(1)', 'Datetime', 12],
    ['createdAt > datetime(2026-02-30T10:00:00Z)', 'd', 12],
    ['createdAt > datetime(2026', 'd', 12],
    ['sort name', 'name', 5],
    ["sort by 'name'desc", 'desc', 14],
    ['limit 5.5', '5.5', 6],
    ['limit 1e1', '1e1', 6],
    ['limit 99999999999999999999', '99999999999999999999', 6],
    ['skip none', 'none', 5],
    ['size = -', '-', 7],
    ['size = 1e999', '1', 7],
    ['size = 5e', 'e', 8],
    ['size = 5.', '.', 8],
  ]
  for (const [text, symbol, column] of UNEXPECTED) {
    test(`${text} names the unexpected ${symbol}`, () => {
      const place = `Unexpected symbol: "${symbol}" at line: 1 column: ${column}. line: 1, column: ${column}, symbol: ${symbol}`
      assert.equal(refused(text), place)
    })
  }

  test('counts lines and columns for the message', () => {
    assert.match(refused('true and\n  name ='), /line: 2, column: 8, symbol: <EOF>$/)
  })

  const MISMATCHED: readonly (readonly [text: string, message: string])[] = [
    ['enabled = "yes"', 'operation enabled = yes is not supported with operands types bool, string'],
    ['enabled < true', 'operation enabled < true is not supported with operands types bool, bool'],
    ['enabled in [true]', 'operation enabled in true is not supported with operands types bool, bool'],
    ['name = true', 'operation name = true is not supported with operands types string, bool'],
    ['name < null', 'operation name < null is not supported with operands types string, null'],
    ['name between "a" and "b"', 'operation name between a is not supported with operands types string, string'],
    ['name contains true', 'operation name contains true is not supported with operands types string, bool'],
    ['size = "12"', 'operation size = 12 is not supported with operands types number, string'],
    ['size icontains "1"', 'operation size icontains 1 is not supported with operands types number, string'],
    ['size not between 1 and "2"', 'operation size not between 2 is not supported with operands types number, string'],
    ['createdAt > "2026"', 'operation createdAt > 2026 is not supported with operands types datetime, string'],
    ['createdAt contains 1', 'operation createdAt contains 1 is not supported with operands types datetime, number'],
    ['tags.n < 5', 'operation tags.n < 5 is not supported with operands types string, number'],
    ['tags.n < true', 'operation tags.n < true is not supported with operands types string, bool'],
    [
      'anyOf(roleAttributes) = true',
      'operation anyOf(roleAttributes) = true is not supported with operands types string, bool',
    ],
    [
      'count(roleAttributes) = "2"',
      'operation count(roleAttributes) = 2 is not supported with operands types number, string',
    ],
    ['name in ["a", 1]', 'the elements of a list must have one type'],
    ['and', "unknown symbol 'and'"],
    ['roleAttributes = "sales"', "symbol 'roleAttributes' is a set and needs anyOf, allOf, count or isEmpty"],
    ['anyOf(name) = "x"', "symbol 'name' is not a set"],
    ['isEmpty(name)', "symbol 'name' is not a set"],
    ['isEmpty(from roleAttributes where true)', 'sub-queries with from and where are not supported'],
  ]
  for (const [text, message] of MISMATCHED) {
    test(`${text} is refused: ${message}`, () => assert.ok(refused(text).includes(message), refused(text)))
  }

  test('L-14 D36 a symbol that is not in the list is unknown, regardless of the rest of the text', () => {
    for (const symbol of ['jwksEndpoint', 'updbPassword', 'updbSalt', 'Name', 'tags', 'toString', '__proto__']) {
      assert.equal(refused(`${symbol} contains "x"`), `unknown symbol '${symbol}'`)
      assert.equal(refused(`true or ${symbol} contains "x"`), `unknown symbol '${symbol}'`)
      assert.equal(refused(`true sort by ${symbol}`), `unknown symbol '${symbol}'`)
      assert.equal(refused(`isEmpty(${symbol})`), `unknown symbol '${symbol}'`)
    }
    assert.equal(matches('true or name contains "x"'), true)
  })

  test('tags are unknown symbols in a list without tags', () => {
    assert.equal(refused('tags.owner = "ann"', { ...options, tags: false }), "unknown symbol 'tags.owner'")
    assert.equal(matches('tags.owner = "ann"'), true)
    assert.equal(refused('true sort by tags.owner'), "unknown symbol 'tags.owner'")
  })

  test('D36 truncates values in error messages', () => {
    assert.ok(refused(`${'n'.repeat(4000)} = "x"`).length < 200)
    assert.ok(refused(`enabled = "${'y'.repeat(4000)}"`).length < 300)
    assert.ok(refused(`name ${'y'.repeat(4000)}`).length < 400)
  })

  test('M-16 refuses injected text inside and around the language', { timeout: 5000 }, () => {
    for (const text of [
      'name = "x"; drop table identities',
      'name = "x" -- comment',
      'name = "x" /* comment */',
      "name = ''; --",
      "' or 1=1 --",
      '" or ""="',
      '1 = 1',
      'name = "a" union select 1',
      'lower(name) = "x"',
      'sleep(10)',
      'name like "%"',
      'name ~ "(a+)+$"',
      'name = "a\0b"',
      'name = "\ud800"',
      'name = `x`',
      '\ufefftrue',
      'true\u00a0and true',
    ]) {
      refused(text)
    }
    assert.equal(matches('name != "x\\"; drop table identities --"'), true)
  })

  test('M-16 limits length, nesting, terms and lists', { timeout: 5000 }, () => {
    const { textBytes, depth, terms, listElements } = FILTER_BOUNDS
    const ofLength = (length: number) => `name != "${'a'.repeat(length - 10)}"`
    assert.equal(matches(ofLength(textBytes)), true)
    refused(ofLength(textBytes + 1))
    refused(`name != "${'ü'.repeat(textBytes / 2)}"`)
    refused('a'.repeat(2 ** 20))

    const nested = (levels: number) => `${'('.repeat(levels)}true${')'.repeat(levels)}`
    assert.equal(matches(nested(depth)), true)
    refused(nested(depth + 1))
    refused(nested(10_000))
    refused('('.repeat(4000))
    assert.equal(matches(`${'not '.repeat(depth)}true`), true)
    refused(`${'not '.repeat(depth + 1)}true`)
    assert.equal(matches(`${'(true) and '.repeat(depth * 2)}true`), true)

    const chain = (count: number) => Array(count).fill('enabled').join(' or ')
    assert.equal(matches(chain(terms)), true)
    refused(chain(terms + 1))
    assert.doesNotThrow(() => parseFilter(chain(20), { ...options, maxTerms: 20 }))
    assert.throws(() => parseFilter(chain(21), { ...options, maxTerms: 20 }), { code: 'INVALID_FILTER' })
    refused(Array(1000).fill('anyOf(roleAttributes) = "a"').join(' or '))

    const list = (count: number) => `size in [${Array(count).fill('12').join(',')}]`
    assert.equal(matches(list(listElements)), true)
    refused(list(listElements + 1))
  })

  test('M-16 limits the cost of a filter, and says in words what is allowed', () => {
    const chain = (count: number, term: string) => Array(count).fill(term).join(' or ')
    for (const [term, allowed] of [
      ['name icontains "a"', 50],
      ['name contains "a"', 50],
      ['tags.a = "a"', 45],
      ['tags.a contains "a"', 25],
      ['anyOf(roleAttributes) = "a"', 45],
      ['anyOf(roleAttributes) contains "a"', 25],
      ['count(roleAttributes) > 1', 45],
      ['isEmpty(roleAttributes)', 50],
      ['enabled', 500],
      ['primary.cert.allowed', 45],
    ] as const) {
      const priced = { ...options, isComputed: (symbol: string) => symbol === 'primary.cert.allowed' }
      assert.doesNotThrow(() => parseFilter(chain(allowed, term), priced), term)
      assert.throws(() => parseFilter(`not (${chain(allowed + 1, term)})`, priced), { code: 'INVALID_FILTER' }, term)
    }
    assert.match(refused(chain(340, 'name icontains "a"')), /costs 3400, and at most 500 are allowed/)
  })

  test('M-17 refuses a tag key that looks like a path', () => {
    for (const key of ["a'b", '$', '[0]', '**', 'a[0]', '"a"', 'a b', '*', '', '.', '#-1']) {
      refused(`tags.${key} = "x"`)
    }
    assert.equal(matches('tags.a-b = "dash"'), true)
  })

  test('M-16 parses any text or throws INVALID_FILTER', () => {
    const words =
      'name enabled size tags.a roleAttributes and or not in between contains true null anyOf( ( ) [ ] , = != < "a" 5 sort by skip limit none'
    const soup = fc
      .array(fc.constantFrom(...words.split(' '), '"', "'", '\\', '\n'), { maxLength: 12 })
      .map((list) => list.join(' '))
    let accepted = 0
    const property = fc.property(fc.oneof(soup, fc.string({ unit: 'binary' })), (text) => {
      try {
        parseFilter(text, options)
        accepted++
      } catch (error) {
        assert.equal((error as AppError).code, 'INVALID_FILTER')
      }
    })
    fc.assert(property, { seed: 20260731, numRuns: 5000 })
    assert.ok(accepted > 0)
  })
})

test('recognises a filter that matches every row', () => {
  for (const text of ['', 'true', 'true limit 5'])
    assert.equal(matchesEveryRow(parseFilter(text, options).predicate), true, text)
  for (const text of ['false', 'enabled = true', 'not false']) {
    assert.equal(matchesEveryRow(parseFilter(text, options).predicate), false, text)
  }
})
