import assert from 'node:assert/strict'
import { test } from 'node:test'
import { changedValues } from './changed-values.ts'

test('only what was changed is sent, also when it was emptied', () => {
  const before = { name: 'plant', region: 'eu', size: '' }
  assert.deepEqual(changedValues(before, { name: 'plant', region: '', size: 'large' }), { region: '', size: 'large' })
  assert.deepEqual(changedValues(before, { ...before }), {})
})
