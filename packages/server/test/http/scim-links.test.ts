import assert from 'node:assert/strict'
import { test } from 'node:test'
import { logInWithToken } from './provider.fixture.ts'
import { IDENTITIES, PROVISIONING } from './provider-channels.fixture.ts'
import { refusal, setUpScim } from './scim.fixture.ts'

test('V-15 a linked identity without an external id gets it from the first request that describes the user', async (t) => {
  const { scim, identity, createIdentity, signerId, logIn } = await setUpScim(t)
  const link = (name: string) => createIdentity({ name, externalId: null, linkedSigners: [signerId] })
  const dave = await link('dave')
  await scim.setActive(dave, false)
  await scim.setActive(dave, true)
  assert.equal((await identity(dave)).externalId, null, 'active says nothing about its name')
  const put = () => scim.call('PUT', `/Users/${dave}`, { userName: 'dave', active: true })
  const first = await put()
  assert.equal(first.status, 200, first.text)
  assert.equal((await identity(dave)).externalId, 'dave')
  await logIn({ sub: 'dave' })
  assert.equal((await put()).headers.etag, first.headers.etag, 'nothing changed')
  const erin = await link('erin')
  assert.equal((await scim.patch(`/Users/${erin}`, { op: 'add', path: 'displayName', value: 'E' })).status, 200)
  assert.equal((await identity(erin)).externalId, 'erin')
  await logIn({ sub: 'erin' })
})

test('V-16 D63 a linked identity with rights, or whose external id is taken, gets none', async (t) => {
  const { scim, identity, createIdentity, signerId } = await setUpScim(t)
  const linked = { externalId: null, linkedSigners: [signerId] }
  const admin = await createIdentity({ ...linked, name: 'admin dave', isAdmin: true })
  for (const displayName of ['A', 'B']) {
    const reply = await scim.call('PUT', `/Users/${admin}`, { userName: 'admin dave', displayName })
    assert.deepEqual([reply.status, reply.json.displayName], [200, displayName])
  }
  assert.equal((await identity(admin)).externalId, null)
  const erin = await createIdentity({ ...linked, name: 'erin' })
  await createIdentity({ name: 'another', externalId: 'erin' })
  for (const active of [true, false]) {
    const reply = await scim.call('PUT', `/Users/${erin}`, { userName: 'erin', active })
    assert.deepEqual([reply.status, reply.json.active], [200, active])
  }
  assert.equal((await identity(erin)).externalId, null)
})

test('V-16 D63 a person who took the name of a colleague is not described as that colleague', async (t) => {
  const { app, scim, identity, token } = await setUpScim(t, PROVISIONING)
  const provision = async (sub: string, name: string) => {
    const { json } = await logInWithToken(app, token({ sub, name }))
    return (await identity(json.data.identityId)).id as string
  }
  const mallory = await provision('mallory', 'mallory')
  await app.admin('PATCH', `${IDENTITIES}/${mallory}`, { name: 'bob@idp' })
  const put = (id: string, userName: string) => scim.call('PUT', `/Users/${id}`, { userName, active: true })
  assert.deepEqual(refusal(await put(mallory, 'bob@idp')), [409, 'uniqueness'])
  assert.equal((await identity(mallory)).externalId, 'mallory')
  assert.equal((await put(mallory, 'mallory')).status, 200, 'the name by which its tokens name it')
  await scim.setActive(mallory, false)
  assert.equal((await identity(mallory)).disabled, true)
})

for (const scimIdentityAttribute of ['userName', 'externalId'] as const) {
  test(`V-16 a person who took the name of a colleague keeps no one from having it: ${scimIdentityAttribute}`, async (t) => {
    const naming = { nameSync: true, enrollNameClaimsSelector: 'name', scimIdentityAttribute }
    const { app, scim, identity, token } = await setUpScim(t, { ...PROVISIONING, ...naming })
    const { json } = await logInWithToken(app, token({ sub: 'mallory', name: 'bob@idp' }))
    const mallory = json.data.identityId
    assert.equal((await identity(mallory)).name, 'bob@idp')
    const carol = await scim.addUser('carol@idp', { externalId: 'carol-id' })
    const rename = { op: 'replace', path: 'userName', value: 'bob@idp' }
    assert.equal((await scim.patch(`/Users/${carol}`, rename)).status, 200)
    await scim.patch(`/Users/${carol}`, { ...rename, value: 'carol@idp' })
    const bob = { userName: 'bob@idp', externalId: 'bob-id', active: true }
    assert.equal((await scim.call('POST', '/Users', bob)).status, 201)
    assert.deepEqual(refusal(await scim.call('POST', '/Users', { ...bob, externalId: 'x' })), [409, 'uniqueness'])
    assert.deepEqual(refusal(await scim.call('PUT', `/Users/${mallory}`, bob)), [409, 'uniqueness'])
  })
}

