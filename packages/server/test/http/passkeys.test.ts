import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type CeremonyOptions, SoftwareAuthenticator } from '@countersign/testkit'
import { buildApp } from './build-app.ts'
import { jwksBody } from './ext-jwt-signers.fixture.ts'
import { createIdentity } from './identities.fixture.ts'
import { statusAndCode } from './one-time-codes.fixture.ts'
import {
  beginRegistration,
  CLIENT,
  callAtHost,
  createPolicy,
  isComplete,
  logInByPasskey,
  MANAGEMENT,
  makePerson,
  mustRegister,
  newDevice,
  ORIGIN,
  PASSKEYS,
  register,
} from './passkeys.fixture.ts'
import { ISSUER, logInWithToken, SIGNERS, setUpProvider } from './provider.fixture.ts'

test('adds, lists, renames and removes own passkeys', async (t) => {
  const app = await buildApp(t)
  const { id: identityId, session, device } = await makePerson(app)
  const own = (method: string, path = '', body?: unknown) => app.call(method, `${PASSKEYS}${path}`, body, { session })
  const id = await mustRegister(app, { session, device })
  const [shown] = (await own('GET')).json.data
  const { _links, createdAt, updatedAt, ...members } = shown
  assert.deepEqual(members, {
    id,
    tags: {},
    name: 'laptop',
    rpId: 'controller.example.com',
    aaguid: '00112233-4455-6677-8899-aabbccddeeff',
    transports: ['internal'],
    isBackupEligible: true,
    isBackedUp: true,
    lastUsedAt: null,
  })
  assert.equal((await own('PATCH', `/${id}`, { name: ' phone ' })).status, 200)
  assert.equal((await own('GET', `/${id}`)).json.data.name, 'phone')
  for (const name of ['', '  ', 'a\u202eb', 'x'.repeat(257)]) {
    assert.equal((await own('PATCH', `/${id}`, { name })).status, 400, JSON.stringify(name))
  }
  assert.equal((await own('DELETE', `/${id}`)).status, 200)
  assert.equal((await own('DELETE', `/${id}`)).status, 404)
  assert.deepEqual((await own('GET')).json.data, [])
  assert.equal(statusAndCode(await logInByPasskey(app, device)), '401 INVALID_AUTH')
  const changes = app.events('entityChange').filter(({ entityType }) => entityType === 'passkeys')
  const recorded = changes.map(({ eventType, finalState, initialState }) => [
    eventType,
    (finalState ?? initialState)?.identityId,
  ])
  assert.deepEqual([...new Set(recorded.map(([, owner]) => owner ?? identityId))], [identityId])
})

test('the passkeys of others do not exist', async (t) => {
  const app = await buildApp(t)
  const owner = await makePerson(app)
  const id = await mustRegister(app, owner)
  const { session } = await makePerson(app)
  for (const [method, body] of [['GET'], ['DELETE'], ['PATCH', { name: 'mine' }]] as const) {
    const theirs = await app.call(method, `${PASSKEYS}/${id}`, body, { session })
    assert.equal(statusAndCode(theirs), '404 NOT_FOUND')
  }
  const own = await app.call('PATCH', `${PASSKEYS}/${id}`, { name: 'mine' }, { session: owner.session })
  assert.equal(own.status, 200)
})

test('the options require a discoverable passkey with user verification and no attestation', async (t) => {
  const app = await buildApp(t)
  const person = await makePerson(app)
  const id = await mustRegister(app, person)
  const { challenge: _challenge, user, excludeCredentials, ...options } = await beginRegistration(app, person.session)
  assert.equal(Buffer.from(user.id, 'base64url').toString(), person.id)
  assert.equal(excludeCredentials.length, 1)
  assert.notEqual(excludeCredentials[0].id, id)
  assert.deepEqual(options.rp, { name: 'Countersign', id: 'controller.example.com' })
  const { residentKey, userVerification } = options.authenticatorSelection
  assert.deepEqual([residentKey, userVerification, options.attestation], ['required', 'required', 'none'])
  const algorithms = options.pubKeyCredParams.map(({ alg }: { alg: number }) => alg)
  assert.deepEqual(algorithms, [-8, -7, -257])
})

