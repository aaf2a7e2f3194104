import assert from 'node:assert/strict'
import { test } from 'node:test'
import { IDENTITIES } from './provider-channels.fixture.ts'
import { refusal, setUpScim } from './scim.fixture.ts'

test('V-19 a response has the attributes and parts that the caller wants', async (t) => {
  const { scim } = await setUpScim(t)
  const name = { familyName: 'Liddell', givenName: 'Alice' }
  const emails = [{ value: 'a@work', type: 'work', primary: true }, { value: 'a@home' }]
  const id = await scim.addUser('alice', { name, emails })
  const group = await scim.addGroup('g', [id])
  const base = (await scim.send('GET', `/Users/${id}`)).meta.location.replace(/\/Users\/.*/, '')
  const get = async (path: string) => {
    const { schemas: _s, id: _id, ...shown } = await scim.send('GET', path)
    return shown
  }
  const only = (names: string) => get(`/Users/${id}?attributes=${names}`)
  assert.deepEqual(await only('name.familyName'), { name: { familyName: 'Liddell' } })
  assert.deepEqual(await only('NAME.familyname,userName'), { userName: 'alice', name: { familyName: 'Liddell' } })
  assert.deepEqual(await only('urn:ietf:params:scim:schemas:core:2.0:User:name.givenName'), {
    name: { givenName: 'Alice' },
  })
  assert.deepEqual(await only('name,name.familyName'), { name })
  assert.deepEqual(await only('emails.value'), { emails: [{ value: 'a@work' }, { value: 'a@home' }] })
  assert.deepEqual(await only('emails.type'), { emails: [{ type: 'work' }] })
  assert.deepEqual(await only('emails.display'), {})
  assert.deepEqual(await only('groups.display'), { groups: [{ display: 'g' }] })
  assert.deepEqual(Object.keys((await only('meta.version')).meta), ['version'])
  const without = (names: string) => get(`/Users/${id}?excludedAttributes=${names},meta,groups,active`)
  assert.deepEqual(await without('name.familyName'), { userName: 'alice', name: { givenName: 'Alice' }, emails })
  assert.deepEqual(await without('name.familyName,name.givenName,emails'), { userName: 'alice' })
  assert.deepEqual(await without('emails.type,emails.primary,name'), {
    userName: 'alice',
    emails: [{ value: 'a@work' }, { value: 'a@home' }],
  })
  assert.equal((await scim.send('GET', `/Users/${id}?excludedAttributes=id,schemas`)).id, id)
  const member = { value: id, $ref: `${base}/Users/${id}`, display: 'alice', type: 'User' }
  assert.deepEqual((await get(`/Groups/${group}`)).members, [member])
  assert.deepEqual(await get(`/Groups/${group}?attributes=members.value`), { members: [{ value: id }] })
  assert.deepEqual(await get(`/Groups/${group}?attributes=members.$ref`), { members: [{ $ref: member.$ref }] })
  assert.deepEqual((await get(`/Groups/${group}?excludedAttributes=members.display,members.$ref`)).members, [
    { value: id, type: 'User' },
  ])
  assert.deepEqual(await get(`/Groups/${group}?attributes=members.nothing,displayName`), { displayName: 'g' })
  const listed = (await scim.send('GET', '/Groups?attributes=members.display')).Resources
  assert.deepEqual(listed[0].members, [{ display: 'alice' }])
  const [first] = (await scim.send('GET', '/Users?attributes=name.givenName')).Resources
  assert.deepEqual(first.name, { givenName: 'Alice' })

  const both = '?attributes=userName&excludedAttributes=name'
  const body = { userName: 'changed', displayName: 'changed' }
  for (const path of [`/Users/${id}`, `/Groups/${group}`]) {
    assert.deepEqual(refusal(await scim.call('PUT', `${path}${both}`, body)), [400, 'invalidValue'])
  }
  assert.deepEqual(refusal(await scim.call('POST', `/Users${both}`, body)), [400, 'invalidValue'])
  assert.equal((await scim.send('GET', '/Users')).totalResults, 1)
  assert.equal((await get(`/Groups/${group}`)).displayName, 'g', 'refused before the change')
  assert.equal((await get(`/Users/${id}`)).userName, 'alice')
})

