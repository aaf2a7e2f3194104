import assert from 'node:assert/strict'
import { test } from 'node:test'
import { organizationFromBody, patchedOrganization } from './organization-settings.ts'

const BODY = { name: 'n', label: 'l' }

test('an organization is active unless the body says otherwise', () => {
  assert.deepEqual(organizationFromBody(BODY), { ...BODY, active: true })
  assert.deepEqual(organizationFromBody({ ...BODY, active: false }), { ...BODY, active: false })
})

test('a PATCH changes the given members', () => {
  const current = organizationFromBody({ ...BODY, active: false })
  assert.deepEqual(patchedOrganization(current, {}), current)
  assert.deepEqual(patchedOrganization(current, { label: 'm' }), { ...current, label: 'm' })
})

test('an organization needs a name and a label of plain text', () => {
  const current = organizationFromBody(BODY)
  for (const wrong of [{ name: '' }, { label: '' }, { name: 'a\u0000b' }, { label: 'a\u202eb' }]) {
    assert.throws(() => organizationFromBody({ ...BODY, ...wrong }), { name: 'AppError', code: 'COULD_NOT_VALIDATE' })
    assert.throws(() => patchedOrganization(current, wrong), { name: 'AppError', code: 'COULD_NOT_VALIDATE' })
  }
})
