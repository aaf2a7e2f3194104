import assert from 'node:assert/strict'
import { test } from 'node:test'
import { field, group } from '@countersign/contract/resource'
import { type BodyRules, newSettings, patchedSettings, replacedSettings, unsetSettings } from './apply-body.ts'

const text = { type: 'string' } as never
const list = { type: 'array' } as never
const count = { type: 'integer' } as never

const RULES: BodyRules = {
  members: {
    name: field(text),
    note: field(text, { default: null }),
    size: field(text, { default: 'small', blankIsIgnored: true }),
    later: field(list, { default: [], keptByPut: true }),
    part: field(text, { optional: true }),
    shown: field(text, { readOnly: true }),
    passed: field(text, { writeOnly: true, optional: true }),
    inner: group({ count: field(count), deep: group({ kept: field(text, { default: null, keptByPut: true }) }) }),
  },
  readers: { 'inner.count': (value: number) => Math.max(5, value) },
}

const UNSET = {
  name: '',
  note: null,
  size: 'small',
  later: [],
  part: undefined,
  inner: { count: 0, deep: { kept: null } },
}

test('every setting has an initial value; members that are read-only or write-only are not settings', () => {
  assert.deepEqual(unsetSettings(RULES), UNSET)
  assert.deepEqual(newSettings(RULES, { name: 'n', shown: 'x', passed: 'y' }), { ...UNSET, name: 'n' })
})

test('blank strings and empty arrays set the default, or change nothing with blankIsIgnored', () => {
  const current = { ...UNSET, name: 'n', note: 'x', size: 'large', later: ['a'] }
  assert.deepEqual(patchedSettings(RULES, current, { note: ' ', size: '', later: [] }), {
    ...current,
    note: null,
    later: [],
  })
})

test('a PATCH changes nested members one by one, through their readers', () => {
  const current = { ...UNSET, inner: { count: 7, deep: { kept: 'k' } } }
  assert.deepEqual(patchedSettings(RULES, current, { inner: { count: 1 } }).inner, { count: 5, deep: { kept: 'k' } })
  assert.deepEqual(patchedSettings(RULES, current, { inner: { deep: { kept: null } } }).inner, {
    count: 7,
    deep: { kept: null },
  })
  assert.equal(patchedSettings(RULES, current, {}), current)
})

test('a PUT resets everything to its default except members with keptByPut, at any depth', () => {
  const current = { ...UNSET, note: 'x', later: ['a'], inner: { count: 7, deep: { kept: 'k' } } }
  assert.deepEqual(replacedSettings(RULES, current, { name: 'n', inner: { count: 9 } }), {
    ...UNSET,
    name: 'n',
    later: ['a'],
    inner: { count: 9, deep: { kept: 'k' } },
  })
})

test('an empty object is a value, unless the resource ignores empty objects', () => {
  const rules: BodyRules = { members: { tags: field({ type: 'object' } as never, { default: {} }) } }
  const current = { tags: { a: 1 } }
  assert.deepEqual(patchedSettings(rules, current, { tags: {} }), { tags: {} })
  assert.equal(patchedSettings({ ...rules, ignoresEmptyObjects: true }, current, { tags: {} }), current)
})
