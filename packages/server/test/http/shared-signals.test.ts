import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mintKey } from '@countersign/testkit'
import { createPassword } from './identities.fixture.ts'
import { ALICE, AUDIENCE, decisionOf, ISSUER, logInWithToken, SIGNERS } from './provider.fixture.ts'
import {
  channelPath,
  EVENT_URIS,
  type EventName,
  IDENTITIES,
  issSub,
  LOGOUT_EVENT,
  SIGNALS,
  sendEvent,
  sendLogout,
  setUpChannels,
} from './provider-channels.fixture.ts'
import { makeScimToken, ScimClient } from './scim.fixture.ts'

const SIGNER = { sharedSignals: SIGNALS }

test('V-08 session-revoked and credential-change end the sessions of the subject, and refuse its earlier tokens', async (t) => {
  const { app, signerId, token, logIn, eventToken, isLive, find } = await setUpChannels(t, SIGNER)
  for (const event of ['session-revoked', 'credential-change'] as const) {
    const old = token()
    const session = await logIn()
    const other = await logIn({ sub: 'bob' })
    const reply = await sendEvent(app, signerId, eventToken(event))
    assert.deepEqual([reply.status, reply.text], [202, ''])
    assert.deepEqual([await isLive(session), await isLive(other)], [false, true], event)
    assert.equal((await logInWithToken(app, old)).status, 401)
    assert.equal((await find()).disabled, false)
    app.clock.advance(1_000)
    assert.equal(await isLive(await logIn()), true)
    app.clock.advance(1_000)
  }
})

test('V-08 account-disabled disables the identity, and account-enabled undoes only that', async (t) => {
  const { app, signerId, logIn, token, eventToken, isLive, find } = await setUpChannels(t, SIGNER)
  const session = await logIn()
  const { id } = await find()
  const { username, password } = await createPassword(app, id)
  const byPassword = await app.logIn(username, password)
  const send = async (event: EventName) => {
    app.clock.advance(1_000)
    const reply = await sendEvent(app, signerId, eventToken(event))
    assert.equal(reply.status, 202, reply.text)
    return (await find()).disabled
  }
  assert.equal(await send('account-disabled'), true)
  assert.deepEqual([await isLive(session), await isLive(byPassword)], [false, false], 'all sessions end')
  app.clock.advance(1_000)
  assert.equal((await logInWithToken(app, token())).status, 401)
  assert.equal(await send('account-enabled'), false)
  app.clock.advance(1_000)
  assert.equal((await logInWithToken(app, token())).status, 200)

  await app.admin('POST', `${IDENTITIES}/${id}/disable`, { durationMinutes: 0 })
  assert.equal(await send('account-enabled'), true, 'disabled by an administrator')
  assert.equal(await send('account-disabled'), true)
  assert.equal(await send('account-enabled'), true, 'still disabled by the administrator')
  await app.admin('POST', `${IDENTITIES}/${id}/enable`)
  assert.equal(await send('account-disabled'), true)
  await app.admin('POST', `${IDENTITIES}/${id}/disable`, { durationMinutes: 0 })
  assert.equal(await send('account-enabled'), true, 'an administrator took over')
})

test('V-08 events that arrive late do not undo later ones, and a lock goes on', async (t) => {
  const { app, signerId, logIn, seconds, eventToken, find } = await setUpChannels(t, SIGNER)
  await logIn()
  const { id } = await find()
  const now = seconds()
  const send = async (event: EventName, iat: number) => {
    const reply = await sendEvent(app, signerId, eventToken(event, { iat }))
    assert.equal(reply.status, 202, reply.text)
    return (await find()).disabled
  }
  assert.equal(await send('account-disabled', now - 10), true)
  assert.equal(await send('account-enabled', now - 20), true, 'issued before the disabling')
  assert.equal(await send('account-enabled', now - 5), false)
  assert.equal(await send('account-disabled', now - 8), false, 'issued before the enabling')
  assert.equal(await send('account-disabled', now - 4), true)
  assert.equal(await send('account-enabled', now - 3), false)
  await app.admin('POST', `${IDENTITIES}/${id}/disable`, { durationMinutes: 10 })
  assert.equal(await send('account-disabled', now - 2), true)
  assert.equal(await send('account-enabled', now - 1), true, 'disabled until ten minutes have passed')
  app.clock.advance(600_000)
  assert.equal((await find()).disabled, false)
})

