import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type JsonObject, readKeySet } from '@countersign/core'
import { mintKey, mintKeySet, mintToken } from '@countersign/testkit'
import { pruneOidc } from '../../src/operations/upkeep/prune-oidc.ts'
import { SETTINGS } from '../../src/platform/settings/settings.ts'
import { createPolicy } from '../http/auth-policies.fixture.ts'
import { ADMIN_PASSWORD, buildApp, type TestApp } from '../http/build-app.ts'
import { enrollTotp, MFA, makeUser } from '../http/one-time-codes.fixture.ts'
import { CLIENT, COMPLETE, callAtHost, newDevice, PASSKEYS } from '../http/passkeys.fixture.ts'
import { logInWithToken, SIGNERS, setUpProvider } from '../http/provider.fixture.ts'
import { sendLogout, setUpChannels } from '../http/provider-channels.fixture.ts'
import { race } from '../races/race.fixture.ts'
import { claimsOf, HOST, ISSUER, OidcClient, settingsFile, type Tokens } from './oidc.fixture.ts'

const MANAGEMENT = '/edge/management/v1'
const OWN_SESSION = '/edge/client/v1/current-api-session'

/** Whether access token, refresh token and exchange of a session are all refused, as they must be once it has ended. */
async function assertEnded(client: OidcClient, tokens: Tokens, why: string): Promise<void> {
  assert.equal((await client.get(tokens.access_token)).status, 401, `${why}: the access token`)
  const refreshed = await client.refresh(tokens.refresh_token)
  assert.deepEqual([refreshed.status, refreshed.json.error], [400, 'invalid_grant'], `${why}: the refresh token`)
  for (const [subject, token] of [
    ['refresh_token', tokens.refresh_token],
    ['access_token', tokens.access_token],
  ] as const) {
    const exchanged = await client.exchange(token, { subject, requested: subject })
    assert.deepEqual([exchanged.status, exchanged.json.error], [400, 'invalid_grant'], `${why}: exchange, ${subject}`)
  }
}

async function assertLive(client: OidcClient, { access_token: token }: Pick<Tokens, 'access_token'>): Promise<void> {
  const reply = await client.get(token)
  assert.equal(reply.status, 200, reply.text)
}

/** What ends the sessions of an identity, and how. Each is tried with a session that is live before. */
const ENDS: Readonly<Record<string, (app: TestApp, user: { id: string }, tokens: Tokens) => Promise<unknown>>> = {
  'the identity is disabled': (app, { id }) =>
    app.admin('POST', `${MANAGEMENT}/identities/${id}/disable`, { durationMinutes: 0 }),
  'the identity is deleted': (app, { id }) => app.admin('DELETE', `${MANAGEMENT}/identities/${id}`),
  'its password is changed': async (app, { id }) => {
    const { authenticators } = (await app.admin('GET', `${MANAGEMENT}/identities/${id}`)).json.data
    const path = `${MANAGEMENT}/authenticators/${authenticators.updb.id}`
    return app.admin('PATCH', path, { password: 'another-password' })
  },
  'its authenticator is deleted': async (app, { id }) => {
    const { authenticators } = (await app.admin('GET', `${MANAGEMENT}/identities/${id}`)).json.data
    return app.admin('DELETE', `${MANAGEMENT}/authenticators/${authenticators.updb.id}`)
  },
  'its policy no longer allows the method': async (app, { id }) => {
    const policy = (await app.admin('GET', `${MANAGEMENT}/auth-policies/default`)).json.data
    const primary = { ...policy.primary, updb: { ...policy.primary.updb, allowed: false } }
    const body = { name: 'no passwords', primary, secondary: policy.secondary }
    const { data } = (await app.admin('POST', `${MANAGEMENT}/auth-policies`, body)).json
    return app.admin('PATCH', `${MANAGEMENT}/identities/${id}`, { authPolicyId: data.id })
  },
  'a revocation names the session': (app, _, tokens) =>
    app.admin('POST', `${MANAGEMENT}/revocations`, { id: claimsOf(tokens.access_token).z_asid, type: 'API_SESSION' }),
  'a revocation names the identity': (app, { id }) =>
    app.admin('POST', `${MANAGEMENT}/revocations`, { id, type: 'IDENTITY' }),
  'an administrator deletes the session': (app, _, tokens) =>
    app.admin('DELETE', `${MANAGEMENT}/api-sessions/${claimsOf(tokens.access_token).z_asid}`),
  'the client logs out': (app, _, tokens) =>
    app.call('DELETE', OWN_SESSION, undefined, { headers: { authorization: `Bearer ${tokens.access_token}` } }),
  'the refresh token is revoked': (app, _, tokens) =>
    new OidcClient(app).call('POST', '/oidc/revoke', { form: { token: tokens.refresh_token, client_id: 'openziti' } }),
  'the session is ended by its id token': (app, _, tokens) =>
    new OidcClient(app).call('GET', `/oidc/end_session?id_token_hint=${tokens.id_token}`),
}

