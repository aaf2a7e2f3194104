import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { JsonObject } from '../json/json-value.ts'
import { readJson } from '../json/read-json.ts'
import { parseSelector, selectClaim, selectorWarning } from './selector.ts'

const FUZZ_RUNS = 2000

const claimsOf = (value: unknown): JsonObject =>
  readJson(JSON.stringify(value), { maxDepth: 32, maxMembers: 1000 }) as JsonObject

function select(text: string, claims: JsonObject): unknown {
  const reading = parseSelector(text)
  assert.ok(reading.ok, text)
  return selectClaim(reading.selector, claims)
}

test('K-01 reads the examples of RFC 6901', () => {
  const document = claimsOf({
    foo: ['bar', 'baz'],
    '': 0,
    'a/b': 1,
    'c%d': 2,
    'e^f': 3,
    'g|h': 4,
    'i\\j': 5,
    'k"l': 6,
    ' ': 7,
    'm~n': 8,
    'm~1': 9,
    '~1': 10,
  })
  const examples: [string, unknown][] = [
    ['/foo', ['bar', 'baz']],
    ['/foo/0', 'bar'],
    ['/', 0],
    ['/a~1b', 1],
    ['/c%d', 2],
    ['/e^f', 3],
    ['/g|h', 4],
    ['/i\\j', 5],
    ['/k"l', 6],
    ['/ ', 7],
    ['/m~0n', 8],
    ['/m~01', 9],
    ['/~01', 10],
  ]
  for (const [text, expected] of examples) assert.deepEqual(select(text, document), expected, text)
})

test('K-02 refuses bad escapes', () => {
  assert.ok(parseSelector('/a~0~1').ok)
  for (const text of ['~', '~2', '~0', '/a~', '/~', '/~2', '/a~/b', '/a~~0', '/a/b~x'])
    assert.equal(parseSelector(text).ok, false, text)
})

test('K-02 K-04 treats a text without leading slash as the literal name of a root claim', () => {
  const claims = claimsOf({
    sub: 's',
    'a/b': 1,
    'a.b': 2,
    '#/a': 3,
    '0/a': 4,
    'https://acme.example/~u/uid': 5,
    a: { b: 'nested' },
  })
  for (const [name, expected] of Object.entries({
    sub: 's',
    'a/b': 1,
    'a.b': 2,
    '#/a': 3,
    '0/a': 4,
    'https://acme.example/~u/uid': 5,
  })) {
    assert.equal(select(name, claims), expected)
  }
  assert.equal(select('/a/b', claims), 'nested')
  assert.equal(select('a/c', claims), undefined)
})

test('K-03 refuses the whole document and reads empty names', () => {
  assert.equal(parseSelector('').ok, false)
  const claims = claimsOf({ '': { '': 'deep' }, a: 1 })
  assert.equal(select('//', claims), 'deep')
  assert.deepEqual(Object.keys(select('/', claims) as object), [''])
  assert.equal(select('/', claimsOf({ a: 1 })), undefined)
})

test('K-05 accepts only canonical indexes in range', () => {
  const claims = claimsOf({ a: ['x', 'y'], o: { '0': 'member', '-': 'dash', '01': 'octal' } })
  assert.equal(select('/a/0', claims), 'x')
  assert.equal(select('/a/1', claims), 'y')
  for (const index of [
    '-',
    '00',
    '01',
    '1e0',
    '+1',
    ' 1',
    '1 ',
    '-0',
    '-1',
    '2',
    '4294967296',
    '1.0',
    '0x1',
    'length',
    '',
    'NaN',
    'Infinity',
    '１',
  ]) {
    assert.equal(select(`/a/${index}`, claims), undefined, index)
  }
  assert.deepEqual(
    ['0', '-', '01'].map((name) => select(`/o/${name}`, claims)),
    ['member', 'dash', 'octal'],
  )
})

test('K-06 reads own members only, and never into strings', () => {
  const claims = claimsOf({ sub: 'alice', a: ['x'], o: {} })
  assert.equal(select('/sub', claims), 'alice')
  for (const text of [
    '/__proto__',
    '__proto__',
    '/constructor/name',
    'constructor',
    '/toString',
    '/hasOwnProperty',
    '/a/constructor/name',
    '/a/length',
    '/a/at',
    '/o/__proto__',
    '/o/constructor',
    '/sub/length',
    '/sub/0',
    '/sub/',
    '/a/0/0',
  ]) {
    assert.equal(select(text, claims), undefined, text)
  }
  // The same applies to objects with a prototype.
  for (const text of ['/__proto__', '/constructor', '/toString'])
    assert.equal(select(text, { sub: 'alice' }), undefined, text)
  assert.deepEqual(
    Object.keys(
      select(
        '/__proto__',
        readJson('{"__proto__":{"isAdmin":true}}', { maxDepth: 8, maxMembers: 8 }) as JsonObject,
      ) as object,
    ),
    ['isAdmin'],
  )
})

test('K-15 refuses selectors that are too long or too deep', () => {
  assert.ok(parseSelector('x'.repeat(512)).ok)
  assert.equal(parseSelector('x'.repeat(513)).ok, false)
  assert.ok(parseSelector('/a'.repeat(16)).ok)
  assert.equal(parseSelector('/a'.repeat(17)).ok, false)
})

test('warns about a literal name that looks like a path, and names the pointer', () => {
  assert.match(selectorWarning('realm_access/roles') ?? '', /"\/realm_access\/roles"/)
  for (const text of ['sub', '/sub', '/realm_access/roles', 'a.b']) assert.equal(selectorWarning(text), undefined)
})

test('a pointer to any path selects exactly that value', () => {
  const name = fc.string({ unit: 'grapheme', maxLength: 8 })
  fc.assert(
    fc.property(fc.array(name, { minLength: 1, maxLength: 8 }), fc.integer(), (path, value) => {
      const pointer = path.map((segment) => `/${segment.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
      const claims = path.reduceRight<unknown>(
        (inner, segment) => Object.assign(Object.create(null), { [segment]: inner }),
        value,
      ) as JsonObject
      assert.equal(select(pointer, claims), value)
    }),
    { numRuns: FUZZ_RUNS },
  )
})

test('no text makes the selector throw, and selected values are JSON', () => {
  const claims = claimsOf({ a: ['x', { b: null }], s: 'text', n: 1 })
  const piece = fc.constantFrom(
    '/',
    '~',
    '~0',
    '~1',
    'a',
    's',
    'n',
    'b',
    '0',
    '1',
    '-',
    'length',
    '__proto__',
    'constructor',
    '#',
    '\0',
    '\ud800',
  )
  fc.assert(
    fc.property(
      fc.oneof(
        fc.array(piece, { maxLength: 20 }).map((pieces) => pieces.join('')),
        fc.string({ unit: 'binary' }),
      ),
      (text) => {
        const reading = parseSelector(text)
        if (!reading.ok) return
        const value = selectClaim(reading.selector, claims)
        assert.ok(value === undefined || JSON.stringify(claims).includes(JSON.stringify(value)) || value === claims)
      },
    ),
    { numRuns: FUZZ_RUNS },
  )
})
