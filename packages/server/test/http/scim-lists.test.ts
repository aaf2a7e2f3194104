import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { refusal, setUpScim, USER_SCHEMA } from './scim.fixture.ts'

const SEARCH_SCHEMA = 'urn:ietf:params:scim:api:messages:2.0:SearchRequest'

const filtered = (filter: string, rest = '') => `?filter=${encodeURIComponent(filter)}${rest}`

test('V-19 users are found by filters', async (t) => {
  const { scim, createIdentity, signerId } = await setUpScim(t)
  const alice = await scim.addUser('Alice@idp', {
    externalId: 'A1',
    displayName: 'Alice L',
    emails: [
      { value: 'alice@work', type: 'work', primary: true },
      { value: 'alice@home', type: 'home' },
    ],
  })
  const bob = await scim.addUser('bob@idp', { externalId: 'b2', active: false })
  const linked = await createIdentity({ name: 'Linked', externalId: 'linked@idp', linkedSigners: [signerId] })
  const find = async (filter: string) => {
    const { Resources, totalResults } = await scim.send('GET', `/Users${filtered(filter)}`)
    assert.equal(totalResults, Resources.length)
    return Resources.map(({ id }: { id: string }) => id)
  }
  const cases: [filter: string, expected: readonly string[]][] = [
    ['userName eq "alice@IDP"', [alice]],
    ['USERNAME EQ "bob@idp"', [bob]],
    ['urn:ietf:params:scim:schemas:core:2.0:User:userName eq "bob@idp"', [bob]],
    ['userName eq "linked@idp"', [linked]],
    ['userName eq "nobody@idp"', []],
    ['externalId eq "A1"', [alice]],
    ['externalId eq "a1"', []],
    [`id eq "${bob}"`, [bob]],
    ['userName co "IDP"', [alice, bob, linked]],
    ['userName sw "ali"', [alice]],
    ['userName ew "@idp" and active eq true', [alice, linked]],
    ['active eq "False"', [bob]],
    ['displayName pr', [alice]],
    ['not (displayName pr)', [bob, linked]],
    ['displayName eq "alice l" or externalId eq "b2"', [alice, bob]],
    ['userName ne "alice@idp"', [bob, linked]],
    ['externalId eq null', [linked]],
    ['externalId ne null', [alice, bob]],
    ['emails.value eq "ALICE@home"', [alice]],
    ['emails eq "alice@work"', [alice]],
    ['emails[type eq "work" and value co "alice"]', [alice]],
    ['emails[type eq "home" and primary eq true]', []],
    ['emails[type eq "work"].value eq "alice@work"', [alice]],
    ['emails[type eq "home"].value eq "alice@work"', []],
    ['emails[type eq "work"] eq "alice@work"', [alice]],
    ['emails[type eq "home"] eq "alice@work" or emails[type eq "home"] pr', [alice]],
    ['emails[type eq "home"] eq "alice@work" and active eq true', []],
    ['emails pr', [alice]],
    ['userName gt "alice@idp" and userName le "linked@idp"', [bob, linked]],
    ['meta.created gt "2020-01-01T00:00:00Z"', [alice, bob, linked]],
    ['meta.lastModified lt "2020-01-01T00:00:00Z"', []],
    ['userName sw "%"', []],
    [`userName eq "a\\"b"`, []],
  ]
  for (const [filter, expected] of cases) assert.deepEqual(await find(filter), expected, filter)
})