for (const [why, end] of Object.entries(ENDS)) {
  test(`U-03 access and refresh tokens are refused at once when ${why}`, async (t) => {
    const app = await buildApp(t)
    const client = new OidcClient(app)
    const user = await makeUser(app)
    const tokens = await client.logIn(user.username, user.password)
    const others = await client.logIn()
    await assertLive(client, tokens)
    await end(app, user, tokens)
    await assertEnded(client, tokens, why)
    await assertLive(client, others)
  })
}

test('U-03 tokens of an identity that was disabled stay refused once it is enabled again', async (t) => {
  const app = await buildApp(t)
  const client = new OidcClient(app)
  const user = await makeUser(app)
  const tokens = await client.logIn(user.username, user.password)
  await app.admin('POST', `${MANAGEMENT}/identities/${user.id}/disable`, { durationMinutes: 0 })
  await app.admin('POST', `${MANAGEMENT}/identities/${user.id}/enable`)
  await assertEnded(client, tokens, 'disabled before')
  await assertLive(client, await client.logIn(user.username, user.password))
})

test('U-03 a signer that is disabled ends the sessions of its tokens', async (t) => {
  const { app, token, createSigner, createIdentity } = await setUpProvider(t)
  const client = new OidcClient(app)
  const signerId = await createSigner()
  await createIdentity()
  const login = await client.begin()
  const headers = { authorization: `Bearer ${token()}` }
  assert.equal((await client.call('POST', '/oidc/login/ext-jwt', { json: { id: login.id }, headers })).status, 302)
  const tokens = await client.finish(login)
  await assertLive(client, tokens)
  await app.admin('PATCH', `${SIGNERS}/${signerId}`, { enabled: false })
  await assertEnded(client, tokens, 'the signer is disabled')
})

test('an administrator who is demoted loses the rights at the next call', async (t) => {
  const app = await buildApp(t)
  const client = new OidcClient(app)
  const user = await makeUser(app, { isAdmin: true })
  const { access_token: token } = await client.logIn(user.username, user.password)
  assert.equal((await client.get(token, `${MANAGEMENT}/identities`)).status, 200)
  await app.admin('PATCH', `${MANAGEMENT}/identities/${user.id}`, { isAdmin: false })
  assert.equal((await client.get(token, `${MANAGEMENT}/identities`)).status, 401)
  assert.equal((await client.get(token)).status, 200)
})

