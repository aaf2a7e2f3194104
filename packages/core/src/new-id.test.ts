import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newId, newSortableId, newSortableUuid } from './new-id.ts'

test('ids are 22 letters and digits, and unique', () => {
  const ids = Array.from({ length: 20_000 }, newId)
  assert.equal(new Set(ids).size, ids.length)
  for (const id of ids) assert.match(id, /^[0-9A-Za-z]{22}$/)
})

test('letters are uniformly distributed at every position', () => {
  const counts = new Map<string, number>()
  const total = 20_000
  for (let index = 0; index < total; index++) {
    const first = newId().charAt(0)
    counts.set(first, (counts.get(first) ?? 0) + 1)
  }
  const expected = total / 62
  assert.equal(counts.size, 62)
  // Ten standard deviations: far more than chance, far less than a modulo bias of one letter in four.
  for (const [letter, count] of counts)
    assert.ok(Math.abs(count - expected) < 10 * Math.sqrt(expected), `${letter}: ${count}`)
})

test('sortable ids have the same form, sort by time, and differ within one millisecond', () => {
  const now = Date.UTC(2026, 5, 1)
  const times = [0, 1, 61, 62, now, now + 1, now + 62, Date.UTC(9999, 0, 1)]
  const ids = times.map(newSortableId)
  assert.deepEqual([...ids].sort(), ids)
  for (const id of ids) assert.match(id, /^[0-9A-Za-z]{22}$/)
  assert.equal(new Set(Array.from({ length: 20_000 }, () => newSortableId(now))).size, 20_000)
})

test('sortable UUIDs are of version 7, sort by time, and differ within one millisecond', () => {
  const now = Date.UTC(2026, 5, 1)
  const ids = [0, 1, now, now + 1, Date.UTC(9999, 0, 1)].map(newSortableUuid)
  assert.deepEqual([...ids].sort(), ids)
  for (const id of ids) assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  assert.equal(new Set(Array.from({ length: 20_000 }, () => newSortableUuid(now))).size, 20_000)
})
