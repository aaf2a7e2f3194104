import assert from 'node:assert/strict'
import { test } from 'node:test'
import { GROUP_SCHEMA, PATCH_SCHEMA, refusal, setUpScim, USER_SCHEMA } from './scim.fixture.ts'

const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'
const query = (filter: string) => encodeURIComponent(filter)
const patch = (...Operations: readonly unknown[]) => ({ schemas: [PATCH_SCHEMA], Operations })

/** https://developer.okta.com/docs/api/openapi/okta-scim/guides/scim-20/ */
test('V-17 the requests of Okta’s provisioning agent', async (t) => {
  const { scim, identity, logIn, isLive } = await setUpScim(t)
  const userName = 'test.user@okta.local'
  const byName = `/Users?filter=${query(`userName eq "${userName}"`)}&startIndex=1&count=100`
  assert.equal((await scim.send('GET', byName)).totalResults, 0)
  const body = {
    schemas: [USER_SCHEMA],
    userName,
    name: { givenName: 'Test', familyName: 'User' },
    emails: [{ primary: true, value: userName, type: 'work' }],
    displayName: 'Test User',
    locale: 'en-US',
    externalId: '00ujl29u0le5T6Aj10h7',
    groups: [],
    password: '1mz050nq',
    active: true,
  }
  const { id } = await scim.send('POST', '/Users', body)
  assert.equal((await scim.send('GET', byName)).Resources[0].id, id)
  assert.equal((await scim.send('GET', `/Users/${id}`)).userName, userName)
  const session = await logIn({ sub: userName })
  const put = { ...body, id, name: { givenName: 'Another', middleName: 'Excited', familyName: 'User' }, meta: {} }
  assert.deepEqual((await scim.send('PUT', `/Users/${id}`, put)).name, put.name)
  assert.equal(await isLive(session), true)

  assert.equal((await scim.send('GET', '/Groups?startIndex=1&count=100')).totalResults, 0)
  const group = await scim.send('POST', '/Groups', { schemas: [GROUP_SCHEMA], displayName: 'Test SCIMv2', members: [] })
  const change = (...operations: readonly unknown[]) => scim.call('PATCH', `/Groups/${group.id}`, patch(...operations))
  const attributes = async () => (await identity(id)).roleAttributes
  const add = { op: 'add', path: 'members', value: [{ value: id, display: userName }] }
  const remove = { op: 'remove', path: `members[value eq "${id}"]` }
  assert.equal((await change(remove, add)).status, 204)
  assert.deepEqual(await attributes(), ['Test SCIMv2'])
  const rename = { op: 'replace', value: { id: group.id, displayName: 'Renamed' } }
  assert.equal((await change(rename)).status, 204)
  assert.deepEqual(await attributes(), ['Renamed'])
  assert.equal((await change(remove)).status, 204)
  assert.deepEqual(await attributes(), [])
  const whole = {
    schemas: [GROUP_SCHEMA],
    id: group.id,
    displayName: 'Whole',
    members: [{ value: id, display: userName }],
  }
  assert.equal((await scim.send('PUT', `/Groups/${group.id}`, whole)).members.length, 1)
  assert.deepEqual(await attributes(), ['Whole'])
  assert.equal((await scim.send('PUT', `/Groups/${group.id}`, { ...whole, members: [] })).members.length, 0)
  assert.deepEqual(await attributes(), [])
  assert.equal((await scim.call('DELETE', `/Groups/${group.id}`)).status, 204)

  const deactivate = await scim.call('PATCH', `/Users/${id}`, patch({ op: 'replace', value: { active: false } }))
  assert.deepEqual([deactivate.status, deactivate.json.active], [200, false])
  assert.equal(await isLive(session), false)
  assert.equal((await scim.send('PUT', `/Users/${id}`, put)).active, true, 'assigned again')
  await logIn({ sub: userName })
  assert.equal((await scim.send('PUT', `/Users/${id}`, { ...put, active: false })).active, false)
})