test('V-08 token-claims-change, verification and unknown events change nothing', async (t) => {
  const { app, signerId, logIn, eventToken, isLive } = await setUpChannels(t, SIGNER)
  const session = await logIn()
  const streamed = { sub_id: { format: 'opaque', id: 'stream' } }
  const tokens = [
    eventToken('token-claims-change'),
    eventToken('verification', { ...streamed, events: { [EVENT_URIS.verification]: { state: 'x' } } }),
    eventToken('verification', { sub_id: undefined }),
    eventToken('verification', { events: { 'https://vendor.example/event/unheard-of': {} } }),
  ]
  for (const token of tokens) assert.equal((await sendEvent(app, signerId, token)).status, 202)
  assert.equal(await isLive(session), true)
  assert.deepEqual(
    app.events('providerEvent').map(({ event_type, type, action }) => [event_type, type, action]),
    ['token-claims-change', 'verification', 'verification', 'unheard-of'].map((type) => ['logged', type, 'log']),
  )
})

test('V-08 the signer says what an event does', async (t) => {
  const actions = { 'session-revoked': 'log', 'token-claims-change': 'end-sessions', 'credential-change': 'disable' }
  const { app, signerId, logIn, eventToken, isLive, find } = await setUpChannels(t, {
    sharedSignals: { ...SIGNALS, actions },
  })
  const session = await logIn()
  assert.equal((await sendEvent(app, signerId, eventToken('session-revoked'))).status, 202)
  assert.equal(await isLive(session), true)
  assert.equal((await sendEvent(app, signerId, eventToken('token-claims-change'))).status, 202)
  assert.equal(await isLive(session), false)
  assert.equal((await sendEvent(app, signerId, eventToken('credential-change'))).status, 202)
  assert.equal((await find()).disabled, true)
})

test('V-08 subjects are named by issuer and sub, by e-mail address or by an opaque id, in the event or in the token', async (t) => {
  const byEmail = { claimsProperty: 'email' }
  const { app, signerId, logIn, eventToken, isLive } = await setUpChannels(t, { ...SIGNER, ...byEmail })
  const email = 'alice@mail.example'
  const subjects: [Readonly<Record<string, string>>, boolean][] = [
    [issSub(ALICE), true],
    [issSub(ALICE, 'https://other.example'), false],
    [issSub('bob'), false],
    [{ format: 'email', email }, true],
    [{ format: 'email', email: 'bob@mail.example' }, false],
    [{ format: 'opaque', id: ALICE }, true],
    [{ format: 'opaque', id: 'session at the provider' }, true],
    [{ format: 'opaque', id: email }, true],
    [{ format: 'opaque', id: 'bob' }, false],
  ]
  for (const [subject, ends] of subjects) {
    for (const claims of [
      { sub_id: subject },
      { sub_id: issSub('carol'), events: { [EVENT_URIS['session-revoked']]: { sub_id: subject } } },
    ]) {
      app.clock.advance(1_000)
      const session = await logIn({ email, sid: 'session at the provider' })
      assert.equal((await sendEvent(app, signerId, eventToken('session-revoked', claims))).status, 202)
      assert.equal(await isLive(session), !ends, JSON.stringify(claims))
    }
  }
})

