import assert from 'node:assert/strict'
import { test } from 'node:test'
import { networkFromBody, patchedNetwork, replacedNetwork } from './network-settings.ts'

const SET = { networkGroupId: 'g', size: 'large', provider: 'AWS', region: 'eu', controllerUrl: 'https://ctrl.example' }

test('members that a body omits or leaves blank get their defaults', () => {
  const usual = { size: 'small', provider: 'SELF', region: 'local', networkGroupId: undefined, controllerUrl: null }
  const blank = { networkGroupId: '', size: '', provider: '', region: '', controllerUrl: '' }
  assert.deepEqual(networkFromBody({ name: 'n' }), { name: 'n', ...usual })
  assert.deepEqual(networkFromBody({ name: 'n', ...blank }), { name: 'n', ...usual })
  assert.deepEqual(networkFromBody({ name: 'n', ...SET }), { name: 'n', ...SET })
})

test('a PATCH changes the given members; a blank URL clears the URL', () => {
  const current = networkFromBody({ name: 'n', ...SET })
  assert.deepEqual(patchedNetwork(current, {}), current)
  assert.deepEqual(patchedNetwork(current, { size: '', region: 'us' }), { ...current, region: 'us' })
  assert.deepEqual(patchedNetwork(current, { controllerUrl: '' }), { ...current, controllerUrl: null })
})

test('a PUT resets the members that it omits', () => {
  const current = networkFromBody({ name: 'n', ...SET })
  assert.deepEqual(replacedNetwork(current, { name: 'm' }), networkFromBody({ name: 'm' }))
  assert.deepEqual(replacedNetwork(current, { name: 'm', ...SET }), { ...current, name: 'm' })
  assert.throws(() => replacedNetwork(current, { ...SET, name: '' }), { name: 'AppError', code: 'COULD_NOT_VALIDATE' })
})

test('a network needs a name of plain text', () => {
  for (const name of ['', 'a\u0000b'])
    assert.throws(() => networkFromBody({ name }), { name: 'AppError', code: 'COULD_NOT_VALIDATE' })
})
