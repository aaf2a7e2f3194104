import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createScimUser } from '../../src/operations/scim/scim-users.ts'
import type { TestApp } from './build-app.ts'
import { createPassword } from './identities.fixture.ts'
import { logInWithToken, SIGNERS } from './provider.fixture.ts'
import { IDENTITIES } from './provider-channels.fixture.ts'
import { refusal, setUpScim } from './scim.fixture.ts'

test('V-18 D59 groups give their members attributes, which belong to the signer', async (t) => {
  const { scim, identity, patchIdentity, signerId } = await setUpScim(t)
  const [alice, bob] = [await scim.addUser('alice'), await scim.addUser('bob')]
  await patchIdentity(alice, { roleAttributes: ['manual', 'engineers'] })
  const group = await scim.addGroup('engineers', [alice])
  const attributesOf = async (id: string) => (await identity(id)).roleAttributes
  assert.deepEqual(await attributesOf(alice), ['engineers', 'manual'])
  assert.deepEqual((await identity(alice)).attributeOrigins, [
    { attribute: 'engineers', origin: 'manual' },
    { attribute: 'engineers', origin: 'signer', signerId },
    { attribute: 'manual', origin: 'manual' },
  ])
  const add = { op: 'add', path: 'members', value: [{ value: bob }, { value: alice }] }
  assert.equal((await scim.patch(`/Groups/${group}`, add)).status, 204)
  assert.deepEqual(await attributesOf(bob), ['engineers'])
  const { members } = await scim.send('GET', `/Groups/${group}`)
  assert.deepEqual(
    members.map(({ value }: { value: string }) => value),
    [bob, alice].sort(),
  )
  const [shown] = (await scim.send('GET', `/Users/${bob}`)).groups
  assert.deepEqual([shown.value, shown.display], [group, 'engineers'])

  const rename = { op: 'replace', path: 'displayName', value: 'developers' }
  assert.equal((await scim.patch(`/Groups/${group}`, rename)).status, 204)
  assert.deepEqual(
    [await attributesOf(alice), await attributesOf(bob)],
    [['developers', 'engineers', 'manual'], ['developers']],
  )
  const remove = { op: 'remove', path: `members[value eq "${bob}"]` }
  assert.equal((await scim.patch(`/Groups/${group}`, remove)).status, 204)
  assert.deepEqual(await attributesOf(bob), [])
  assert.equal((await scim.call('DELETE', `/Groups/${group}`)).status, 204)
  assert.deepEqual(await attributesOf(alice), ['engineers', 'manual'])
})

test('V-18 groups that give the same attribute, and the template of the signer', async (t) => {
  const { app, scim, identity, signerId } = await setUpScim(t, { scimGroupAttributeTemplate: 'staff' })
  const id = await scim.addUser('alice')
  const [one, two] = [await scim.addGroup('one', [id]), await scim.addGroup('two', [id])]
  const attributes = async () => (await identity(id)).roleAttributes
  assert.deepEqual(await attributes(), ['staff'])
  await scim.patch(`/Groups/${one}`, { op: 'remove', path: 'members' })
  assert.deepEqual(await attributes(), ['staff'], 'by the other group')
  await scim.patch(`/Groups/${one}`, { op: 'add', path: 'members', value: [{ value: id }] })
  const patch = await app.admin('PATCH', `${SIGNERS}/${signerId}`, {
    scimGroupAttributeTemplate: 'group {displayName}',
  })
  assert.equal(patch.status, 200)
  assert.deepEqual(await attributes(), ['group one', 'group two'])
  assert.equal((await scim.call('DELETE', `/Groups/${two}`)).status, 204)
  assert.deepEqual(await attributes(), ['group one'])
  const external = await app.admin('PATCH', `${SIGNERS}/${signerId}`, { scimGroupAttributeTemplate: '{externalId}' })
  assert.equal(external.status, 400, 'a group has none')
  const long = await scim.call('POST', '/Groups', { displayName: 'x'.repeat(130) })
  assert.deepEqual(refusal(long), [400, 'invalidValue'])
  assert.equal((await app.admin('DELETE', `${SIGNERS}/${signerId}`)).status, 200)
  assert.deepEqual(await attributes(), [], 'they go with the signer')
})

