import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CountersignError } from '@countersign/sdk'
import { fewAtATime, previewEach } from './bulk-action.ts'

test('tasks run a few at a time, and results keep the order', async () => {
  let running = 0
  let most = 0
  const results = await fewAtATime([1, 2, 3, 4, 5, 6, 7, 8, 9], async (item) => {
    most = Math.max(most, ++running)
    await new Promise((resolve) => setTimeout(resolve, 10 - item))
    running--
    return item * 2
  })
  assert.deepEqual(results, [2, 4, 6, 8, 10, 12, 14, 16, 18])
  assert.equal(most, 4)
  assert.deepEqual(await fewAtATime([], async () => 1), [])
})

test('a preview reads each row again, and a deleted row has no step', async () => {
  const resource = {
    getVersioned: async (id: string) => {
      if (id === 'gone') throw new CountersignError({ code: 'NOT_FOUND', message: 'not found', status: 404 })
      return { item: { id, name: `now ${id}` }, version: `"${id}"` }
    },
  }
  const rows = [
    { id: 'a', name: 'before' },
    { id: 'gone', name: 'gone' },
  ]
  const [found, gone] = await previewEach(resource, rows, ({ version }) => ({
    effect: `at ${version}`,
    run: async () => {},
  }))
  assert.deepEqual([found?.name, found?.effect], ['now a', 'at "a"'])
  assert.deepEqual(gone, { id: 'gone', name: 'gone', effect: 'No longer exists' })
})