test('V-19 users are found by the parts of their names, by their groups and by what every resource has', async (t) => {
  const { scim } = await setUpScim(t)
  const name = { formatted: 'Grace O’Malley', familyName: "O'Malley", givenName: 'GRÁCE' }
  const grace = await scim.addUser('grace', { name, emails: [{ value: 'GRÁCE@idp', type: 'ÄRBEIT' }] })
  const bob = await scim.addUser('bob', { displayName: 'ÖBOB' })
  const group = await scim.addGroup('Éngineers', [grace])
  const { location } = (await scim.send('GET', `/Users/${bob}`)).meta
  const [{ $ref }] = (await scim.send('GET', `/Users/${grace}`)).groups
  const find = async (path: string, filter: string) =>
    (await scim.send('GET', `${path}${filtered(filter)}`)).Resources.map(({ id }: { id: string }) => id)
  const users: [filter: string, expected: readonly string[]][] = [
    [`name.familyName co "O'Malley"`, [grace]],
    ['name.familyName eq "o\'MALLEY"', [grace]],
    ['name.formatted sw "grace" and name.givenName eq "grÁce"', [grace]],
    ['name.givenName eq "gráce"', []],
    ['name.middleName pr', []],
    ['name pr', [grace]],
    ['not (name pr)', [bob]],
    ['name eq null', [bob]],
    ['name[familyName sw "o" and givenName pr]', [grace]],
    ['name[familyName sw "o" and middleName pr]', []],
    [`groups eq "${group}"`, [grace]],
    [`groups.value eq "${group}"`, [grace]],
    [`groups[value eq "${group}" and display eq "Éngineers"]`, [grace]],
    ['groups.display eq "ÉNGINEERS"', [grace]],
    ['groups.type eq "direct"', [grace]],
    [`groups.$ref eq "${$ref}"`, [grace]],
    ['groups pr', [grace]],
    ['not (groups pr)', [bob]],
    ['groups eq "other"', []],
    ['meta.resourceType eq "User"', [grace, bob]],
    ['meta.resourceType eq "Group"', []],
    [`meta.location eq "${location}"`, [bob]],
    ['schemas eq "urn:ietf:params:scim:schemas:core:2.0:User"', [grace, bob]],
    ['schemas eq "urn:ietf:params:scim:schemas:core:2.0:Group"', []],
    ['emails.value eq "grÁce@IDP"', [grace]],
    ['emails[type eq "Ärbeit"]', [grace]],
    ['displayName eq "Öbob"', [bob]],
    ['displayName eq "öbob"', []],
    [`id eq "${bob}" and manager eq "x"`, []],
    ['urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:employeeNumber eq "701984"', []],
    [`id eq "${bob}" and not (employeeNumber pr)`, [bob]],
    [`id eq "${bob}" and not (urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:manager pr)`, [bob]],
  ]
  for (const [filter, expected] of users) assert.deepEqual(await find('/Users', filter), expected, filter)
  const groups: [filter: string, expected: readonly string[]][] = [
    ['members.display eq "GRACE"', [group]],
    ['members.display eq "bob"', []],
    ['members.type eq "User"', [group]],
    [`members.$ref ew "/Users/${grace}"`, [group]],
    [`members.$ref ew "/Users/${bob}"`, []],
    ['meta.resourceType eq "Group" and schemas co "core:2.0:group"', [group]],
  ]
  for (const [filter, expected] of groups) assert.deepEqual(await find('/Groups', filter), expected, filter)
})

test('V-19 every attribute that a schema lists can be in a filter', async (t) => {
  const { scim } = await setUpScim(t)
  interface Attribute {
    readonly name: string
    readonly subAttributes?: readonly Attribute[]
  }
  const namesOf = ({ name, subAttributes = [] }: Attribute): string[] => [
    name,
    ...subAttributes.map((part) => `${name}.${part.name}`),
  ]
  let count = 0
  for (const { name: resource, attributes } of (await scim.send('GET', '/Schemas')).Resources) {
    const common = ['id', 'schemas', 'meta', 'meta.created', 'meta.lastModified', 'meta.resourceType', 'meta.location']
    for (const name of [...attributes.flatMap(namesOf), ...common]) {
      const reply = await scim.call('GET', `/${resource}s${filtered(`${name} pr`)}`)
      assert.equal(reply.status, 200, `${resource} ${name}`)
      count += 1
    }
  }
  assert.ok(count > 30)
})