test('V-18 attributes of groups and of tokens of the same signer are kept apart', async (t) => {
  const { scim, logIn, identity } = await setUpScim(t, {
    attributeSync: 'login',
    enrollAttributeClaimsSelector: 'groups',
  })
  const id = await scim.addUser('alice')
  const group = await scim.addGroup('both', [id])
  await scim.addGroup('scim', [id])
  await logIn({ sub: 'alice', groups: ['both', 'token'] })
  const attributes = async () => (await identity(id)).roleAttributes
  assert.deepEqual(await attributes(), ['both', 'scim', 'token'])
  assert.equal((await scim.call('DELETE', `/Groups/${group}`)).status, 204)
  assert.deepEqual(await attributes(), ['both', 'scim', 'token'], 'the token gives it too')
  await logIn({ sub: 'alice', groups: [] })
  assert.deepEqual(await attributes(), ['scim'])
})

test('V-18 live sessions see the attributes of a change of members', async (t) => {
  const { app, scim, token } = await setUpScim(t)
  const id = await scim.addUser('alice')
  const session = (await logInWithToken(app, token({ sub: 'alice' }))).json.data.token
  const own = async () =>
    (await app.call('GET', '/edge/client/v1/current-identity', undefined, { session })).json.data.roleAttributes
  assert.deepEqual(await own(), [])
  const group = await scim.addGroup('g', [id])
  assert.deepEqual(await own(), ['g'])
  await scim.patch(`/Groups/${group}`, { op: 'replace', path: 'displayName', value: 'h' })
  assert.deepEqual(await own(), ['h'])
  await scim.patch(`/Groups/${group}`, { op: 'replace', path: 'members', value: [] })
  assert.deepEqual(await own(), [])
})

test('V-18 a change of one member writes the rows of that member alone', async (t) => {
  const { app, scim } = await setUpScim(t)
  const ids: string[] = []
  for (let each = 0; each < 6; each += 1) ids.push(await scim.addUser(`user ${each}`))
  const group = await scim.addGroup('g', ids.slice(0, 5))
  const versions = async () => {
    const rows = await app.store.db.selectFrom('identities').select(['id', 'updated_at']).execute()
    return new Map(rows.map((row) => [row.id, row.updated_at]))
  }
  const before = await versions()
  await scim.patch(`/Groups/${group}`, { op: 'add', path: 'members', value: [{ value: ids[5] }] })
  await scim.send('PUT', `/Groups/${group}`, { displayName: 'g', members: ids.slice(1).map((value) => ({ value })) })
  const after = await versions()
  const changed = ids.filter((id) => before.get(id) !== after.get(id))
  assert.deepEqual(changed, [ids[0], ids[5]])
})

test('V-18 a user has the attributes of a hundred groups at most', async (t) => {
  const { scim, identity } = await setUpScim(t)
  const id = await scim.addUser('alice')
  for (let each = 0; each < 100; each += 1) await scim.addGroup(`group ${each}`, [id])
  const body = { displayName: 'one more', members: [{ value: id }] }
  assert.deepEqual(refusal(await scim.call('POST', '/Groups', body)), [400, 'tooMany'])
  assert.equal((await identity(id)).roleAttributes.length, 100)
  assert.equal((await scim.call('POST', '/Groups', { displayName: 'one more' })).status, 201)
})

