import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { DEFAULT_QUOTAS, networkFromBody } from '@countersign/core'
import { createNetwork } from '../../src/operations/network/create-network.ts'
import { deleteNetwork } from '../../src/operations/network/delete-network.ts'
import { setUpHosted } from './hosted.fixture.ts'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

async function setUp(t: Parameters<typeof setUpHosted>[0]) {
  const hosted = await setUpHosted(t)
  await hosted.createAccount(await hosted.createProvider('cognito'), 'machine')
  const bearer = hosted.token('cognito', 'machine')
  const get = async (path: string) => {
    const reply = await hosted.call('GET', path, bearer)
    assert.equal(reply.status, 200, `${path}: ${reply.text}`)
    return reply
  }
  const create = async (name: string, members = {}) =>
    hosted.bodyOf(await hosted.call('POST', '/core/v3/networks', bearer, { name, size: 'medium', ...members }))
  return { ...hosted, bearer, get, create }
}

for (const version of ['v2', 'v3']) {
  test(`D40 S2-4.1 the networks of ${version} are a HAL page whose items have all members`, async (t) => {
    const { get, create } = await setUp(t)
    await create('Demo One')
    const { json, headers } = await get(`/core/${version}/networks?sort=name%2Casc&size=1000&page=0`)
    assert.equal(headers['content-type'], 'application/hal+json')
    assert.deepEqual(json.page, { size: 1000, totalElements: 2, totalPages: 1, number: 0 })
    assert.match(json._links.self.href, new RegExp(`^https://.*/core/${version}/networks$`))
    const [demo, local] = json._embedded.networkList
    assert.deepEqual([demo.name, local.name, local.status], ['Demo One', 'local', 'PROVISIONED'])
    const { json: groups } = await get(`/core/${version}/network-groups?sort=name,asc&size=1000&page=0`)
    const [group] = groups._embedded.networkGroupList
    for (const network of [demo, local]) {
      for (const id of [
        network.id,
        network.networkGroupId,
        network.organizationId,
        network.ownerIdentityId,
        network.createdBy,
      ]) {
        assert.match(id, UUID)
      }
      assert.equal(network.networkGroupId, group.id)
      for (const member of ['size', 'productVersion', 'createdAt', 'updatedAt', 'provider', 'region']) {
        assert.equal(typeof network[member], 'string', member)
      }
      const one = await get(`/core/${version}/networks/${network.id}`)
      assert.deepEqual(one.json, network)
    }
    assert.deepEqual([typeof group.name, typeof group.shortName], ['string', 'string'])
    assert.deepEqual((await get(`/core/${version}/network-groups/${group.id}`)).json, group)
  })
}

test('a name is matched as a whole in any letter case, by a pattern with %, and together with the group', async (t) => {
  const { get, create } = await setUp(t)
  const { networkGroupId } = await create('Demo One')
  await create('demo two')
  await create('other')
  const names = async (query: string): Promise<string[]> => {
    const { json } = await get(`/core/v2/networks?${query}`)
    return (json._embedded?.networkList ?? []).map(({ name }: { name: string }) => name)
  }
  assert.deepEqual(await names('findByName=demo+one'), ['Demo One'])
  assert.deepEqual(await names('findByName=demo'), [])
  assert.deepEqual(await names('findByName=Demo%25'), ['Demo One', 'demo two'])
  assert.deepEqual(await names(`findByName=Demo%25&findByNetworkGroupId=${networkGroupId}`), ['Demo One', 'demo two'])
  assert.deepEqual(await names('findByName=Demo%25&findByNetworkGroupId=another'), [])
  assert.deepEqual(await names('sort=name%2Cdesc&unknown=1'), ['other', 'local', 'demo two', 'Demo One'])
  assert.deepEqual(await names('status=PROVISIONED&size=2&page=1'), ['local', 'other'])
  assert.deepEqual(await names('status=ERROR'), [])
})

test('F-14 a pattern longer than a name can be is 400 in every list, and one as long is not', async (t) => {
  const { call, bearer } = await setUp(t)
  for (const [path, field] of [
    ['/core/v3/networks', 'findByName'],
    ['/core/v2/networks', 'name'],
    ['/core/v3/network-groups', 'findByName'],
    ['/identity/v1/organizations', 'name'],
    ['/auth/v1/roles', 'nameLike'],
    ['/auth/v1/roles', 'descriptionLike'],
  ]) {
    const find = (length: number) => call('GET', `${path}?${field}=${'a'.repeat(length)}`, bearer)
    const [longest, longer] = [await find(256), await find(257)]
    assert.deepEqual([path, longest.status, longer.status, longer.json.field], [path, 200, 400, field])
    assert.match(longer.text, /at most 256 characters/)
  }
})

