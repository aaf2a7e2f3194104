import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { JsonError } from './json-error.ts'
import { type JsonLimits, readJson } from './read-json.ts'

const LIMITS: JsonLimits = { maxDepth: 32, maxMembers: 1000 }
const FUZZ_RUNS = 2000

const read = (source: string | Buffer, limits: Partial<JsonLimits> = {}): unknown =>
  readJson(source, { ...LIMITS, ...limits })
const bytes = (...values: number[]): Buffer => Buffer.from(values)
const isRefused = (source: string | Buffer, limits: Partial<JsonLimits> = {}): void =>
  assert.throws(() => read(source, limits), JsonError, JSON.stringify(source.toString().slice(0, 60)))

/** Restores prototypes, so that values can be compared with those of JSON.parse. */
const plain = (value: unknown): unknown => structuredClone(value)

test('reads what JSON.parse reads', () => {
  const texts = [
    '{}',
    '[]',
    'null',
    'true',
    'false',
    '0',
    '-0',
    '-1',
    '1.5',
    '1e3',
    '1E+3',
    '1e-3',
    '0.1',
    '123456789012345',
    '""',
    '"a"',
    ' \t\r\n[ 1 , 2 ]\n',
    '{"a":{"b":[1,"x",null,true,{"c":[]}]},"":0}',
    '"\\"\\\\\\/\\b\\f\\n\\r\\t\\u0041\\u00e9\\ud83d\\ude00"',
    '"é漢😀\u2028\u2029\u007f"',
    '"\\u0000"',
    '{"1":1,"0":2}',
    '"\\uFFFE\\uffff"',
    '9007199254740991',
    '-9007199254740991',
    '1.0000000000000000001',
    '5e-324',
    '1e-400',
  ]
  for (const text of texts) {
    assert.deepEqual(plain(read(text)), JSON.parse(text), text)
    assert.deepEqual(plain(read(Buffer.from(text))), JSON.parse(text), text)
  }
})

test('B-09 refuses every kind of text that is not JSON', () => {
  const texts = [
    '',
    ' ',
    '[',
    ']',
    '{',
    '}',
    '[1',
    '[1,',
    '[1,]',
    '[,1]',
    '[,]',
    '[1,,2]',
    '[1 2]',
    '["a" "b"]',
    '[1}',
    '[1]]',
    '[1]x',
    '[1],',
    '[][]',
    '{}{}',
    '{}#',
    '{}/**/',
    '/**/{}',
    '//x\n{}',
    '{"a"}',
    '{"a":}',
    '{"a":1,}',
    '{,"a":1}',
    '{"a":1,,"b":2}',
    '{"a" 1}',
    '{"a":1 "b":2}',
    "{'a':1}",
    '{a:1}',
    '{1:1}',
    '{null:1}',
    '{"a":1',
    '{"a":1]',
    '{"a"::1}',
    '{"a":"b":"c"}',
    '{"a":1;"b":2}',
    '{[:1}',
    '{"a',
    '{"a":"b',
    'tru',
    'True',
    'TRUE',
    'nul',
    'nulll',
    'falsee',
    'truefalse',
    'undefined',
    'NaN',
    'Infinity',
    '-Infinity',
    '+Infinity',
    '-NaN',
    'nan',
    'inf',
    '01',
    '-01',
    '00',
    '-',
    '--1',
    '+1',
    '++1',
    '.5',
    '-.5',
    '1.',
    '1.e1',
    '0.e1',
    '1e',
    '1E',
    '1e+',
    '1e-',
    '1.5e',
    '1.5e+',
    '1ee2',
    '1e2.5',
    '1.2.3',
    '0x1F',
    '0b1',
    '0o7',
    '1_000',
    '1 000',
    '1a',
    '-a',
    '1+2',
    '0e',
    '0e+',
    '2.e-3',
    '１',
    '-１',
    'A',
    '1,000',
    '"',
    '"a',
    'a"',
    "'a'",
    '`a`',
    '"\\"',
    '"\\',
    '"\\x41"',
    '"\\a"',
    '"\\U0041"',
    '"\\ "',
    '"\\\t"',
    '"\\u"',
    '"\\u0"',
    '"\\u00"',
    '"\\u004"',
    '"\\u004g"',
    '"\\u00 41"',
    '"\\u+041"',
    '"\\u-041"',
    '"\\uD834\\u"',
    '"\\uD834\\uDd"',
    '"\\uD834\\uDd1"',
    '"\\0"',
    '"\\😀"',
    '"a\nb"',
    '"a\tb"',
    '"a\u0000b"',
    '"a\u001fb"',
    '"a"b',
    '"""',
    '\\u0022a"',
    '["\\',
    '["a\\n\n"]',
    '\ufeff{}',
    '\ufeff',
    '{}\ufeff',
    '\u00a0{}',
    '\u2060[]',
    '\u3000[]',
    '\u000b[]',
    '[\u000c1]',
    '\u0000',
    '[1]\u0000',
    '<.>',
    '*',
    '[*]',
    '[-]',
    '[""',
    '["", ""',
    '[3[4]]',
    '[1:2]',
    '["a",]',
    '["a",,]',
    '["": 1]',
    '[x',
    '[true, x',
    '{"x":tru}',
    '[1,\n1\n,1',
    '{"a":/*c*/1}',
    '{"a":1}//',
    '{"a":1}/',
    '{"a":1}#',
    '[1]\u00e9',
  ]
  for (const text of texts) {
    isRefused(text)
    isRefused(Buffer.from(text))
    assert.throws(() => JSON.parse(text), SyntaxError, `the table holds valid JSON: ${text}`)
  }
})