test('V-08 subjects in the forms of Okta, Google RISC and CAEP', async (t) => {
  const { app, signerId, logIn, eventToken, isLive } = await setUpChannels(t, SIGNER)
  const sid = 'session at the provider'
  const device = { format: 'opaque', id: 'device' }
  const subjects: [Readonly<Record<string, unknown>>, 'ended' | 'live' | 'refused'][] = [
    [{ user: issSub(ALICE), device }, 'ended'],
    [{ user: issSub('bob'), device }, 'live'],
    [{ device }, 'refused'],
    [{ subject_type: 'iss-sub', iss: ISSUER, sub: ALICE }, 'ended'],
    [{ subject_type: 'iss-sub', iss: 'https://other.example', sub: ALICE }, 'live'],
    [{ subject_type: 'oauth-token', token: 'x' }, 'refused'],
    [{ format: 'complex', user: issSub(ALICE), session: { format: 'opaque', id: 'other' } }, 'ended'],
    [{ format: 'complex', session: { format: 'opaque', id: sid } }, 'ended'],
    [{ format: 'complex', session: { format: 'opaque', id: 'other' } }, 'live'],
    [{ format: 'complex', tenant: { format: 'opaque', id: 't' } }, 'refused'],
  ]
  for (const [subject, expected] of subjects) {
    for (const claims of [
      { sub_id: subject },
      { sub_id: undefined, events: { [EVENT_URIS['session-revoked']]: { subject } } },
    ]) {
      app.clock.advance(1_000)
      const session = await logIn({ sid })
      const { status } = await sendEvent(app, signerId, eventToken('session-revoked', claims))
      assert.equal(status, expected === 'refused' ? 400 : 202, JSON.stringify(claims))
      assert.equal(await isLive(session), expected !== 'ended', JSON.stringify(claims))
    }
  }
})

test('V-08 an account is found by its claim, and by the sub of its sessions', async (t) => {
  const { app, signerId, logIn, eventToken, find } = await setUpChannels(t, { ...SIGNER, claimsProperty: 'email' })
  const email = 'alice@mail.example'
  await logIn({ email })
  const send = async (event: EventName, sub_id: unknown) => {
    app.clock.advance(1_000)
    assert.equal((await sendEvent(app, signerId, eventToken(event, { sub_id }))).status, 202)
    return (await find(email)).disabled
  }
  assert.equal(await send('account-disabled', issSub(ALICE)), true, 'by its session')
  assert.equal(await send('account-enabled', { format: 'email', email }), false)
  assert.equal(await send('account-disabled', issSub(ALICE)), false, 'no session is left that says whose sub it is')
  assert.equal(await send('account-disabled', { format: 'opaque', id: email }), true)
})

test('V-08 D63 an e-mail address finds linked users by their user name or external id, in any case of A to Z', async (t) => {
  const bySub = { useExternalId: true, scimIdentityAttribute: 'externalId' }
  const { app, signerId, logIn, eventToken, isLive, find, createIdentity, token } = await setUpChannels(t, {
    ...SIGNER,
    ...bySub,
  })
  const scim = new ScimClient(app, signerId, (await makeScimToken(app, signerId)).token)
  await scim.addUser('Alice@Mail.example', { externalId: 'sub-of-alice' })
  await logIn({ sub: 'Carol@mail.example' })
  await createIdentity({ name: 'dave@mail.example', externalId: 'dave@mail.example' })
  const send = async (event: EventName, email: string) => {
    assert.equal(
      (await sendEvent(app, signerId, eventToken(event, { sub_id: { format: 'email', email } }))).status,
      202,
    )
  }
  const cases: [string, string, boolean][] = [
    ['sub-of-alice', 'alice@mail.EXAMPLE', true],
    ['sub-of-alice', 'bob@mail.example', false],
    ['Carol@mail.example', 'carol@MAIL.example', true],
    ['Carol@mail.example', 'c\u00e1rol@mail.example', false],
    ['dave@mail.example', 'dave@mail.example', false],
  ]
  for (const [sub, email, ends] of cases) {
    app.clock.advance(1_000)
    const old = token({ sub })
    const session = await logIn({ sub })
    await send('session-revoked', email)
    assert.equal(await isLive(session), !ends, email)
    assert.equal((await find(sub)).disabled, false)
    if (ends) assert.equal((await logInWithToken(app, old)).status, 401, email)
    app.clock.advance(1_000)
    const later = await logIn({ sub })
    await send('account-disabled', email)
    assert.deepEqual([await isLive(later), (await find(sub)).disabled], [!ends, ends], email)
    app.clock.advance(1_000)
    await send('account-enabled', email)
    assert.equal((await find(sub)).disabled, false, email)
  }
})