test('F-14 a pattern with % counts as it is folded, and a whole name as it is', async (t) => {
  const { call, bearer, create } = await setUp(t)
  const find = (pattern: string) => call('GET', `/core/v3/networks?findByName=${encodeURIComponent(pattern)}`, bearer)
  const long = '\uFDFA'.repeat(256)
  await create(long)
  assert.equal((await find(long)).json.page.totalElements, 1)
  // Folded it has 18 characters for each of these, beside the %.
  assert.equal((await find(`${'\uFDFA'.repeat(14)}%`)).json.page.totalElements, 1)
  assert.equal((await find(`${'\uFDFA'.repeat(15)}%`)).status, 400)
  assert.equal((await find(`${'\uFDFA'.repeat(15)}\uFF05`)).status, 400)
})

test('in a pattern only % is special, also when the name has characters that SQL patterns know', async (t) => {
  const { get, create } = await setUp(t)
  for (const name of ['a_c', 'abc', 'a\\c', 'a%c', '％']) await create(name)
  const names = async (pattern: string): Promise<string[]> => {
    const { json } = await get(`/core/v2/networks?findByName=${encodeURIComponent(pattern)}`)
    return (json._embedded?.networkList ?? []).map(({ name }: { name: string }) => name)
  }
  assert.deepEqual(await names('a_c'), ['a_c'])
  assert.deepEqual(await names('A\\C'), ['a\\c'])
  assert.deepEqual(await names('a%C'), ['a%c', 'a\\c', 'a_c', 'abc'])
  assert.deepEqual(await names('\\%'), [])
})

test('pages are counted; a page or size that is not a number is 400', async (t) => {
  const { get, create, call, bearer } = await setUp(t)
  await create('a')
  await create('b')
  const { json } = await get('/core/v3/networks?size=2&page=1')
  assert.deepEqual(json.page, { size: 2, totalElements: 3, totalPages: 2, number: 1 })
  assert.equal(json._embedded.networkList.length, 1)
  for (const page of [9, Number.MAX_SAFE_INTEGER]) {
    const beyond = await get(`/core/v3/networks?size=2&page=${page}`)
    assert.deepEqual([beyond.json._embedded, beyond.json.page.totalElements], [undefined, 3])
  }
  for (const query of ['size=x', 'page=-1', 'page=1.5']) {
    const reply = await call('GET', `/core/v3/networks?${query}`, bearer)
    assert.deepEqual([query, reply.status, reply.json.status.label], [query, 400, 'BAD_REQUEST'])
  }
})

test('a network is changed and deleted by its organization; the one of this controller stays', async (t) => {
  const { get, create, call, bearer } = await setUp(t)
  const { id } = await create('mine', { controllerUrl: 'https://ctrl.example.net:1280' })
  const path = `/core/v3/networks/${id}`
  const patched = await call('PATCH', path, bearer, { name: 'renamed' })
  assert.deepEqual([patched.status, patched.json.name, patched.json.size], [200, 'renamed', 'medium'])
  assert.equal(patched.json.networkController.domainName, 'ctrl.example.net')
  const moved = await call('PATCH', path, bearer, { controllerUrl: '' })
  assert.deepEqual([moved.status, moved.json.networkController, moved.json.isLocal], [200, null, false])
  for (const body of [
    { name: '' },
    { name: 'local' },
    { controllerUrl: 'javascript:alert(1)' },
    { networkGroupId: 'x' },
  ]) {
    const reply = await call('PATCH', path, bearer, body)
    assert.ok([400, 404].includes(reply.status), reply.text)
  }
  assert.equal((await get(path)).json.name, 'renamed')
  assert.equal((await call('DELETE', path, bearer)).status, 204)
  assert.equal((await call('PATCH', path, bearer, { name: 'again' })).status, 404)
  const deleted = await get('/core/v3/networks?status=DELETED')
  assert.deepEqual([deleted.json.page.totalElements, deleted.json._embedded.networkList[0].status], [1, 'DELETED'])
  const [local] = (await get('/core/v3/networks')).json._embedded.networkList
  assert.equal(local.isLocal, true)
  const there = await call('PATCH', `/core/v3/networks/${local.id}`, bearer, { controllerUrl: 'https://other.example' })
  assert.equal(there.json.networkController.domainName, local.networkController.domainName)
  const kept = await call('DELETE', `/core/v3/networks/${local.id}`, bearer)
  assert.equal(kept.status, 400)
})

test('an invalid body is refused with the field, and every error has the shape that clients know', async (t) => {
  const { call, bearer } = await setUp(t)
  const missing = await call('POST', '/core/v3/networks', bearer, {})
  assert.deepEqual([missing.status, missing.json.field], [400, 'name'])
  assert.deepEqual(missing.json.status, { code: 400, label: 'BAD_REQUEST' })
  const unknown = await call('GET', '/core/v3/nothing', bearer)
  assert.deepEqual([unknown.status, unknown.json.status.label], [404, 'NOT_FOUND'])
  const verb = await call('PUT', '/core/v3/networks', bearer, {})
  assert.deepEqual([verb.status, verb.json.status.label, verb.headers.allow], [405, 'METHOD_NOT_ALLOWED', 'GET, POST'])
})