test('W-63 a revocation by jti ends one access token, also in a write that is under way', async (t) => {
  const app = await buildApp(t)
  const client = new OidcClient(app)
  const tokens = await client.logIn()
  const { json: other } = await client.refresh(tokens.refresh_token)
  const { jti } = claimsOf(tokens.access_token)
  await assertLive(client, tokens)
  const reply = await app.admin('POST', `${MANAGEMENT}/revocations`, {
    id: String(jti).toUpperCase(),
    type: 'JTI',
    tags: { why: 'lost' },
  })
  assert.equal(reply.status, 201, reply.text)
  assert.deepEqual(reply.json.data, { _links: { self: { href: `./revocations/${jti}` } }, id: jti })
  const refused = await client.get(tokens.access_token)
  assert.equal(refused.status, 401)
  assert.match(refused.headers['www-authenticate'] ?? '', /realm="openziti-oidc" error="invalid"/)
  await assertLive(client, other)
  const shown = await app.admin('GET', `${MANAGEMENT}/revocations/${jti}`)
  const { type, tags, expiresAt, createdAt } = shown.json.data
  assert.deepEqual({ type, tags }, { type: 'JTI', tags: { why: 'lost' } })
  assert.ok(Date.parse(expiresAt) - Date.parse(createdAt) >= 86_400_000)
  assert.equal((await app.admin('POST', `${MANAGEMENT}/revocations`, { id: jti, type: 'JTI' })).status, 201, 'again')
  const filter = encodeURIComponent(`id="${jti}"`)
  const listed = await app.admin('GET', `${MANAGEMENT}/revocations?filter=${filter}`)
  assert.equal(listed.json.meta.pagination.totalCount, 1)
  assert.deepEqual(listed.json.meta.filterableFields.toSorted(), [
    ...['createdAt', 'expiresAt', 'id', 'isSystem', 'issuedBefore', 'tags', 'type', 'updatedAt'],
  ])
})

test('W-63 a revocation by the jti of a refresh token ends its use, and that alone', async (t) => {
  const app = await buildApp(t)
  const client = new OidcClient(app)
  const [tokens, others] = [await client.logIn(), await client.logIn()]
  const { jti } = claimsOf(tokens.refresh_token)
  assert.equal((await app.admin('POST', `${MANAGEMENT}/revocations`, { id: jti, type: 'JTI' })).status, 201)
  const refused = await client.refresh(tokens.refresh_token)
  assert.deepEqual([refused.status, refused.json.error], [400, 'invalid_grant'])
  const exchanged = await client.exchange(tokens.refresh_token, { requested: 'access_token' })
  assert.deepEqual([exchanged.status, exchanged.json.error], [400, 'invalid_grant'])
  await assertLive(client, tokens)
  assert.equal((await client.refresh(others.refresh_token)).status, 200)
})

test('W-63 a revocation by jti outlives tokens that were issued under longer settings', async (t) => {
  const config = settingsFile(t, 'oidc:\n  accessTokenSeconds: 60\n  refreshTokenSeconds: 120\n')
  const app = await buildApp(t, { settings: { config } })
  const jti = '03458712-ec4e-433b-a5ea-7f3a6b01b94d'
  await app.admin('POST', `${MANAGEMENT}/revocations`, { id: jti, type: 'JTI' })
  const now = app.clock.now()
  const isKept = async (days: number) => {
    await app.store.run(pruneOidc, {}, { actorId: 'system', now: now + days * 86_400_000 })
    return (await app.store.db.selectFrom('revocations').select('id').execute()).length === 1
  }
  assert.equal(await isKept(29.9), true)
  assert.equal(await isKept(30.1), false)
  for (const { schema } of [SETTINGS.oidc.accessTokenSeconds, SETTINGS.oidc.refreshTokenSeconds]) {
    assert.ok(Number(schema.maximum) <= 30 * 86_400)
  }
})

test('revocations are checked: their type, their id, and the rights of the actor', async (t) => {
  const app = await buildApp(t)
  const uuid = '03458712-ec4e-433b-a5ea-7f3a6b01b94d'
  const post = (body: unknown, session = app.adminSession) =>
    app.call('POST', `${MANAGEMENT}/revocations`, body, { session })
  assert.equal((await post({ id: uuid, type: 'API_SESSION' })).status, 201, 'it need not exist')
  for (const body of [{ id: uuid }, { type: 'JTI' }, { id: uuid, type: 'OTHER' }, { id: 'x', type: 'JTI' }]) {
    assert.equal((await post(body)).status, 400, JSON.stringify(body))
  }
  assert.equal((await post({ id: 'no-such-identity', type: 'IDENTITY' })).status, 404)
  for (const method of ['PUT', 'PATCH', 'DELETE']) {
    assert.equal((await app.admin(method, `${MANAGEMENT}/revocations/${uuid}`, {})).status, 405)
  }
  assert.equal((await app.admin('GET', '/edge/client/v1/revocations')).status, 404)
  const operator = await app.makeIdentity({ permissions: ['revocation'] })
  const { data } = (await app.call('GET', OWN_SESSION, undefined, { session: app.adminSession })).json
  const onAdmin = await post({ id: data.identityId, type: 'IDENTITY' }, operator.session)
  assert.equal(onAdmin.status, 401, 'not of an identity with more rights')
  const user = await makeUser(app)
  assert.equal((await post({ id: user.id, type: 'IDENTITY' }, operator.session)).status, 201)
  const stranger = await app.makeIdentity()
  assert.equal((await post({ id: uuid, type: 'JTI' }, stranger.session)).status, 401)
})

