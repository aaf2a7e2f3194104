import assert from 'node:assert/strict'
import { test } from 'node:test'
import { issueTo, LOG_IN, overTls } from './client-certificates.fixture.ts'
import { AUTHENTICATORS, createPassword } from './identities.fixture.ts'
import { ALICE, decisionOf, logInWithToken, SIGNERS } from './provider.fixture.ts'
import { IDENTITIES } from './provider-channels.fixture.ts'
import { refusal, setUpScim, USER_SCHEMA } from './scim.fixture.ts'

test('V-15 a user is an identity that can log in by tokens of the signer', async (t) => {
  const { app, scim, logIn, identity, signerId } = await setUpScim(t)
  const body = {
    schemas: [USER_SCHEMA],
    userName: ALICE,
    externalId: '00u1',
    displayName: 'Alice',
    name: { givenName: 'Alice', familyName: 'Liddell' },
    emails: [{ value: ALICE, type: 'work', primary: true }],
    password: 'not kept',
    title: 'not kept',
  }
  const reply = await scim.call('POST', '/Users', body)
  assert.equal(reply.status, 201, reply.text)
  const { id, meta } = reply.json
  assert.match(String(reply.headers['content-type']), /^application\/scim\+json/)
  assert.deepEqual([reply.headers.location, reply.headers.etag], [meta.location, meta.version])
  const { password: _p, title: _t, ...kept } = body
  assert.deepEqual(reply.json, { ...kept, id, active: true, groups: [], meta })
  assert.deepEqual((await scim.call('GET', `/Users/${id}`)).json, reply.json)
  const { name, externalId, isAdmin, permissions, linkedSigners } = await identity(id)
  assert.deepEqual([name, externalId, isAdmin, permissions, linkedSigners], [ALICE, ALICE, false, null, []])
  await logIn()
  const rows = await app.store.db
    .selectFrom('identities')
    .select('enrolled_by_signer_id')
    .where('id', '=', id)
    .execute()
  assert.deepEqual(rows, [{ enrolled_by_signer_id: signerId }])
})

test('V-15 active false disables the identity and ends its sessions, and active true undoes only that', async (t) => {
  const { app, scim, logIn, token, isLive, identity } = await setUpScim(t)
  const id = await scim.addUser()
  const session = await logIn()
  const { username, password } = await createPassword(app, id)
  const byPassword = await app.logIn(username, password)
  const off = await scim.setActive(id, false)
  assert.deepEqual([off.status, off.json.active], [200, false])
  assert.deepEqual([await isLive(session), await isLive(byPassword)], [false, false])
  assert.equal((await logInWithToken(app, token())).status, 401)
  const ended = app.events('apiSession').filter(({ event_type: type }) => type === 'deleted')
  assert.equal(ended[0].message, 'ended by SCIM of signer idp')
  const [applied] = app.events('providerEvent')
  assert.deepEqual(
    [applied.type, applied.event_type, applied.action, applied.identity_ids, applied.sessions_ended],
    ['scim', 'applied', 'disable', [id], 2],
  )
  assert.equal((await scim.setActive(id, false)).json.active, false)
  assert.equal(app.events('providerEvent').length, 1, 'nothing changed')
  assert.equal((await scim.setActive(id, true)).json.active, true)
  await logIn()

  await app.admin('POST', `${IDENTITIES}/${id}/disable`, { durationMinutes: 0 })
  const kept = await scim.setActive(id, true)
  assert.deepEqual([kept.status, kept.json.active], [200, false], 'disabled by an administrator')
  await app.admin('POST', `${IDENTITIES}/${id}/enable`)
  assert.equal((await identity(id)).disabled, false)
  assert.equal((await scim.setActive(id, false)).json.active, false)
  await app.admin('POST', `${IDENTITIES}/${id}/enable`)
  assert.equal((await scim.setActive(id, false)).json.active, false, 'disabled again')
  assert.equal((await scim.setActive(id, true)).json.active, true)
})