test('V-09 a security event token with wrong claims, type, times or signature changes nothing', async (t) => {
  const { app, signerId, seconds, token, logIn, logoutToken, eventToken, isLive, key } = await setUpChannels(t, SIGNER)
  const session = await logIn()
  const now = seconds()
  const revoked = (claims = {}, mint = {}) => eventToken('session-revoked', claims, mint)
  const stranger = { ...mintKey('RSA', 'stranger'), kid: key.kid }
  const many = Object.fromEntries(Array.from({ length: 17 }, (_, index) => [`https://e.example/${index}`, {}]))
  const bad: Readonly<Record<string, [string, string]>> = {
    'no JWT': ['nonsense', 'invalid_request'],
    'no events': [revoked({ events: undefined }), 'invalid_request'],
    'empty events': [revoked({ events: {} }), 'invalid_request'],
    'event is a text': [revoked({ events: { [EVENT_URIS['session-revoked']]: 'x' } }), 'invalid_request'],
    'many events': [revoked({ events: many }), 'invalid_request'],
    'no jti': [revoked({ jti: undefined }), 'invalid_request'],
    'no iat': [revoked({ iat: undefined }), 'invalid_request'],
    'eight days old': [revoked({ iat: now - 8 * 86_400 }), 'invalid_request'],
    expired: [revoked({ iat: now - 10, exp: now - 1 }), 'invalid_request'],
    future: [revoked({ iat: now + 120 }), 'invalid_request'],
    'no subject': [revoked({ sub_id: undefined }), 'invalid_request'],
    'sub with NUL': [revoked({ sub_id: issSub('a\0b') }), 'invalid_request'],
    'e-mail address with NUL': [revoked({ sub_id: { format: 'email', email: 'a\0b' } }), 'invalid_request'],
    'opaque id with NUL': [revoked({ sub_id: { format: 'opaque', id: 'a\0b' } }), 'invalid_request'],
    'jti with NUL': [revoked({ jti: 'a\0b' }), 'invalid_request'],
    'unknown format': [revoked({ sub_id: { format: 'phone_number', phone_number: '+1' } }), 'invalid_request'],
    'typ JWT': [revoked({}, { header: { typ: 'JWT' } }), 'invalid_request'],
    'no typ': [revoked({}, { header: { typ: undefined } }), 'invalid_request'],
    'logout token': [logoutToken({ aud: SIGNALS.audience }), 'invalid_request'],
    'login token': [token(), 'invalid_request'],
    issuer: [revoked({ iss: 'https://other.example' }), 'invalid_issuer'],
    audience: [revoked({ aud: AUDIENCE }), 'invalid_audience'],
    kid: [revoked({}, { header: { typ: 'secevent+jwt', kid: 'unknown' } }), 'invalid_key'],
    unsigned: [
      revoked({}, { header: { typ: 'secevent+jwt', alg: 'none' }, sign: () => Buffer.alloc(0) }),
      'invalid_key',
    ],
    'foreign key': [eventToken('session-revoked', {}, {}, stranger), 'invalid_key'],
  }
  for (const [what, [sent, err]] of Object.entries(bad)) {
    const reply = await sendEvent(app, signerId, sent)
    assert.equal(reply.status, 400, `${what}: ${reply.text}`)
    assert.deepEqual(Object.keys(reply.json), ['err', 'description'], what)
    assert.equal(reply.json.err, err, what)
    assert.deepEqual([reply.headers['content-type'], reply.headers['content-language']], ['application/json', 'en'])
    assert.equal(await isLive(session), true, what)
  }
  assert.deepEqual(await app.store.db.selectFrom('token_revocations').selectAll().execute(), [])
  const unusual = { sub_id: { format: 'opaque', id: 'a \u00e9\u{1f511}b' }, jti: 'j 1' }
  assert.equal((await sendEvent(app, signerId, revoked(unusual))).status, 202)
  assert.equal((await sendEvent(app, signerId, revoked({ events: { 'https://e.example/a\0b': {} } }))).status, 202)
  assert.equal(await isLive(session), true)
  assert.equal((await sendEvent(app, signerId, revoked())).status, 202)
  assert.equal(await isLive(session), false)
})