test('V-19 a reader that has the version gets a 304', async (t) => {
  const { app, scim } = await setUpScim(t)
  const id = await scim.addUser('alice')
  const group = await scim.addGroup('g', [id])
  for (const path of [`/Users/${id}`, `/Groups/${group}`]) {
    const get = (version: string) => scim.call('GET', path, undefined, { headers: { 'if-none-match': version } })
    const { etag } = (await scim.call('GET', path)).headers
    for (const version of [String(etag), `W/${etag}`, `"x", ${etag}`, '*']) {
      const reply = await get(version)
      assert.deepEqual([reply.status, reply.text, reply.headers.etag], [304, '', etag], version)
    }
    for (const version of ['"x"', `W/"x"`, String(etag).replaceAll('"', '')]) {
      assert.equal((await get(version)).status, 200, version)
    }
    const put = { userName: 'alice', displayName: 'changed' }
    const changed = await scim.call('PUT', path, put, { headers: { 'if-none-match': '*' } })
    assert.equal(changed.status, 200, 'of reads only')
    assert.equal((await get(String(etag))).status, 200)
    assert.equal((await get(String(changed.headers.etag))).status, 304)
  }
  for (const path of ['/Users/nowhere', '/Groups/nowhere']) {
    const reply = await scim.call('GET', path, undefined, { headers: { 'if-none-match': '*' } })
    assert.deepEqual(refusal(reply), [404, undefined])
  }
  await app.admin('POST', `${IDENTITIES}/${id}/disable`, { durationMinutes: 5 })
  const disabled = await scim.call('GET', `/Users/${id}`)
  app.clock.advance(6 * 60_000)
  const headers = { 'if-none-match': String(disabled.headers.etag) }
  const enabled = await scim.call('GET', `/Users/${id}`, undefined, { headers })
  assert.deepEqual([disabled.json.active, enabled.status, enabled.json.active], [false, 200, true])
})

