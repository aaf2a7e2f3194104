import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ReadonlyJson } from '../json/json-value.ts'
import {
  checkConditions,
  checkWrittenConditions,
  conditionKeys,
  exactFirst,
  findMostSpecific,
  parseConditions,
  patternLength,
} from './account-conditions.ts'

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

test('D66 the most specific conditions repeat those of all others, in whatever form', () => {
  const of = (conditions: ReadonlyJson) => ({ conditions, conditionKeys: conditionKeys(checkConditions(conditions)) })
  const most = (...all: ReadonlyJson[]) => findMostSpecific(all.map(of))?.conditions
  const [exact, pattern] = [
    { a: ['x', 'y'], b: 'z' },
    { a: { glob: 'x*' }, b: 'z' },
  ]
  assert.equal(most({ '/a': ['y', 'x'] }, exact), exact)
  assert.equal(most(pattern, { a: { glob: 'x*' } }, { b: 'z' }), pattern)
  assert.equal(most(exact), exact)
  for (const other of [{ a: 'x' }, { a: { glob: 'x' } }, { a: ['x', 'y'], c: 'z' }, { '/b': 'z', a: ['y', 'x'] }]) {
    assert.equal(most(exact, other), undefined)
  }
  assert.equal(most(), undefined)
})

test('D66 conditions have at most 2,048 characters in all', () => {
  const values = Array.from({ length: 4 }, (_, nth) => String(nth).repeat(511))
  assert.equal(checkConditions({ abcd: values }).length, 1)
  assert.throws(() => checkConditions({ abcde: values }), refused)
  assert.equal(parseConditions({ abcde: values }).length, 1, 'stored before there was a limit')
})

test('D66 the most specific of a thousand is found in time that grows with their number', () => {
  const keys = new Set(Array.from({ length: 32 }, (_, nth) => String(nth)))
  const started = performance.now()
  assert.equal(findMostSpecific(Array.from({ length: 1_000 }, () => ({ conditionKeys: keys }))), undefined)
  const largest = { conditionKeys: new Set([...keys, 'more']) }
  const all = [...Array.from({ length: 1_000 }, () => ({ conditionKeys: keys })), largest]
  assert.equal(findMostSpecific(all), largest)
  assert.ok(performance.now() - started < 500)
})

test('F-14 the length of conditions is that of their patterns', () => {
  assert.equal(patternLength({ a: { glob: 'x*' }, b: 'exact', c: { glob: '?' } }), 3)
  for (const conditions of [null, {}, { b: ['exact', 'x*'] }]) assert.equal(patternLength(conditions), 0)
})

test('F-14 conditions with exact values come before those with patterns', () => {
  const sorted = exactFirst(parseConditions({ a: { glob: 'x*' }, b: 'x', c: { glob: 'y' }, d: ['x'] }))
  assert.deepEqual(
    sorted.map(({ selector }) => selector.text),
    ['b', 'd', 'a', 'c'],
  )
})
