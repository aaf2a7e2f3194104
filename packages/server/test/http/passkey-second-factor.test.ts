import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type CeremonyOptions, SoftwareAuthenticator } from '@countersign/testkit'
import { buildApp } from './build-app.ts'
import { enrollTotp, statusAndCode, submitCode } from './one-time-codes.fixture.ts'
import {
  beginCompletion,
  beginLogin,
  beginRegistration,
  CLIENT,
  callAtHost,
  complete,
  isComplete,
  lastReason,
  logInByPasskey,
  MANAGEMENT,
  makePerson,
  mustRegister,
  ORIGIN,
  PASSKEYS,
  register,
} from './passkeys.fixture.ts'

const FACTOR = `${CLIENT}/authenticate/passkey`

test('X-03 a policy with requirePasskey makes sessions partial until a passkey completes them', async (t) => {
  const app = await buildApp(t)
  const person = await makePerson(app, { requirePasskey: true })
  await mustRegister(app, person)
  assert.equal(await isComplete(app, person.session), true, 'the session that added the passkey')
  const session = await person.logIn()
  assert.equal(await isComplete(app, session), false)
  const shown = await app.call('GET', `${CLIENT}/current-api-session`, undefined, { session })
  const query = { typeId: 'PASSKEY', provider: 'ziti', httpMethod: 'POST', httpUrl: './authenticate/passkey' }
  assert.deepEqual(shown.json.data.authQueries, [{ ...query, scopes: null, isPasskeyEnrolled: true }])
  const { allowCredentials } = await beginCompletion(app, session)
  assert.equal(allowCredentials.length, 1)
  const passed = await complete(app, session, person.device)
  assert.equal(passed.status, 200, passed.text)
  assert.equal(await isComplete(app, session), true)
  assert.equal((await app.admin('GET', `${MANAGEMENT}/identities/${person.id}`)).json.data.lastLoginMethod, 'password')
})

test('a login by passkey needs no second passkey', async (t) => {
  const app = await buildApp(t)
  const person = await makePerson(app, { requirePasskey: true })
  await mustRegister(app, person)
  const reply = await logInByPasskey(app, person.device)
  assert.deepEqual(reply.json.data.authQueries, [])
  assert.equal(await isComplete(app, reply.json.data.token), true)
})

test('requirePasskey applies to open sessions, and no longer when it is taken back', async (t) => {
  const app = await buildApp(t)
  const person = await makePerson(app)
  const setRequired = async (requirePasskey: boolean) => {
    const path = `${MANAGEMENT}/auth-policies/${person.authPolicyId}`
    const reply = await app.admin('PATCH', path, { secondary: { requirePasskey } })
    assert.equal(reply.status, 200, reply.text)
  }
  assert.equal(await isComplete(app, person.session), true)
  await setRequired(true)
  assert.equal(await isComplete(app, person.session), false)
  await setRequired(false)
  assert.equal(await isComplete(app, person.session), true)
})

test('X-02 X-03 refuses responses that do not belong to this session and its identity', async (t) => {
  const app = await buildApp(t)
  const person = await makePerson(app, { requirePasskey: true })
  await mustRegister(app, person)
  const other = await makePerson(app)
  await mustRegister(app, other)
  const session = await person.logIn()
  const send = (passkey: unknown) => callAtHost(app, 'POST', FACTOR, { passkey }, { session })
  const foreign = await complete(app, session, other.device)
  assert.equal(statusAndCode(foreign), '400 PASSKEY_INVALID')
  assert.equal(await lastReason(app, foreign.json.error.requestId), 'passkey-of-another')
  const cases: [string, CeremonyOptions][] = [
    ['passkey-unverified', { isUserVerified: false }],
    ['passkey-origin', { origin: 'https://evil.example' }],
    ['passkey-origin', { rpId: 'evil.example' }],
  ]
  for (const [reason, options] of cases) {
    const refused = await complete(app, session, person.device, options)
    assert.equal(statusAndCode(refused), '400 PASSKEY_INVALID')
    assert.equal(await lastReason(app, refused.json.error.requestId), reason)
  }
  const ofLogin = await send(await person.device.get(await beginLogin(app)))
  assert.equal(await lastReason(app, ofLogin.json.error.requestId), 'passkey-challenge')
  const ofOtherSession = await send(await person.device.get(await beginCompletion(app, await person.logIn())))
  assert.equal(await lastReason(app, ofOtherSession.json.error.requestId), 'passkey-challenge')
  assert.equal(await isComplete(app, session), false)
  const right = await person.device.get(await beginCompletion(app, session))
  assert.equal((await send(right)).status, 200)
  assert.equal(statusAndCode(await send(right)), '400 PASSKEY_INVALID', 'a response works once')
})