test('V-09 a token that is sent again is accepted without effect', async (t) => {
  const { app, signerId, logIn, eventToken, isLive, find } = await setUpChannels(t, SIGNER)
  await logIn()
  const token = eventToken('account-disabled')
  const replies = await Promise.all([sendEvent(app, signerId, token), sendEvent(app, signerId, token)])
  assert.deepEqual(
    replies.map(({ status }) => status),
    [202, 202],
  )
  await app.admin('POST', `${IDENTITIES}/${(await find()).id}/enable`)
  app.clock.advance(1_000)
  const session = await logIn()
  assert.equal((await sendEvent(app, signerId, token)).status, 202)
  assert.deepEqual([await isLive(session), (await find()).disabled], [true, false])
  assert.deepEqual(
    app
      .events('providerEvent')
      .map(({ event_type }) => event_type)
      .toSorted(),
    ['applied', 'replayed', 'replayed'],
  )
})

test('V-09 a token that is sent again without pause is not applied in a transaction, and its events are sampled', async (t) => {
  const { app, signerId, eventToken, logoutToken } = await setUpChannels(t, SIGNER, { isAlone: 'controller' })
  const { mock } = t.mock.method(app.store, 'run')
  const applied = () => mock.calls.filter(({ arguments: [{ name }] }) => name.startsWith('providerChannel')).length
  const logout = logoutToken()
  for (const status of [200, 400, 400]) assert.equal((await sendLogout(app, signerId, logout)).status, status)
  assert.equal(applied(), 1)
  const token = eventToken('session-revoked')
  assert.equal((await sendEvent(app, signerId, token)).status, 202)
  assert.equal(applied(), 2)
  const sendFrom = async (remoteAddress: string) => {
    const headers = { 'content-type': 'application/secevent+jwt' }
    const url = channelPath(signerId, 'events')
    const request = { method: 'POST', url, headers, payload: token, remoteAddress } as const
    assert.equal((await app.controller.http.inject(request)).statusCode, 202)
  }
  for (let nth = 0; nth < 700; nth++) await sendFrom(`10.${nth % 200}.${nth >> 8}.7`)
  assert.equal(applied(), 2)
  const replayed = app.events('providerEvent').filter(({ event_type }) => event_type === 'replayed').length
  assert.ok(replayed > 400 && replayed < 650, String(replayed))
  assert.equal((await sendEvent(app, signerId, eventToken('session-revoked'))).status, 202)
  assert.equal(applied(), 3)
})

test('V-09 another body is a 400, and a long one a 413', async (t) => {
  const { app, signerId, eventToken } = await setUpChannels(t, SIGNER)
  const path = channelPath(signerId, 'events')
  const send = (type: string, raw: string) =>
    app.call('POST', path, undefined, { headers: { 'content-type': type }, raw })
  const token = eventToken('session-revoked')
  for (const type of ['application/json', 'text/plain', 'application/jwt']) {
    const reply = await send(type, type.endsWith('json') ? JSON.stringify({ token }) : token)
    assert.deepEqual([reply.status, reply.json.err], [400, 'invalid_request'], type)
  }
  assert.equal((await send('application/secevent+jwt', '')).status, 400)
  assert.equal((await send('application/secevent+jwt', 'x'.repeat(2_000_000))).status, 413)
  assert.equal((await send('application/secevent+jwt', `\n${token}`)).status, 400)
  assert.equal((await send('application/secevent+jwt', `${token}x\n`)).status, 400)
  assert.equal((await send('application/secevent+jwt', `${token}\r\n`)).status, 202)
  assert.equal((await send('application/secevent+jwt', eventToken('session-revoked'))).status, 202)
})