test('V-15 active false refuses the certificate of the identity', async (t) => {
  const { app, scim } = await setUpScim(t)
  const call = await overTls(app)
  const id = await scim.addUser()
  const { cert, key, certPem } = await issueTo(app, id)
  const recorded = await app.admin('POST', AUTHENTICATORS, { method: 'cert', identityId: id, certPem })
  assert.equal(recorded.status, 201, recorded.text)
  const logIn = async () => (await call('POST', LOG_IN, { cert, key })).status
  assert.equal(await logIn(), 200)
  assert.equal((await scim.setActive(id, false)).json.active, false)
  assert.equal(await logIn(), 401)
  assert.equal((await scim.setActive(id, true)).json.active, true)
  assert.equal(await logIn(), 200)
})

test('V-15 explain and the decision say that SCIM disabled the identity', async (t) => {
  const { app, scim, token, explain, patchIdentity, createSigner, connect } = await setUpScim(t)
  const id = await scim.addUser()
  assert.deepEqual((await explain(token())).missing, [])
  await scim.setActive(id, false)
  const text = `the identity "${ALICE}" was disabled by SCIM of the signer "idp": its identity provider can enable it, or an administrator`
  assert.deepEqual((await explain(token())).missing, [text])
  const refused = await logInWithToken(app, token())
  const decision = await decisionOf(app, refused.json.error.requestId)
  assert.deepEqual([decision.reason, decision.missing], ['disabled', [text]])
  await scim.setActive(id, true)
  assert.deepEqual((await explain(token())).missing, [])
  const other = await connect(await createSigner({ name: 'other', audience: 'other' }))
  await patchIdentity(id, { linkedSigners: [other.signerId] })
  assert.equal((await other.setActive(id, false)).json.active, false)
  assert.match((await explain(token())).missing[0], new RegExp(`by SCIM of the signer with the id "${other.signerId}"`))
  assert.equal((await scim.setActive(id, true)).json.active, false, 'the other signer disabled it')
  assert.equal((await other.setActive(id, true)).json.active, true)
})

test('V-15 a user can be created disabled', async (t) => {
  const { app, scim, token, logIn } = await setUpScim(t)
  const id = await scim.addUser(ALICE, { active: false })
  assert.equal((await scim.send('GET', `/Users/${id}`)).active, false)
  assert.equal((await logInWithToken(app, token())).status, 401)
  assert.equal((await scim.setActive(id, true)).json.active, true)
  await logIn()
})

test('V-15 the name and the external id of the identity follow the user', async (t) => {
  const { app, scim, logIn, isLive, token, identity, patchIdentity } = await setUpScim(t)
  const id = await scim.addUser()
  const session = await logIn()
  const renamed = await scim.patch(`/Users/${id}`, { op: 'replace', path: 'userName', value: 'alice@new' })
  assert.deepEqual([renamed.status, renamed.json.userName], [200, 'alice@new'])
  assert.deepEqual([(await identity(id)).name, (await identity(id)).externalId], ['alice@new', 'alice@new'])
  assert.equal(await isLive(session), false, 'its token named another')
  assert.equal((await logInWithToken(app, token())).status, 401)
  await logIn({ sub: 'alice@new' })
  await patchIdentity(id, { name: 'Alice' })
  await scim.send('PUT', `/Users/${id}`, { userName: 'alice@newer' })
  assert.deepEqual([(await identity(id)).name, (await identity(id)).externalId], ['Alice', 'alice@newer'])
})