test('U-02 the revocation endpoint takes only tokens of its client, and stores nothing else', async (t) => {
  const app = await buildApp(t)
  const client = new OidcClient(app)
  const user = await makeUser(app)
  const tokens = await client.logIn(user.username, user.password)
  const { z_asid: sessionId, jti } = claimsOf(tokens.access_token)
  const { kid } = JSON.parse(Buffer.from(tokens.access_token.split('.')[0] ?? '', 'base64url').toString())
  const revoke = (token: string | undefined, clientId: string | undefined = 'openziti') =>
    client.call('POST', '/oidc/revoke', { form: { token, client_id: clientId } })
  for (const text of [user.id, sessionId, kid, jti, 'garbage', tokens.id_token]) {
    const reply = await revoke(text)
    assert.deepEqual([reply.status, reply.text], [200, ''])
  }
  assert.equal((await revoke(tokens.access_token, 'native')).status, 200)
  assert.equal((await revoke(tokens.refresh_token, 'native')).status, 200)
  assert.equal((await app.admin('GET', `${MANAGEMENT}/revocations`)).json.data.length, 0, 'nothing was stored')
  await assertLive(client, tokens)
  assert.equal((await client.call('GET', '/oidc/keys')).json.keys.length, 1)
  assert.equal((await revoke(undefined)).json.error, 'invalid_request')
  const noClient = await client.call('POST', '/oidc/revoke', { form: { token: tokens.access_token } })
  assert.equal(noClient.json.error, 'invalid_request')
  assert.equal((await client.call('POST', '/oidc/oauth/revoke')).status, 404)
  const { json: second } = await client.refresh(tokens.refresh_token)
  assert.equal((await revoke(tokens.access_token)).status, 200)
  assert.equal((await client.get(tokens.access_token)).status, 401)
  await assertLive(client, second)
  assert.equal((await revoke(second.refresh_token)).status, 200)
  assert.equal((await revoke(second.refresh_token)).status, 200, 'again')
  await assertEnded(client, second, 'revoked')
})

test('U-03 N-01 a change of own credentials writes nothing when its access token is revoked just before', async (t) => {
  const app = await buildApp(t)
  const client = new OidcClient(app)
  const user = await makeUser(app)
  let tokens = await client.logIn(user.username, user.password)
  const headersOf = (token: string) => ({ authorization: `Bearer ${token}` })
  const headers = headersOf(tokens.access_token)
  const begin = async (path: string) => {
    const reply = await callAtHost(app, 'POST', `${CLIENT}/${path}`, undefined, { headers })
    assert.equal(reply.status, 200, reply.text)
    return reply.json.data
  }
  const beginPasskey = () => begin('current-identity/passkey-options')
  const device = newDevice()
  const added = await callAtHost(
    app,
    'POST',
    PASSKEYS,
    { credential: await device.create(await beginPasskey()) },
    { headers },
  )
  assert.equal(added.status, 201, added.text)
  const requests: Readonly<Record<string, { readonly path: string; readonly body?: unknown }>> = {
    'passkey.register': { path: PASSKEYS, body: { credential: await newDevice().create(await beginPasskey()) } },
    'passkey.pass': {
      path: COMPLETE,
      body: { passkey: await device.get(await begin('current-api-session/passkey-options')) },
    },
    'totp.start': { path: MFA },
  }
  const newToken = async (): Promise<string> => {
    tokens = (await client.refresh(tokens.refresh_token)).json
    return tokens.access_token
  }
  for (const [name, request] of Object.entries(requests)) {
    const [token, other] = [await newToken(), await newToken()]
    /** Sends the request with the token. Another one is revoked just before the operation. */
    const send = async (sent: string, revoked: string) => {
      const credentials = { headers: headersOf(sent) }
      const revocation = { id: claimsOf(revoked).jti, type: 'JTI' }
      const { reply, ...result } = await race(
        { app },
        { credentials },
        { method: 'POST', ...request },
        name,
        async () => {
          assert.equal((await app.admin('POST', `${MANAGEMENT}/revocations`, revocation)).status, 201)
        },
      )
      return { ...result, status: reply.status }
    }
    assert.deepEqual(await send(token, token), { status: 401, hasWritten: true, hasChanged: false }, name)
    const accepted = await send(other, token)
    assert.deepEqual([Math.floor(accepted.status / 100), accepted.hasChanged], [2, true], name)
  }
})

