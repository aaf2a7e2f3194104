import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JsonValue } from '../json/json-value.ts'
import { checkGroupTemplate, groupAttribute, readScimGroup, readScimGroupPatch } from './scim-group.ts'

const patched = (...operations: readonly JsonValue[]) => readScimGroupPatch({ Operations: [...operations] })
const members = (op: string, ...ids: readonly string[]) => ({ kind: 'members', op, ids })

test('V-17 operations on groups in the forms of Okta and Entra', () => {
  assert.deepEqual(patched({ op: 'replace', value: { id: 'x', displayName: 'g' } }), [
    { kind: 'displayName', value: 'g' },
  ])
  assert.deepEqual(patched({ op: 'remove', path: 'externalId' }), [{ kind: 'externalId', value: null }])
  assert.deepEqual(patched({ op: 'add', path: 'externalId', value: '1' }), [{ kind: 'externalId', value: '1' }])
  const two = [{ value: 'a', $ref: null }, { value: 'b' }, { value: 'a' }]
  assert.deepEqual(patched({ op: 'Add', path: 'members', value: two }), [members('add', 'a', 'b')])
  assert.deepEqual(patched({ op: 'add', value: { members: ['a'] } }), [members('add', 'a')])
  assert.deepEqual(patched({ op: 'Remove', path: 'members', value: two }), [members('remove', 'a', 'b')])
  assert.deepEqual(patched({ op: 'remove', path: 'members' }), [members('replace')])
  assert.deepEqual(patched({ op: 'replace', path: 'members', value: [] }), [members('replace')])
  const selected = 'members[value eq "a" or value eq "b"]'
  assert.deepEqual(patched({ op: 'remove', path: selected }), [members('remove', 'a', 'b')])
})

test('V-20 operations on groups that are not valid are refused', () => {
  const wrong: JsonValue[] = [
    { op: 'replace', path: 'displayName', value: ' ' },
    { op: 'remove', path: 'displayName' },
    { op: 'replace', path: 'members.display', value: 'x' },
    { op: 'add', path: 'members[value eq "a"]', value: 'x' },
    { op: 'remove', path: 'members[display eq "a"]' },
    { op: 'remove', path: 'members[value eq 5]' },
    { op: 'add', path: 'members', value: [{}] },
    { op: 'add', path: 'members', value: [{ value: 'a', type: 'GROUP' }] },
  ]
  for (const operation of wrong)
    assert.throws(() => patched(operation), { name: 'AppError' }, JSON.stringify(operation))
  const many = (count: number) => Array.from({ length: count }, (_, each) => ({ value: `${each}` }))
  const add = (count: number) => ({ op: 'add', path: 'members', value: many(count) })
  assert.equal(patched(add(5_000)).length, 1)
  assert.throws(() => patched(add(5_001)), /at most 5000 members/)
  assert.throws(() => patched(add(3_000), add(2_001)), /at most 5000 members/)
  const value = Object.fromEntries(Array.from({ length: 20 }, (_, each) => [`attribute${each}`, 'x']))
  assert.throws(() => patched(...Array.from({ length: 300 }, () => ({ op: 'add', value }))), /too many values/)
  assert.deepEqual(readScimGroup({ displayName: 'g' }), {
    group: { displayName: 'g', externalId: null },
    members: undefined,
  })
})

test('V-18 the attribute of a group', () => {
  const group = { id: 'i', displayName: 'Sales', externalId: null }
  assert.equal(groupAttribute('{displayName}', group), 'Sales')
  assert.equal(groupAttribute('group {displayName} ({id})', group), 'group Sales (i)')
  assert.throws(() => groupAttribute('{externalId}', group), /externalId is required/)
  assert.throws(() => groupAttribute('{displayName}', { ...group, displayName: '#x' }), /no usable attribute/)
  for (const template of ['x', '{id}', 'a {externalId}']) checkGroupTemplate(template)
  for (const template of ['{}', '{name}', '{id', 'id}', '#{id}', ' ', 'x'.repeat(129)]) {
    assert.throws(() => checkGroupTemplate(template), { code: 'COULD_NOT_VALIDATE' }, template)
  }
})
