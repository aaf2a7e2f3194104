import assert from 'node:assert/strict'
import { test } from 'node:test'
import { accessFilter, bothFilters } from './access-filter.ts'

test('identities are listed by the end of their access', () => {
  assert.equal(accessFilter('all', 0), undefined)
  assert.equal(accessFilter('expired', 0), 'expiresAt <= datetime(1970-01-01T00:00:00.000Z)')
  assert.match(
    accessFilter('ending', 0) ?? '',
    /^expiresAt > .* and expiresAt <= datetime\(1970-01-31T00:00:00.000Z\)$/,
  )
})

test('filters combine', () => {
  assert.equal(bothFilters('a', 'b or c'), '(a) and (b or c)')
  assert.equal(bothFilters('a', undefined), 'a')
  assert.equal(bothFilters(undefined, 'b'), 'b')
  assert.equal(bothFilters(undefined, undefined), undefined)
})