test('V-15 the signer says which attribute names the identity', async (t) => {
  const { app, scim, identity, createSigner, connect } = await setUpScim(t, { scimIdentityAttribute: 'externalId' })
  assert.deepEqual(refusal(await scim.call('POST', '/Users', { userName: 'a' })), [400, 'invalidValue'])
  const id = await scim.addUser('a', { externalId: '00u1' })
  assert.equal((await identity(id)).externalId, '00u1')
  const other = await connect(
    await createSigner({ name: 'by email', audience: 'email', scimIdentityAttribute: 'email' }),
  )
  assert.deepEqual(refusal(await other.call('POST', '/Users', { userName: 'b' })), [400, 'invalidValue'])
  const emails = [{ value: 'old@b' }, { value: 'b@b', primary: true }]
  const second = await other.addUser('b', { emails })
  assert.equal((await identity(second)).externalId, 'b@b')
  await other.send('PUT', `/Users/${second}`, { userName: 'b', emails: [{ value: 'c@b' }] })
  assert.equal((await identity(second)).externalId, 'c@b')
  assert.equal((await app.admin('GET', `${IDENTITIES}?filter=externalId="b@b"`)).json.data.length, 0)
})

test('V-15 a deleted user is gone with its identity', async (t) => {
  const { app, scim, logIn, isLive } = await setUpScim(t)
  const id = await scim.addUser()
  const session = await logIn()
  const reply = await scim.call('DELETE', `/Users/${id}`)
  assert.deepEqual([reply.status, reply.text], [204, ''])
  assert.equal(await isLive(session), false)
  assert.deepEqual(refusal(await scim.call('GET', `/Users/${id}`)), [404, undefined])
  assert.deepEqual(refusal(await scim.call('DELETE', `/Users/${id}`)), [404, undefined])
  assert.equal((await app.admin('GET', `${IDENTITIES}/${id}`)).status, 404)
  assert.equal(app.events('providerEvent').at(-1).action, 'delete')
  await scim.addUser()
  app.clock.advance(1000)
  await logIn()
})

test('V-16 D63 a taken name or external id is a conflict, and never adopted', async (t) => {
  const { scim, createIdentity, createSigner, connect, identity } = await setUpScim(t)
  const manual = await createIdentity({ name: 'manual', externalId: 'manual@idp' })
  const other = await connect(await createSigner({ name: 'other', audience: 'other' }))
  const foreign = await other.addUser('foreign@idp')
  for (const userName of ['manual', 'manual@idp', 'foreign@idp']) {
    assert.deepEqual(refusal(await scim.call('POST', '/Users', { userName })), [409, 'uniqueness'], userName)
  }
  const id = await scim.addUser('free@idp', { externalId: 'x' })
  assert.deepEqual(refusal(await scim.call('POST', '/Users', { userName: 'FREE@idp' })), [409, 'uniqueness'])
  assert.deepEqual(refusal(await scim.call('POST', '/Users', { userName: 'y', externalId: 'x' })), [409, 'uniqueness'])
  await scim.addUser('y', { externalId: 'X' })
  for (const value of ['manual', 'manual@idp', 'foreign@idp', 'Y']) {
    const rename = await scim.patch(`/Users/${id}`, { op: 'replace', path: 'userName', value })
    assert.deepEqual(refusal(rename), [409, 'uniqueness'], value)
  }
  assert.equal((await scim.patch(`/Users/${id}`, { op: 'replace', path: 'userName', value: 'Free@idp' })).status, 200)
  assert.deepEqual([(await identity(manual)).name, (await identity(foreign)).name], ['manual', 'foreign@idp'])
})

