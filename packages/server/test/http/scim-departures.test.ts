import assert from 'node:assert/strict'
import { test } from 'node:test'
import { enroll, KINDS } from './enroll-token.fixture.ts'
import { ALICE, decisionOf, logInWithToken } from './provider.fixture.ts'
import { IDENTITIES, PROVISIONING } from './provider-channels.fixture.ts'
import { refusal, setUpScim } from './scim.fixture.ts'

const ENROLLING = { enrollToTokenEnabled: true, enrollToCertEnabled: true, provisionOnLogin: true }

test('V-15 a deleted person does not enroll or log in again with a token that they still hold', async (t) => {
  const { app, scim, token, explain } = await setUpScim(t, { ...ENROLLING, reprovisionAfterMinutes: 0 })
  const id = await scim.addUser()
  const held = token()
  assert.equal((await logInWithToken(app, held)).status, 200)
  assert.equal((await scim.call('DELETE', `/Users/${id}`)).status, 204)
  assert.equal((await logInWithToken(app, held)).status, 401)
  for (const body of Object.values(KINDS)) {
    const refused = await enroll(app, { tokens: [held], body: body() })
    assert.equal(refused.status, 400, refused.text)
    assert.equal((await decisionOf(app, refused.json.error.requestId)).reason, 'token-revoked')
  }
  assert.match((await explain(held)).missing.join(), /SCIM/)
  app.clock.advance(1000)
  const enrolled = await enroll(app, { tokens: [token()], body: KINDS.cert() })
  assert.equal(enrolled.status, 200, 'the provider issued a token after it')
})

test('V-15 a token with the former name of a renamed person does not enroll', async (t) => {
  const { app, scim, token, logIn } = await setUpScim(t, ENROLLING)
  const id = await scim.addUser()
  const [held, ofOther] = [token(), token({ sub: 'bob@idp' })]
  const rename = (value: string) => scim.patch(`/Users/${id}`, { op: 'replace', path: 'userName', value })
  assert.equal((await rename('alice@new')).status, 200)
  assert.equal((await enroll(app, { tokens: [held], body: KINDS.cert() })).status, 400)
  assert.equal((await enroll(app, { tokens: [ofOther], body: KINDS.cert() })).status, 200)
  assert.equal((await rename(ALICE)).status, 200)
  app.clock.advance(1000)
  await logIn()
})

test('V-16 D63 a provider does not undo what others have ended by creating the user again', async (t) => {
  const { app, scim, token, identity, patchIdentity, createSigner, connect } = await setUpScim(t)
  const other = await connect(await createSigner({ name: 'other', audience: 'other' }))
  const disable = (durationMinutes: number) => (id: string) =>
    app.admin('POST', `${IDENTITIES}/${id}/disable`, { durationMinutes })
  const ends: Readonly<Record<string, (id: string) => Promise<unknown>>> = {
    disabled: disable(0),
    locked: disable(5),
    'locked, then by the provider too': async (id) => {
      await disable(5)(id)
      await scim.setActive(id, false)
    },
    expired: (id) => patchIdentity(id, { expiresAt: '2001-01-01T00:00:00Z' }),
    'disabled by another signer': async (id) => {
      await patchIdentity(id, { linkedSigners: [other.signerId] })
      assert.equal((await other.setActive(id, false)).json.active, false)
    },
    'disabled by both signers': async (id) => {
      await scim.setActive(id, false)
      await patchIdentity(id, { linkedSigners: [other.signerId] })
      assert.equal((await other.setActive(id, false)).json.active, false)
    },
  }
  for (const [userName, end] of Object.entries(ends)) {
    const id = await scim.addUser(userName)
    const path = `/Users/${id}`
    await end(id)
    const rename = { op: 'replace', path: 'userName', value: `${userName} away` }
    assert.deepEqual(refusal(await scim.patch(path, rename)), [403, undefined], userName)
    assert.deepEqual(refusal(await scim.call('PUT', path, { userName: 'away' })), [403, undefined], userName)
    const described = await scim.call('PUT', path, { userName, displayName: 'D', active: true })
    assert.deepEqual([described.status, described.json.displayName], [200, 'D'], userName)
    assert.deepEqual(refusal(await scim.call('DELETE', path)), [403, undefined], userName)
    assert.deepEqual(refusal(await scim.call('POST', '/Users', { userName })), [409, 'uniqueness'], userName)
    assert.equal((await logInWithToken(app, token({ sub: userName }))).status, 401, userName)
    assert.equal((await identity(id)).externalId, userName)
    app.clock.advance(5 * 60_000)
    assert.equal((await identity(id)).disabled, true, `${userName}: the departure stays when a lock ends`)
  }
})