test('B-07 refuses bytes that are not UTF-8, and a byte order mark', () => {
  assert.equal(read(bytes(0x22, 0xc3, 0xa9, 0x22)), 'é')
  const bodies = [
    [0xe9],
    [0xc3],
    [0xff],
    [0xfe],
    [0x80],
    [0xc0, 0xaf],
    [0xc1, 0xbf],
    [0xe0, 0x80, 0xaf],
    [0xe0, 0x9f, 0xbf],
    [0xf0, 0x80, 0x80, 0xaf],
    [0xf4, 0x90, 0x80, 0x80],
    [0xf8, 0x88, 0x80, 0x80, 0x80],
    [0xed, 0xa0, 0x80],
    [0xed, 0xbf, 0xbf],
    [0xed, 0xa0, 0xbd, 0xed, 0xb8, 0x80],
    [0xe2, 0x82],
    [0xf0, 0x9f, 0x98],
  ]
  for (const body of bodies) isRefused(bytes(0x22, ...body, 0x22))
  isRefused(bytes(0xef, 0xbb, 0xbf, 0x7b, 0x7d))
  isRefused(Buffer.from('{}', 'utf16le'))
  assert.throws(() => read(bytes(0x22, 0xc3, 0xa9, 0x0a, 0xff, 0x22)), {
    reason: 'the bytes are not valid UTF-8',
    position: 3,
  })
})

test('B-07 refuses a lone surrogate, escaped or not, and reads a pair', () => {
  assert.equal(read('"\\ud83d\\ude00"'), '😀')
  for (const text of [
    '"\\ud800"',
    '"\\udc00"',
    '"\\ud800\\ud800"',
    '"\\ude00\\ud83d"',
    '"\\ud800x"',
    '"\\ud800\\n"',
    '"\\ud800\\u0041"',
    '{"\\udfff":1}',
    '"\ud800"',
    '"\udc00"',
    '"\\ud83d\ude00"',
    '"\ud83d\\ude00"',
  ]) {
    isRefused(text)
  }
})

test('B-06 A-19 refuses a name that appears twice in one object, also when one is escaped', () => {
  assert.deepEqual(plain(read('{"a":{"sub":1},"b":{"sub":1},"sub":1,"Sub":2}')), {
    a: { sub: 1 },
    b: { sub: 1 },
    sub: 1,
    Sub: 2,
  })
  for (const text of [
    '{"sub":1,"sub":1}',
    '{"sub":1,"\\u0073ub":2}',
    '{"x":[{"":1,"":1}]}',
    '{"1":0,"1":0}',
    '{"__proto__":1,"__proto__":1}',
    '{"\\ud83d\\ude00":1,"😀":1}',
  ]) {
    isRefused(text)
    isRefused(Buffer.from(text))
  }
})

test('B-10 never rounds an integer and never makes an infinity', () => {
  assert.equal(read('9007199254740991'), Number.MAX_SAFE_INTEGER)
  for (const text of [
    '9007199254740992',
    '9007199254740993',
    '-9007199254740992',
    '123456789012345678901234567890',
    '1e400',
    '-1e400',
    '1e999',
    '1.5e309',
    '9'.repeat(400),
  ])
    isRefused(text)
  assert.equal(read('1e300'), 1e300)
  assert.ok(Object.is(read('-0'), -0))
})

test('B-10 with largeIntegersAsNaN, large integers equal nothing', () => {
  const lenient = { maxDepth: 1, maxMembers: 3, largeIntegersAsNaN: true }
  assert.deepEqual(readJson('[9007199254740993,9007199254740991,1]', lenient), [Number.NaN, Number.MAX_SAFE_INTEGER, 1])
  assert.throws(() => readJson('[1e400]', lenient))
})

test('B-04 promptly refuses texts that are nested too deeply, and reads the deepest allowed one', () => {
  const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels)
  read(nested(32))
  isRefused(nested(33))
  isRefused(nested(5000))
  isRefused(nested(1_000_000))
  isRefused('['.repeat(1_000_000))
  isRefused('{"a":'.repeat(1_000_000))
  read(nested(512), { maxDepth: 512 })
  assert.equal(read('1', { maxDepth: 0 }), 1)
  isRefused('[]', { maxDepth: 0 })
  assert.throws(() => read('1', { maxDepth: 513 }), TypeError)
})