test('X-07 refuses new passkeys of other pages, without user verification, or with certificates', async (t) => {
  const app = await buildApp(t)
  const person = await makePerson(app)
  const withCertificates = new Map<string, unknown>([
    ['alg', -7],
    ['sig', new Uint8Array(70)],
    ['x5c', [new Uint8Array(100)]],
  ])
  const cases: CeremonyOptions[] = [
    { origin: 'https://evil.example' },
    { rpId: 'evil.example' },
    { isUserVerified: false },
    { isUserPresent: false },
    { type: 'webauthn.get' },
    { challenge: Buffer.from('not ours').toString('base64url') },
    { clientData: { crossOrigin: true } },
    { format: 'packed', statement: withCertificates },
    { format: 'fido-u2f', statement: withCertificates },
  ]
  for (const options of cases) {
    assert.equal(statusAndCode(await register(app, person, options)), '400 PASSKEY_INVALID', JSON.stringify(options))
  }
  assert.equal((await register(app, person)).status, 201)
})

test('X-07 a new passkey has one text, whichever decoder reads it', async (t) => {
  const app = await buildApp(t)
  const { session, device } = await makePerson(app)
  const send = async (change: (text: string) => string) => {
    const credential = await device.create(await beginRegistration(app, session))
    const attestationObject = change(credential.response.attestationObject)
    const response = { ...credential.response, attestationObject }
    return callAtHost(app, 'POST', PASSKEYS, { credential: { ...credential, response } }, { session })
  }
  const others: readonly ((text: string) => string)[] = [
    (text) => text.replace('_', '/').replace('-', '+'),
    (text) => `${text}=`,
    (text) => ` ${text}`,
    (text) => `${text}!`,
  ]
  for (const change of others) {
    const reply = await send((text) => (/[-_]/.test(text) ? change(text) : `${text}=`))
    assert.equal(statusAndCode(reply), '400 PASSKEY_INVALID', String(change))
  }
  assert.equal((await send((text) => text)).status, 201)
})

test('X-07 the statement of an authenticator is not read: its signature proves nothing that is needed', async (t) => {
  const app = await buildApp(t)
  const person = await makePerson(app)
  const statement = new Map<string, unknown>([
    ['alg', -7],
    ['sig', new Uint8Array(70)],
  ])
  assert.equal((await register(app, person, { format: 'packed', statement })).status, 201)
  assert.equal((await logInByPasskey(app, person.device)).status, 200)
})

test('a registration works once, in the session and the five minutes it was begun for', async (t) => {
  const app = await buildApp(t)
  const person = await makePerson(app)
  const { session, device } = person
  const send = (credential: unknown, by = session) => callAtHost(app, 'POST', PASSKEYS, { credential }, { session: by })
  const options = await beginRegistration(app, session)
  const credential = await device.create(options)
  assert.equal(statusAndCode(await send(credential, await person.logIn())), '400 PASSKEY_INVALID')
  const added = await send(credential)
  assert.equal(added.status, 201, added.text)
  assert.equal(statusAndCode(await send(credential)), '400 PASSKEY_INVALID')
  assert.equal(statusAndCode(await send(await device.create(options))), '400 PASSKEY_INVALID')
  const late = await device.create(await beginRegistration(app, session))
  app.clock.advance(5 * 60_000)
  assert.equal(statusAndCode(await send(late)), '400 PASSKEY_INVALID')
  assert.equal((await register(app, person)).status, 201)
})

test('X-04 an old login does not add passkeys: a stolen session must not outlive itself', async (t) => {
  const app = await buildApp(t)
  const person = await makePerson(app)
  app.clock.advance(14 * 60_000)
  assert.equal((await register(app, person)).status, 201)
  app.clock.advance(2 * 60_000)
  assert.equal(statusAndCode(await register(app, person)), '403 FRESH_LOGIN_REQUIRED')
  assert.equal((await register(app, { ...person, session: await person.logIn() })).status, 201)
})

test('an identity has at most 20 passkeys, and a credential one owner', async (t) => {
  const app = await buildApp(t)
  const person = await makePerson(app)
  for (let count = 0; count < 19; count += 1) await mustRegister(app, person)
  const [last, tooMany] = [await register(app, person), await register(app, person)]
  assert.deepEqual([last.status, statusAndCode(tooMany)], [201, '409 PASSKEY_LIMIT_REACHED'])
})

