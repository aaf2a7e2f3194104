import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { makeTestCertificate, mintKeyFrom, mintToken } from '@countersign/testkit'
import { OidcClient, settingsFile } from '../oidc/oidc.fixture.ts'
import { buildApp, type TestApp } from './build-app.ts'
import { enrollTotp, makeUser, SELF, STEP_MS, submitCode } from './one-time-codes.fixture.ts'
import { logInByPasskey, makePerson, mustRegister } from './passkeys.fixture.ts'

const MAX = 5

const buildLimited = (t: TestContext) =>
  buildApp(t, { settings: { config: settingsFile(t, `session:\n  maxPerIdentity: ${MAX}\n`) } })

const countOf = async ({ store }: TestApp, identityId: string) =>
  (await store.db.selectFrom('api_sessions').select('id').where('identity_id', '=', identityId).execute()).length

const isLive = async (app: TestApp, session: string, headers = {}) =>
  (await app.call('GET', SELF, undefined, { session, headers })).status === 200

test('I-12 sessions without their one-time code end before those that have passed it', async (t) => {
  const app = await buildLimited(t)
  const user = await makeUser(app)
  const device = await enrollTotp(app, user.session)
  const logIn = async () => {
    app.clock.advance(STEP_MS)
    const session = await user.logIn()
    assert.equal((await submitCode(app, session, device.code())).status, 200)
    return session
  }
  const owner = await logIn()
  assert.deepEqual([await isLive(app, user.session), await isLive(app, owner)], [true, true])
  const client = new OidcClient(app)
  for (let attempt = 0; attempt < 3 * MAX; attempt += 1) {
    app.clock.advance(20)
    if (attempt % 3 === 2) await client.logInByPassword(await client.begin(), user.username, user.password)
    else await user.logIn()
  }
  assert.equal(await countOf(app, user.id), MAX)
  assert.deepEqual([await isLive(app, user.session), await isLive(app, owner)], [true, true])

  const complete: string[] = []
  for (let login = 0; login < MAX; login += 1) complete.push(await logIn())
  assert.deepEqual([await isLive(app, user.session), await isLive(app, owner)], [false, false], 'complete ones do')
  for (const session of complete) assert.equal(await isLive(app, session), true)
  assert.equal(await countOf(app, user.id), MAX)
  await user.logIn()
  await user.logIn()
  const live = await Promise.all(complete.map((session) => isLive(app, session)))
  assert.equal(live.filter(Boolean).length, MAX - 1, 'the first of the two needs a place, the second takes that one')
})

test('I-12 a login by passkey ends sessions that lack theirs first', async (t) => {
  const app = await buildLimited(t)
  const person = await makePerson(app, { requirePasskey: true })
  await mustRegister(app, person)
  for (let attempt = 0; attempt < MAX; attempt += 1) {
    app.clock.advance(20)
    await person.logIn()
  }
  assert.equal((await logInByPasskey(app, person.device)).status, 200)
  assert.equal(await isLive(app, person.session), true)
  assert.equal(await countOf(app, person.id), MAX)
})

test('I-12 sessions that never had their second token end before those that had it', async (t) => {
  const app = await buildLimited(t)
  const user = await makeUser(app, { externalId: 'alice' })
  const certificate = makeTestCertificate({ kind: 'ec256', commonName: 'second' })
  const issuer = 'https://second.example'
  const signer = { name: 'second', enabled: true, issuer, audience: 'second', kid: 'second', certPem: certificate.pem }
  const management = '/edge/management/v1'
  const made = await app.admin('POST', `${management}/ext-jwt-signers`, { ...signer, useExternalId: true })
  assert.equal(made.status, 201, made.text)
  const policy = (await app.admin('GET', `${management}/auth-policies/default`)).json.data
  const secondary = { requireTotp: false, requireExtJwtSigner: made.json.data.id }
  const strict = await app.admin('POST', `${management}/auth-policies`, { ...policy, name: 'strict', secondary })
  await app.admin('PATCH', `${management}/identities/${user.id}`, { authPolicyId: strict.json.data.id })
  const exp = Math.floor(app.clock.now() / 1000) + 600
  const key = mintKeyFrom(certificate.privateKey, 'P-256', 'second')
  const bearer = mintToken({ key, claims: { iss: issuer, aud: 'second', sub: 'alice', exp } })
  const headers = { authorization: `Bearer ${bearer}` }
  const [owner, unused] = [user.session, await user.logIn()]
  app.clock.advance(20)
  assert.equal(await isLive(app, owner, headers), true)
  const isStored = () =>
    app.store.db
      .selectFrom('api_sessions')
      .select('id')
      .where('identity_id', '=', user.id)
      .whereRef('updated_at', '>', 'created_at')
      .executeTakeFirst()
  while (!(await isStored())) await sleep(5)
  for (let attempt = 0; attempt < 3 * MAX; attempt += 1) {
    app.clock.advance(20)
    await user.logIn()
  }
  assert.equal(await countOf(app, user.id), MAX)
  assert.deepEqual([await isLive(app, owner, headers), await isLive(app, unused, headers)], [true, false])
})