test('V-16 a linked identity whose external id is its email is found by the email', async (t) => {
  const { scim, createIdentity, signerId } = await setUpScim(t, { scimIdentityAttribute: 'email' })
  const linked = { name: 'Linked', externalId: 'Linked@idp', linkedSigners: [signerId] }
  const id = await createIdentity(linked)
  const bare = await createIdentity({ name: 'Bare', externalId: null, linkedSigners: [signerId] })
  const find = async (filter: string) =>
    (await scim.send('GET', `/Users${filtered(filter)}`)).Resources.map((user: { id: string }) => user.id)
  assert.deepEqual((await scim.send('GET', `/Users/${id}`)).emails, [{ value: 'Linked@idp', primary: true }])
  for (const filter of [
    'emails eq "linked@idp"',
    'emails.value eq "LINKED@idp"',
    'emails[primary eq true and value ew "@idp"]',
  ]) {
    assert.deepEqual(await find(filter), [id], filter)
  }
  assert.deepEqual(await find('emails[type eq "work"].value eq "linked@idp"'), [])
  assert.deepEqual(await find('not (emails pr)'), [bare])
  await scim.send('PUT', `/Users/${id}`, { userName: 'linked', emails: [{ value: 'new@idp', type: 'work' }] })
  assert.deepEqual(await find('emails eq "linked@idp"'), [], 'described now')
  assert.deepEqual(await find('emails[type eq "work"].value eq "new@idp"'), [id])
})

test('V-19 groups are found by filters', async (t) => {
  const { scim } = await setUpScim(t)
  const id = await scim.addUser('alice')
  const [one, two] = [await scim.addGroup('One', [id]), await scim.addGroup('Two')]
  const find = async (filter: string) => {
    const { Resources } = await scim.send('GET', `/Groups${filtered(filter, '&excludedAttributes=members')}`)
    return Resources.map((group: { id: string; members?: unknown }) => {
      assert.equal(group.members, undefined)
      return group.id
    })
  }
  assert.deepEqual(await find('displayName eq "one"'), [one])
  assert.deepEqual(await find('displayName co "o"'), [one, two])
  assert.deepEqual(await find(`members eq "${id}"`), [one])
  assert.deepEqual(await find(`members[value eq "${id}"]`), [one])
  assert.deepEqual(await find(`id eq "${two}" and members.value eq "${id}"`), [])
  assert.deepEqual(await find('externalId eq "x"'), [])
})

test('V-19 an unusable filter is refused with its keyword', async (t) => {
  const { scim } = await setUpScim(t)
  assert.equal((await scim.call('GET', `/Users${filtered('userName eq "a"')}`)).status, 200)
  const deep = `${'('.repeat(20)}userName pr${')'.repeat(20)}`
  const wide = Array.from({ length: 40 }, () => 'userName pr').join(' or ')
  const bad = [
    'userName',
    'userName eq',
    'userName eq a',
    'userName eq "a',
    'userName is "a"',
    'eq "a"',
    'userName eq "a" and',
    '(userName eq "a"',
    'userName eq "a")',
    'nickName eq "a"',
    'name.nickName eq "a"',
    'name eq "a"',
    'meta co "a"',
    'groups[name eq "a"]',
    'active gt true',
    'active eq "maybe"',
    'meta.created gt "yesterday"',
    'userName eq 1',
    'userName eq "a\\u0000b"',
    'emails[value co "\\u0000"]',
    'userName co null',
    'emails[type eq "work"',
    'emails[type eq "work"] is "a"',
    'emails[type eq "work"] "a"',
    'emails[nickName eq "x"]',
    'phones[type eq "work"]',
    deep,
    wide,
    `userName eq "${'x'.repeat(3_000)}"`,
  ]
  for (const filter of bad) {
    assert.deepEqual(refusal(await scim.call('GET', `/Users${filtered(filter)}`)), [400, 'invalidFilter'], filter)
  }
})

test('V-19 lists have pages, in the order in which users were created', async (t) => {
  const { scim } = await setUpScim(t)
  const ids: string[] = []
  for (let each = 0; each < 7; each += 1) ids.push(await scim.addUser(`user ${each}`))
  const page = async (query: string) => {
    const { Resources, ...rest } = await scim.send('GET', `/Users${query}`)
    return [Resources.map(({ id }: { id: string }) => id), rest.totalResults, rest.startIndex, rest.itemsPerPage]
  }
  assert.deepEqual(await page(''), [ids, 7, 1, 7])
  assert.deepEqual(await page('?startIndex=1&count=3'), [ids.slice(0, 3), 7, 1, 3])
  assert.deepEqual(await page('?startIndex=4&count=3'), [ids.slice(3, 6), 7, 4, 3])
  assert.deepEqual(await page('?startIndex=7&count=3'), [ids.slice(6), 7, 7, 1])
  assert.deepEqual(await page('?startIndex=100'), [[], 7, 100, 0])
  assert.deepEqual(await page('?startIndex=-5&count=-1'), [[], 7, 1, 0])
  assert.deepEqual(await page('?count=0'), [[], 7, 1, 0])
  assert.deepEqual(await page(`${filtered('userName sw "user"', '&startIndex=2&count=2')}`), [ids.slice(1, 3), 7, 2, 2])
  assert.deepEqual(refusal(await scim.call('GET', '/Users?count=many')), [400, 'invalidValue'])
  const only = await scim.send('GET', '/Users?attributes=userName&count=1')
  assert.deepEqual(Object.keys(only.Resources[0]).sort(), ['id', 'schemas', 'userName'])
  const both = await scim.call('GET', '/Users?attributes=userName&excludedAttributes=name')
  assert.deepEqual(refusal(both), [400, 'invalidValue'])
})