test('V-16 a name that a token gave an identity stops no user of that name', async (t) => {
  const signer = { nameSync: true, enrollNameClaimsSelector: 'name' }
  const { app, scim, identity, logIn, patchIdentity, signerId, createIdentity } = await setUpScim(t, signer)
  const alice = await scim.addUser(ALICE)
  const carol = await scim.addUser('carol@idp')
  await logIn({ name: 'bob@idp' })
  assert.equal((await identity(alice)).name, 'bob@idp')
  const bob = await scim.addUser('bob@idp')
  const { name, externalId } = await identity(bob)
  assert.match(name, /^bob@idp [0-9a-f]{8}$/)
  assert.equal(externalId, 'bob@idp')
  assert.equal((await scim.send('GET', `/Users/${bob}`)).userName, 'bob@idp')
  assert.equal((await identity(alice)).name, 'bob@idp', 'nothing is adopted')
  assert.deepEqual(refusal(await scim.call('POST', '/Users', { userName: 'BOB@idp' })), [409, 'uniqueness'])
  await logIn({ sub: 'bob@idp', name: 'Bob' })

  await logIn({ name: 'dave@idp' })
  const rename = { op: 'replace', path: 'userName', value: 'dave@idp' }
  assert.equal((await scim.patch(`/Users/${carol}`, rename)).status, 200)
  assert.match((await identity(carol)).name, /^dave@idp [0-9a-f]{8}$/)
  await logIn({ sub: 'dave@idp', name: 'Carol' })

  await createIdentity({ name: 'eve@idp', externalId: 'eve' })
  assert.deepEqual(refusal(await scim.call('POST', '/Users', { userName: 'eve@idp' })), [409, 'uniqueness'])
  await patchIdentity(alice, { externalId: 'frank@idp' })
  const frank = await scim.call('POST', '/Users', { userName: 'frank@idp' })
  assert.deepEqual(refusal(frank), [409, 'uniqueness'], 'the external id of an identity')
  await app.admin('PATCH', `${SIGNERS}/${signerId}`, { nameSync: false })
  await patchIdentity(alice, { name: 'grace@idp' })
  assert.deepEqual(refusal(await scim.call('POST', '/Users', { userName: 'grace@idp' })), [409, 'uniqueness'])
})

test('V-16 D63 a provider sees and changes the identities of its signer and those linked to it, and no others', async (t) => {
  const { scim, createIdentity, createSigner, connect, identity, patchIdentity, signerId } = await setUpScim(t)
  const manual = await createIdentity({ name: 'manual', externalId: 'manual@idp' })
  const other = await connect(await createSigner({ name: 'other', audience: 'other' }))
  const foreign = await other.addUser('foreign@idp')
  const group = await other.addGroup('g', [foreign])
  const body = { userName: 'x' }
  for (const id of [manual, foreign, 'nowhere']) {
    const path = `/Users/${id}`
    assert.deepEqual(refusal(await scim.call('GET', path)), [404, undefined])
    assert.deepEqual(refusal(await scim.setActive(id, false)), [404, undefined])
    assert.deepEqual(refusal(await scim.call('PUT', path, body)), [404, undefined])
    const ifMatch = { headers: { 'if-match': '"old"' } }
    assert.deepEqual(refusal(await scim.call('PUT', path, body, ifMatch)), [404, undefined], 'not 412')
    assert.deepEqual(refusal(await scim.call('DELETE', path)), [404, undefined])
    const member = await scim.call('POST', '/Groups', { displayName: 'mine', members: [{ value: id }] })
    assert.deepEqual(refusal(member), [400, 'invalidValue'])
  }
  assert.equal((await scim.call('GET', `/Groups/${group}`)).status, 404)
  assert.equal((await scim.patch(`/Groups/${group}`, { op: 'remove', path: 'members' })).status, 404)
  assert.equal((await scim.call('DELETE', `/Groups/${group}`)).status, 404)
  assert.equal((await scim.send('GET', '/Users')).totalResults, 0)
  assert.deepEqual([(await identity(manual)).disabled, (await identity(foreign)).disabled], [false, false])

  await patchIdentity(manual, { linkedSigners: [signerId] })
  const found = await scim.send('GET', `/Users?filter=${encodeURIComponent('userName eq "manual@idp"')}`)
  assert.deepEqual([found.totalResults, found.Resources[0].id], [1, manual])
  assert.equal((await scim.send('GET', '/Users')).totalResults, 1)
  const described = await scim.send('PUT', `/Users/${manual}`, {
    userName: 'manual@idp',
    displayName: 'M',
    active: false,
  })
  assert.deepEqual([described.displayName, described.active], ['M', false])
  assert.deepEqual([(await identity(manual)).name, (await identity(manual)).disabled], ['manual', true])
  assert.deepEqual(refusal(await scim.call('DELETE', `/Users/${manual}`)), [403, undefined], 'not created by it')
  assert.equal((await scim.setActive(manual, true)).json.active, true)
  const own = await scim.addGroup('own', [manual])
  assert.deepEqual((await identity(manual)).roleAttributes, ['own'])
  await patchIdentity(manual, { linkedSigners: [] })
  assert.equal((await scim.call('GET', `/Users/${manual}`)).status, 404)
  assert.deepEqual((await scim.send('GET', `/Groups/${own}`)).members, [])
  assert.deepEqual((await identity(manual)).roleAttributes, [])
})