test('V-10 D55 D63 a signer without signals, a disabled or an untrusted one receives nothing', async (t) => {
  const { app, signerId, logIn, eventToken, isLive } = await setUpChannels(t)
  const session = await logIn()
  const refused = async () => {
    const reply = await sendEvent(app, signerId, eventToken('session-revoked'))
    assert.deepEqual([reply.status, reply.json.err], [400, 'access_denied'])
  }
  const patch = (body: unknown, as = app.adminSession) =>
    app.call('PATCH', `${SIGNERS}/${signerId}`, body, { session: as })
  await refused()
  assert.equal((await patch({ ...SIGNER, enabled: false })).status, 200)
  await refused()
  await patch({ enabled: true })
  const { session: writer } = await app.makeIdentity({ permissions: ['external-jwt-signer', 'identity'] })
  assert.equal((await patch({ sharedSignals: { audience: 'signals' } }, writer)).status, 200)
  await refused()
  assert.equal(await isLive(session), true)
  await app.admin('POST', `${SIGNERS}/${signerId}/trust`)
  assert.equal((await sendEvent(app, signerId, eventToken('session-revoked'))).status, 202)
  assert.equal(await isLive(session), false)
})

test('V-10 D63 identities that are not linked stay as they are, and identities with rights are never enabled', async (t) => {
  const { app, signerId, token, createIdentity, eventToken, isLive, find } = await setUpChannels(t, SIGNER)
  const id = await createIdentity()
  const patch = (body: unknown) => app.admin('PATCH', `${IDENTITIES}/${id}`, body)
  const session = (await logInWithToken(app, token())).json.data.token
  const send = async (event: EventName) => {
    assert.equal((await sendEvent(app, signerId, eventToken(event))).status, 202)
    app.clock.advance(1_000)
    return (await find()).disabled
  }
  assert.equal(await send('account-disabled'), false)
  assert.equal(await isLive(session), true)
  await patch({ linkedSigners: [signerId], permissions: ['identity.read'] })
  assert.equal(await send('account-disabled'), true)
  assert.equal(await isLive(session), false)
  assert.equal(await send('account-enabled'), true, 'it has rights')
  await patch({ permissions: [] })
  assert.equal(await send('account-enabled'), false)
})

test('V-10 D63 the last administrator is neither disabled nor logged out', async (t) => {
  const { app, signerId, token, createIdentity, eventToken, isLive } = await setUpChannels(t, SIGNER)
  const boss = await createIdentity({ isAdmin: true, linkedSigners: [signerId] })
  const session = (await logInWithToken(app, token())).json.data.token
  const asBoss = { session }
  const admins = (await app.admin('GET', `${IDENTITIES}?filter=isAdmin = true`)).json.data as { id: string }[]
  const [other] = admins.filter(({ id }) => id !== boss)
  await app.call('POST', `${IDENTITIES}/${other?.id}/disable`, { durationMinutes: 1 }, asBoss)
  assert.equal((await sendEvent(app, signerId, eventToken('account-disabled'))).status, 202)
  assert.equal(await isLive(session), true)
  app.clock.advance(61_000)
  assert.equal((await sendEvent(app, signerId, eventToken('account-disabled'))).status, 202)
  assert.equal(await isLive(session), false)
})

test('V-10 D63 a signer disables no identity of another one, by any name', async (t) => {
  const { app, logIn, createSigner, eventToken, isLive, find } = await setUpChannels(t, SIGNER)
  const other = await createSigner({ name: 'other', audience: 'other', sharedSignals: { audience: 'of the other' } })
  const session = await logIn()
  const subjects = [issSub(ALICE), { format: 'email', email: ALICE }, { format: 'opaque', id: ALICE }]
  for (const sub_id of subjects) {
    const claims = { aud: 'of the other', sub_id }
    assert.equal((await sendEvent(app, other, eventToken('account-disabled', claims))).status, 202)
    assert.equal((await sendEvent(app, other, eventToken('session-revoked', claims))).status, 202)
    assert.deepEqual([await isLive(session), (await find()).disabled], [true, false])
  }
  assert.equal((await sendEvent(app, other, eventToken('session-revoked'))).status, 400, 'the audience of the first')
  await app.admin('PATCH', `${IDENTITIES}/${(await find()).id}`, { linkedSigners: [other] })
  const claims = { aud: 'of the other' }
  assert.equal((await sendEvent(app, other, eventToken('account-disabled', claims))).status, 202)
  assert.equal((await find()).disabled, true)
})

