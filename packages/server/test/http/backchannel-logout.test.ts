import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mintKey } from '@countersign/testkit'
import { pruneRevocations, REVOCATION_LIMITS } from '../../src/operations/provider-channel/prune-revocations.ts'
import { createPassword } from './identities.fixture.ts'
import { ALICE, AUDIENCE, decisionOf, logInWithToken, refusalOf, SIGNERS } from './provider.fixture.ts'
import { channelPath, IDENTITIES, LOGOUT_EVENT, sendLogout, setUpChannels } from './provider-channels.fixture.ts'

const BOB = 'bob@idp.example'

test('V-01 a logout by sub ends the sessions of that subject and refuses its tokens, and no others', async (t) => {
  const { app, signerId, token, logIn, logoutToken, isLive } = await setUpChannels(t)
  const old = token()
  const sessions = [await logIn(), await logIn({ sid: 'one' })]
  const other = await logIn({ sub: BOB })
  const reply = await sendLogout(app, signerId, logoutToken())
  assert.deepEqual([reply.status, reply.text, reply.headers['cache-control']], [200, '', 'no-store'])
  for (const session of sessions) assert.equal(await isLive(session), false)
  assert.equal(await isLive(other), true)
  assert.equal((await logInWithToken(app, old)).status, 401)
  assert.equal((await logInWithToken(app, token({ iat: undefined }))).status, 401, 'no time, so it may be older')
  app.clock.advance(1_000)
  assert.equal(await isLive(await logIn()), true, 'a token that was issued after the logout')
})

test('V-01 a logout by sid ends the sessions of that login at the provider only', async (t) => {
  const { app, signerId, token, logIn, logoutToken, isLive } = await setUpChannels(t)
  const claims = [{ sid: 'one' }, { sid: 'two' }, {}]
  const [old, other] = [token(claims[0]), token(claims[1])]
  const [one = '', two = '', none = ''] = [await logIn(claims[0]), await logIn(claims[1]), await logIn(claims[2])]
  assert.equal((await sendLogout(app, signerId, logoutToken({ sub: undefined, sid: 'one' }))).status, 200)
  assert.deepEqual([await isLive(one), await isLive(two), await isLive(none)], [false, true, true])
  assert.equal((await logInWithToken(app, old)).status, 401)
  assert.equal((await logInWithToken(app, other)).status, 200)
})

test('V-01 with sid and sub both must match', async (t) => {
  const { app, signerId, token, logIn, logoutToken, isLive } = await setUpChannels(t)
  const session = await logIn({ sid: 'one' })
  const old = token({ sid: 'one' })
  for (const claims of [
    { sid: 'one', sub: BOB },
    { sid: 'two', sub: ALICE },
  ]) {
    assert.equal((await sendLogout(app, signerId, logoutToken(claims))).status, 200)
    assert.equal(await isLive(session), true)
    assert.equal((await logInWithToken(app, old)).status, 200)
  }
  assert.equal((await sendLogout(app, signerId, logoutToken({ sid: 'one', sub: ALICE }))).status, 200)
  assert.equal(await isLive(session), false)
  assert.equal((await logInWithToken(app, old)).status, 401)
})