test('a passkey that the policy requires does not stand in for one-time codes', async (t) => {
  const app = await buildApp(t)
  const person = await makePerson(app, { requirePasskey: true })
  await mustRegister(app, person)
  const codes = await enrollTotp(app, person.session)
  const session = await person.logIn()
  assert.equal((await complete(app, session, person.device)).status, 200)
  assert.equal(await isComplete(app, session), false)
  assert.equal((await submitCode(app, session, codes.code(1))).status, 200)
  assert.equal(await isComplete(app, session), true)
})

test('X-04 a partial session adds only the first passkey, and only when it lacks nothing else', async (t) => {
  const app = await buildApp(t)
  const person = await makePerson(app, { requirePasskey: true })
  const options = `${CLIENT}/current-identity/passkey-options`
  const begin = (session: string) => callAtHost(app, 'POST', options, undefined, { session })
  const early = await person.logIn()
  const begun = await beginRegistration(app, early)
  await mustRegister(app, person)
  assert.equal(statusAndCode(await begin(await person.logIn())), '401 UNAUTHORIZED')
  const credential = await new SoftwareAuthenticator(ORIGIN).create(begun)
  const late = await callAtHost(app, 'POST', PASSKEYS, { credential }, { session: early })
  assert.equal(statusAndCode(late), '401 UNAUTHORIZED', 'begun before there was a passkey')
  const completed = await person.logIn()
  assert.equal((await complete(app, completed, person.device)).status, 200)
  assert.equal((await begin(completed)).status, 200)
  const withCodes = await makePerson(app, { requireTotp: true })
  assert.equal(statusAndCode(await begin(withCodes.session)), '401 UNAUTHORIZED')
  await enrollTotp(app, withCodes.session)
  assert.equal((await register(app, withCodes)).status, 201)
})

test('X-05 removing a passkey ends the sessions that rest on it, except the one that removes it', async (t) => {
  const app = await buildApp(t)
  const person = await makePerson(app, { requirePasskey: true })
  const id = await mustRegister(app, person)
  const keptDevice = new SoftwareAuthenticator(ORIGIN)
  const kept = await callAtHost(
    app,
    'POST',
    PASSKEYS,
    { credential: await keptDevice.create(await beginRegistration(app, person.session)) },
    { session: person.session },
  )
  assert.equal(kept.status, 201, kept.text)
  const opened = (await logInByPasskey(app, person.device)).json.data.token
  const byOther = (await logInByPasskey(app, keptDevice)).json.data.token
  const [completed, remover] = [await person.logIn(), await person.logIn()]
  assert.equal((await complete(app, completed, person.device)).status, 200)
  assert.equal((await complete(app, remover, person.device)).status, 200)
  const removed = await app.call('DELETE', `${PASSKEYS}/${id}`, undefined, { session: remover })
  assert.equal(removed.status, 200, removed.text)
  const isLive = async (session: string) =>
    (await app.call('GET', `${CLIENT}/current-api-session`, undefined, { session })).status === 200
  assert.deepEqual(await Promise.all([opened, completed, byOther, remover].map(isLive)), [false, false, true, true])
  assert.equal(await isComplete(app, remover), false, 'the passkey that completed it is gone')
  assert.equal(await isComplete(app, byOther), true)
  assert.equal((await complete(app, remover, keptDevice)).status, 200)
  assert.equal(await isComplete(app, remover), true)
})

test('X-03 one-time codes are not set up before the passkey that the owner has is used', async (t) => {
  const app = await buildApp(t)
  const person = await makePerson(app, { requirePasskey: true })
  await mustRegister(app, person)
  const path = `${MANAGEMENT}/auth-policies/${person.authPolicyId}`
  assert.equal((await app.admin('PATCH', path, { secondary: { requireTotp: true } })).status, 200)
  const session = await person.logIn()
  await assert.rejects(enrollTotp(app, session))
  assert.equal((await complete(app, session, person.device)).status, 200)
  await enrollTotp(app, session)
})