test('V-18 attributes of groups do not stop changes of an identity that has more than an administrator may write', async (t) => {
  const { app, scim, identity, patchIdentity } = await setUpScim(t)
  const id = await scim.addUser()
  for (let each = 0; each < 100; each += 1) await scim.addGroup(`g${each}`, [id])
  await patchIdentity(id, { roleAttributes: ['own'] })
  assert.equal((await identity(id)).roleAttributes.length, 101)
  await patchIdentity(id, { expiresAt: '2199-01-01T00:00:00Z' })
  const rename = { op: 'replace', path: 'userName', value: 'alice@new' }
  assert.equal((await scim.patch(`/Users/${id}`, rename)).status, 200)
  const own = (count: number) => Array.from({ length: count }, (_, each) => `own${each}`)
  const write = (roleAttributes: readonly string[]) => app.admin('PATCH', `${IDENTITIES}/${id}`, { roleAttributes })
  assert.equal((await write(own(101))).status, 400)
  assert.equal((await write(own(100))).status, 200)
  assert.equal((await identity(id)).roleAttributes.length, 200)
})

test('V-16 letter case makes no second user of an identity that no request has described', async (t) => {
  const { app, scim, identity, createIdentity, createSigner, connect, signerId, token } = await setUpScim(
    t,
    PROVISIONING,
  )
  const named = await createIdentity({ name: 'Carol', externalId: 'Carol@idp', linkedSigners: [signerId] })
  assert.equal((await logInWithToken(app, token({ sub: 'Dave@idp' }))).status, 200)
  const found = async (filter: string) =>
    (await scim.send('GET', `/Users?filter=${encodeURIComponent(filter)}`)).Resources.map(
      ({ id }: { id: string }) => id,
    )
  const [dave] = await found('userName eq "dave@idp"')
  for (const userName of ['carol@idp', 'CAROL@IDP', 'carol']) {
    assert.deepEqual(await found(`userName eq "${userName}"`), [named], userName)
    assert.deepEqual(refusal(await scim.call('POST', '/Users', { userName })), [409, 'uniqueness'], userName)
  }
  assert.deepEqual(await found('userName eq "CAROL@idp" and active eq true'), [named])
  assert.deepEqual(refusal(await scim.call('POST', '/Users', { userName: 'DAVE@idp' })), [409, 'uniqueness'])
  const rename = { op: 'replace', path: 'userName', value: 'CAROL@idp' }
  assert.deepEqual(refusal(await scim.patch(`/Users/${dave}`, rename)), [409, 'uniqueness'])
  assert.equal((await scim.setActive(named, false)).json.active, false)
  assert.equal((await identity(named)).disabled, true)
  // Only A to Z are folded, and only users of the signer count.
  await createIdentity({ name: 'Émile', externalId: 'Émile', linkedSigners: [signerId] })
  await scim.addUser('émile')
  const other = await connect(await createSigner({ name: 'other', audience: 'other' }))
  await other.addUser('carol@idp')
})

test('V-15 a person of the same name in other letters stops no departure', async (t) => {
  const { app, scim, identity, createIdentity, signerId, token, isLive } = await setUpScim(t, PROVISIONING)
  const logIn = async (sub: string, claims = {}): Promise<string> => {
    const reply = await logInWithToken(app, token({ sub, ...claims }))
    assert.equal(reply.status, 200, reply.text)
    return reply.json.data.token
  }
  const carol = await scim.addUser('carol@idp')
  const session = await logIn('carol@idp')
  assert.equal((await logInWithToken(app, token({ sub: 'Carol@idp' }))).status, 401, 'she has an identity')
  await createIdentity({ name: 'CAROL@idp', externalId: 'another', linkedSigners: [signerId] })
  assert.equal((await scim.setActive(carol, false)).status, 200)
  assert.deepEqual([(await identity(carol)).disabled, await isLive(session)], [true, false])

  const phone = await createIdentity({ name: 'erin phone', externalId: 'erin', linkedSigners: [signerId] })
  const erin = await createIdentity({ name: 'erin', externalId: null, linkedSigners: [signerId] })
  for (const [id, userName] of [
    [phone, 'erin'],
    [erin, 'erin'],
  ] as const) {
    const reply = await scim.call('PUT', `/Users/${id}`, { userName, active: false })
    assert.deepEqual([reply.status, reply.json.active], [200, false], reply.text)
    assert.equal((await identity(id)).disabled, true)
  }
})

test('V-15 the first description keeps the letter case that tokens have, also of an identity with rights', async (t) => {
  const { app, scim, identity, createIdentity, signerId, token, isLive } = await setUpScim(t, PROVISIONING)
  const opened = await logInWithToken(app, token({ sub: 'Dave@idp' }))
  const { token: session, identityId: dave } = opened.json.data
  const put = (id: string, body: object) => scim.call('PUT', `/Users/${id}`, body)
  for (const displayName of ['D', 'E']) {
    assert.equal((await put(dave, { userName: 'dave@idp', displayName, active: true })).status, 200)
    assert.deepEqual([(await identity(dave)).externalId, await isLive(session)], ['Dave@idp', true])
  }
  assert.equal((await put(dave, { userName: 'DAVE@idp' })).status, 200)
  assert.equal((await identity(dave)).externalId, 'DAVE@idp', 'the provider has changed it')
  const admin = await createIdentity({
    name: 'Root@idp',
    externalId: 'Root@idp',
    isAdmin: true,
    linkedSigners: [signerId],
  })
  const reply = await put(admin, { userName: 'root@idp', active: false })
  assert.deepEqual([reply.status, reply.json.active], [200, false], reply.text)
})