test('V-02 a logout token with wrong claims, type, times or signature changes nothing', async (t) => {
  const { app, signerId, seconds, logIn, logoutToken, isLive, key } = await setUpChannels(t)
  const session = await logIn()
  const now = seconds()
  const stranger = { ...mintKey('RSA', 'stranger'), kid: key.kid }
  const bad: Readonly<Record<string, string>> = {
    'no events': logoutToken({ events: undefined }),
    'another event': logoutToken({ events: { 'https://other.example': {} } }),
    'event is a text': logoutToken({ events: { [LOGOUT_EVENT]: 'x' } }),
    'events is a list': logoutToken({ events: [LOGOUT_EVENT] }),
    nonce: logoutToken({ nonce: 'n' }),
    'null nonce': logoutToken({ nonce: null }),
    'neither sub nor sid': logoutToken({ sub: undefined }),
    'empty sub': logoutToken({ sub: '' }),
    'sub is a number': logoutToken({ sub: 1 }),
    'sub with NUL': logoutToken({ sub: 'a\0b' }),
    'sid with NUL': logoutToken({ sub: undefined, sid: 'a\0b' }),
    'jti with NUL': logoutToken({ jti: 'a\0b' }),
    'long sid': logoutToken({ sid: 's'.repeat(513) }),
    'no jti': logoutToken({ jti: undefined }),
    'no iat': logoutToken({ iat: undefined }),
    'no exp': logoutToken({ exp: undefined }),
    expired: logoutToken({ iat: now - 200, exp: now - 1 }),
    'two days old': logoutToken({ iat: now - 172_800 }),
    future: logoutToken({ iat: now + 120, exp: now + 240 }),
    issuer: logoutToken({ iss: 'https://other.example' }),
    audience: logoutToken({ aud: 'other' }),
    'typ at+jwt': logoutToken({}, { header: { typ: 'at+jwt' } }),
    'typ secevent+jwt': logoutToken({}, { header: { typ: 'secevent+jwt' } }),
    unsigned: logoutToken({}, { header: { alg: 'none' }, sign: () => Buffer.alloc(0) }),
    'foreign key': logoutToken({}, {}, stranger),
    'no JWT': 'nonsense',
  }
  for (const [what, token] of Object.entries(bad)) {
    const reply = await sendLogout(app, signerId, token)
    assert.equal(reply.status, 400, `${what}: ${reply.text}`)
    assert.deepEqual(Object.keys(reply.json), ['error', 'error_description'], what)
    assert.equal(reply.json.error, 'invalid_request')
    assert.equal(reply.headers['cache-control'], 'no-store')
    assert.equal(await isLive(session), true, what)
  }
  assert.deepEqual(await app.store.db.selectFrom('token_revocations').selectAll().execute(), [])
  assert.equal((await sendLogout(app, signerId, logoutToken({ sub: 'a \u00e9\u{1f511}b', jti: 'j 1' }))).status, 200)
  assert.equal(await isLive(session), true, 'another subject')
  for (const typ of ['logout+jwt', 'JWT', undefined, 'application/logout+jwt']) {
    const next = await logIn({ iat: seconds() })
    assert.equal((await sendLogout(app, signerId, logoutToken({}, { header: { typ } }))).status, 200, typ)
    assert.equal(await isLive(next), false)
    app.clock.advance(1_000)
  }
})

test('V-02 a logout token is used once', async (t) => {
  const { app, signerId, logIn, logoutToken, isLive } = await setUpChannels(t)
  const token = logoutToken()
  const [first, second] = await Promise.all([sendLogout(app, signerId, token), sendLogout(app, signerId, token)])
  assert.deepEqual([first.status, second.status].toSorted(), [200, 400])
  app.clock.advance(1_000)
  const session = await logIn()
  assert.equal((await sendLogout(app, signerId, token)).status, 400)
  assert.equal(await isLive(session), true)
  assert.equal((await sendLogout(app, signerId, logoutToken())).status, 200)
  assert.equal(await isLive(session), false)
})

test('V-02 a body that is not a form with one logout token is a 400', async (t) => {
  const { app, signerId, logoutToken } = await setUpChannels(t)
  const path = channelPath(signerId, 'backchannel-logout')
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  const token = logoutToken()
  const bodies: [Readonly<Record<string, string>>, string][] = [
    [{ 'content-type': 'application/json' }, JSON.stringify({ logout_token: token })],
    [{ 'content-type': 'text/plain' }, `logout_token=${token}`],
    [form, ''],
    [form, 'other=1'],
    [form, `logout_token=${token}&logout_token=${token}`],
    [{ 'content-type': `${form['content-type']}; boundary=x` }, `logout_token=${token}`],
    [{ 'content-type': 'text/plain; charset=ISO-8859-1' }, `logout_token=${token}`],
  ]
  for (const [headers, raw] of bodies) {
    const reply = await app.call('POST', path, undefined, { headers, raw })
    assert.equal(reply.status, 400, raw)
    assert.equal(reply.json.error, 'invalid_request')
  }
  const long = await app.call('POST', path, undefined, { headers: form, raw: `logout_token=${'x'.repeat(2_000_000)}` })
  assert.equal(long.status, 413)
  assert.equal(long.json.error, 'invalid_request')
  const accept = { ...form, accept: 'text/html' }
  assert.equal((await app.call('POST', path, undefined, { headers: accept, raw: `logout_token=${token}` })).status, 200)
  for (const charset of ['ISO-8859-1', '"utf-8"', 'UTF-8']) {
    const headers = { 'content-type': `${form['content-type']};charset=${charset}` }
    const reply = await app.call('POST', path, undefined, { headers, raw: `logout_token=${logoutToken()}` })
    assert.equal(reply.status, 200, charset)
  }
})

