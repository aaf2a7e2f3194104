import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError } from '../app-error.ts'
import type { JsonValue } from '../json/json-value.ts'
import type { BodySchema } from './body-schema.ts'
import { readBody } from './read-body.ts'

const SCHEMA: BodySchema = {
  type: 'object',
  required: ['name', 'list'],
  properties: {
    name: { type: 'string', minLength: 2, maxLength: 5 },
    list: { type: 'array', maxItems: 2, items: { type: 'string', maxLength: 3 } },
    count: { type: 'integer', minimum: 1, maximum: 9 },
    flag: { type: 'boolean' },
    kind: { enum: ['A', 'B'] },
    link: { type: 'string', format: 'uri' },
    either: {
      anyOf: [
        { type: 'array', items: { type: 'string' } },
        { type: 'string', maxLength: 3 },
      ],
    },
    hidden: { type: 'string', minLength: 4, secret: true },
    inner: { type: 'object', required: ['deep'], properties: { deep: { type: 'integer' } } },
    open: { type: 'object' },
    closed: { type: 'object', properties: { part: { type: 'string' } }, additionalProperties: false },
  },
}
const GOOD = { name: 'abc', list: ['a'] }

const read = (members: Record<string, unknown> = {}) => ({ ...readBody(SCHEMA, { ...GOOD, ...members } as JsonValue) })

/** The error code and, for a field error, the field, the rule and the value. */
function refusal(body: unknown): string {
  try {
    readBody(SCHEMA, body as JsonValue)
  } catch (error) {
    assert.ok(error instanceof AppError)
    const cause = error.publicCause
    if (!cause || 'message' in cause) return `${error.code}: ${cause?.message}`
    return `${error.code}: ${cause.reason} (${cause.value})`
  }
  return 'accepted'
}

test('M-12 returns only the members of the schema, under the names in the schema', () => {
  assert.deepEqual(read({ COUNT: 3, unknown: { a: 1 }, isAdmin: true }), { ...GOOD, count: 3 })
  assert.deepEqual({ ...(read({ inner: { DEEP: 1, other: 2 } }).inner as object) }, { deep: 1 })
  assert.deepEqual(read({ open: { any: [1, null] } }), { ...GOOD, open: { any: [1, null] } })
  assert.equal('toString' in (readBody(SCHEMA, GOOD) as object), false)
})

test('an object whose unknown members would change what is meant refuses them; in others they are ignored', () => {
  assert.deepEqual({ ...(read({ closed: { PART: 'a' } }).closed as object) }, { part: 'a' })
  assert.match(refusal({ ...GOOD, closed: { part: 'a', parts: 'secret' } }), /closed\.parts.*known member/)
  assert.doesNotMatch(refusal({ ...GOOD, closed: { parts: 'secret' } }), /secret/)
  assert.deepEqual({ ...(read({ inner: { deep: 1, deeper: 2 } }).inner as object) }, { deep: 1 })
})

test('D53 with the names of responses, every other unknown member is refused without its value', () => {
  const strict = (body: JsonValue) => readBody(SCHEMA, body, ['id', 'createdAt'])
  assert.deepEqual({ ...strict({ ...GOOD, id: 'x', CREATEDAT: 1 }) }, GOOD)
  for (const [body, field] of [
    [{ ...GOOD, unknown: 'a secret' }, 'unknown'],
    [{ ...GOOD, inner: { deep: 1, id: 'a secret' } }, 'inner.id'],
  ] as const) {
    assert.throws(
      () => strict(body),
      ({ code, publicCause }: AppError) => {
        assert.equal(code, 'COULD_NOT_VALIDATE')
        assert.deepEqual(publicCause, { field, reason: `${field} in body is not a known member`, value: '' })
        return true
      },
    )
  }
})

test('M-12 a duplicate member is refused, also when one of the two is null', () => {
  const twice = 'COULD_NOT_PARSE_BODY: the member name is given twice'
  assert.equal(refusal({ ...GOOD, NAME: 'abc' }), twice)
  assert.equal(refusal({ ...GOOD, Name: null }), twice)
  assert.equal(refusal({ ...GOOD, name: null, NAME: 'abc' }), twice)
  assert.equal(
    refusal({ ...GOOD, inner: { deep: 1, Deep: 1 } }),
    'COULD_NOT_PARSE_BODY: the member inner.deep is given twice',
  )
  assert.equal(refusal({ ...GOOD, other: 1, OTHER: 2 }), 'accepted')
})

test('M-12 only ASCII letters are case-insensitive in names', () => {
  assert.deepEqual(read({ '\u212Aind': 'A', 'l\u0130nk': 'x:' }), GOOD)
  assert.deepEqual(read({ Kind: 'A' }), { ...GOOD, kind: 'A' })
})

test('D6 null means "not given", and a blank string is checked only when the member is required', () => {
  assert.deepEqual(read({ count: null, kind: null, inner: null }), GOOD)
  assert.deepEqual(read({ kind: '', link: '', either: '', hidden: '' }), {
    ...GOOD,
    kind: '',
    link: '',
    either: '',
    hidden: '',
  })
  assert.equal(refusal({ ...GOOD, name: '' }), 'COULD_NOT_VALIDATE: name in body should be at least 2 chars long ()')
})

test('a blank string is no value of an enumeration with a minimum length', () => {
  const schema = { type: 'object', properties: { kind: { enum: ['none', 'all'], minLength: 1 }, old: { enum: ['x'] } } }
  assert.deepEqual({ ...readBody(schema, { kind: 'none', old: '' }) }, { kind: 'none', old: '' })
  assert.throws(() => readBody(schema, { kind: '' }), { code: 'COULD_NOT_VALIDATE' })
})