test('B-05 limits the members and elements of the whole text', () => {
  read(JSON.stringify(Array(1000).fill(0)))
  isRefused(JSON.stringify(Array(1001).fill(0)))
  read('{"a":[1,2],"b":3}', { maxMembers: 4 })
  isRefused('{"a":[1,2],"b":3}', { maxMembers: 3 })
  const members = Array.from({ length: 10_000 }, (_, index) => `"${index * 65_536}":0`)
  isRefused(`{${members.join(',')}}`)
})

test('limits the length of strings and names', () => {
  read('{"abc":"abc"}', { maxStringLength: 3 })
  isRefused('{"abcd":"abc"}', { maxStringLength: 3 })
  isRefused('{"abc":"abcd"}', { maxStringLength: 3 })
  read('"\\u0061\\u0062\\u0063"', { maxStringLength: 3 })
  isRefused('"\\u0061\\u0062\\u0063\\u0064"', { maxStringLength: 3 })
})

test('K-07 objects inherit nothing, so __proto__ is a name like any other', () => {
  const value = read('{"__proto__":{"isAdmin":true},"a":{}}') as Record<string, unknown>
  assert.deepEqual(Object.keys(value), ['__proto__', 'a'])
  for (const name of Object.getOwnPropertyNames(Object.prototype))
    assert.equal(name in (value.a as object), false, name)
  const prototype = Object.getPrototypeOf(value)
  assert.equal(Object.isFrozen(prototype) && Reflect.ownKeys(prototype).length === 0, true)
  assert.equal(Object.getPrototypeOf(prototype), null)
  assert.equal('isAdmin' in value, false)
})

test('refuses prototype names only on request', () => {
  const hostile = [
    '{"__proto__":1}',
    '{"a":[{"\\u005f_proto__":{}}]}',
    '{"constructor":{"prototype":{}}}',
    '{"a":{"constructor":{"prototype":1,"x":2}}}',
  ]
  for (const text of hostile) {
    read(text)
    isRefused(text, { refusePrototypeNames: true })
  }
  for (const text of [
    '{"constructor":"x"}',
    '{"constructor":{"x":1}}',
    '{"prototype":{}}',
    '{"constructor":["prototype"]}',
  ])
    read(text, { refusePrototypeNames: true })
})

test('reports the position of the error', () => {
  assert.throws(() => read('{\n  "a": 1,\n  "b": x\n}'), {
    reason: 'expected a value',
    position: 19,
    line: 3,
    column: 8,
  })
  assert.throws(() => read('{"a":1,"a":2}'), { reason: 'the name "a" appears twice', position: 7, line: 1, column: 8 })
  assert.throws(() => read('[1'), { reason: 'expected "," or "]", but the text ends', position: 2 })
})

test('O-02 refuses deep JSON inside an asynchronous context without an uncaught error', async () => {
  const { AsyncLocalStorage } = await import('node:async_hooks')
  const storage = new AsyncLocalStorage<number>()
  await storage.run(1, async () => {
    await null
    isRefused('['.repeat(500_000))
    assert.equal(storage.getStore(), 1)
  })
})

test('reads any JSON value with the same result as JSON.parse', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => {
      const text = JSON.stringify(value)
      let expected: unknown
      try {
        expected = read(text)
      } catch (error) {
        assert.ok(error instanceof JsonError)
        assert.match(error.reason, /integer|surrogate|levels|members/)
        return
      }
      assert.deepEqual(plain(expected), JSON.parse(text))
    }),
    { numRuns: FUZZ_RUNS },
  )
})

test('throws only JsonError for any text, and never accepts what JSON.parse refuses', () => {
  const token = fc.constantFrom(
    '{',
    '}',
    '[',
    ']',
    ',',
    ':',
    '"',
    '"a"',
    '"b":',
    '\\',
    '\\u00',
    '1',
    '-',
    '.',
    'e',
    '0',
    'true',
    'null',
    ' ',
    '\n',
    '\ud800',
    '\u0000',
    'é',
    '\ufeff',
  )
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string({ unit: 'binary' }),
        fc.array(token, { maxLength: 24 }).map((parts) => parts.join('')),
      ),
      (text) => {
        let ours: unknown
        try {
          ours = read(text)
        } catch (error) {
          assert.ok(error instanceof JsonError, String(error))
          assert.ok(error.position >= 0 && error.position <= text.length)
          return
        }
        assert.deepEqual(plain(ours), JSON.parse(text))
      },
    ),
    { numRuns: FUZZ_RUNS },
  )
})

test('throws only JsonError for any bytes', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 64 }), (raw) => {
      try {
        read(Buffer.from(raw))
      } catch (error) {
        assert.ok(error instanceof JsonError, String(error))
      }
    }),
    { numRuns: FUZZ_RUNS },
  )
})