test('V-02 a logout token never logs in, and a login token never logs out', async (t) => {
  const { app, signerId, token, logIn, logoutToken, isLive } = await setUpChannels(t)
  const session = await logIn()
  for (const typ of ['logout+jwt', 'JWT', undefined]) {
    assert.equal((await logInWithToken(app, logoutToken({}, { header: { typ } }))).status, 401)
  }
  assert.equal((await sendLogout(app, signerId, token({ jti: 'x' }))).status, 400)
  assert.equal(await isLive(session), true)
})

test('V-02 the audience may be the client id, or a further audience of the signer', async (t) => {
  const { app, signerId, logoutToken } = await setUpChannels(t, { clientId: 'web', additionalAudiences: ['more'] })
  for (const aud of [AUDIENCE, 'web', 'more', ['web', 'x']]) {
    assert.equal((await sendLogout(app, signerId, logoutToken({ aud }))).status, 200)
  }
  assert.equal((await sendLogout(app, signerId, logoutToken({ aud: 'x' }))).status, 400)
  await app.admin('PATCH', `${SIGNERS}/${signerId}`, { clientId: '' })
  assert.equal((await sendLogout(app, signerId, logoutToken({ aud: 'web' }))).status, 400)
})

test('V-03 D55 a disabled, untrusted or unknown signer ends nothing', async (t) => {
  const { app, signerId, logIn, logoutToken, isLive } = await setUpChannels(t)
  const session = await logIn()
  const unknown = await sendLogout(app, 'unknown', logoutToken())
  assert.equal(unknown.status, 400)
  await app.admin('PATCH', `${SIGNERS}/${signerId}`, { enabled: false })
  assert.equal((await sendLogout(app, signerId, logoutToken())).status, 400)
  await app.admin('PATCH', `${SIGNERS}/${signerId}`, { enabled: true })
  const { session: writer } = await app.makeIdentity({ permissions: ['external-jwt-signer', 'identity'] })
  const untrust = await app.call('PATCH', `${SIGNERS}/${signerId}`, { clockSkewSeconds: 1 }, { session: writer })
  assert.equal(untrust.status, 200, untrust.text)
  assert.equal((await sendLogout(app, signerId, logoutToken())).status, 400)
  assert.equal(await isLive(session), true)
  await app.admin('POST', `${SIGNERS}/${signerId}/trust`)
  assert.equal((await sendLogout(app, signerId, logoutToken())).status, 200)
  assert.equal(await isLive(session), false)
})

test('V-03 D63 only identities that the signer created, or that an administrator linked to it, are concerned', async (t) => {
  const { app, signerId, token, createIdentity, logoutToken, isLive, find } = await setUpChannels(t)
  const id = await createIdentity()
  const old = token()
  const session = (await logInWithToken(app, old)).json.data.token
  assert.equal((await sendLogout(app, signerId, logoutToken())).status, 200)
  assert.equal(await isLive(session), true)
  assert.equal((await logInWithToken(app, old)).status, 200, 'its tokens are not refused either')
  const { session: helper } = await app.makeIdentity({ permissions: ['identity'] })
  const patch = (body: unknown, as: string) => app.call('PATCH', `${IDENTITIES}/${id}`, body, { session: as })
  assert.equal((await patch({ linkedSigners: [signerId] }, helper)).status, 401, 'only an administrator links')
  assert.equal((await patch({ linkedSigners: ['unknown'] }, app.adminSession)).status, 404)
  assert.equal((await patch({ linkedSigners: [signerId] }, app.adminSession)).status, 200)
  assert.equal((await patch({ name: 'alice 2' }, helper)).status, 200)
  assert.deepEqual((await find()).linkedSigners, [signerId])
  assert.equal((await logInWithToken(app, old)).status, 401, 'the earlier logout counts from now on')
  assert.equal((await sendLogout(app, signerId, logoutToken())).status, 200)
  assert.equal(await isLive(session), false)
})