test('U-02 a token that is revoked already costs no write when it is revoked again', async (t) => {
  const app = await buildApp(t)
  const client = new OidcClient(app)
  const tokens = await client.logIn()
  const { json: other } = await client.refresh(tokens.refresh_token)
  const revoke = async (token: string) => {
    app.clock.advance(1_000)
    const start = app.clock.now()
    assert.equal((await client.call('POST', '/oidc/revoke', { form: { token, client_id: 'openziti' } })).status, 200)
    const rows = await app.store.db.selectFrom('revocations').select('id').where('updated_at', '>=', start).execute()
    return rows.map(({ id }) => id)
  }
  const [jti, otherJti] = [tokens, other].map(({ access_token: token }) => claimsOf(token).jti)
  assert.deepEqual(await revoke(tokens.access_token), [jti])
  assert.deepEqual(await revoke(tokens.access_token), [])
  assert.equal((await client.get(tokens.access_token)).status, 401)
  await assertLive(client, other)
  await app.admin('POST', `${MANAGEMENT}/revocations`, { id: otherJti, type: 'JTI', tags: { why: 'lost' } })
  assert.deepEqual(await revoke(other.access_token), [])
  const { json } = await app.admin('GET', `${MANAGEMENT}/revocations/${otherJti}`)
  assert.deepEqual(json.data.tags, { why: 'lost' }, 'the holder does not replace the revocation of an administrator')
})

test('U-02 the tokens of a session that has ended cost no write when they are sent to end it', async (t) => {
  const app = await buildApp(t)
  const client = new OidcClient(app)
  const { refresh_token: token, id_token: hint } = await client.logIn()
  const runs = app.stores.map((store) => t.mock.method(store, 'run'))
  const revoke = async () => {
    const form = { token, client_id: 'openziti' }
    assert.equal((await client.call('POST', '/oidc/revoke', { form })).status, 200)
    assert.equal((await client.call('GET', `/oidc/end_session?id_token_hint=${hint}`)).status, 302)
    // The controller signs its record and updates its lists meanwhile.
    const names = runs.flatMap(({ mock }) => mock.calls.map((call) => String(call.arguments[0]?.name)))
    return names.filter((name) => name.startsWith('oidc')).length
  }
  assert.deepEqual([await revoke(), await revoke()], [1, 1])
})

test('end_session ends the sessions of the identity, and only with a good hint and address', async (t) => {
  const app = await buildApp(t)
  const client = new OidcClient(app)
  const user = await makeUser(app)
  const tokens = await client.logIn(user.username, user.password)
  const other = await client.logIn(user.username, user.password)
  const end = (members: Record<string, string>, method = 'GET') =>
    method === 'GET'
      ? client.call('GET', `/oidc/end_session?${new URLSearchParams(members)}`)
      : client.call('POST', '/oidc/end_session', { form: members })
  const hint = { id_token_hint: tokens.id_token }
  const bad = await end({ ...hint, post_logout_redirect_uri: 'https://evil.example/' })
  assert.deepEqual([bad.status, bad.json.error], [400, 'invalid_request'])
  assert.equal((await end({ id_token_hint: 'x' })).json.error, 'invalid_request')
  assert.equal((await end({ id_token_hint: tokens.access_token })).json.error, 'invalid_request')
  assert.equal((await end({})).headers.location, `${ISSUER}/logged-out`)
  await assertLive(client, tokens)
  const uri = 'openziti://auth/logout'
  const ended = await end({ ...hint, post_logout_redirect_uri: uri, state: 'Z' }, 'POST')
  assert.deepEqual([ended.status, ended.headers.location], [302, `${uri}?state=Z`])
  await assertEnded(client, tokens, 'end_session')
  await assertEnded(client, other, 'end_session')
  const next = await client.logIn(user.username, user.password)
  assert.equal((await end(hint)).status, 302, 'the hint of an ended session')
  await assertLive(client, next)
})

