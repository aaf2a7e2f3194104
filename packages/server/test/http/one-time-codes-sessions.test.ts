import assert from 'node:assert/strict'
import { test } from 'node:test'
import { buildApp, type TestApp } from './build-app.ts'
import { AUTHENTICATORS } from './identities.fixture.ts'
import {
  enrollTotp,
  MFA,
  makeUser,
  OWN_SESSION,
  startTotp,
  statusAndCode,
  submitCode,
} from './one-time-codes.fixture.ts'

const verify = (app: TestApp, session: string, code: string) =>
  app.call('POST', `${MFA}/verify`, { code }, { session }).then(statusAndCode)

test('E-11 codes that another session set up are neither shown nor verified nor removed', async (t) => {
  const app = await buildApp(t)
  const user = await makeUser(app)
  const thief = await user.logIn()
  const planted = await startTotp(app, thief)
  for (const path of [MFA, `${MFA}/qr-code`]) {
    assert.equal(statusAndCode(await app.call('GET', path, undefined, { session: user.session })), '404 NOT_FOUND')
    assert.equal((await app.call('GET', path, undefined, { session: thief })).status, 200)
  }
  const removed = await app.call('DELETE', MFA, undefined, { session: user.session })
  assert.equal(statusAndCode(removed), '404 NOT_FOUND')
  assert.equal(await verify(app, user.session, planted.code()), '404 NOT_FOUND')
  assert.equal(statusAndCode(await submitCode(app, user.session, planted.code())), '409 MFA_NOT_ENROLLED')
  const headers = { 'mfa-validation-code': planted.recoveryCodes[0] ?? '' }
  const listed = await app.call('GET', `${MFA}/recovery-codes`, undefined, { session: user.session, headers })
  assert.equal(statusAndCode(listed), '404 NOT_FOUND')
  assert.equal(await verify(app, thief, planted.code()), '200')
})

test('E-11 a set-up replaces one that another session left unverified, and not one of its own', async (t) => {
  const app = await buildApp(t)
  const user = await makeUser(app)
  const thief = await user.logIn()
  const planted = await startTotp(app, thief)
  const own = await startTotp(app, user.session)
  assert.notEqual(own.url, planted.url)
  const again = await app.call('POST', MFA, undefined, { session: user.session })
  assert.equal(statusAndCode(again), '409 MFA_EXISTS')
  assert.equal(statusAndCode(await app.call('GET', MFA, undefined, { session: thief })), '404 NOT_FOUND')
  assert.equal(await verify(app, user.session, planted.code()), '400 MFA_INVALID_TOKEN')
  assert.equal(await verify(app, user.session, own.code()), '200')
  const late = await app.call('POST', MFA, undefined, { session: thief })
  assert.equal(statusAndCode(late), '409 MFA_EXISTS', 'verified codes stay')
})

test('E-11 codes planted before a reset of the password are not shown after it', async (t) => {
  const app = await buildApp(t)
  const user = await makeUser(app)
  const planted = await startTotp(app, await user.logIn())
  const { data } = (await app.admin('GET', `/edge/management/v1/identities/${user.id}`)).json
  await app.admin('PATCH', `${AUTHENTICATORS}/${data.authenticators.updb.id}`, { password: 'brand-new-pass' })
  const session = await app.logIn(user.username, 'brand-new-pass')
  assert.equal(statusAndCode(await app.call('GET', MFA, undefined, { session })), '404 NOT_FOUND')
  const own = await enrollTotp(app, session)
  assert.notEqual(own.url, planted.url)
})

test('a session that ended leaves a set-up that the next one replaces, and verified codes are for all sessions', async (t) => {
  const app = await buildApp(t)
  const user = await makeUser(app)
  await startTotp(app, user.session)
  await app.call('DELETE', OWN_SESSION, undefined, { session: user.session })
  const session = await user.logIn()
  const device = await enrollTotp(app, session)
  const other = await user.logIn()
  assert.equal((await app.call('GET', MFA, undefined, { session: other })).json.data.isVerified, true)
  assert.equal(statusAndCode(await submitCode(app, other, device.code(1))), '200')
  const headers = { 'mfa-validation-code': device.recoveryCodes[0] ?? '' }
  assert.equal(statusAndCode(await app.call('DELETE', MFA, undefined, { session: other, headers })), '200')
})
