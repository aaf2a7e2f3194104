import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ReadonlyJson } from '../json/json-value.ts'
import { checkConditions, checkWrittenConditions, includesConditions } from './account-conditions.ts'

const refused = { name: 'AppError', code: 'COULD_NOT_VALIDATE' }
const NARROW = { repository: 'acme/app' }
const BROAD = { environment: 'production' }
const written = { kind: 'federated', conditions: NARROW, current: null, confirmBroad: false } as const

test('D66 a federated account has conditions, and no other account has', () => {
  checkWrittenConditions(written)
  for (const conditions of [null, {}]) assert.throws(() => checkWrittenConditions({ ...written, conditions }), refused)
  for (const conditions of [null, {}]) checkWrittenConditions({ ...written, kind: 'client', conditions })
  assert.throws(() => checkWrittenConditions({ ...written, kind: 'client' }), refused)
})

test('Y-03 conditions that others meet need a confirmation, once', () => {
  assert.throws(() => checkWrittenConditions({ ...written, conditions: BROAD }), refused)
  checkWrittenConditions({ ...written, conditions: BROAD, confirmBroad: true })
  checkWrittenConditions({ ...written, conditions: BROAD, current: { environment: ['production'] } })
  assert.throws(() => checkWrittenConditions({ ...written, conditions: BROAD, current: NARROW }), refused)
})

test('D66 conditions are of plain text and have valid paths', () => {
  assert.equal(checkConditions({ '/a': 'x', b: { glob: 'y*' } }).length, 2)
  for (const conditions of [
    { '/~': 'x' },
    { a: 'x\u202e' },
    { 'a\u0000': 'x' },
    { a: { glob: 'x\u0000*' } },
    { a: 7 },
  ]) {
    assert.throws(() => checkConditions(conditions), refused)
  }
})

test('D66 conditions include others that they repeat, in whatever form', () => {
  const includes = (one: ReadonlyJson, other: ReadonlyJson) =>
    includesConditions(checkConditions(one), checkConditions(other))
  assert.ok(includes({ a: ['x', 'y'], b: 'z' }, { '/a': ['y', 'x'] }))
  assert.ok(includes({ a: { glob: 'x*' }, b: 'z' }, { a: { glob: 'x*' } }))
  for (const other of [{ a: 'x' }, { a: { glob: 'x' } }, { a: ['x', 'y'], c: 'z' }]) {
    assert.ok(!includes({ a: ['x', 'y'], b: 'z' }, other))
  }
})