test('a session of the provider is listed, shown and logged out like any other', async (t) => {
  const app = await buildApp(t)
  const client = new OidcClient(app)
  const user = await makeUser(app)
  const { access_token: token } = await client.logIn(user.username, user.password)
  const { z_asid: id, iat, exp, z_authid: authenticatorId } = claimsOf(token)
  for (const api of ['client', 'management']) {
    const reply = await client.get(token, `/edge/${api}/v1/current-api-session`)
    const { data } = reply.json
    assert.equal(data.id, id)
    assert.equal(data.token, token)
    assert.deepEqual([Date.parse(data.createdAt), Date.parse(data.expiresAt)], [iat * 1000, exp * 1000])
    assert.ok(data.expirationSeconds <= 1800 && data.expirationSeconds > 1790)
    assert.deepEqual([data.authenticatorId, data.identityId], [authenticatorId, user.id])
    assert.equal(reply.headers['zt-session'], undefined)
  }
  const listed = await app.admin('GET', `${MANAGEMENT}/api-sessions?filter=${encodeURIComponent(`id="${id}"`)}`)
  assert.equal(listed.json.data[0].identityId, user.id)
  assert.equal((await app.admin('GET', `${MANAGEMENT}/api-sessions/${id}`)).status, 200)
  const headers = { authorization: `Bearer ${token}` }
  assert.equal((await client.call('DELETE', OWN_SESSION, { headers })).status, 200)
  assert.equal((await client.get(token)).status, 401)
  assert.equal((await app.admin('GET', `${MANAGEMENT}/api-sessions/${id}`)).status, 404)
})

test('the life of a session is published in events', async (t) => {
  const app = await buildApp(t)
  const client = new OidcClient(app)
  const user = await makeUser(app)
  const tokens = await client.logIn(user.username, user.password)
  const { z_asid: id } = claimsOf(tokens.access_token)
  const { json: next } = await client.refresh(tokens.refresh_token)
  await client.exchange(next.refresh_token, { requested: 'refresh_token' })
  await client.call('DELETE', OWN_SESSION, { headers: { authorization: `Bearer ${next.access_token}` } })
  const own = app.events('apiSession').filter((event) => event.id === id)
  assert.deepEqual(
    own.map((event) => [event.event_type, event.type, event.identity_id]),
    ['created', 'refreshed', 'exchanged', 'deleted'].map((type) => [type, 'jwt', user.id]),
  )
})

test('a use does not extend the session, and a session token beside an access token wins', async (t) => {
  const app = await buildApp(t)
  const client = new OidcClient(app)
  const { access_token: token } = await client.logIn('admin', ADMIN_PASSWORD, { scope: 'openid' })
  for (let minute = 0; minute < 29; minute++) {
    app.clock.advance(60_000)
    assert.equal((await client.get(token)).status, 200, `minute ${minute}`)
  }
  app.clock.advance(61_000)
  assert.equal((await client.get(token)).status, 401)
  const next = (await client.logIn()).access_token
  const session = await app.logIn('admin', ADMIN_PASSWORD)
  const both = (zt: string) => client.get(next, undefined, { 'zt-session': zt })
  assert.equal((await both(session)).status, 200)
  assert.equal((await both('bad')).status, 401)
  assert.equal((await both(next)).status, 401, 'a JWT is no session token')
})

