import assert from 'node:assert/strict'
import { test } from 'node:test'
import { changedValues } from './changed-values.ts'

test('changedValues returns the changed values only, including emptied ones', () => {
  const before = { name: 'plant', region: 'eu', size: '' }
  assert.deepEqual(changedValues(before, { name: 'plant', region: '', size: 'large' }), { region: '', size: 'large' })
  assert.deepEqual(changedValues(before, { ...before }), {})
  assert.deepEqual(changedValues({ list: ['a'] }, { list: ['a'] }), {})
  assert.deepEqual(changedValues({ list: ['a'] }, { list: ['b'] }), { list: ['b'] })
})