test('V-03 D63 a signer ends no sessions of another signer, of a password or of the last administrator', async (t) => {
  const { app, signerId, token, createSigner, createIdentity, logIn, logoutToken, isLive, find } =
    await setUpChannels(t)
  const other = await createSigner({ name: 'other', audience: 'other' })
  await logIn()
  const { id } = await find()
  await app.admin('PATCH', `${IDENTITIES}/${id}`, { linkedSigners: [other] })
  const byOther = (await logInWithToken(app, token({ aud: 'other' }))).json.data.token
  const { username, password } = await createPassword(app, id)
  const byPassword = await app.logIn(username, password)
  assert.equal((await sendLogout(app, signerId, logoutToken())).status, 200)
  assert.deepEqual([await isLive(byOther), await isLive(byPassword)], [true, true])
  assert.equal((await sendLogout(app, other, logoutToken({ aud: 'other' }))).status, 200)
  assert.deepEqual([await isLive(byOther), await isLive(byPassword)], [false, true])

  const boss = await createIdentity({ name: 'boss', externalId: 'boss', isAdmin: true, linkedSigners: [signerId] })
  const asBoss = (await logInWithToken(app, token({ sub: 'boss' }))).json.data.token
  const admins = (await app.admin('GET', `${IDENTITIES}?filter=isAdmin = true`)).json.data
  const others = admins.filter((admin: { id: string }) => admin.id !== boss)
  const disable = (body: unknown) =>
    Promise.all(
      others.map((admin: { id: string }) =>
        app.call('POST', `${IDENTITIES}/${admin.id}/disable`, body, { session: asBoss }),
      ),
    )
  await disable({ durationMinutes: 1 })
  assert.equal((await sendLogout(app, signerId, logoutToken({ sub: 'boss' }))).status, 200)
  assert.equal(await isLive(asBoss), true, 'the last administrator')
  app.clock.advance(61_000)
  assert.equal((await sendLogout(app, signerId, logoutToken({ sub: 'boss' }))).status, 200)
  assert.equal(await isLive(asBoss), false)
})

test('V-04 revoked tokens are refused at an enrollment and at a login that provisions', async (t) => {
  const { app, signerId, token, logoutToken, find } = await setUpChannels(t)
  const old = token()
  assert.equal((await sendLogout(app, signerId, logoutToken())).status, 200)
  const enroll = (bearer: string) =>
    app.call('POST', '/edge/client/v1/enroll/token', {}, { headers: { authorization: `Bearer ${bearer}` } })
  const refused = await enroll(old)
  assert.deepEqual([refused.status, refused.json.error.code], [400, 'INVALID_ENROLLMENT_TOKEN'])
  assert.equal((await logInWithToken(app, old)).status, 401)
  assert.equal(await find(), undefined)
  app.clock.advance(1_000)
  const enrolled = await enroll(token())
  assert.equal(enrolled.status, 200, enrolled.text)
})

test('V-04 a revoked token is no second factor', async (t) => {
  const { app, signerId, token, createIdentity, logoutToken } = await setUpChannels(t)
  const policies = '/edge/management/v1/auth-policies'
  const { id: _, ...policy } = (await app.admin('GET', `${policies}/default`)).json.data
  const secondary = { requireTotp: false, requireExtJwtSigner: signerId }
  const authPolicyId = (await app.admin('POST', policies, { ...policy, name: 'strict', secondary })).json.data.id
  const id = await createIdentity({ authPolicyId, isAdmin: true, linkedSigners: [signerId] })
  const { username, password } = await createPassword(app, id)
  const session = await app.logIn(username, password)
  const second = token()
  const read = (bearer: string) =>
    app.call('GET', SIGNERS, undefined, { session, headers: { authorization: `Bearer ${bearer}` } })
  assert.equal((await read(second)).status, 200)
  assert.equal((await read(second)).status, 200)
  assert.equal((await sendLogout(app, signerId, logoutToken())).status, 200)
  const refused = await read(second)
  assert.equal(refused.status, 401)
  assert.match(refused.headers['www-authenticate'] ?? '', /error="invalid"/)
  app.clock.advance(1_000)
  assert.equal((await read(token())).status, 200)
})

test('V-04 a revoked token changes no attributes', async (t) => {
  const syncing = { attributeSync: 'login', enrollAttributeClaimsSelector: 'groups' }
  const { app, signerId, token, logIn, logoutToken, find } = await setUpChannels(t, syncing)
  await logIn({ groups: ['a'] })
  const old = token({ groups: ['b'] })
  await sendLogout(app, signerId, logoutToken())
  assert.equal((await logInWithToken(app, old)).status, 401)
  assert.deepEqual((await find()).roleAttributes, ['a'])
  app.clock.advance(1_000)
  await logIn({ groups: ['b'] })
  assert.deepEqual((await find()).roleAttributes, ['b'])
})