/** https://learn.microsoft.com/entra/identity/app-provisioning/use-scim-to-provision-users-and-groups */
test('V-17 the requests of Entra’s provisioning agent', async (t) => {
  const { scim, identity, logIn, isLive } = await setUpScim(t)
  const userName = 'Test_User_dfeef4c5@example.com'
  const byName = (name: string) => `/Users?filter=${query(`userName eq "${name}"`)}`
  assert.equal((await scim.send('GET', '/Schemas')).totalResults, 2)
  assert.equal((await scim.send('GET', byName('non-existent user'))).totalResults, 0)
  assert.equal((await scim.send('GET', `${byName('x')}&aadOptscim062020`)).totalResults, 0, 'a flag of Entra')
  const body = {
    schemas: [USER_SCHEMA, ENTERPRISE],
    externalId: '0a21f0f2-8d2a-4f8e-bf98-7363c4aed4ef',
    userName,
    active: true,
    displayName: 'Test User',
    emails: [{ primary: true, type: 'work', value: userName }],
    meta: { resourceType: 'User' },
    name: { formatted: 'givenName familyName', familyName: 'familyName', givenName: 'givenName' },
    roles: [],
    [ENTERPRISE]: { department: 'Sales', manager: { value: 'x' } },
  }
  const { id } = await scim.send('POST', '/Users', body)
  assert.equal((await scim.send('GET', byName(userName))).Resources[0].id, id)
  const change = async (...operations: readonly unknown[]) => {
    const reply = await scim.call('PATCH', `/Users/${id}`, patch(...operations))
    assert.equal(reply.status, 200, reply.text)
    return reply.json
  }
  const several = await change(
    { op: 'Replace', path: 'emails[type eq "work"].value', value: 'updatedEmail@example.com' },
    { op: 'Replace', path: 'name.familyName', value: 'updatedFamilyName' },
    { op: 'Add', path: `${ENTERPRISE}:department`, value: 'IT' },
    { op: 'Add', path: 'emails[type eq "other"].value', value: 'other@example.com' },
    { op: 'Add', path: 'phoneNumbers[type eq "mobile"].value', value: '1' },
  )
  assert.deepEqual(
    [several.emails, several.name.familyName],
    [
      [
        { primary: true, type: 'work', value: 'updatedEmail@example.com' },
        { type: 'other', value: 'other@example.com' },
      ],
      'updatedFamilyName',
    ],
  )
  const flat = await change({
    op: 'replace',
    value: {
      displayName: 'Flat',
      'name.givenName': 'Given',
      'emails[type eq "work"].value': 'flat@example.com',
      [`${ENTERPRISE}:department`]: 'HR',
    },
  })
  assert.deepEqual([flat.displayName, flat.name.givenName, flat.emails[0].value], ['Flat', 'Given', 'flat@example.com'])
  assert.equal(
    (await change({ op: 'Replace', path: 'userName', value: 'renamed@example.com' })).userName,
    'renamed@example.com',
  )
  assert.equal((await identity(id)).externalId, 'renamed@example.com')
  assert.equal((await change({ op: 'Remove', path: 'displayName' })).displayName, undefined)

  const session = await logIn({ sub: 'renamed@example.com' })
  for (const [off, on] of [
    [false, true],
    ['False', 'True'],
  ]) {
    assert.equal((await change({ op: 'Replace', path: 'active', value: off })).active, false)
    assert.equal(await isLive(session), false)
    assert.equal((await change({ op: 'Replace', path: 'active', value: on })).active, true)
  }
  assert.equal((await change({ op: 'replace', value: { active: 'False' } })).active, false)

  const group = await scim.send('POST', '/Groups', {
    schemas: [GROUP_SCHEMA, 'http://schemas.microsoft.com/2006/11/ResourceManagement/ADSCIM/2.0/Group'],
    externalId: '8aa1a0c0-c4c3-4bc0-b4a5-2ef676900159',
    displayName: 'displayName',
    meta: { resourceType: 'Group' },
  })
  const one = await scim.send('GET', `/Groups/${group.id}?excludedAttributes=members`)
  assert.deepEqual([one.displayName, one.members], ['displayName', undefined])
  const found = await scim.send(
    'GET',
    `/Groups?excludedAttributes=members&filter=${query('displayName eq "displayName"')}`,
  )
  assert.deepEqual([found.totalResults, found.Resources[0].id], [1, group.id])
  const changeGroup = async (operation: unknown) => {
    const reply = await scim.call('PATCH', `/Groups/${group.id}`, patch(operation))
    assert.deepEqual([reply.status, reply.text], [204, ''])
    return (await identity(id)).roleAttributes
  }
  const member = [{ $ref: null, value: id }]
  assert.deepEqual(await changeGroup({ op: 'Add', path: 'members', value: member }), ['displayName'])
  assert.deepEqual(await changeGroup({ op: 'Replace', path: 'displayName', value: 'changed' }), ['changed'])
  assert.deepEqual(await changeGroup({ op: 'Remove', path: 'members', value: member }), [])
  assert.deepEqual(await changeGroup({ op: 'Add', path: 'members', value: member }), ['changed'])
  assert.deepEqual(await changeGroup({ op: 'Remove', path: `members[value eq "${id}"]` }), [])
  assert.equal((await scim.call('DELETE', `/Groups/${group.id}`)).status, 204)
  assert.equal((await scim.call('DELETE', `/Users/${id}`)).status, 204)
  assert.deepEqual(refusal(await scim.call('GET', `/Users/${id}`)), [404, undefined])
})

