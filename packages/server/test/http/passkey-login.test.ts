import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type CeremonyOptions, SoftwareAuthenticator } from '@countersign/testkit'
import { buildApp } from './build-app.ts'
import { statusAndCode } from './one-time-codes.fixture.ts'
import {
  beginLogin,
  CLIENT,
  callAtHost,
  HOST,
  isComplete,
  lastReason,
  logInByPasskey,
  MANAGEMENT,
  makePerson,
  mustRegister,
  ORIGIN,
  sendLogin,
} from './passkeys.fixture.ts'

const MINUTE_MS = 60_000

test('X-01 logs in with a passkey, without a user name, under both APIs', async (t) => {
  const app = await buildApp(t)
  const person = await makePerson(app)
  const passkeyId = await mustRegister(app, person)
  const reply = await logInByPasskey(app, person.device)
  assert.equal(reply.status, 200, reply.text)
  const { token, identity, authenticatorId, authQueries } = reply.json.data
  assert.deepEqual([identity.id, authenticatorId, authQueries], [person.id, passkeyId, []])
  assert.equal(await isComplete(app, token), true)
  const passkey = await person.device.get(await beginLogin(app))
  const managed = await callAtHost(app, 'POST', `${MANAGEMENT}/authenticate?method=passkey`, { passkey })
  assert.equal(managed.status, 200, managed.text)
  const [shown] = (await app.admin('GET', `${MANAGEMENT}/identities/${person.id}/passkeys`)).json.data
  assert.equal(shown.rpId, 'controller.example.com')
  assert.notEqual(shown.lastUsedAt, null)
  const owner = (await app.admin('GET', `${MANAGEMENT}/identities/${person.id}`)).json.data
  assert.equal(owner.lastLoginMethod, 'passkey')
  assert.equal(app.events('authentication').at(-1).type, 'passkey')
})

test('every algorithm of passkeys logs in, and authenticators without a counter', async (t) => {
  const app = await buildApp(t)
  const person = await makePerson(app)
  for (const algorithm of ['ES256', 'RS256', 'EdDSA'] as const) {
    const device = new SoftwareAuthenticator(ORIGIN, { algorithm, counts: false })
    await mustRegister(app, { ...person, device })
    for (const _ of [1, 2]) assert.equal((await logInByPasskey(app, device)).status, 200, algorithm)
  }
})

test('the options require user verification and name no identity', async (t) => {
  const app = await buildApp(t)
  const person = await makePerson(app)
  await mustRegister(app, person)
  const { challenge, ...options } = await beginLogin(app)
  assert.ok(Buffer.from(challenge, 'base64url').length >= 32)
  assert.deepEqual(options, { rpId: 'controller.example.com', timeout: 300_000, userVerification: 'required' })
})

test('X-02 refuses a response of another page, without user verification, or for another ceremony', async (t) => {
  const app = await buildApp(t)
  const person = await makePerson(app)
  await mustRegister(app, person)
  const cases: [string, CeremonyOptions][] = [
    ['passkey-origin', { origin: 'https://controller.example.com.evil.example' }],
    ['passkey-origin', { origin: 'https://controller.example.com:1281' }],
    ['passkey-origin', { origin: 'http://controller.example.com:1280' }],
    ['passkey-origin', { clientData: { crossOrigin: true } }],
    ['passkey-origin', { rpId: 'evil.example' }],
    ['passkey-unverified', { isUserVerified: false }],
    ['passkey-unverified', { isUserPresent: false }],
    ['passkey-malformed', { type: 'webauthn.create' }],
    ['passkey-challenge', { challenge: Buffer.from('not ours').toString('base64url') }],
    ['passkey-of-another', { userHandle: Buffer.from('another').toString('base64url') }],
  ]
  for (const [reason, options] of cases) {
    const reply = await logInByPasskey(app, person.device, options)
    assert.equal(statusAndCode(reply), '401 INVALID_AUTH', JSON.stringify(options))
    assert.equal(reply.json.error.cause, undefined)
    assert.equal(await lastReason(app, reply.json.error.requestId), reason)
  }
  assert.equal((await logInByPasskey(app, person.device)).status, 200)
})

test('X-02 a challenge works once, for five minutes', async (t) => {
  const app = await buildApp(t)
  const person = await makePerson(app)
  await mustRegister(app, person)
  const passkey = await person.device.get(await beginLogin(app))
  assert.equal((await sendLogin(app, passkey)).status, 200)
  const replayed = await sendLogin(app, passkey)
  assert.equal(statusAndCode(replayed), '401 INVALID_AUTH')
  const options = await beginLogin(app)
  const first = await person.device.get(options)
  const again = await person.device.get(options)
  assert.equal((await sendLogin(app, first)).status, 200)
  assert.equal(statusAndCode(await sendLogin(app, again)), '401 INVALID_AUTH')
  const [early, late] = [await beginLogin(app), await beginLogin(app)]
  app.clock.advance(5 * MINUTE_MS - 5_000)
  assert.equal((await sendLogin(app, await person.device.get(early))).status, 200)
  app.clock.advance(5_000)
  const expired = await sendLogin(app, await person.device.get(late))
  assert.equal(await lastReason(app, expired.json.error.requestId), 'passkey-challenge')
})

