import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError } from '../app-error.ts'
import {
  identityFromBody,
  isRoleAttribute,
  patchedIdentity,
  replacedIdentity,
  validateIdentity,
} from './identity-settings.ts'

const BODY = { name: 'alice', type: 'Default', isAdmin: false } as const
const CURRENT = identityFromBody({ ...BODY, externalId: 'x', attributes: ['sales'] })

test('attributes are sorted without duplicates, under either name', () => {
  for (const member of ['attributes', 'roleAttributes']) {
    assert.deepEqual(identityFromBody({ ...BODY, [member]: ['b', 'a', 'b'] }).attributes, ['a', 'b'], member)
    assert.deepEqual(patchedIdentity(CURRENT, { [member]: [] }).attributes, [], member)
  }
})

test('a PATCH keeps the members that it omits; a PUT does not', () => {
  assert.deepEqual(patchedIdentity(CURRENT, { name: 'bob' }), { ...CURRENT, name: 'bob' })
  assert.deepEqual(replacedIdentity(CURRENT, BODY), identityFromBody(BODY))
})

test('of two different lists of attributes, the one that changes something is used', () => {
  const [old, next] = [['sales'], ['b', 'a']]
  assert.deepEqual(patchedIdentity(CURRENT, { attributes: next, roleAttributes: old }).attributes, ['a', 'b'])
  assert.deepEqual(patchedIdentity(CURRENT, { attributes: old, roleAttributes: next }).attributes, ['a', 'b'])
  assert.deepEqual(patchedIdentity(CURRENT, { attributes: ['a', 'b'], roleAttributes: next }).attributes, ['a', 'b'])
  assert.throws(() => patchedIdentity(CURRENT, { attributes: ['c'], roleAttributes: next }), AppError)
})

test('a PUT compares the two lists with no attributes, because it resets them', () => {
  assert.deepEqual(replacedIdentity(CURRENT, { ...BODY, attributes: [], roleAttributes: ['a'] }).attributes, ['a'])
  const both = { ...BODY, attributes: ['sales'], roleAttributes: ['a'] }
  assert.throws(() => replacedIdentity(CURRENT, both), AppError)
})

test('an identity needs a name that is not blank', () => {
  for (const name of ['', ' \t']) assert.throws(() => validateIdentity({ ...CURRENT, name }), AppError)
  assert.doesNotThrow(() => validateIdentity({ ...CURRENT, name: ' a' }))
})

test('a text that is blank, prefixed or too long is no attribute', () => {
  for (const text of [' ', '#sales', '@sales', 'x'.repeat(10_000)]) assert.equal(isRoleAttribute(text), false, text)
  assert.equal(isRoleAttribute('sales'), true)
})

test('of the attributes of a changed identity, only those that the change writes are limited', () => {
  const names = (count: number, prefix: string) => Array.from({ length: count }, (_, each) => `${prefix}${each}`)
  const supplied = names(100, 'supplied')
  const current = {
    manualAttributes: ['own'],
    suppliedAttributes: [{ signerId: 'a', channel: 'scim', attributes: supplied }],
  } as const
  const after = (manual: readonly string[]) => ({ ...CURRENT, attributes: [...manual, ...supplied] })
  assert.doesNotThrow(() => validateIdentity(after(['own']), current))
  assert.throws(() => validateIdentity(after(['own'])), AppError)
  assert.doesNotThrow(() => validateIdentity(after(names(100, 'own')), current))
  assert.throws(() => validateIdentity(after(names(101, 'own')), current), AppError)
})
