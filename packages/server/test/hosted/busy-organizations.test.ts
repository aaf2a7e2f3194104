/** An organization that writes as much as it can, while others log in. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { accountFromBody } from '@countersign/core'
import { BY_OPERATOR } from '../../src/operations/api-account/client-binding.ts'
import { createApiAccount } from '../../src/operations/api-account/create-api-account.ts'
import { ADMIN_PASSWORD } from '../http/build-app.ts'
import { setUpHosted } from './hosted.fixture.ts'

const PROVIDERS = '/identity/v1/identity-providers'
const ACCOUNTS = 500
const WRITES = 100

test('F-14 a login overtakes the writes of an organization, even if it disables a provider with many accounts again and again', async (t) => {
  const { app, createOrganization, createProvider, createAccount, token, call } = await setUpHosted(t)
  const organizationId = await createOrganization('BUSY')
  const providerId = await createProvider('auth0', { organizationId })
  await createAccount(await createProvider('cognito', { organizationId }), 'boss', { organizationId })
  const addAccount = (nth: number) => {
    const owners = { id: randomUUID(), organizationId, identityProviderId: providerId }
    const settings = accountFromBody({ name: `account ${nth}` })
    const client = { clientId: `client ${nth}`, registrationUri: null, sealedRegistrationToken: null }
    const meta = { actorId: 'system', now: app.clock.now() }
    return app.store.run(createApiAccount, { ...owners, settings, client, binding: BY_OPERATOR }, meta)
  }
  await Promise.all(Array.from({ length: ACCOUNTS }, (_, nth) => addAccount(nth)))
  const bearer = token('cognito', 'boss')
  let answered = 0
  const write = async (nth: number) => {
    const reply = await call('PATCH', `${PROVIDERS}/${providerId}`, bearer, { enabled: nth % 2 === 1 })
    answered++
    return reply.status
  }
  assert.equal(await write(0), 200)
  answered = 0
  const writes = Array.from({ length: WRITES }, (_, nth) => write(nth + 1))
  await app.logIn('admin', ADMIN_PASSWORD)
  assert.ok(answered < WRITES / 2, `the login waited for ${answered} writes`)
  assert.deepEqual(new Set(await Promise.all(writes)), new Set([200]))
})