test('V-11 events have their own issuer and keys where the signer says so', async (t) => {
  const own = mintKey('P-256', 'signals')
  const issuer = 'https://ssf.example'
  const jwksUri = 'https://ssf.example/keys'
  const { app, signerId, logIn, eventToken, isLive, provider } = await setUpChannels(t)
  const session = await logIn()
  provider.keysAt.set(jwksUri, [own])
  const sharedSignals = { ...SIGNALS, issuer, jwksUri }
  assert.equal((await app.admin('PATCH', `${SIGNERS}/${signerId}`, { sharedSignals })).status, 200)
  const send = (claims: object, key?: typeof own) =>
    sendEvent(app, signerId, eventToken('session-revoked', { ...claims }, {}, key))
  assert.equal((await send({ iss: issuer })).json.err, 'invalid_key', 'signed with the key of tokens')
  assert.equal((await send({ iss: ISSUER }, own)).json.err, 'invalid_issuer')
  assert.equal(await isLive(session), true)
  assert.equal((await send({ iss: issuer }, own)).status, 202)
  assert.equal(await isLive(session), false)
  const forged = eventToken('session-revoked', { iss: ISSUER, aud: AUDIENCE, sub: ALICE, exp: 4_000_000_000 }, {}, own)
  assert.equal((await logInWithToken(app, forged)).status, 401, 'its keys log in no one')
})

test('V-11 subjects can be of the issuer of events', async (t) => {
  const issuer = 'https://ssf.example'
  const { app, signerId, logIn, eventToken, isLive, find } = await setUpChannels(t, {
    sharedSignals: { ...SIGNALS, issuer },
  })
  const subjects: [string, boolean][] = [
    [issuer, true],
    [ISSUER, true],
    ['https://other.example', false],
  ]
  for (const [iss, ends] of subjects) {
    app.clock.advance(1_000)
    const session = await logIn()
    const send = (event: EventName) =>
      sendEvent(app, signerId, eventToken(event, { iss: issuer, sub_id: issSub(ALICE, iss) }))
    assert.equal((await send('session-revoked')).status, 202)
    assert.equal(await isLive(session), !ends, iss)
    app.clock.advance(1_000)
    await send('account-disabled')
    assert.equal((await find()).disabled, ends, iss)
    app.clock.advance(1_000)
    await send('account-enabled')
  }
})

test('V-05 an event whose subject is unknown is logged with the reason', async (t) => {
  const { app, signerId, logIn, eventToken, createIdentity, token } = await setUpChannels(t, SIGNER)
  await logIn()
  await createIdentity({ name: 'unlinked', externalId: 'unlinked' })
  await logInWithToken(app, token({ sub: 'unlinked' }))
  const send = async (event: EventName, sub: string, iss = ISSUER) => {
    app.clock.advance(1_000)
    assert.equal((await sendEvent(app, signerId, eventToken(event, { sub_id: issSub(sub, iss) }))).status, 202)
    const { event_type, reason, action } = app.events('providerEvent').at(-1)
    return [event_type, reason, action]
  }
  assert.deepEqual(await send('session-revoked', ALICE), ['applied', '', 'end-sessions'])
  assert.deepEqual(await send('session-revoked', ALICE), ['applied', '', 'end-sessions'], 'without a session')
  for (const [sub, iss] of [['bob'], ['unlinked'], [ALICE, 'https://other.example']] as const) {
    assert.deepEqual(await send('session-revoked', sub, iss), ['logged', 'subject-unknown', 'end-sessions'], sub)
    assert.deepEqual(await send('account-disabled', sub, iss), ['logged', 'subject-unknown', 'disable'], sub)
    assert.deepEqual(await send('account-enabled', sub, iss), ['logged', 'subject-unknown', 'enable'], sub)
  }
  assert.deepEqual(await send('token-claims-change', 'bob'), ['logged', '', 'log'])
  assert.deepEqual(await send('account-disabled', ALICE), ['applied', '', 'disable'])
})