test('V-05 events, decisions and explain name the cause', async (t) => {
  const { app, signerId, token, logIn, logoutToken, find, explain } = await setUpChannels(t)
  const session = await logIn()
  const { id: sessionId } = (await app.call('GET', '/edge/client/v1/current-api-session', undefined, { session })).json
    .data
  const { id } = await find()
  const old = token()
  await sendLogout(app, signerId, logoutToken())
  const ended = app.events('apiSession').find((event) => event.event_type === 'deleted' && event.id === sessionId)
  assert.deepEqual(
    [ended.reason, ended.external_jwt_signer_id, ended.message],
    ['backchannel-logout', signerId, 'ended by back-channel logout of signer idp'],
  )
  const [applied] = app.events('providerEvent')
  assert.deepEqual(
    [applied.event_type, applied.type, applied.external_jwt_signer_id, applied.identity_ids, applied.sessions_ended],
    ['applied', 'backchannel-logout', signerId, [id], 1],
  )
  const decision = await decisionOf(app, await refusalOf(logInWithToken(app, old)))
  assert.deepEqual([decision.reason, decision.signerId, decision.identityId], ['token-revoked', signerId, id])
  assert.match(decision.missing[0], /^a token that was issued after .*: a back-channel logout of the signer "idp"/)
  for (const method of ['ext-jwt', 'enroll']) {
    assert.ok((await explain(old, method)).missing.includes(decision.missing[0]), method)
  }
  app.clock.advance(1_000)
  assert.deepEqual((await explain(token())).missing, [])

  const refused = await sendLogout(app, signerId, logoutToken({ nonce: 'n' }))
  assert.equal(refused.status, 400)
  const event = app.events('providerEvent').at(-1)
  assert.deepEqual([event.event_type, event.reason], ['refused', 'event-unusable'])
  const stored = await decisionOf(app, event.request_id)
  assert.deepEqual([stored.method, stored.reason, stored.signerId], ['backchannel-logout', 'event-unusable', signerId])
  assert.equal(stored.signers[0].checks[0].pass, false)
})

test('V-05 a signer shows where its provider sends logouts', async (t) => {
  const { app, signerId, logoutToken } = await setUpChannels(t)
  const { backchannelLogoutUrl } = (await app.admin('GET', `${SIGNERS}/${signerId}`)).json.data
  const { pathname, protocol } = new URL(backchannelLogoutUrl)
  assert.deepEqual([protocol, pathname], ['https:', channelPath(signerId, 'backchannel-logout')])
  const other = pathname.replace('external-jwt-signers', 'ext-jwt-signers')
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const raw = `logout_token=${logoutToken()}`
  assert.equal((await app.call('POST', other, undefined, { headers, raw })).status, 200)
})

test('a deleted signer is linked to no identity', async (t) => {
  const { app, signerId, createIdentity, find } = await setUpChannels(t)
  await createIdentity({ linkedSigners: [signerId] })
  await app.admin('DELETE', `${SIGNERS}/${signerId}`)
  assert.deepEqual((await find()).linkedSigners, [])
})

test('V-01 V-07 a revoked token stays revoked when the signer accepts shorter, then longer lives of tokens', async (t) => {
  const { app, signerId, token, seconds, logIn, logoutToken } = await setUpChannels(t)
  const stolen = token({ exp: seconds() + 43_200 })
  await logIn()
  assert.equal((await sendLogout(app, signerId, logoutToken())).status, 200)
  app.clock.advance(1000)
  const later = token({ exp: seconds() + 43_200 })
  const setLimit = async (maxTokenAgeSeconds: number | null) => {
    const reply = await app.admin('PATCH', `${SIGNERS}/${signerId}`, { maxTokenAgeSeconds })
    assert.equal(reply.status, 200, reply.text)
  }
  const statuses = async () => [(await logInWithToken(app, stolen)).status, (await logInWithToken(app, later)).status]
  assert.deepEqual(await statuses(), [401, 200])
  await setLimit(60)
  app.clock.advance(180_000)
  await app.store.run(pruneRevocations, REVOCATION_LIMITS, { actorId: 'system', now: app.clock.now() })
  assert.deepEqual(await statuses(), [401, 401])
  for (const limit of [86_400, null]) {
    await setLimit(limit)
    assert.deepEqual(await statuses(), [401, 200], String(limit))
  }
})