test('PUT replaces a network: omitted members are reset to their defaults, read-only ones stay', async (t) => {
  const { create, call, bearer, get } = await setUp(t)
  const members = { provider: 'AWS', region: 'us-east-2', controllerUrl: 'https://ctrl.example.net:1280' }
  const made = await create('plant', members)
  const path = `/core/v3/networks/${made.id}`
  const read = (await get(path)).json
  const same = (await call('PUT', path, bearer, read)).json
  for (const member of ['name', 'size', 'provider', 'region', 'controllerUrl']) {
    assert.equal(same[member], made[member], `sending back an unchanged network keeps ${member}`)
  }
  const { json } = await call('PUT', path, bearer, { name: 'plant' })
  assert.deepEqual([json.size, json.provider, json.region], ['small', 'SELF', 'local'])
  assert.deepEqual([json.controllerUrl, json.networkController], [null, null])
  for (const kept of [
    'id',
    'status',
    'networkGroupId',
    'organizationId',
    'ownerIdentityId',
    'createdBy',
    'createdAt',
  ]) {
    assert.equal(json[kept], made[kept], kept)
  }
})

test('F-14 an organization has a thousand networks at most, and may create one again when one is deleted', async (t) => {
  const { create, call, bearer } = await setUp(t)
  const post = (name: string) => call('POST', '/core/v3/networks', bearer, { name })
  const first = await create('first')
  // The network of this controller and the first one count too.
  for (let made = 2; made < DEFAULT_QUOTAS.networks; ) {
    const names = Array.from({ length: Math.min(50, DEFAULT_QUOTAS.networks - made) }, () => `more ${made++}`)
    const replies = await Promise.all(names.map(post))
    assert.ok(replies.every(({ status }) => status === 201))
  }
  const refused = await post('one too many')
  assert.deepEqual([refused.status, refused.json.field], [400, 'organizationId'])
  assert.equal((await call('PATCH', `/core/v3/networks/${first.id}`, bearer, { name: 'renamed' })).status, 200)
  assert.equal((await call('DELETE', `/core/v3/networks/${first.id}`, bearer)).status, 204)
  assert.equal((await post('one too many')).status, 201)
})

test('F-14 as many deleted networks are listed as there may be networks: the oldest give way', async (t) => {
  const { app, get, create, call, bearer } = await setUp(t)
  const { organizationId } = await create('kept')
  const add = async (nth: number) => {
    const meta = { actorId: 'system', now: app.clock.now() + nth }
    const key = { id: randomUUID(), organizationId }
    const settings = networkFromBody({ name: `deleted ${nth}` })
    await app.store.run(createNetwork, { ...key, settings, productVersion: '1' }, meta)
    await app.store.run(deleteNetwork, key, meta)
    return key.id
  }
  const [first = '', second = ''] = [await add(0), await add(1)]
  const rest = Array.from({ length: DEFAULT_QUOTAS.networks - 2 }, (_, nth) => nth + 2)
  for (let from = 0; from < rest.length; from += 50) await Promise.all(rest.slice(from, from + 50).map(add))
  const countDeleted = async () => (await get('/core/v3/networks?status=DELETED&size=1')).json.page.totalElements
  assert.deepEqual([await countDeleted(), (await get(`/core/v3/networks/${first}`)).status], [1_000, 200])
  await add(DEFAULT_QUOTAS.networks)
  assert.deepEqual([await countDeleted(), (await get(`/core/v3/networks/${second}`)).status], [1_000, 200])
  assert.equal((await call('GET', `/core/v3/networks/${first}`, bearer)).status, 404)
})

test('names of networks in one group differ by more than letter case', async (t) => {
  const { create, call, bearer } = await setUp(t)
  const { id } = await create('plant')
  const other = await create('harbour')
  const post = (name: string) => call('POST', '/core/v3/networks', bearer, { name })
  for (const name of ['plant', 'PLANT', 'Ｐｌａｎｔ']) {
    const taken = await post(name)
    assert.deepEqual([taken.status, taken.json.field], [400, 'name'], name)
    const renamed = await call('PATCH', `/core/v3/networks/${other.id}`, bearer, { name })
    assert.deepEqual([renamed.status, renamed.json.field], [400, 'name'], name)
  }
  assert.equal((await post('plant 2')).status, 201)
  assert.equal((await call('PATCH', `/core/v3/networks/${id}`, bearer, { name: 'Plant' })).status, 200)
  assert.equal((await call('DELETE', `/core/v3/networks/${id}`, bearer)).status, 204)
  assert.equal((await post('PLANT')).status, 201)
})
