/** Requests of `nfctl` 5.11.3 to a real controller, verbatim, and the members that it reads from the responses. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setUpHosted } from './hosted.fixture.ts'

const LIST = '/core/v2/networks?sort=name%2Casc&size=1000&page=0'

async function setUp(t: Parameters<typeof setUpHosted>[0]) {
  const hosted = await setUpHosted(t)
  const provider = await hosted.createProvider('cognito')
  const readerId = await hosted.createAccount(provider, 'reader', { role: 'read-only' })
  const machineId = await hosted.createAccount(provider, 'machine', { role: 'admin' })
  const get = async (path: string, accept = '*/*') => {
    const headers = { authorization: `Bearer ${hosted.token('cognito', 'machine')}`, accept }
    const reply = await hosted.app.call('GET', path, undefined, { headers })
    assert.equal(reply.status, 200, `${path}: ${reply.text}`)
    return reply.json
  }
  return { ...hosted, get, readerId, machineId }
}

test('list networks --as create finds its list, and so do the following calls, which keep asking for that form', async (t) => {
  const { get } = await setUp(t)
  const { _embedded } = await get(LIST, 'application/hal+json;as=create')
  const [network] = _embedded.createNetworkList
  assert.equal(network.name, 'local')
  assert.equal(typeof network._links, 'object')
  assert.deepEqual(_embedded.networkList, _embedded.createNetworkList)
  assert.deepEqual(Object.keys((await get(LIST))._embedded), ['networkList'])
})

test('list identities makes one table: machines and users have the columns in the same order', async (t) => {
  const { get } = await setUp(t)
  const columns = ['name', 'type', 'description', 'active', 'email']
  const identities: object[] = await get('/identity/v1/identities?size=1000&page=0')
  const shown = identities.map((identity) => Object.keys(identity).filter((key) => columns.includes(key)))
  assert.equal(shown.length, 3)
  for (const keys of shown) assert.deepEqual(keys, ['type', 'name', 'email', 'description', 'active'])
})

test('list roles --my-roles shows the role of the caller, and name=… the roles of that name', async (t) => {
  const { get, readerId, machineId } = await setUp(t)
  const names = async (query: string): Promise<string[]> => {
    const { content, page } = await get(`/auth/v1/roles?${query}&sort=name%2Casc&size=3000&page=0`)
    assert.deepEqual([page.totalElements, page.totalPages], [content.length, 1])
    return content.map(({ name }: { name: string }) => name)
  }
  const [networks, admin, readOnly] = ['Network admin', 'Organization admin', 'Organization read-only']
  assert.deepEqual(await names('unknown=1'), [networks, admin, readOnly])
  assert.deepEqual(await names(`identityId=${machineId}`), [admin])
  assert.deepEqual(await names(`identityId=${readerId}`), [readOnly])
  assert.deepEqual(await names('identityId=00000000-0000-4000-8000-000000000000'), [])
  assert.deepEqual(await names('nameLike=organization+READ-only'), [readOnly])
  assert.deepEqual(await names('nameLike=%25only'), [readOnly])
  assert.deepEqual(await names('descriptionLike=reads+and+changes%25'), [admin])
  assert.deepEqual(await names('nameLike=organization'), [])
})