test('other tokens beside an access token do no harm, and the first access token counts', async (t) => {
  const { app, token: mint, createSigner, createIdentity } = await setUpProvider(t)
  const client = new OidcClient(app)
  await createSigner()
  await createIdentity()
  const user = await makeUser(app)
  const one = (await client.logIn(user.username, user.password)).access_token
  const two = (await client.logIn()).access_token
  const call = (...tokens: string[]) =>
    client.call('GET', '/edge/client/v1/current-identity', {
      headers: { authorization: tokens.map((token) => `Bearer ${token}`) as unknown as string },
    })
  for (const before of [mint(), 'garbage', `${one.slice(0, -4)}AAAA`]) {
    const reply = await call(before, one)
    assert.equal(reply.status, 200, reply.text)
    assert.equal(reply.json.data.id, user.id)
  }
  assert.equal((await call(one, two)).json.data.id, user.id)
  assert.equal((await call(two, one)).json.data.name, 'admin')
  assert.equal((await call(mint())).status, 401, 'a token of a signer is no session')
  assert.equal((await logInWithToken(app, mint())).status, 200)
})

test('userinfo names the identity of an access token', async (t) => {
  const app = await buildApp(t)
  const client = new OidcClient(app)
  const user = await makeUser(app)
  const tokens = await client.logIn(user.username, user.password)
  for (const method of ['GET', 'POST']) {
    const info = await client.call(method, '/oidc/userinfo', {
      headers: { authorization: `Bearer ${tokens.access_token}` },
    })
    assert.equal(info.json.sub, user.id)
    assert.equal(typeof info.json.name, 'string')
  }
  const without = await client.call('GET', '/oidc/userinfo')
  assert.deepEqual(
    [without.status, without.json.error, without.headers['www-authenticate']],
    [401, 'invalid_request', 'Bearer'],
  )
  for (const token of [tokens.refresh_token, tokens.id_token, 'x']) {
    const reply = await client.call('GET', '/oidc/userinfo', { headers: { authorization: `Bearer ${token}` } })
    assert.deepEqual([reply.status, reply.json.error], [401, 'invalid_token'])
    assert.match(reply.headers['www-authenticate'] ?? '', /^Bearer error="invalid_token"/)
  }
})

test('U-03 userinfo refuses a session that lacks a second factor since its policy has changed', async (t) => {
  const app = await buildApp(t)
  const client = new OidcClient(app)
  const authPolicyId = await createPolicy(app)
  const user = await makeUser(app, { authPolicyId })
  const { access_token: token } = await client.logIn(user.username, user.password)
  const show = () => client.call('GET', '/oidc/userinfo', { headers: { authorization: `Bearer ${token}` } })
  assert.equal((await show()).status, 200)
  const path = `${MANAGEMENT}/auth-policies/${authPolicyId}`
  await app.admin('PATCH', path, { secondary: { requireTotp: true } })
  const refused = await show()
  assert.deepEqual([refused.status, refused.json.error], [401, 'invalid_token'])
})

test('a token is good on a node whose clock is up to a minute behind, and ends at its time', async (t) => {
  const app = await buildApp(t)
  const client = new OidcClient(app)
  const { access_token: early } = await client.logIn()
  app.clock.advance(-50_000)
  assert.equal((await client.get(early)).status, 200)
  app.clock.advance(50_000)
  const { access_token: tooEarly } = await client.logIn()
  app.clock.advance(-70_000)
  assert.equal((await client.get(tooEarly)).status, 401)
  app.clock.advance(70_000)
  assert.equal((await client.get(tooEarly)).status, 200)
  app.clock.advance(1_800_000)
  assert.equal((await client.get(tooEarly)).status, 401, 'no tolerance at its end')
})