test('X-02 concurrent requests with one response open one session', async (t) => {
  const app = await buildApp(t)
  const person = await makePerson(app)
  person.device = new SoftwareAuthenticator(ORIGIN, { counts: false })
  await mustRegister(app, person)
  const passkey = await person.device.get(await beginLogin(app))
  const replies = await Promise.all(Array.from({ length: 8 }, () => sendLogin(app, passkey)))
  assert.deepEqual(replies.filter(({ status }) => status === 200).length, 1)
})

test('X-06 a counter that goes back is refused', async (t) => {
  const app = await buildApp(t)
  const person = await makePerson(app)
  await mustRegister(app, person)
  assert.equal((await logInByPasskey(app, person.device, { counter: 7 })).status, 200)
  for (const counter of [7, 6, 0]) {
    const reply = await logInByPasskey(app, person.device, { counter })
    assert.equal(await lastReason(app, reply.json.error.requestId), 'passkey-counter')
  }
  assert.equal((await logInByPasskey(app, person.device, { counter: 8 })).status, 200)
})

test('refuses a wrong signature, an unknown passkey and the passkey of another controller', async (t) => {
  const app = await buildApp(t)
  const person = await makePerson(app)
  await mustRegister(app, person)
  const passkey = await person.device.get(await beginLogin(app))
  const signature = Buffer.from(passkey.response.signature, 'base64url')
  signature[10] = (signature[10] ?? 0) ^ 1
  const forged = { ...passkey, response: { ...passkey.response, signature: signature.toString('base64url') } }
  const refused = await sendLogin(app, forged)
  assert.equal(await lastReason(app, refused.json.error.requestId), 'passkey-signature')
  assert.equal((await sendLogin(app, passkey)).status, 200)
  const stranger = new SoftwareAuthenticator(ORIGIN)
  await stranger.create({ challenge: 'AAAA', rp: { id: 'controller.example.com' }, user: { id: 'AAAA' } })
  const unknown = await logInByPasskey(app, stranger)
  assert.equal(await lastReason(app, unknown.json.error.requestId), 'passkey-unknown')
})

test('X-01 only an enabled identity whose policy allows passkeys logs in, as of now', async (t) => {
  const app = await buildApp(t)
  const person = await makePerson(app)
  await mustRegister(app, person)
  const policy = `${MANAGEMENT}/auth-policies/${person.authPolicyId}`
  const session = (await logInByPasskey(app, person.device)).json.data.token
  const setAllowed = (allowed: boolean) => app.admin('PATCH', policy, { primary: { passkey: { allowed } } })
  assert.equal((await setAllowed(false)).status, 200)
  assert.equal(await isComplete(app, session), false)
  const notAllowed = await logInByPasskey(app, person.device)
  assert.equal(await lastReason(app, notAllowed.json.error.requestId), 'not-allowed')
  assert.equal((await setAllowed(true)).status, 200)
  assert.equal((await logInByPasskey(app, person.device)).status, 200)
  const identity = `${MANAGEMENT}/identities/${person.id}`
  assert.equal((await app.admin('POST', `${identity}/disable`, { durationMinutes: 0 })).status, 200)
  const disabled = await logInByPasskey(app, person.device)
  assert.equal(await lastReason(app, disabled.json.error.requestId), 'disabled')
  assert.equal((await app.admin('POST', `${identity}/enable`)).status, 200)
  assert.equal((await logInByPasskey(app, person.device)).status, 200)
})

test('passkeys need a host name of the controller, and the refusal says so', async (t) => {
  const app = await buildApp(t)
  const begin = (host: string) =>
    app.call('POST', `${CLIENT}/authenticate/passkey-options`, undefined, { headers: { host } })
  assert.equal((await begin(HOST)).status, 200)
  const byAddress = await begin('127.0.0.1:1280')
  assert.equal(statusAndCode(byAddress), '409 PASSKEY_UNAVAILABLE')
  assert.match(byAddress.json.error.cause.message, /host name/)
  assert.equal(statusAndCode(await begin('evil.example:1280')), '409 PASSKEY_UNAVAILABLE')
})

test('a body without the response of a passkey is invalid, and so is one with wrong members', async (t) => {
  const app = await buildApp(t)
  const person = await makePerson(app)
  await mustRegister(app, person)
  const passkey = await person.device.get(await beginLogin(app))
  const login = (body: unknown) => callAtHost(app, 'POST', `${CLIENT}/authenticate?method=passkey`, body)
  assert.equal((await login({})).status, 400)
  assert.equal((await login({ passkey: { ...passkey, id: 7 } })).status, 400)
  assert.equal((await login({ passkey: { ...passkey, type: 'password' } })).status, 400)
  assert.equal((await login({ passkey: { ...passkey, id: 'A'.repeat(2000) } })).status, 400)
  assert.equal((await login({ passkey: { ...passkey, response: { ...passkey.response, signature: '' } } })).status, 400)
  assert.equal((await login({ passkey })).status, 200)
})