test('V-11 sharedSignals is checked, kept by a PUT without it, and cleared by null', async (t) => {
  const { app, signerId } = await setUpChannels(t)
  const patch = (sharedSignals: unknown) => app.admin('PATCH', `${SIGNERS}/${signerId}`, { sharedSignals })
  const bad: [unknown, string][] = [
    [{ actions: {} }, 'sharedSignals.audience'],
    [{ audience: ' ' }, 'sharedSignals.audience'],
    [{ audience: 'a', actions: { 'session-revoked': 'destroy' } }, 'sharedSignals.actions.session-revoked'],
    [{ audience: 'a', actions: { 'session-revoked': 1 } }, 'sharedSignals.actions.session-revoked'],
    [{ audience: 'a', actions: { 'https://a/b': 'log' } }, 'sharedSignals.actions'],
    [{ audience: 'a', jwksUri: 'ftp://idp.example' }, 'sharedSignals.jwksUri'],
    [{ audience: 'a', jwksUri: 'https://10.0.0.1/keys' }, 'sharedSignals.jwksUri'],
  ]
  for (const [value, field] of bad) {
    const reply = await patch(value)
    assert.equal(reply.status, 400, JSON.stringify(value))
    const { cause } = reply.json.error
    assert.ok(cause.field === field || cause.message?.includes(`'${field}'`), reply.text)
  }
  assert.equal((await patch('on')).status, 400)
  const show = async () => (await app.admin('GET', `${SIGNERS}/${signerId}`)).json.data
  const given = { audience: 'a', issuer: 'https://b.example', actions: { 'account-disabled': 'log' } }
  assert.equal((await patch(given)).status, 200)
  const { sharedSignals, sharedSignalsUrl, ...rest } = await show()
  assert.deepEqual(sharedSignals, given)
  assert.equal(new URL(sharedSignalsUrl).pathname, channelPath(signerId, 'events'))
  assert.equal((await app.admin('PUT', `${SIGNERS}/${signerId}`, rest)).status, 200)
  assert.deepEqual((await show()).sharedSignals, given)
  assert.equal((await patch(null)).status, 200)
  assert.equal((await show()).sharedSignals, null)
})

test('V-05 events and decisions name the security event', async (t) => {
  const { app, signerId, token, logIn, eventToken, find, explain } = await setUpChannels(t, SIGNER)
  await logIn()
  const { id } = await find()
  const old = token()
  await sendEvent(app, signerId, eventToken('account-disabled'))
  const ended = app.events('apiSession').find(({ event_type }) => event_type === 'deleted')
  assert.equal(ended.message, 'ended by security event account-disabled of signer idp')
  const [applied] = app.events('providerEvent')
  assert.deepEqual(
    [applied.event_type, applied.action, applied.identity_ids, applied.sessions_ended],
    ['applied', 'disable', [id], 1],
  )
  const change = app.events('entityChange').findLast(({ finalState }) => finalState?.id === id)
  assert.deepEqual([change.metadata.author.name, change.finalState.disabledBySignerId], ['idp', signerId])
  const { missing } = await explain(old)
  assert.ok(missing.some((line: string) => line.includes('security event account-disabled of the signer "idp"')))
  const refused = await sendEvent(
    app,
    signerId,
    eventToken('session-revoked', { events: { [LOGOUT_EVENT]: {} }, aud: 'x' }),
  )
  assert.equal(refused.status, 400)
  const decision = await decisionOf(app, app.events('providerEvent').at(-1).request_id)
  assert.deepEqual([decision.method, decision.reason], ['shared-signals', 'audience-mismatch'])
})
