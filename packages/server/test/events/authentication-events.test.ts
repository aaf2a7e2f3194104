import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { ADMIN_PASSWORD, buildApp, stopTestPostgres } from '../http/build-app.ts'
import { LOG_IN, makeHolder, overTls } from '../http/client-certificates.fixture.ts'
import { createPassword } from '../http/identities.fixture.ts'
import { enrollTotp, MFA, makePerson, passCode, STEP_MS } from '../http/one-time-codes.fixture.ts'
import { decisionOf, partsOf, refusalOf, setUpProvider, signIn } from '../http/provider.fixture.ts'
import { eventLines, eventsOf } from './read-events.ts'

after(stopTestPostgres)

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

  test('tell a sign-in by certificate, with whether its chain was improper, and a refusal', async (t) => {
    const app = await buildApp(t)
    const call = await overTls(app)
    const holder = await makeHolder(app)
    const whole = await call('POST', LOG_IN, holder)
    assert.equal(whole.status, 200, whole.text)
    const accepted = eventsOf(app.controller.events, 'authentication').at(-1)
    assert.deepEqual(
      [accepted.type, accepted.success, accepted.identity_id, accepted.authenticator_id],
      ['cert', true, holder.id, holder.authenticatorId],
    )
    assert.equal(accepted.improper_client_cert_chain, false)
    assert.match(accepted.remote_address, /^127\.0\.0\.1:[0-9]+$/)
    assert.equal((await call('POST', LOG_IN, { ...holder, cert: holder.certPem })).status, 200)
    assert.equal(eventsOf(app.controller.events, 'authentication').at(-1).improper_client_cert_chain, true)
    assert.equal((await call('POST', LOG_IN)).status, 401)
    const refused = eventsOf(app.controller.events, 'authentication').at(-1)
    assert.deepEqual([refused.type, refused.success, refused.identity_id], ['cert', false, ''])
    assert.notEqual(refused.reason, '')
  })

  test('tell a one-time code that completes a session, and wrong ones wherever they are given', async (t) => {
    const app = await buildApp(t)
    const person = await makePerson(app)
    const device = await enrollTotp(app, person.session)
    const session = await person.logIn()
    const wrong = device.wrongCode()
    await passCode(app, session, wrong)
    app.clock.advance(STEP_MS)
    const code = device.code()
    assert.equal((await passCode(app, session, code)).status, 200)
    const headers = { 'mfa-validation-code': wrong }
    await app.call('GET', `${MFA}/recovery-codes`, undefined, { session, headers })
    const told = eventsOf(app.controller.events, 'authentication').filter(({ type }) => type === 'totp')
    assert.deepEqual(
      told.map(({ event_type: type, success, reason }) => [type, success, reason]),
      [
        ['success', true, ''],
        ['fail', false, 'wrong-code'],
        ['success', true, ''],
        ['fail', false, 'wrong-code'],
      ],
    )
    assert.ok(told.every(({ identity_id: id, auth_policy_id: policy }) => id === person.id && policy === 'default'))
    const lines = eventLines(app.controller.events).join('\n')
    for (const secret of [...device.recoveryCodes, device.url]) assert.ok(!lines.includes(secret))
  })

  test('tell a sign-in whose identity was disabled on another node at that very moment', async (t) => {
    const { app, token, createSigner, createIdentity } = await setUpProvider(t, { database: 'postgres' })
    await createSigner()
    const id = await createIdentity()
    assert.equal((await signIn(app, token())).status, 200)
    // So early that this node has not heard of it yet.
    await app.store.db.updateTable('identities').set({ disabled_at: 1 }).where('id', '=', id).execute()
    const requestId = (await signIn(app, token())).json.error.requestId
    const refused = eventsOf(app.controller.events, 'authentication').at(-1)
    assert.deepEqual([refused.success, refused.reason, refused.request_id], [false, 'disabled', requestId])
    assert.match((await decisionOf(app, requestId)).missing.join(), /disabled or deleted/)
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
