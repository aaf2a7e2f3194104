import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { newId } from '@countersign/core'
import { createApiSession } from '../../src/operations/api-session/start-session.ts'
import type { TestApp } from './build-app.ts'
import { AUTHENTICATORS, createPassword, IDENTITIES, OWN_SESSION } from './identities.fixture.ts'
import { enrollTotp, MFA, submitCode } from './one-time-codes.fixture.ts'
import { ALICE, logInWithToken, SIGNERS, setUpProvider } from './provider.fixture.ts'

/** An identity that logs in by password and by token, and a bystander. */
async function setUp(t: TestContext, members: Record<string, unknown> = {}) {
  const { app, token, createSigner, createIdentity } = await setUpProvider(t)
  const signerId = await createSigner()
  const id = await createIdentity(members)
  const { username, password, id: authenticatorId } = await createPassword(app, id)
  const byPassword = () => app.logIn(username, password)
  const byToken = async () => (await logInWithToken(app, token())).json.data.token as string
  const { session: bystander } = await app.makeIdentity()
  return { app, signerId, id, username, password, authenticatorId, byPassword, byToken, bystander }
}

async function isLive(app: TestApp, session: string): Promise<boolean> {
  return (await app.call('GET', OWN_SESSION, undefined, { session })).status === 200
}

async function liveOf<Name extends string>(app: TestApp, sessions: Readonly<Record<Name, string>>): Promise<Name[]> {
  const names = Object.keys(sessions) as Name[]
  const live: Name[] = []
  for (const name of names) if (await isLive(app, sessions[name])) live.push(name)
  return live
}

test('D54 a password that an administrator resets ends the sessions opened with it, and no others', async (t) => {
  const { app, id, authenticatorId, byPassword, byToken, bystander } = await setUp(t)
  const sessions = { first: await byPassword(), second: await byPassword(), byToken: await byToken(), bystander }
  const one = `${AUTHENTICATORS}/${authenticatorId}`
  assert.equal((await app.admin('PATCH', one, { username: 'renamed', tags: { a: 1 } })).status, 200)
  assert.deepEqual(await liveOf(app, sessions), ['first', 'second', 'byToken', 'bystander'], 'the password is the same')
  assert.equal((await app.admin('PATCH', one, { password: 'another-password' })).status, 200)
  assert.deepEqual(await liveOf(app, sessions), ['byToken', 'bystander'])
  assert.ok(await isLive(app, await app.logIn('renamed', 'another-password')))
  const ended = app.events('apiSession').filter((event) => event.event_type === 'deleted' && event.identity_id === id)
  assert.equal(ended.length, 2)
})

test('D54 an identity that changes its own password keeps the session that does it, and its other sessions end', async (t) => {
  const { app, authenticatorId, password, byPassword, byToken } = await setUp(t)
  const sessions = { stolen: await byPassword(), changing: await byPassword(), byToken: await byToken() }
  const own = `/edge/client/v1/current-identity/authenticators/${authenticatorId}`
  const change = (body: object) => app.call('PATCH', own, body, { session: sessions.changing })
  assert.equal((await change({ currentPassword: 'wrong', password: 'another-password' })).status, 401)
  assert.equal((await change({ currentPassword: password, username: 'renamed' })).status, 200)
  assert.deepEqual(await liveOf(app, sessions), ['stolen', 'changing', 'byToken'])
  assert.equal((await change({ currentPassword: password, password: 'another-password' })).status, 200)
  assert.deepEqual(await liveOf(app, sessions), ['changing', 'byToken'])
})

test('D54 a changed externalId ends the sessions of tokens that named it, and no others', async (t) => {
  for (const externalId of ['mallory@idp.example', null]) {
    const { app, id, byPassword, byToken, bystander } = await setUp(t)
    const sessions = { byToken: await byToken(), again: await byToken(), byPassword: await byPassword(), bystander }
    const one = `${IDENTITIES}/${id}`
    assert.equal((await app.admin('PATCH', one, { name: 'renamed', externalId: ALICE })).status, 200)
    assert.equal((await liveOf(app, sessions)).length, 4, 'the external id is the same')
    const body = { name: 'renamed', type: 'Default', isAdmin: false, ...(externalId && { externalId }) }
    assert.equal((await app.admin('PUT', one, body)).status, 200)
    assert.deepEqual(await liveOf(app, sessions), ['byPassword', 'bystander'])
    assert.equal((await app.admin('PATCH', one, { externalId: ALICE })).status, 200)
    assert.deepEqual(await liveOf(app, sessions), ['byPassword', 'bystander'], 'for good')
    assert.ok(await isLive(app, await byToken()))
  }
})