test('V-17 names with joiners create users, and user names and groups with one are refused', async (t) => {
  const { scim, identity } = await setUpScim(t)
  const persian = '\u0639\u0644\u06cc\u200c\u0631\u0636\u0627'
  const user = await scim.send('POST', '/Users', {
    userName: 'ali',
    displayName: persian,
    name: { givenName: persian },
  })
  assert.equal(user.displayName, persian.replace('\u200c', ''))
  assert.equal((await identity(user.id)).name, 'ali')
  const named = await scim.call('POST', '/Users', { userName: persian })
  assert.deepEqual(refusal(named), [400, 'invalidValue'])
  const group = await scim.call('POST', '/Groups', { displayName: persian })
  assert.deepEqual(refusal(group), [400, 'invalidValue'])
})

test('V-17 empty emails, listed booleans, the core schema as path, and parts of an email in any order', async (t) => {
  const { scim, identity, logIn, isLive } = await setUpScim(t)
  const emails = [
    { value: '', type: 'work', primary: true },
    { value: null, type: 'home' },
  ]
  const { id, ...user } = await scim.send('POST', '/Users', { userName: 'alice', emails })
  assert.equal(user.emails, undefined)
  const missing = await scim.call('POST', '/Users', { userName: 'bob', emails: [{ type: 'work' }] })
  assert.deepEqual(refusal(missing), [400, 'invalidValue'])
  const change = (...operations: readonly unknown[]) => scim.call('PATCH', `/Users/${id}`, patch(...operations))

  const part = (name: string, value: unknown) => ({ op: 'Add', path: `emails[type eq "work"].${name}`, value })
  assert.deepEqual(refusal(await change(part('primary', 'True'))), [400, 'noTarget'])
  assert.equal((await change(part('primary', 'True'), part('value', 'a@b'))).status, 200)
  const shown = (await scim.send('GET', `/Users/${id}`)).emails
  assert.deepEqual(shown, [{ value: 'a@b', type: 'work', primary: true }])

  const whole = { op: 'replace', path: USER_SCHEMA, value: { displayName: 'Alice' } }
  assert.equal((await change(whole)).json.displayName, 'Alice')
  assert.deepEqual(refusal(await change({ ...whole, value: 'Alice' })), [400, 'invalidValue'])

  const session = await logIn({ sub: 'alice' })
  const active = (...values: readonly unknown[]) => ({ op: 'replace', path: 'active', value: values })
  assert.deepEqual(refusal(await change(active(false, false))), [400, 'invalidValue'])
  assert.equal(await isLive(session), true)
  assert.equal((await change(active({ value: 'False' }))).json.active, false)
  assert.deepEqual([(await identity(id)).disabled, await isLive(session)], [true, false])
  assert.equal((await change(active({ value: 'True' }))).json.active, true)
  const unreadable = { userName: 'x\u200d', active: [{ value: 'False' }] }
  assert.deepEqual(refusal(await scim.call('PUT', `/Users/${id}`, unreadable)), [400, 'invalidValue'])
  assert.equal((await identity(id)).disabled, true)
})
