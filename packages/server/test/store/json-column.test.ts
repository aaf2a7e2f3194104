import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createJsonReader } from '../../src/store/json-column.ts'

test('columns with the same short text share one frozen value', () => {
  const readJsonColumn = createJsonReader()
  const text = '{"a":{"b":[1]}}'
  const value = readJsonColumn<{ a: { b: number[] } }>(text)
  assert.deepEqual(value, JSON.parse(text))
  assert.equal(readJsonColumn(text), value)
  assert.throws(() => value.a.b.push(2), TypeError)
  assert.throws(() => Object.assign(value.a, { b: [] }), TypeError)
})

test('long texts, and all but the first few, are parsed each time', () => {
  const readJsonColumn = createJsonReader()
  const long = JSON.stringify({ a: 'x'.repeat(300) })
  assert.notEqual(readJsonColumn(long), readJsonColumn(long))
  const texts = Array.from({ length: 1_000 }, (_, number) => `{"n":${number}}`)
  assert.deepEqual(
    texts.map(readJsonColumn),
    texts.map((text) => JSON.parse(text)),
  )
  assert.notEqual(readJsonColumn('{"n":999}'), readJsonColumn('{"n":999}'))
})

test('invalid JSON is an error each time', () => {
  const readJsonColumn = createJsonReader()
  for (const _ of [1, 2]) assert.throws(() => readJsonColumn('{'), SyntaxError)
})