test('D54 an administrator who changes their own externalId keeps the session that does it', async (t) => {
  const { app, id, byToken } = await setUp(t, { isAdmin: true })
  const sessions = { other: await byToken(), changing: await byToken() }
  const change = { externalId: 'another@idp.example' }
  assert.equal((await app.call('PATCH', `${IDENTITIES}/${id}`, change, { session: sessions.changing })).status, 200)
  assert.deepEqual(await liveOf(app, sessions), ['changing'])
})

test('D54 one-time codes that are reset end the sessions that passed them, and no others', async (t) => {
  const { app, id, byPassword, byToken, bystander } = await setUp(t)
  const enrolling = await byPassword()
  const device = await enrollTotp(app, enrolling)
  const sessions = { enrolling, passed: await byToken(), partial: await byPassword(), bystander }
  assert.equal((await submitCode(app, sessions.passed, device.code(1))).status, 200)
  assert.equal((await app.admin('DELETE', `${IDENTITIES}/${id}/mfa`)).status, 200)
  assert.deepEqual(await liveOf(app, sessions), ['partial', 'bystander'])
})

test('D54 an identity that removes its own codes keeps the session that does it', async (t) => {
  const { app, byPassword } = await setUp(t)
  const sessions = { removing: await byPassword(), passed: await byPassword() }
  const device = await enrollTotp(app, sessions.removing)
  assert.equal((await submitCode(app, sessions.passed, device.code(1))).status, 200)
  const remove = (code = '') => {
    const headers = { 'mfa-validation-code': code }
    return app.call('DELETE', MFA, undefined, { session: sessions.removing, headers })
  }
  assert.equal((await remove(device.wrongCode())).status, 400)
  assert.deepEqual(await liveOf(app, sessions), ['removing', 'passed'])
  assert.equal((await remove(device.recoveryCodes[0])).status, 200)
  assert.deepEqual(await liveOf(app, sessions), ['removing'])
})

test('D54 a login under way while its credential changes opens no session', async (t) => {
  const { app, id, signerId, authenticatorId } = await setUp(t)
  const now = app.clock.now()
  const open = (basis: object) => {
    const life = { expiresAt: now + 1_000, endsAt: now + 1_000, maxPerIdentity: 10 }
    const client = { ipAddress: '', configTypes: [], envInfo: undefined, sdkInfo: undefined }
    const password = { method: 'password' as const, authenticatorId }
    const session = { id: newId(), tokenDigest: newId(), identityId: id, ...password, ...life, ...client, ...basis }
    return app.store.run(createApiSession, session, { actorId: id, now })
  }
  const digest = async () => {
    const rows = app.store.db.selectFrom('authenticators').select('password_digest').where('id', '=', authenticatorId)
    return (await rows.executeTakeFirstOrThrow()).password_digest ?? ''
  }
  const checked = await digest()
  await open({ comparedWith: checked })
  assert.equal((await app.admin('PATCH', `${AUTHENTICATORS}/${authenticatorId}`, { password: 'another' })).status, 200)
  await assert.rejects(open({ comparedWith: checked }), { code: 'INVALID_AUTH' })
  await open({ comparedWith: await digest() })

  const claims = { subject: null, providerSessionId: null, acr: null, amr: null, authenticatedAt: null }
  const revocable = { issuedAt: now, revocationKeys: [] }
  const byToken = (externalId: string | null) =>
    open({
      method: 'ext-jwt',
      token: {
        signerId,
        signerRevision: 1,
        sessionRevision: 1,
        externalId,
        expiresAt: now + 1_000,
        ...claims,
        ...revocable,
      },
    })
  assert.equal(await byToken(ALICE), 'opened')
  assert.equal(await byToken(null), 'opened')
  assert.equal((await app.admin('PATCH', `${IDENTITIES}/${id}`, { externalId: 'another' })).status, 200)
  await assert.rejects(byToken(ALICE), { code: 'INVALID_AUTH' })
  assert.equal(await byToken('another'), 'opened')
  assert.equal((await app.admin('PATCH', `${SIGNERS}/${signerId}`, { requiredClaims: { dept: ['it'] } })).status, 200)
  assert.equal(await byToken('another'), 'signer-changed')

  assert.equal((await app.admin('DELETE', `${AUTHENTICATORS}/${authenticatorId}`)).status, 200)
  await assert.rejects(open({ comparedWith: checked }), { code: 'INVALID_AUTH' })
})