test('X-05 administrators list and remove the passkeys of a lost device; its sessions end', async (t) => {
  const app = await buildApp(t)
  const person = await makePerson(app)
  const id = await mustRegister(app, person)
  const opened = (await logInByPasskey(app, person.device)).json.data.token
  const passkeys = `${MANAGEMENT}/identities/${person.id}/passkeys`
  assert.deepEqual(
    (await app.admin('GET', passkeys)).json.data.map((passkey: { id: string }) => passkey.id),
    [id],
  )
  const other = await makePerson(app)
  const wrong = await app.admin('DELETE', `${MANAGEMENT}/identities/${other.id}/passkeys/${id}`)
  assert.equal(statusAndCode(wrong), '404 NOT_FOUND')
  assert.equal((await app.admin('GET', `${MANAGEMENT}/identities/unknown/passkeys`)).status, 404)
  assert.equal(await isComplete(app, opened), true)
  assert.equal((await app.admin('DELETE', `${passkeys}/${id}`)).status, 200)
  assert.equal(await isComplete(app, opened), false)
  assert.equal(await isComplete(app, person.session), true)
  assert.equal(statusAndCode(await logInByPasskey(app, person.device)), '401 INVALID_AUTH')
  const device = new SoftwareAuthenticator(ORIGIN)
  assert.equal((await register(app, { session: person.session, device })).status, 201)
})

test('D35 only administrators remove the passkeys of administrators', async (t) => {
  const app = await buildApp(t)
  const administrator = await makePerson(app, {}, { isAdmin: true })
  const person = await makePerson(app)
  const helper = await makePerson(app, {}, { permissions: ['identity'] })
  const ids = [await mustRegister(app, administrator), await mustRegister(app, person)]
  const remove = (owner: string, id = '') => {
    const path = `${MANAGEMENT}/identities/${owner}/passkeys/${id}`
    return app.call('DELETE', path, undefined, { session: helper.session })
  }
  assert.equal(statusAndCode(await remove(administrator.id, ids[0])), '401 UNAUTHORIZED')
  assert.equal((await remove(person.id, ids[1])).status, 200)
})

test('the last way of the last administrator to log in can not be removed', async (t) => {
  const app = await buildApp(t)
  const admins = (await app.admin('GET', `${MANAGEMENT}/identities?filter=isDefaultAdmin`)).json.data
  const policy = `${MANAGEMENT}/auth-policies/default`
  const patched = await app.admin('PATCH', policy, { primary: { passkey: { allowed: true } } })
  assert.equal(patched.status, 200, patched.text)
  const [first, second] = [new SoftwareAuthenticator(ORIGIN), new SoftwareAuthenticator(ORIGIN)]
  const ids = [
    await mustRegister(app, { session: app.adminSession, device: first }),
    await mustRegister(app, { session: app.adminSession, device: second }),
  ]
  const authenticators = (await app.admin('GET', `${MANAGEMENT}/identities/${admins[0].id}/authenticators`)).json.data
  for (const { id } of authenticators) {
    const deleted = await app.admin('DELETE', `${MANAGEMENT}/authenticators/${id}`)
    assert.equal(deleted.status, 200, deleted.text)
  }
  const session = (await logInByPasskey(app, first)).json.data.token
  const remove = (id = '') => app.call('DELETE', `${PASSKEYS}/${id}`, undefined, { session })
  assert.equal((await remove(ids[1])).status, 200)
  assert.notEqual((await remove(ids[0])).status, 200)
  assert.equal(await isComplete(app, session), true)
})

test('a list of the caller has no passkey without a session', async (t) => {
  const app = await buildApp(t)
  assert.equal((await app.call('GET', PASSKEYS)).status, 401)
  assert.equal((await callAtHost(app, 'POST', `${CLIENT}/current-identity/passkey-options`)).status, 401)
})

test('X-04 a login by an untrusted signer adds no passkey, which would remain when the identity gets rights', async (t) => {
  const { app, token } = await setUpProvider(t)
  const authPolicyId = await createPolicy(app)
  const id = await createIdentity(app, { externalId: 'bob', authPolicyId })
  const { session } = await app.makeIdentity({ permissions: ['external-jwt-signer.create'] })
  const body = jwksBody({ issuer: ISSUER, audience: 'overlay', useExternalId: true })
  const signer = await app.call('POST', SIGNERS, body, { session })
  assert.equal(signer.status, 201, signer.text)
  const logIn = async (): Promise<string> => (await logInWithToken(app, token({ sub: 'bob' }))).json.data.token
  const device = newDevice()
  assert.equal(statusAndCode(await register(app, { session: await logIn(), device })), '403 TRUSTED_LOGIN_REQUIRED')
  assert.equal((await app.admin('POST', `${SIGNERS}/${signer.json.data.id}/trust`)).status, 200)
  assert.equal((await register(app, { session: await logIn(), device })).status, 201)
  assert.equal((await app.admin('GET', `${MANAGEMENT}/identities/${id}/passkeys`)).json.data.length, 1)
})
