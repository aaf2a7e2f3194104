import assert from 'node:assert/strict'
import { test } from 'node:test'
import { allFilters, buildListFilter, choiceFilter, datetime, equalFilter } from './list-filter.ts'
import { readListSearch } from './list-search.ts'

const NOW = Date.parse('2026-11-18T10:00:30.000Z')

const filters = [
  choiceFilter('state', 'State', [{ value: 'past', label: 'Past', filter: (now) => `expiresAt <= ${datetime(now)}` }]),
  equalFilter('policy', 'Policy', 'authPolicyId', []),
]

test('search text and filters are combined, values are quoted, and unknown choices are ignored', () => {
  const build = (text: string, values: Readonly<Record<string, unknown>>) =>
    buildListFilter({ searchFields: ['name', 'id'], text, filters, values, now: NOW })
  assert.equal(build('', {}), undefined)
  assert.equal(build(' a"b ', {}), 'name icontains "a\\"b" or id icontains "a\\"b"')
  assert.equal(build('', { state: 'past' }), 'expiresAt <= datetime(2026-11-18T10:00:00.000Z)')
  assert.equal(build('', { state: 'other' }), undefined)
  assert.equal(build('', { policy: 'x" or true' }), 'authPolicyId = "x\\" or true"')
  assert.equal(
    build('a', { policy: 'p', state: 'past', unknown: 'true' }),
    '(name icontains "a" or id icontains "a") and (expiresAt <= datetime(2026-11-18T10:00:00.000Z)) and (authPolicyId = "p")',
  )
})

test('one filter needs no brackets', () => {
  assert.equal(allFilters([undefined, 'a = 1', undefined]), 'a = 1')
  assert.equal(allFilters([]), undefined)
})

test('the URL of a list is read with bounds', () => {
  assert.deepEqual(readListSearch({ q: 5, sort: 'name', page: '3', policy: 'default', empty: '', nested: {} }), {
    q: '5',
    sort: 'name',
    page: 3,
    policy: 'default',
  })
  assert.equal(String(readListSearch({ policy: 'x'.repeat(900) }).policy).length, 200)
  const many = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`filter${index}`, 'x']))
  assert.equal(Object.keys(readListSearch(many)).length, 12)
})