test('V-19 a search by POST has the response of the list', async (t) => {
  const { scim } = await setUpScim(t)
  const ids: string[] = []
  for (const name of ['alice', 'bob', 'carol']) ids.push(await scim.addUser(name))
  await scim.addGroup('one', ids)
  await scim.addGroup('two')
  const schemas = [SEARCH_SCHEMA]
  const users = await scim.send('POST', '/Users/.search', { schemas })
  assert.deepEqual(users, await scim.send('GET', '/Users'))
  const part = { schemas, startIndex: 2, count: 1, attributes: ['userName', 'groups.display'] }
  assert.deepEqual(
    await scim.send('POST', '/Users/.search', { ...part, filter: 'userName pr' }),
    await scim.send(
      'GET',
      `/Users${filtered('userName pr', '&startIndex=2&count=1&attributes=userName,groups.display')}`,
    ),
  )
  const found = await scim.send('POST', '/Users/.search', { schemas, filter: 'userName eq "bob"', sortBy: 'id' })
  assert.deepEqual([found.totalResults, found.Resources[0].id], [1, ids[1]])
  const groups = await scim.send('POST', '/Groups/.search', { schemas, excludedAttributes: ['members'] })
  assert.deepEqual(groups, await scim.send('GET', '/Groups?excludedAttributes=members'))
  const withMembers = await scim.send('POST', '/Groups/.search', { schemas, filter: 'displayName eq "one"' })
  assert.equal(withMembers.Resources[0].members.length, 3)
  const cases: [body: unknown, scimType: string][] = [
    [{}, 'invalidSyntax'],
    [{ schemas: [USER_SCHEMA] }, 'invalidSyntax'],
    [{ schemas, filter: 'userName' }, 'invalidFilter'],
    [{ schemas, count: 'many' }, 'invalidValue'],
    [{ schemas, attributes: ['id'], excludedAttributes: ['name'] }, 'invalidValue'],
    [{ schemas, attributes: Array.from({ length: 65 }, (_, each) => `a${each}`) }, 'tooMany'],
  ]
  for (const [body, scimType] of cases) {
    for (const path of ['/Users/.search', '/Groups/.search']) {
      assert.deepEqual(refusal(await scim.call('POST', path, body)), [400, scimType], JSON.stringify(body))
    }
  }
  const unknown = await scim.call('POST', '/Users/.search', { schemas }, { headers: { authorization: 'Bearer x' } })
  assert.deepEqual(refusal(unknown), [401, undefined])
})

