import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ADMIN_PASSWORD, buildApp } from '../http/build-app.ts'
import { LOG_IN, makeHolder, overTls } from '../http/client-certificates.fixture.ts'
import { createPassword } from '../http/identities.fixture.ts'
import { enrollTotp, MFA, makeUser, STEP_MS, submitCode } from '../http/one-time-codes.fixture.ts'
import { decisionOf, logInWithToken, partsOf, refusalOf, setUpProvider } from '../http/provider.fixture.ts'
import { eventLines } from './read-events.ts'

const AUTHENTICATE = '/edge/client/v1/authenticate?method=password'

describe('authentication events', () => {
  test('report a login by JWT with signer, identity and policy, and a refusal with its reason only', async (t) => {
    const { app, token, createSigner, createIdentity } = await setUpProvider(t)
    const signerId = await createSigner()
    const identityId = await createIdentity()
    assert.equal((await logInWithToken(app, token())).status, 200)
    const { timestamp, request_id: id, event_src_id: node, ...accepted } = app.events('authentication').at(-1)
    assert.deepEqual(accepted, {
      namespace: 'authentication',
      type: 'ext-jwt',
      event_type: 'success',
      success: true,
      reason: '',
      authenticator_id: '',
      external_jwt_signer_id: signerId,
      ca_id: '',
      identity_id: identityId,
      auth_policy_id: 'default',
      remote_address: '127.0.0.1',
      improper_client_cert_chain: false,
    })
    assert.ok(app.nodeIds.includes(node))
    assert.ok(Math.abs(Date.parse(timestamp) - app.clock.now()) < 60_000 && id !== '')

    const requestId = await refusalOf(logInWithToken(app, token({ exp: 1 })))
    const refused = app.events('authentication').at(-1)
    assert.deepEqual(
      [refused.event_type, refused.success, refused.type, refused.reason, refused.request_id],
      ['fail', false, 'ext-jwt', 'token-expired', requestId],
    )
    assert.deepEqual([refused.external_jwt_signer_id, refused.identity_id, refused.auth_policy_id], ['', '', ''])
    await refusalOf(logInWithToken(app))
    assert.equal(app.events('authentication').at(-1).reason, 'token-missing')
  })

  test('report a login by password with its authenticator, and a refusal with the owner of the password', async (t) => {
    const app = await buildApp(t)
    const { id } = await app.makeIdentity()
    const accepted = app.events('authentication').at(-1)
    assert.deepEqual([accepted.type, accepted.success, accepted.identity_id], ['password', true, id])
    assert.notEqual(accepted.authenticator_id, '')

    await app.call('POST', AUTHENTICATE, { username: 'admin', password: 'wrong-password' })
    const refused = app.events('authentication').at(-1)
    assert.deepEqual([refused.success, refused.reason], [false, 'wrong-password'])
    assert.notEqual(refused.identity_id, '')
    await app.call('POST', AUTHENTICATE, { username: 'unknown-user', password: 'wrong-password' })
    const unknown = app.events('authentication').at(-1)
    assert.deepEqual([unknown.reason, unknown.identity_id], ['unknown-user', ''])
  })

  test('report a login by certificate, with an improper chain if it was one, and a refusal', async (t) => {
    const app = await buildApp(t)
    const call = await overTls(app)
    const holder = await makeHolder(app)
    const whole = await call('POST', LOG_IN, holder)
    assert.equal(whole.status, 200, whole.text)
    const accepted = app.events('authentication').at(-1)
    assert.deepEqual(
      [accepted.type, accepted.success, accepted.identity_id, accepted.authenticator_id],
      ['cert', true, holder.id, holder.authenticatorId],
    )
    assert.equal(accepted.improper_client_cert_chain, false)
    assert.match(accepted.remote_address, /^127\.0\.0\.1:[0-9]+$/)
    assert.equal((await call('POST', LOG_IN, { ...holder, cert: holder.certPem })).status, 200)
    assert.equal(app.events('authentication').at(-1).improper_client_cert_chain, true)
    assert.equal((await call('POST', LOG_IN)).status, 401)
    const refused = app.events('authentication').at(-1)
    assert.deepEqual([refused.type, refused.success, refused.identity_id], ['cert', false, ''])
    assert.notEqual(refused.reason, '')
  })

  test('report a one-time code that completes a session, and wrong codes in every call', async (t) => {
    const app = await buildApp(t)
    const user = await makeUser(app)
    const device = await enrollTotp(app, user.session)
    const session = await user.logIn()
    const wrong = device.wrongCode()
    await submitCode(app, session, wrong)
    app.clock.advance(STEP_MS)
    const code = device.code()
    assert.equal((await submitCode(app, session, code)).status, 200)
    const headers = { 'mfa-validation-code': wrong }
    await app.call('GET', `${MFA}/recovery-codes`, undefined, { session, headers })
    const published = app.events('authentication').filter(({ type }) => type === 'totp')
    assert.deepEqual(
      published.map(({ event_type: type, success, reason }) => [type, success, reason]),
      [
        ['success', true, ''],
        ['fail', false, 'wrong-code'],
        ['success', true, ''],
        ['fail', false, 'wrong-code'],
      ],
    )
    assert.ok(published.every(({ identity_id: id, auth_policy_id: policy }) => id === user.id && policy === 'default'))
    const lines = eventLines(app.published).join('\n')
    for (const secret of [...device.recoveryCodes, device.url]) assert.ok(!lines.includes(secret))
  })

  test('report a login whose identity was disabled on another node at the same moment', async (t) => {
    const { app, token, createSigner, createIdentity } = await setUpProvider(t, { database: 'postgres' })
    await createSigner()
    const id = await createIdentity()
    assert.equal((await logInWithToken(app, token())).status, 200)
    // Before this node is notified of it.
    await app.store.db.updateTable('identities').set({ disabled_at: 1 }).where('id', '=', id).execute()
    const requestId = (await logInWithToken(app, token())).json.error.requestId
    const refused = app.events('authentication').at(-1)
    assert.deepEqual([refused.success, refused.reason, refused.request_id], [false, 'disabled', requestId])
    assert.match((await decisionOf(app, requestId)).missing.join(), /disabled or deleted/)
  })

  test('R-11 contain no token, password or entered user name', async (t) => {
    const { app, token, createSigner, createIdentity } = await setUpProvider(t)
    await createSigner()
    const identityId = await createIdentity()
    const good = token()
    const session = (await logInWithToken(app, good)).json.data.token as string
    const refused = [token({ exp: 1 }), token({ aud: 'elsewhere' }), token({ sub: 'unknown' })]
    for (const bad of refused) await refusalOf(logInWithToken(app, bad))
    const { username, password } = await createPassword(app, identityId)
    const own = await app.logIn(username, password)
    await app.call('POST', AUTHENTICATE, { username: 'a-password-in-the-wrong-field', password })
    const published = eventLines(app.published).filter((line) => line.includes('"authentication"'))
    assert.ok(published.length >= 6)
    const secrets = [...[good, ...refused].flatMap(partsOf), session, own, password, ADMIN_PASSWORD, app.adminSession]
    for (const secret of [...secrets, 'a-password-in-the-wrong-field'])
      assert.ok(!published.join('\n').includes(secret))
  })

  test('R-04 a bounded share of a flood of good tokens for unknown identities is published', async (t) => {
    const { app, token, createSigner } = await setUpProvider(t, { isAlone: 'controller' })
    await createSigner()
    const before = app.controller.events.last
    const refused = token({ sub: 'unknown' })
    const attempts = 1_500
    // Refusals are delayed after the first ones, so many are sent at a time.
    for (let count = 0; count < attempts; count += 500) {
      await Promise.all(Array.from({ length: 500 }, () => logInWithToken(app, refused)))
    }
    const { sampledOut } = app.controller.events.counts
    const published = app.controller.events.last - before
    assert.equal(published + sampledOut, attempts)
    assert.ok(sampledOut > 0 && published >= 250, `${published} published, ${sampledOut} left out`)
  })
})
