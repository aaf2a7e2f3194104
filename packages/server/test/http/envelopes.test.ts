import assert from 'node:assert/strict'
import { test } from 'node:test'
import { buildApp } from './build-app.ts'

const SIGNERS = '/edge/management/v1/external-jwt-signers'
const SIGNER = {
  name: 'corp',
  issuer: 'https://idp.example.com',
  audience: 'a',
  enabled: true,
  jwksEndpoint: 'https://idp.example.com/keys',
}

test('successful responses have data and meta, relative links, and a line feed at the end', async (t) => {
  const app = await buildApp(t)
  const empty = await app.admin('GET', SIGNERS)
  assert.deepEqual(empty.json.data, [])
  assert.deepEqual(empty.json.meta.pagination, { limit: 10, offset: 0, totalCount: 0 })
  assert.ok(empty.json.meta.filterableFields.includes('name'))

  const created = await app.admin('POST', SIGNERS, SIGNER)
  const { id } = created.json.data
  assert.equal(created.status, 201)
  const links = { self: { href: `./external-jwt-signers/${id}` } }
  assert.deepEqual(created.json, { data: { _links: links, id }, meta: {} })

  const found = await app.admin('GET', `${SIGNERS}/${id}`)
  assert.deepEqual([found.json.meta, found.json.data._links.self.href], [{}, `./external-jwt-signers/${id}`])
  assert.match(found.json.data.createdAt, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)

  const changed = await app.admin('PATCH', `${SIGNERS}/${id}`, { name: 'other' })
  assert.deepEqual([changed.status, changed.json], [200, { data: {}, meta: {} }])
  const all = await app.admin('GET', `${SIGNERS}?limit=-1`)
  assert.equal(all.json.data.length, 1)
  const gone = await app.admin('DELETE', `${SIGNERS}/${id}`)
  assert.deepEqual([gone.status, gone.json], [200, { data: {}, meta: {} }])
  for (const { text, headers } of [empty, created, found, changed, all, gone]) {
    assert.ok(text.endsWith('}\n'))
    assert.equal(headers['content-type'], 'application/json')
  }
})

test('every response names the server, and its instance', async (t) => {
  const app = await buildApp(t, { isAlone: 'node' })
  const replies = [
    await app.admin('GET', SIGNERS),
    await app.call('GET', SIGNERS),
    await app.call('GET', '/nowhere'),
    await app.call('GET', `${SIGNERS}/%zz`),
    await app.call('GET', `${SIGNERS}/${'a'.repeat(600)}`),
    await app.call('OPTIONS', '/'),
    await app.call('PUT', '/'),
  ]
  const instances = new Set(replies.map(({ headers }) => headers['ziti-instance-id']))
  assert.equal(instances.size, 1)
  assert.match([...instances].join(), /^[0-9a-f-]{36}$/)
  for (const { headers } of replies) {
    assert.match(headers.server ?? '', /^countersign\/\d/)
    assert.equal(headers['x-content-type-options'], 'nosniff')
    assert.equal(headers['x-powered-by'], undefined)
  }
})