test('V-20 bodies that are too large, too deep or not SCIM are refused in the format of SCIM', async (t) => {
  const { app, scim } = await setUpScim(t)
  const id = await scim.addUser('alice')
  const send = async (path: string, body: unknown) => refusal(await scim.call('PATCH', path, body))
  const operation = { op: 'add', path: 'displayName', value: 'x' }
  const many = (count: number, one: unknown) => ({ Operations: Array.from({ length: count }, () => one) })
  assert.equal((await scim.call('PATCH', `/Users/${id}`, many(500, operation))).status, 200)
  assert.deepEqual(await send(`/Users/${id}`, many(501, operation)), [400, 'tooMany'])
  const member = { value: [{ value: id }], op: 'add', path: 'members' }
  const group = await scim.addGroup('g')
  assert.equal((await scim.call('PATCH', `/Groups/${group}`, many(2, member))).status, 204)
  const members = Array.from({ length: 5_001 }, (_, each) => ({ value: `id ${each}` }))
  assert.deepEqual(await send(`/Groups/${group}`, many(1, { ...member, value: members })), [400, 'tooMany'])
  const emails = Array.from({ length: 21 }, (_, each) => ({ value: `a@${each}` }))
  assert.deepEqual(await send(`/Users/${id}`, many(1, { op: 'add', path: 'emails', value: emails })), [400, 'tooMany'])
  const cases: [unknown, string][] = [
    [{}, 'invalidSyntax'],
    [[], 'invalidSyntax'],
    [{ Operations: 'x' }, 'invalidSyntax'],
    [many(1, { op: 'move', path: 'userName' }), 'invalidSyntax'],
    [many(1, { op: 'remove' }), 'noTarget'],
    [many(1, { op: 'add', value: 'x' }), 'invalidValue'],
    [many(1, { op: 'add', path: 5, value: 'x' }), 'invalidPath'],
    [many(1, { op: 'add', path: 'emails[', value: 'x' }), 'invalidPath'],
    [many(1, { op: 'replace', path: 'active', value: 'maybe' }), 'invalidValue'],
    [many(1, { op: 'remove', path: 'userName' }), 'mutability'],
    [many(1, { op: 'replace', path: 'userName', value: '' }), 'invalidValue'],
    [many(1, { op: 'replace', path: 'userName', value: 'x'.repeat(257) }), 'invalidValue'],
    [many(1, { op: 'replace', path: 'userName', value: 'a\u200bb' }), 'invalidValue'],
    [many(1, { op: 'replace', path: 'displayName', value: 5 }), 'invalidValue'],
    [many(1, { op: 'replace', path: 'emails[type gt "x"].value', value: 'x' }), 'invalidFilter'],
    [many(1, { op: 'replace', path: 'emails[type eq "x"].type', value: 'x' }), 'noTarget'],
  ]
  for (const [body, scimType] of cases) {
    assert.deepEqual(await send(`/Users/${id}`, body), [400, scimType], JSON.stringify(body).slice(0, 200))
  }
  const raw = (text: string, headers = {}) => scim.call('POST', '/Users', undefined, { raw: text, headers })
  assert.deepEqual(refusal(await raw('{"userName":')), [400, 'invalidSyntax'])
  assert.deepEqual(refusal(await raw('{"userName":"a","username":"b"}')), [400, 'invalidSyntax'])
  assert.deepEqual(refusal(await raw('')), [400, 'invalidSyntax'])
  assert.deepEqual(refusal(await raw(`${'['.repeat(100)}${']'.repeat(100)}`)), [400, 'invalidSyntax'])
  assert.deepEqual(refusal(await raw('{"userName":"b"}', { 'content-type': 'text/plain' })), [415, undefined])
  assert.equal((await raw('{"userName":"b"}', { 'content-type': 'application/json' })).status, 201)
  const large = JSON.stringify({ userName: 'c', title: 'x'.repeat(app.settings.http.maxManagementBodyBytes) })
  assert.deepEqual(refusal(await raw(large)), [413, undefined])
})

test('V-20 a provider that sends too many requests has to wait', async (t) => {
  const dir = mkdtempSync(join(tmpdir(), 'countersign-scim-'))
  t.after(() => rmSync(dir, { recursive: true, force: true }))
  const config = join(dir, 'countersign.json')
  writeFileSync(config, JSON.stringify({ limits: { scimBurst: 5, scimPerSecond: 1 } }))
  const { scim, connect, createSigner } = await setUpScim(t, {}, { settings: { config } })
  const replies = []
  for (let each = 0; each < 40; each += 1) replies.push(await scim.call('GET', '/ServiceProviderConfig'))
  assert.deepEqual([...new Set(replies.map(({ status }) => status))], [200, 429])
  const [refused] = replies.filter(({ status }) => status === 429)
  assert.ok(refused)
  assert.deepEqual(refusal(refused), [429, undefined])
  assert.ok(Number(refused.headers['retry-after']) > 0)
  const other = await connect(await createSigner({ name: 'other', audience: 'other' }))
  assert.equal((await other.call('GET', '/ServiceProviderConfig')).status, 200, 'each signer has its own limit')
})
