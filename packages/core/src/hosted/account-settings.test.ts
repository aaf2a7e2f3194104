import assert from 'node:assert/strict'
import { test } from 'node:test'
import { accountFromBody, patchedAccount, replacedAccount } from './account-settings.ts'

const SET = { contactEmail: 'ops@example.com', description: 'pipeline', role: 'read-only', active: false } as const

test('members that a body omits or leaves blank get their defaults', () => {
  const unset = { conditions: null, expiresAt: null, rotation: null }
  const usual = { contactEmail: null, description: null, role: 'read-only', active: true, ...unset }
  assert.deepEqual(accountFromBody({ name: 'n' }), { name: 'n', ...usual })
  assert.deepEqual(accountFromBody({ name: 'n', contactEmail: '', description: '' }), { name: 'n', ...usual })
  assert.deepEqual(accountFromBody({ name: 'n', ...SET }), { name: 'n', ...SET, ...unset })
})

test('a PATCH changes the given members; blank strings clear them', () => {
  const current = accountFromBody({ name: 'n', ...SET })
  assert.deepEqual(patchedAccount(current, {}), current)
  assert.deepEqual(patchedAccount(current, { contactEmail: '', description: 'x' }), {
    ...current,
    contactEmail: null,
    description: 'x',
  })
})

test('D64 a PUT keeps a plan of rotation that it omits; null removes it', () => {
  const rotation = { everyDays: 90, overlapHours: 24 }
  const current = accountFromBody({ name: 'n', rotation })
  assert.deepEqual(replacedAccount(current, { name: 'm' }).rotation, rotation)
  assert.equal(replacedAccount(current, { name: 'm', rotation: null }).rotation, null)
  assert.equal(patchedAccount(current, { rotation: null }).rotation, null)
})

test('a PUT resets the members that it omits', () => {
  const current = accountFromBody({ name: 'n', ...SET })
  assert.deepEqual(replacedAccount(current, { name: 'm' }), accountFromBody({ name: 'm' }))
  assert.deepEqual(replacedAccount(current, { name: 'm', ...SET }), { ...current, name: 'm' })
  assert.throws(() => replacedAccount(current, { ...SET, name: '' }), { name: 'AppError', code: 'COULD_NOT_VALIDATE' })
})

test('an account needs a name, and a valid contact address if any', () => {
  for (const wrong of [
    { name: '' },
    { name: 'n', contactEmail: 'no-address' },
    { name: 'n', description: 'a\u0000b' },
  ]) {
    assert.throws(() => accountFromBody(wrong), { name: 'AppError', code: 'COULD_NOT_VALIDATE' })
  }
})
