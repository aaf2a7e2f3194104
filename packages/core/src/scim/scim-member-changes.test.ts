import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ScimGroupChange } from './scim-group.ts'
import { netMembers } from './scim-member-changes.ts'

const change = (op: 'add' | 'remove' | 'replace', ...ids: readonly string[]): ScimGroupChange => ({
  kind: 'members',
  op,
  ids,
})

test('V-18 the last change of a member counts', () => {
  const name: ScimGroupChange = { kind: 'displayName', value: 'x' }
  assert.deepEqual(netMembers([name]), { keepsOthers: true, added: [], removed: [] })
  assert.deepEqual(netMembers([change('add', 'a', 'b'), change('remove', 'b', 'c'), change('add', 'c')]), {
    keepsOthers: true,
    added: ['a', 'c'],
    removed: ['b'],
  })
})

test('V-18 a replacement removes all others, and later changes apply to what is left', () => {
  const replaced = [change('add', 'a'), change('remove', 'b'), change('replace', 'b', 'c'), change('remove', 'c')]
  assert.deepEqual(netMembers(replaced), { keepsOthers: false, added: ['b'], removed: [] })
  assert.deepEqual(netMembers([...replaced, change('add', 'd')]).added, ['b', 'd'])
  assert.deepEqual(netMembers([change('add', 'a'), change('replace')]).added, [])
})