test('W-26 the first violated rule in alphabetical order is reported', () => {
  assert.equal(refusal({}), 'COULD_NOT_VALIDATE: list in body is required ([])')
  assert.equal(refusal(null), 'COULD_NOT_VALIDATE: list in body is required ([])')
  assert.equal(refusal({ list: [] }), 'COULD_NOT_VALIDATE: name in body is required (<nil>)')
  assert.equal(
    refusal({ ...GOOD, name: 'x', kind: 'C' }),
    'COULD_NOT_VALIDATE: kind in body should be one of [A B] (C)',
  )
})

test('M-11 a body that is not an object is refused', () => {
  for (const body of [[], 'x', 5, true]) {
    assert.equal(refusal(body), 'COULD_NOT_VALIDATE: body must be a JSON object ()')
  }
})

test('each rule refuses invalid values and accepts valid ones', () => {
  for (const [bad, reason, good] of [
    [{ name: 'abcdef' }, 'name in body should be at most 5 chars long (abcdef)', { name: 'abcde' }],
    [{ list: ['a', 'b', 'c'] }, 'list in body should have at most 2 items (3 items)', { list: ['a', 'b'] }],
    [{ list: ['a', 'long'] }, 'list.1 in body should be at most 3 chars long (long)', { list: ['a', 'bcd'] }],
    [{ count: 0 }, 'count in body should be greater than or equal to 1 (0)', { count: 1 }],
    [{ count: 10 }, 'count in body should be less than or equal to 9 (10)', { count: 9 }],
    [{ kind: 'a' }, 'kind in body should be one of [A B] (a)', { kind: 'A' }],
    [{ link: 'no uri' }, 'link in body must be of type uri: "no uri" (no uri)', { link: 'mailto:x' }],
    [{ either: 'long' }, 'either in body should be at most 3 chars long (long)', { either: ['long'] }],
    [{ inner: {} }, 'inner.deep in body is required (<nil>)', { inner: { deep: 1 } }],
  ] as const) {
    assert.equal(refusal({ ...GOOD, ...bad }), `COULD_NOT_VALIDATE: ${reason}`)
    assert.equal(refusal({ ...GOOD, ...good }), 'accepted')
  }
})

test('the error for a wrong type names the member and the types, not the value', () => {
  for (const [bad, reason] of [
    [{ name: 5 }, 'name must be of type string, but is of type number'],
    [{ list: 'secret' }, 'list must be of type array, but is of type string'],
    [{ list: [null] }, 'list.0 must be of type string, but is of type null'],
    [{ count: 1.5 }, 'count must be of type integer, but is of type number'],
    [{ flag: 'true' }, 'flag must be of type boolean, but is of type string'],
    [{ kind: 1 }, 'kind must be of type string, but is of type number'],
    [{ inner: [] }, 'inner must be of type object, but is of type array'],
    [{ either: 5 }, 'either must be of type array or string, but is of type number'],
  ] as const) {
    assert.equal(refusal({ ...GOOD, ...bad }), `COULD_NOT_PARSE_BODY: the member ${reason}`)
  }
})

test('D36 a secret is never repeated, and a long value is truncated', () => {
  assert.equal(
    refusal({ ...GOOD, hidden: 'abc' }),
    'COULD_NOT_VALIDATE: hidden in body should be at least 4 chars long ()',
  )
  const error = refusal({ ...GOOD, name: 'n'.repeat(500) })
  assert.ok(error.includes('n'.repeat(128)) && !error.includes('n'.repeat(129)))
})

test('null is a value for members that it clears, and "not given" for others', () => {
  const list = { type: 'array', items: { type: 'string' }, maxItems: 1 }
  const schema = { type: 'object', properties: { kept: { ...list, nullClears: true }, other: list } }
  assert.deepEqual({ ...readBody(schema, { kept: null, other: null }) }, { kept: null })
  assert.deepEqual({ ...readBody(schema, { KEPT: null }) }, { kept: null })
  assert.deepEqual({ ...readBody(schema, { kept: ['a'] }) }, { kept: ['a'] })
  assert.throws(() => readBody(schema, { kept: [null] }))
  assert.throws(() => readBody(schema, { kept: ['a', 'b'] }))
})

test('a member with its own error code is refused with it for its type and its length, not for its absence', () => {
  const code = { type: 'string', minLength: 6, refusedAs: 'INVALID_AUTH' } as const
  const schema: BodySchema = { type: 'object', required: ['code'], properties: { code } }
  for (const body of [{ code: 123456 }, { code: '12345' }]) {
    assert.throws(() => readBody(schema, body), { code: 'INVALID_AUTH' }, JSON.stringify(body))
  }
  assert.throws(() => readBody(schema, {}), { code: 'COULD_NOT_VALIDATE' })
  assert.deepEqual({ ...readBody(schema, { code: '123456' }) }, { code: '123456' })
})

test('a schema without members accepts every object and returns nothing of it', () => {
  assert.deepEqual({ ...readBody({ type: 'object' }, { any: 1 }) }, {})
  assert.throws(() => readBody({ type: 'object' }, ['any']), AppError)
})

test('an array without a schema for its items is returned as it is', () => {
  const schema: BodySchema = { type: 'object', properties: { open: { type: 'array' } } }
  assert.deepEqual({ ...readBody(schema, { open: ['a', 1, null] }) }, { open: ['a', 1, null] })
})