test('V-19 discovery says what is supported', async (t) => {
  const { scim } = await setUpScim(t)
  const config = await scim.send('GET', '/ServiceProviderConfig')
  const { patch, bulk, filter, changePassword, etag, sort } = config
  assert.deepEqual([patch.supported, bulk.supported, filter.supported], [true, false, true])
  assert.deepEqual([changePassword.supported, etag.supported, sort.supported], [false, true, false])
  const schemas = await scim.send('GET', '/Schemas')
  assert.equal(schemas.totalResults, 2)
  for (const { id, meta } of schemas.Resources) {
    const one = await scim.send('GET', `/Schemas/${id}`)
    assert.deepEqual([one.id, one.meta.location], [id, meta.location])
  }
  const types = await scim.send('GET', '/ResourceTypes')
  assert.deepEqual(
    types.Resources.map(({ name, endpoint }: { name: string; endpoint: string }) => [name, endpoint]),
    [
      ['User', '/Users'],
      ['Group', '/Groups'],
    ],
  )
  assert.equal((await scim.send('GET', '/ResourceTypes/User')).endpoint, '/Users')
  for (const path of ['/Schemas/x', '/ResourceTypes/x', '/Nothing']) {
    assert.deepEqual(refusal(await scim.call('GET', path)), [404, undefined], path)
  }
  for (const path of ['/Schemas', '/ResourceTypes', '/ServiceProviderConfig']) {
    assert.equal((await scim.call('GET', `${path}?count=1&attributes=id`)).status, 200, path)
    const reply = await scim.call('GET', `${path}?filter=${encodeURIComponent('id eq "x"')}`)
    assert.deepEqual(refusal(reply), [403, undefined], path)
  }
  for (const [method, path] of [
    ['POST', '/Bulk'],
    ['POST', '/.search'],
    ...['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].map((each) => [each, '/Me'] as const),
  ] as const) {
    assert.deepEqual(refusal(await scim.call(method, path)), [501, undefined], `${method} ${path}`)
    const unknown = await scim.call(method, path, undefined, { headers: { authorization: 'Bearer x' } })
    assert.deepEqual(refusal(unknown), [401, undefined], `${method} ${path}`)
  }
  const [user, group] = schemas.Resources
  const partsOf = (schema: typeof user, name: string) =>
    schema.attributes
      .find((attribute: { name: string }) => attribute.name === name)
      .subAttributes.map((part: { name: string; type: string; referenceTypes?: string[] }) => [
        part.name,
        part.type,
        ...(part.referenceTypes ?? []),
      ])
  const text = (name: string) => [name, 'string']
  assert.deepEqual(partsOf(group, 'members'), [
    text('value'),
    ['$ref', 'reference', 'User'],
    text('display'),
    text('type'),
  ])
  assert.deepEqual(partsOf(user, 'groups'), [
    text('value'),
    ['$ref', 'reference', 'Group'],
    text('display'),
    text('type'),
  ])
  for (const [method, path] of [
    ['POST', '/ServiceProviderConfig'],
    ['GET', '/Users/.search'],
    ['GET', '/Bulk'],
  ] as const) {
    assert.deepEqual(refusal(await scim.call(method, path)), [405, undefined], path)
  }
})

test('V-19 what the server alone sets, and what is required, is not changed by a path', async (t) => {
  const { scim, identity } = await setUpScim(t)
  const id = await scim.addUser('alice', { displayName: 'Alice', externalId: 'a' })
  const group = await scim.addGroup('g', [id])
  const refused: [path: string, operation: Readonly<Record<string, unknown>>][] = [
    ...['add', 'replace', 'remove'].flatMap((op) =>
      ['id', 'ID', 'meta', 'meta.version', 'groups', `groups[value eq "${group}"]`].map(
        (path) => [`/Users/${id}`, { op, path, value: 'x' }] as [string, Readonly<Record<string, unknown>>],
      ),
    ),
    [`/Users/${id}`, { op: 'remove', path: 'userName' }],
    [`/Users/${id}`, { op: 'Remove', path: 'urn:ietf:params:scim:schemas:core:2.0:User:userName' }],
    [`/Groups/${group}`, { op: 'replace', path: 'id', value: 'x' }],
    [`/Groups/${group}`, { op: 'remove', path: 'displayName' }],
    [`/Groups/${group}`, { op: 'replace', path: `members[value eq "${id}"].value`, value: 'x' }],
    [`/Groups/${group}`, { op: 'replace', path: 'members.display', value: 'x' }],
  ]
  const before = [await scim.send('GET', `/Users/${id}`), await scim.send('GET', `/Groups/${group}`)]
  for (const [path, operation] of refused) {
    const reply = await scim.patch(path, { op: 'replace', path: 'externalId', value: 'new' }, operation)
    assert.deepEqual(refusal(reply), [400, 'mutability'], `${path} ${JSON.stringify(operation)}`)
  }
  assert.deepEqual([await scim.send('GET', `/Users/${id}`), await scim.send('GET', `/Groups/${group}`)], before)
  const value = { id: 'other', meta: { version: 'x' }, groups: [], schemas: [], displayName: 'changed' }
  for (const path of [`/Users/${id}`, `/Groups/${group}`]) {
    assert.ok((await scim.patch(path, { op: 'replace', value })).status < 300, path)
    assert.equal((await scim.send('GET', path)).displayName, 'changed', path)
  }
  const removed = await scim.patch(`/Users/${id}`, { op: 'remove', path: 'displayName' })
  assert.deepEqual([removed.status, removed.json.displayName], [200, undefined], 'not required of users')
  assert.deepEqual((await identity(id)).roleAttributes, ['changed'])
})
