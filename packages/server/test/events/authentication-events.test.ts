import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ADMIN_PASSWORD, buildApp } from '../http/build-app.ts'
import { createPassword } from '../http/identities.fixture.ts'
import { partsOf, refusalOf, setUpProvider, signIn } from '../http/provider.fixture.ts'
import { eventLines, eventsOf } from './read-events.ts'

const AUTHENTICATE = '/edge/client/v1/authenticate?method=password'

describe('authentication events', () => {
  test('tell a sign-in by JWT with signer, identity and policy, and a refusal with its reason only', async (t) => {
    const { app, token, createSigner, createIdentity } = await setUpProvider(t)
    const signerId = await createSigner()
    const identityId = await createIdentity()
    assert.equal((await signIn(app, token())).status, 200)
    const { timestamp, request_id: id, ...accepted } = eventsOf(app.controller.events, 'authentication').at(-1)
    assert.deepEqual(accepted, {
      namespace: 'authentication',
      event_src_id: app.controller.events.nodeId,
      type: 'ext-jwt',
      event_type: 'success',
      success: true,
      reason: '',
      authenticator_id: '',
      external_jwt_signer_id: signerId,
      identity_id: identityId,
      auth_policy_id: 'default',
      remote_address: '127.0.0.1',
      improper_client_cert_chain: false,
    })
    assert.ok(Math.abs(Date.parse(timestamp) - app.clock.now()) < 60_000 && id !== '')

    const requestId = await refusalOf(signIn(app, token({ exp: 1 })))
    const refused = eventsOf(app.controller.events, 'authentication').at(-1)
    assert.deepEqual(
      [refused.event_type, refused.success, refused.type, refused.reason, refused.request_id],
      ['fail', false, 'ext-jwt', 'token-expired', requestId],
    )
    assert.deepEqual([refused.external_jwt_signer_id, refused.identity_id, refused.auth_policy_id], ['', '', ''])
    await refusalOf(signIn(app))
    assert.equal(eventsOf(app.controller.events, 'authentication').at(-1).reason, 'token-missing')
  })

  test('tell a sign-in by password with its authenticator, and a refusal with whose password it was', async (t) => {
    const app = await buildApp(t)
    const { id } = await app.makeIdentity()
    const accepted = eventsOf(app.controller.events, 'authentication').at(-1)
    assert.deepEqual([accepted.type, accepted.success, accepted.identity_id], ['password', true, id])
    assert.notEqual(accepted.authenticator_id, '')

    await app.call('POST', AUTHENTICATE, { username: 'admin', password: 'wrong-password' })
    const refused = eventsOf(app.controller.events, 'authentication').at(-1)
    assert.deepEqual([refused.success, refused.reason], [false, 'wrong-password'])
    assert.notEqual(refused.identity_id, '')
    await app.call('POST', AUTHENTICATE, { username: 'nobody', password: 'wrong-password' })
    const unknown = eventsOf(app.controller.events, 'authentication').at(-1)
    assert.deepEqual([unknown.reason, unknown.identity_id], ['unknown-user', ''])
  })

  test('R-11 hold no token, password or user name that was typed', async (t) => {
    const { app, token, createSigner, createIdentity } = await setUpProvider(t)
    await createSigner()
    const identityId = await createIdentity()
    const good = token()
    const session = (await signIn(app, good)).json.data.token as string
    const refused = [token({ exp: 1 }), token({ aud: 'elsewhere' }), token({ sub: 'nobody' })]
    for (const bad of refused) await refusalOf(signIn(app, bad))
    const { username, password } = await createPassword(app, identityId)
    const own = await app.logIn(username, password)
    await app.call('POST', AUTHENTICATE, { username: 'a-password-in-the-wrong-field', password })
    const told = eventLines(app.controller.events).filter((line) => line.includes('"authentication"'))
    assert.ok(told.length >= 6)
    const secrets = [...[good, ...refused].flatMap(partsOf), session, own, password, ADMIN_PASSWORD, app.adminSession]
    for (const secret of [...secrets, 'a-password-in-the-wrong-field']) assert.ok(!told.join('\n').includes(secret))
  })

  test('R-04 of a flood of good tokens for unknown identities a bounded share is told', async (t) => {
    const { app, token, createSigner } = await setUpProvider(t)
    await createSigner()
    const before = app.controller.events.last
    const refused = token({ sub: 'nobody' })
    const attempts = 1_500
    for (let count = 0; count < attempts; count += 50) {
      await Promise.all(Array.from({ length: 50 }, () => signIn(app, refused)))
    }
    const { sampledOut } = app.controller.events.counts
    const told = app.controller.events.last - before
    assert.equal(told + sampledOut, attempts)
    assert.ok(sampledOut > 0 && told >= 250, `${told} told, ${sampledOut} left out`)
  })
})