test('a one-time code is exchanged for a token only in a session of the provider', async (t) => {
  const app = await buildApp(t)
  const client = new OidcClient(app)
  const user = await makeUser(app)
  const device = await enrollTotp(app, user.session)
  const path = `${OWN_SESSION}/totp-token`
  const legacy = await app.call('POST', path, { code: device.code(1) }, { session: user.session })
  assert.equal(legacy.json.error.code, 'INVALID_BACKING_TOKEN_TYPE')
  app.clock.advance(30_000)
  const login = await client.begin()
  await client.logInByPassword(login, user.username, user.password)
  await client.call('POST', '/oidc/login/totp', { json: { id: login.id, code: device.code() } })
  const { access_token: token } = await client.finish(login)
  app.clock.advance(30_000)
  const headers = { authorization: `Bearer ${token}` }
  const wrong = await client.call('POST', path, { json: { code: device.wrongCode() }, headers })
  assert.equal(wrong.status, 400)
  const reply = await client.call('POST', path, { json: { code: device.code() }, headers })
  assert.equal(reply.status, 200, reply.text)
  assert.equal(reply.json.meta, null)
  const { iss, aud, sub, z_asid, z_t, exp } = claimsOf(reply.json.data.token)
  const { z_asid: session } = claimsOf(token)
  assert.deepEqual(
    { iss, aud, sub, z_asid, z_t, exp },
    { iss: 'https://127.0.0.1:1280', aud: ['openziti'], sub: user.id, z_asid: session, z_t: 't', exp: undefined },
  )
  assert.equal((await client.get(reply.json.data.token)).status, 401, 'it is no access token')
})

test('U-12 a signer can not name this controller, and no signer accepts its tokens', async (t) => {
  const addresses = [HOST]
  let keys: JsonObject = { keys: [] }
  const key = mintKey('RSA')
  const fetchJwks = async () => ({ keySet: readKeySet(keys), freshForMs: undefined })
  const app = await buildApp(t, { addresses, fetchJwks })
  const client = new OidcClient(app)
  const body = (issuer: string) => ({
    name: 'own',
    enabled: true,
    issuer,
    audience: 'openziti',
    jwksEndpoint: 'https://idp.example/jwks',
  })
  for (const issuer of [ISSUER, `${ISSUER}/`, 'https://127.0.0.1:1280', 'HTTPS://127.0.0.1:1280/oidc']) {
    assert.equal((await app.admin('POST', SIGNERS, body(issuer))).status, 400, issuer)
  }
  // At this time the address is not yet one of the controller.
  const published = (await client.call('GET', '/oidc/keys')).json.keys
  keys = { keys: [...published, ...mintKeySet(key).keys] } as unknown as JsonObject
  const issuer = 'https://later.example:1280/oidc'
  assert.equal((await app.admin('POST', SIGNERS, body(issuer))).status, 201)
  addresses.push('later.example:1280')
  const login = await client.begin()
  await client.logInByPassword(login, 'admin', ADMIN_PASSWORD)
  const { access_token: own } = await client.finish(login, { headers: { host: 'later.example:1280' } })
  const { iss, sub, aud, exp } = claimsOf(own)
  assert.equal(iss, issuer)
  assert.equal((await logInWithToken(app, own)).status, 401, 'signed by this controller')
  const foreign = mintToken({ key, claims: { iss, sub, aud, exp } })
  assert.equal((await logInWithToken(app, foreign)).status, 200, 'the same claims, signed by the provider')
})

test('V-01 V-04 a back-channel logout of the signer ends sessions of the OpenID provider, and its revoked tokens open none', async (t) => {
  const { app, signerId, token, logoutToken } = await setUpChannels(t)
  const client = new OidcClient(app)
  const post = async (bearer: string) => {
    const login = await client.begin({ method: 'ext-jwt' })
    const headers = { authorization: `Bearer ${bearer}` }
    return { login, reply: await client.call('POST', '/oidc/login/ext-jwt', { json: { id: login.id }, headers }) }
  }
  const logIn = async (bearer: string): Promise<Tokens> => {
    const { login, reply } = await post(bearer)
    assert.equal(reply.status, 302, reply.text)
    return client.finish(login)
  }
  const old = token()
  const tokens = await logIn(old)
  const other = await logIn(token({ sub: 'bob@idp.example' }))
  assert.equal((await sendLogout(app, signerId, logoutToken())).status, 200)
  await assertEnded(client, tokens, 'logout at the provider')
  await assertLive(client, other)
  assert.equal((await post(old)).reply.status, 401)
  app.clock.advance(1_000)
  await assertLive(client, await logIn(token()))
})