test('V-19 groups have unique names, versions and members of their signer', async (t) => {
  const { scim } = await setUpScim(t)
  const id = await scim.addUser('alice')
  const group = await scim.addGroup('one')
  assert.deepEqual(refusal(await scim.call('POST', '/Groups', { displayName: 'ONE' })), [409, 'uniqueness'])
  await scim.send('POST', '/Groups', { displayName: 'two', externalId: 'x' })
  const taken = await scim.call('POST', '/Groups', { displayName: 'three', externalId: 'x' })
  assert.deepEqual(refusal(taken), [409, 'uniqueness'])
  const rename = await scim.patch(`/Groups/${group}`, { op: 'replace', path: 'displayName', value: 'Two' })
  assert.deepEqual(refusal(rename), [409, 'uniqueness'])
  assert.deepEqual(refusal(await scim.call('POST', '/Groups', { externalId: 'y' })), [400, 'invalidValue'])
  const nested = { op: 'add', path: 'members', value: [{ value: group, type: 'Group' }] }
  assert.deepEqual(refusal(await scim.patch(`/Groups/${group}`, nested)), [400, 'invalidValue'])
  for (const value of ['nowhere', 'x'.repeat(2_000), {}]) {
    const unknown = { op: 'add', path: 'members', value: [value] }
    assert.deepEqual(refusal(await scim.patch(`/Groups/${group}`, unknown)), [400, 'invalidValue'])
  }
  const add = { Operations: [{ op: 'add', path: 'members', value: [id] }] }
  const shown = await scim.call('PATCH', `/Groups/${group}?attributes=members.value`, add)
  assert.deepEqual([shown.status, shown.json.members], [200, [{ value: id }]], 'named attributes are returned')
  const remove = { Operations: [{ op: 'remove', path: `members[value eq "${id}"]` }] }
  assert.equal((await scim.call('PATCH', `/Groups/${group}?excludedAttributes=members`, remove)).status, 204)
  const first = await scim.call('GET', `/Groups/${group}`)
  const version = { headers: { 'if-match': String(first.headers.etag) } }
  const put = { displayName: 'one', members: [{ value: id }] }
  const changed = await scim.call('PUT', `/Groups/${group}`, put, version)
  assert.deepEqual([changed.status, changed.json.members.length], [200, 1])
  assert.deepEqual(refusal(await scim.call('PUT', `/Groups/${group}`, put, version)), [412, undefined])
  assert.deepEqual(refusal(await scim.call('DELETE', `/Groups/${group}`, undefined, version)), [412, undefined])
  const kept = await scim.send('PUT', `/Groups/${group}`, { displayName: 'renamed' })
  assert.deepEqual([kept.displayName, kept.members.length], ['renamed', 1], 'members that are not given stay')
  assert.equal((await scim.call('GET', '/Groups/nowhere')).status, 404)
})

test('V-19 the version of a group changes when a member is deleted or unlinked', async (t) => {
  const { app, scim, createIdentity, patchIdentity, signerId } = await setUpScim(t)
  const [alice, bob] = [await scim.addUser('alice'), await scim.addUser('bob')]
  const linked = await createIdentity({ name: 'linked', externalId: 'linked', linkedSigners: [signerId] })
  const group = await scim.addGroup('g', [alice, bob, linked])
  const other = await scim.addGroup('other')
  const versionOf = async (id: string) => String((await scim.call('GET', `/Groups/${id}`)).headers.etag)
  const ofOther = await versionOf(other)
  const leavings: [string, () => Promise<unknown>][] = [
    ['deleted by the provider', () => scim.call('DELETE', `/Users/${alice}`)],
    ['deleted by an administrator', () => app.admin('DELETE', `${IDENTITIES}/${bob}`)],
    ['unlinked', () => patchIdentity(linked, { linkedSigners: [] })],
  ]
  for (const [how, leave] of leavings) {
    const earlier = await versionOf(group)
    await leave()
    const current = await versionOf(group)
    assert.notEqual(current, earlier, how)
    const change = (version: string) =>
      scim.call('PUT', `/Groups/${group}`, { displayName: how }, { headers: { 'if-match': version } })
    assert.deepEqual(refusal(await change(earlier)), [412, undefined], how)
    assert.equal((await change(current)).status, 200, how)
  }
  assert.deepEqual((await scim.send('GET', `/Groups/${group}`)).members, [])
  assert.equal(await versionOf(other), ofOther)
})

test('V-18 replaced members may name users who are gone, and added ones may not', async (t) => {
  const { app, scim, signerId, createSigner, createIdentity, identity } = await setUpScim(t)
  const [alice, bob, gone] = [await scim.addUser('alice'), await scim.addUser('bob'), await scim.addUser('gone')]
  const other = await createSigner({ name: 'other', audience: 'other' })
  const foreign = await createIdentity({ name: 'foreign', externalId: 'foreign', linkedSigners: [other] })
  const group = await scim.addGroup('sales', [alice, bob, gone])
  const attributes = async () => [(await identity(alice)).roleAttributes, (await identity(bob)).roleAttributes]
  await app.admin('DELETE', `/edge/management/v1/identities/${gone}`)
  const list = (...ids: readonly string[]) => ids.map((value) => ({ value }))
  const whole = list(alice, gone, foreign, signerId)
  for (const send of [
    () => scim.call('PUT', `/Groups/${group}`, { displayName: 'sales', members: whole }),
    () => scim.patch(`/Groups/${group}`, { op: 'replace', path: 'members', value: whole }),
    () => scim.patch(`/Groups/${group}`, { op: 'replace', value: { members: whole } }),
  ]) {
    await scim.patch(`/Groups/${group}`, { op: 'add', path: 'members', value: list(bob) })
    assert.deepEqual(await attributes(), [['sales'], ['sales']])
    assert.ok((await send()).status < 300)
    assert.deepEqual(await attributes(), [['sales'], []])
    assert.deepEqual((await identity(foreign)).roleAttributes, [])
    const { members } = await scim.send('GET', `/Groups/${group}`)
    assert.deepEqual(
      members.map(({ value }: { value: string }) => value),
      [alice],
    )
  }
  for (const id of [gone, foreign]) {
    const add = { op: 'add', path: 'members', value: list(bob, id) }
    assert.deepEqual(refusal(await scim.patch(`/Groups/${group}`, add)), [400, 'invalidValue'])
    const created = await scim.call('POST', '/Groups', { displayName: 'new', members: list(bob, id) })
    assert.deepEqual(refusal(created), [400, 'invalidValue'])
  }
  assert.deepEqual(await attributes(), [['sales'], []])
})

