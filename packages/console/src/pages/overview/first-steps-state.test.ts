import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isEmptyInstallation, stepsDone } from './first-steps-state.ts'

test('an installation is empty until it has a signer and a second identity', () => {
  assert.equal(isEmptyInstallation({ externalJwtSigners: 0, identities: 1 }), true)
  assert.equal(isEmptyInstallation({ externalJwtSigners: 1, identities: 1 }), true)
  assert.equal(isEmptyInstallation({ externalJwtSigners: 0, identities: 2 }), true)
  assert.equal(isEmptyInstallation({ externalJwtSigners: 1, identities: 2 }), false)
})

test('each step is done by what it leaves behind', () => {
  assert.deepEqual(stepsDone({}, {}), { provider: false, token: false, person: false })
  assert.deepEqual(stepsDone({ externalJwtSigners: 1, identities: 2 }, { isTokenTested: true }), {
    provider: true,
    token: true,
    person: true,
  })
})