test('V-16 D63 a provider deletes and creates again a user whom it disabled itself, or an administrator enabled', async (t) => {
  const { app, scim, logIn, patchIdentity } = await setUpScim(t)
  const enabled = async (id: string) => {
    await app.admin('POST', `${IDENTITIES}/${id}/disable`, { durationMinutes: 0 })
    await app.admin('POST', `${IDENTITIES}/${id}/enable`)
  }
  const states: Readonly<Record<string, (id: string) => Promise<unknown>>> = {
    disabled: (id) => scim.setActive(id, false),
    enabled,
    'not expired': (id) => patchIdentity(id, { expiresAt: '2199-01-01T00:00:00Z' }),
  }
  for (const [userName, set] of Object.entries(states)) {
    const renamed = await scim.addUser(userName)
    await set(renamed)
    const rename = { op: 'replace', path: 'userName', value: `${userName} away` }
    assert.equal((await scim.patch(`/Users/${renamed}`, rename)).status, 200, userName)
    const id = await scim.addUser(userName)
    await set(id)
    assert.equal((await scim.call('DELETE', `/Users/${id}`)).status, 204, userName)
    await scim.addUser(userName)
    app.clock.advance(1000)
    await logIn({ sub: userName })
  }
})

test('V-15 a request that says active: false ends access, whatever else in it is refused', async (t) => {
  const { scim, identity, createIdentity, signerId, logIn, isLive } = await setUpScim(t)
  const other = await scim.addUser('bob')
  const put = (id: string, body: object) => scim.call('PUT', `/Users/${id}`, body)
  const cases: [userName: string, change: object, expected: unknown[]][] = [
    ['alice', { externalId: 'Alice\u200b' }, [400, 'invalidValue']],
    ['carol', { userName: 'bob' }, [409, 'uniqueness']],
  ]
  for (const [userName, change, expected] of cases) {
    const id = await scim.addUser(userName)
    const session = await logIn({ sub: userName })
    assert.deepEqual(refusal(await put(id, { userName, active: true, ...change })), expected)
    assert.equal(await isLive(session), true)
    assert.deepEqual(refusal(await put(id, { userName, active: false, ...change })), expected)
    assert.deepEqual([(await identity(id)).disabled, await isLive(session)], [true, false])
  }
  const admin = await createIdentity({ name: 'root', externalId: 'root', isAdmin: true, linkedSigners: [signerId] })
  const rename = { op: 'replace', value: { userName: 'renamed', active: 'False' } }
  assert.equal((await scim.patch(`/Users/${admin}`, rename)).status, 403)
  assert.equal((await identity(admin)).disabled, true)
  const body = { userName: 'bob', active: false, externalId: '\u200b' }
  const stale = await scim.call('PUT', `/Users/${other}`, body, { headers: { 'if-match': '"1"' } })
  assert.deepEqual([stale.status, (await identity(other)).disabled], [412, false])
})

test('V-15 a departure counts also when the JSON parser refuses another member of the body', async (t) => {
  const { scim, identity, logIn, isLive } = await setUpScim(t)
  const members: Readonly<Record<string, string>> = {
    surrogate: '"displayName":"\\ud83d"',
    null: '"displayName":"a\\u0000b"',
    long: `"photos":[{"value":"${'x'.repeat(70_000)}"}]`,
    integer: '"employeeNumber":12345678901234567890',
    deep: `"extra":${'['.repeat(70)}${']'.repeat(70)}`,
    twice: '"title":"a","title":"b"',
    both: '"active":true',
    prototype: '"__proto__":1',
  }
  const bodies: Readonly<Record<string, (member: string, active: boolean) => string>> = {
    PUT: (member, active) => `{"userName":"${member}",${members[member]},"active":${active}}`,
    PATCH: (member, active) =>
      `{"Operations":[{"op":"replace","value":{"active":${active},${members[member]}}},{"op":"replace","path":"title","value":"a"}]}`,
  }
  for (const member of Object.keys(members)) {
    const id = await scim.addUser(member)
    for (const [method, body] of Object.entries(bodies)) {
      const session = await logIn({ sub: member })
      const send = (active: boolean) => scim.call(method, `/Users/${id}`, undefined, { raw: body(member, active) })
      assert.equal((await send(true)).status, 400, member)
      assert.deepEqual([(await identity(id)).disabled, await isLive(session)], [false, true], `${method} ${member}`)
      assert.equal((await send(false)).status, 400, member)
      assert.deepEqual([(await identity(id)).disabled, await isLive(session)], [true, false], `${method} ${member}`)
      await scim.setActive(id, true)
    }
  }
})

test('V-15 a token in other letters, held over a deletion, enrolls no identity', async (t) => {
  for (const [scimIdentityAttribute, user] of [
    ['userName', {}],
    ['email', { emails: [{ value: 'carol@idp', primary: true }] }],
  ] as const) {
    const { app, scim, token } = await setUpScim(t, { ...PROVISIONING, scimIdentityAttribute })
    const [exact, other] = [token({ sub: 'carol@idp' }), token({ sub: 'CAROL@idp' })]
    const id = await scim.addUser('carol@idp', user)
    const statuses = async () => [(await logInWithToken(app, exact)).status, (await logInWithToken(app, other)).status]
    assert.deepEqual(await statuses(), [200, 401])
    assert.equal((await scim.call('DELETE', `/Users/${id}`)).status, 204)
    assert.deepEqual(await statuses(), [401, 401])
  }
})