test('V-18 a group with many members is sent while they are read, and a change of all is reported', async (t) => {
  const { app, scim, signerId, identity } = await setUpScim(t)
  const first = await scim.addUser('first')
  const group = await scim.addGroup('g', [first])
  const { db } = app.store
  const source = { signerId, tokenId: (await app.admin('GET', `${SIGNERS}/${signerId}/scim-tokens`)).json.data[0].id }
  const meta = { actorId: 'system', now: app.clock.now() }
  const ids: string[] = []
  for (let each = 0; each < 2_100; each += 1) {
    const id = `user-${String(each).padStart(5, '0')}`
    const user = { userName: id, externalId: null, displayName: null, name: {}, emails: [] }
    await app.store.run(createScimUser, { ...source, id, user, active: true }, meta)
    ids.push(id)
  }
  const add = (some: readonly string[]) => ({ op: 'add', path: 'members', value: some.map((value) => ({ value })) })
  assert.equal((await scim.patch(`/Groups/${group}`, add(ids))).status, 204)
  const shown = await scim.send('GET', `/Groups/${group}`)
  assert.deepEqual(
    shown.members.map(({ value }: { value: string }) => value),
    [first, ...ids].sort(),
  )
  const displays = shown.members.map(({ display }: { display: string }) => display)
  assert.deepEqual(displays.sort(), ['first', ...ids], 'user names')
  const listed = await scim.send('GET', '/Groups')
  assert.deepEqual([listed.totalResults, listed.Resources[0].members.length], [1, 2_101])
  assert.deepEqual((await identity(ids[7] ?? '')).roleAttributes, ['g'])
  const session = (await scimSession(app, ids[7] ?? '')).token
  const own = async () =>
    (await app.call('GET', '/edge/client/v1/current-identity', undefined, { session })).json.data.roleAttributes
  assert.deepEqual(await own(), ['g'])
  await scim.patch(`/Groups/${group}`, { op: 'replace', path: 'displayName', value: 'h' })
  assert.deepEqual(await own(), ['h'])
  await scim.patch(`/Groups/${group}`, { op: 'remove', path: 'members' })
  assert.deepEqual(await own(), [])
  const left = await db
    .selectFrom('identity_attributes')
    .select('attribute')
    .where('signer_id', '=', signerId)
    .execute()
  assert.deepEqual(left, [])
})

test('V-20 a page of groups ends before it has too many members', async (t) => {
  const { scim } = await setUpScim(t, { scimGroupAttributeTemplate: 'staff' })
  const ids: string[] = []
  for (let each = 0; each < 145; each += 1) ids.push(await scim.addUser(`user ${each}`))
  for (let each = 0; each < 145; each += 1) await scim.addGroup(`group ${each}`, ids)
  const page = async (query: string) => {
    const { totalResults, itemsPerPage, Resources } = await scim.send('GET', `/Groups?count=200${query}`)
    assert.equal(itemsPerPage, Resources.length)
    return [totalResults, itemsPerPage]
  }
  assert.deepEqual(await page(''), [145, 137], '137 groups have 19,865 members')
  assert.deepEqual(await page('&startIndex=138'), [145, 8])
  assert.deepEqual(await page('&excludedAttributes=members'), [145, 145])
  const users = (await scim.send('GET', '/Users?count=12')).Resources
  assert.ok(users.every(({ groups }: { groups: readonly unknown[] }) => groups.length === 145))
})

/** A session of an identity by password. */
async function scimSession(app: TestApp, id: string): Promise<{ token: string }> {
  const { username, password } = await createPassword(app, id)
  return { token: await app.logIn(username, password) }
}
