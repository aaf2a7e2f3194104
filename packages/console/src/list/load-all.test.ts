import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadAll } from './load-all.ts'

const rows = (count: number) => Array.from({ length: count }, (_, index) => ({ id: String(index) }))

const paged = (items: readonly { readonly id: string }[]) => {
  return async ({ limit, offset }: { limit: number; offset: number }) => ({
    items: items.slice(offset, offset + limit),
    total: items.length,
  })
}
const never = () => false
const ignore = () => {}

test('all parts are loaded in order, with progress', async () => {
  const seen: number[] = []
  const { items, hasChanged } = await loadAll(paged(rows(1200)), (loaded) => seen.push(loaded), never)
  assert.deepEqual(items, rows(1200))
  assert.deepEqual([seen, hasChanged], [[500, 1000, 1200], false])
  assert.deepEqual((await loadAll(paged([]), ignore, never)).items, [])
})

test('a row that moved is kept once, and the change is reported', async () => {
  const before = rows(600)
  const after = [{ id: 'new' }, ...before]
  const load = (part: { limit: number; offset: number }) => paged(part.offset === 0 ? before : after)(part)
  const { items, hasChanged } = await loadAll(load, ignore, never)
  assert.equal(new Set(items.map(({ id }) => id)).size, items.length)
  assert.equal(hasChanged, true)
})

test('a cancelled export stops, and a list that is too long is refused', async () => {
  assert.equal((await loadAll(paged(rows(1200)), ignore, () => true)).items.length, 500)
  const long = async () => ({ items: rows(1), total: 100_001 })
  await assert.rejects(loadAll(long, ignore, never), RangeError)
})