test('V-16 D63 identities with rights are disabled, but never renamed, relinked, enabled or deleted', async (t) => {
  const { scim, identity, patchIdentity } = await setUpScim(t)
  for (const rights of [{ isAdmin: true }, { permissions: ['identity.read'] }]) {
    const userName = `user ${Object.keys(rights)}`
    const id = await scim.addUser(userName)
    assert.equal((await scim.patch(`/Users/${id}`, { op: 'add', path: 'displayName', value: 'A' })).status, 200)
    await patchIdentity(id, { ...rights, authPolicyId: 'default' })
    const rename = await scim.patch(`/Users/${id}`, { op: 'replace', path: 'userName', value: 'another' })
    assert.deepEqual(refusal(rename), [403, undefined])
    assert.deepEqual(refusal(await scim.call('PUT', `/Users/${id}`, { userName: 'another' })), [403, undefined])
    assert.deepEqual(refusal(await scim.call('DELETE', `/Users/${id}`)), [403, undefined])
    assert.equal((await scim.setActive(id, false)).json.active, false)
    assert.equal((await identity(id)).disabled, true)
    assert.equal((await scim.setActive(id, true)).json.active, false)
    assert.deepEqual([(await identity(id)).disabled, (await identity(id)).name], [true, userName])
  }
})

test('V-16 D63 the last administrator is not disabled', async (t) => {
  const { app, scim, identity, patchIdentity, signerId } = await setUpScim(t)
  const [admin] = (await app.admin('GET', `${IDENTITIES}?filter=isDefaultAdmin`)).json.data
  await patchIdentity(admin.id, { linkedSigners: [signerId] })
  assert.deepEqual(refusal(await scim.setActive(admin.id, false)), [409, undefined])
  const id = await scim.addUser()
  await patchIdentity(id, { isAdmin: true })
  assert.equal((await scim.setActive(id, false)).json.active, false, 'not the last one')
  assert.equal((await identity(admin.id)).disabled, false)
})

test('V-19 a change with the version of the user succeeds, with another it is a 412', async (t) => {
  const { scim } = await setUpScim(t)
  const id = await scim.addUser()
  const first = await scim.call('GET', `/Users/${id}`)
  const version = String(first.headers.etag)
  const change = (ifMatch: string, displayName: string) =>
    scim.call('PUT', `/Users/${id}`, { userName: ALICE, displayName }, { headers: { 'if-match': ifMatch } })
  const second = await change(version, 'one')
  assert.equal(second.status, 200)
  assert.notEqual(second.headers.etag, version)
  assert.deepEqual(refusal(await change(version, 'two')), [412, undefined])
  assert.equal((await change(`W/${second.headers.etag}`, 'two')).status, 200)
  assert.equal((await change('*', 'three')).status, 200)
  const last = await scim.call('GET', `/Users/${id}`)
  assert.equal(last.headers.etag, last.json.meta.version)
  const same = await scim.call('PUT', `/Users/${id}`, { userName: ALICE, displayName: 'three' })
  assert.equal(same.headers.etag, last.headers.etag, 'nothing changed')
  const old = { headers: { 'if-match': version } }
  assert.deepEqual(refusal(await scim.call('DELETE', `/Users/${id}`, undefined, old)), [412, undefined])
  const current = { headers: { 'if-match': String(last.headers.etag) } }
  assert.equal((await scim.call('DELETE', `/Users/${id}`, undefined, current)).status, 204)
})
