import assert from 'node:assert/strict'
import { createPublicKey, verify, X509Certificate } from 'node:crypto'
import { test } from 'node:test'
import { buildApp, serverIdentity } from './build-app.ts'
import { summarize } from './ext-jwt-signers.fixture.ts'
import { createIdentity, IDENTITIES } from './identities.fixture.ts'

const CLIENT = '/edge/client/v1'
const MANAGEMENT = '/edge/management/v1'
const BOTH = [CLIENT, MANAGEMENT]
const NOWHERE = 'no-such-id'

test('D32 the version document names the compatible version, the controller’s own version, and the APIs', async (t) => {
  const app = await buildApp(t)
  const documents = await Promise.all(
    ['/', '/version', ...BOTH.flatMap((base) => [base, `${base}/`, `${base}/version`])].map(async (path) => {
      const reply = await app.call('GET', path)
      assert.equal(reply.status, 200, path)
      assert.match(reply.headers.server ?? '', /^countersign\/\d+\.\d+\.\d+/)
      return reply.text
    }),
  )
  assert.equal(new Set(documents).size, 1, 'the same document everywhere')
  const { data, meta } = JSON.parse(documents[0] ?? '')
  assert.deepEqual(meta, {})
  assert.match(data.version, /^v\d+\.\d+\.\d+$/)
  assert.match(data.countersign.version, /^\d+\.\d+\.\d+/)
  assert.match(data.buildDate, /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/)
  assert.deepEqual(data.capabilities, ['OIDC_AUTH', 'OIDC_AUTH_WITH_CSR'])
  assert.deepEqual(Object.keys(data.apiVersions).toSorted(), ['edge', 'edge-client', 'edge-management', 'edge-oidc'])
  for (const base of BOTH) {
    const { json } = await app.call('GET', `${base}/enumerated-capabilities`)
    assert.deepEqual(json, { data: data.capabilities, meta: {} })
  }
})

test('endpoints that clients need before login are open', async (t) => {
  const app = await buildApp(t)
  const { json: protocols } = await app.call('GET', `${CLIENT}/protocols`)
  assert.deepEqual(protocols, { data: { https: { address: '127.0.0.1:1280' } }, meta: {} })
  assert.deepEqual((await app.call('GET', '/protocols')).json, protocols, 'the old path works too')
  assert.equal(summarize(await app.call('GET', `${MANAGEMENT}/protocols`)), '404 NOT_FOUND')
})

test('the network JWT contains the network’s address, and verifies with the server certificate', async (t) => {
  const app = await buildApp(t, { isAlone: 'controller' })
  const replies = await Promise.all(BOTH.map((base) => app.call('GET', `${base}/network-jwts`)))
  const [{ json } = assert.fail(), other] = replies
  assert.deepEqual(other?.json, json, 'signed once, not for each request')
  assert.deepEqual([json.data.length, json.data[0].name, json.meta], [1, 'default', {}])
  const [header = '', payload = '', signature = ''] = json.data[0].token.split('.')
  const { alg, kid, typ } = JSON.parse(Buffer.from(header, 'base64url').toString())
  assert.deepEqual([alg, kid, typ], ['ES256', serverIdentity.fingerprint, 'JWT'])
  const { jti, ...claims } = JSON.parse(Buffer.from(payload, 'base64url').toString())
  const url = 'https://127.0.0.1:1280/'
  assert.deepEqual(claims, { iss: url, sub: url, aud: ['openziti-enroller'], em: 'network', ctrls: null })
  assert.match(jti, /^[0-9a-f-]{36}$/)
  const key = new X509Certificate(serverIdentity.certificatePem).publicKey
  const signed = Buffer.from(`${header}.${payload}`)
  assert.ok(verify('sha256', signed, { key, dsaEncoding: 'ieee-p1363' }, Buffer.from(signature, 'base64url')))
})

test('W-79 the key that signs enrollment tokens is published under their kid', async (t) => {
  const app = await buildApp(t, { isAlone: 'controller' })
  const { json } = await app.call('GET', `${CLIENT}/enroll/jwks`)
  const [jwk] = json.keys
  assert.deepEqual([json.keys.length, jwk.kid, jwk.alg, jwk.use], [1, serverIdentity.fingerprint, 'ES256', 'sig'])
  const { token } = (await app.call('GET', `${CLIENT}/network-jwts`)).json.data[0]
  const [header = '', payload = '', signature = ''] = token.split('.')
  const key = createPublicKey({ key: jwk, format: 'jwk' })
  const isSigned = (text: string) =>
    verify('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' }, Buffer.from(signature, 'base64url'))
  assert.ok(isSigned(`${header}.${payload}`))
  assert.ok(!isSigned(`${header}.${payload}x`))
  assert.ok(new X509Certificate(Buffer.from(jwk.x5c[0], 'base64')).publicKey.equals(key))
  assert.ok(!('d' in jwk))
})

test('the list of controllers contains this one, and the client API shows only what clients need', async (t) => {
  const app = await buildApp(t, { isAlone: 'controller' })
  const { session } = await app.makeIdentity()
  const client = await app.call('GET', `${CLIENT}/controllers`, undefined, { session })
  const management = await app.admin('GET', `${MANAGEMENT}/controllers`)
  assert.deepEqual(client.json.meta.pagination, { limit: 10, offset: 0, totalCount: 1 })
  const [controller] = client.json.data
  const { certPem, fingerprint, isOnline, ctrlAddress, apiAddresses, name, id, tags } = controller
  const at = (path: string) => [{ url: `https://127.0.0.1:1280${path}`, version: 'v1' }]
  assert.deepEqual(
    { certPem, fingerprint, isOnline, ctrlAddress, apiAddresses, name, id, tags },
    {
      certPem: serverIdentity.certificatePem,
      fingerprint: serverIdentity.fingerprint,
      isOnline: true,
      ctrlAddress: null,
      apiAddresses: { 'edge-client': at(CLIENT), 'edge-oidc': at('/oidc') },
      name: 'countersign',
      id: 'countersign',
      tags: {},
    },
  )
  assert.match(controller.lastJoinedAt, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  const addresses = { 'edge-client': at(CLIENT), 'edge-management': at(MANAGEMENT), 'edge-oidc': at('/oidc') }
  assert.deepEqual(management.json.data, [{ ...controller, apiAddresses: addresses }])
  const found = async (filter: string) =>
    (await app.admin('GET', `${MANAGEMENT}/controllers?filter=${encodeURIComponent(filter)}`)).json.data.length
  assert.equal(await found('name = "countersign" and isOnline and isSystem = false'), 1)
  assert.equal(await found('lastJoinedAt < datetime(2020-01-01T00:00:00Z)'), 0)
  assert.equal(summarize(await app.call('GET', `${CLIENT}/controllers`)), '401 UNAUTHORIZED')
})

test('D34 requests of tunnelers right after login get empty responses', async (t) => {
  const app = await buildApp(t)
  const { session } = await app.makeIdentity()
  const get = (path: string) => app.call('GET', CLIENT + path, undefined, { session })
  for (const path of ['/services', '/current-identity/edge-routers', '/sessions']) {
    const { json } = await get(path)
    assert.deepEqual([json.data, json.meta.pagination], [[], { limit: 10, offset: 0, totalCount: 0 }], path)
    assert.ok(json.meta.filterableFields.includes('createdAt'))
    const paged = await get(`${path}?limit=3&offset=2&filter=${encodeURIComponent('id = "x"')}`)
    assert.deepEqual(paged.json.meta.pagination, { limit: 3, offset: 2, totalCount: 0 })
    assert.equal(summarize(await get(`${path}?filter=nonsense`)), '400 INVALID_FILTER')
    assert.equal(summarize(await app.call('GET', CLIENT + path)), '401 UNAUTHORIZED')
  }
  const own = await get('/current-api-session')
  const updates = await get('/current-api-session/service-updates')
  assert.deepEqual(updates.json, { data: { lastChangeAt: own.json.data.createdAt }, meta: {} })
})

test('W-81 an administrator gets empty lists of the overlay network, for an export of everything', async (t) => {
  const app = await buildApp(t)
  const paths = ['config-types', 'configs', 'edge-router-policies', 'edge-routers', 'posture-checks', 'routers']
  const others = ['service-edge-router-policies', 'service-policies', 'services', 'terminators', 'transit-routers']
  for (const path of [...paths, ...others]) {
    const { json } = await app.admin('GET', `${MANAGEMENT}/${path}?limit=500&filter=${encodeURIComponent('id != "x"')}`)
    assert.deepEqual([json?.data, json?.meta.pagination], [[], { limit: 500, offset: 0, totalCount: 0 }], path)
    assert.equal(summarize(await app.admin('GET', `${MANAGEMENT}/${path}?filter=nonsense`)), '400 INVALID_FILTER')
  }
})

test('the identity types are listed by name', async (t) => {
  const app = await buildApp(t)
  const { session } = await app.makeIdentity()
  const get = (path: string) => app.call('GET', MANAGEMENT + path, undefined, { session })
  const { json } = await get('/identity-types')
  assert.deepEqual(
    json.data.map(({ id, name }: { id: string; name: string }) => [id, name]),
    [
      ['Default', 'Default'],
      ['Router', 'Router'],
    ],
  )
  assert.deepEqual(json.meta.pagination, { limit: 10, offset: 0, totalCount: 2 })
  const sorted = await get('/identity-types?sort=name%20desc&limit=1')
  assert.deepEqual([sorted.json.data[0].id, sorted.json.meta.pagination.totalCount], ['Router', 2])
  assert.deepEqual((await get('/identity-types/Default')).json.data, json.data[0])
  assert.equal(summarize(await get('/identity-types/Other')), '404 NOT_FOUND')
})

test('D28 the summary counts all entities, also for readers', async (t) => {
  const app = await buildApp(t)
  const reader = await app.makeIdentity({ permissions: ['admin_readonly'] })
  const plain = await app.makeIdentity({ permissions: ['identity', 'ops'] })
  const summary = async () =>
    (await app.call('GET', `${MANAGEMENT}/summary`, undefined, { session: reader.session })).json
  const { data, meta } = await summary()
  assert.equal(meta, null)
  const { identities, authenticators, apiSessions, authPolicies, externalJwtSigners, services } = data
  assert.deepEqual(
    { identities, authenticators, apiSessions, authPolicies, externalJwtSigners, services },
    { identities: 3, authenticators: 3, apiSessions: 3, authPolicies: 1, externalJwtSigners: 0, services: 0 },
  )
  for (const key of ['routers.edge', 'services.edge', 'enrollments', 'cas', 'mfas', 'sessions']) {
    assert.equal(data[key], 0, key)
  }
  assert.ok(Object.values(data).every(Number.isInteger))
  const refused = await app.call('GET', `${MANAGEMENT}/summary`, undefined, { session: plain.session })
  assert.equal(summarize(refused), '401 UNAUTHORIZED')
  await app.admin('DELETE', `${IDENTITIES}/${plain.id}`)
  const after = (await summary()).data
  assert.deepEqual([after.identities, after.authenticators, after.apiSessions], [2, 2, 2])
})

test('requests of existing clients below an identity get a response, and 404 for an unknown identity', async (t) => {
  const app = await buildApp(t)
  const id = await createIdentity(app, { attributes: ['b', 'a'] })
  const get = (relation: string, of = id) => app.admin('GET', `${IDENTITIES}/${of}/${relation}`)
  for (const list of ['services', 'edge-routers', 'service-policies', 'edge-router-policies']) {
    const { json } = await get(list)
    assert.deepEqual([json.data, json.meta.pagination.totalCount], [[], 0], list)
  }
  for (const list of ['service-configs', 'failed-service-requests']) {
    assert.deepEqual((await get(list)).json, { data: [], meta: {} }, list)
  }
  const posture = (await get('posture-data')).json.data
  assert.deepEqual([posture.processes, posture.apiSessionPostureData, posture.macAddress.addresses], [[], {}, []])
  const attributes = await get('role-attributes')
  assert.deepEqual(attributes.json.data, ['a', 'b'])
  assert.deepEqual(attributes.json.meta.pagination, { limit: 10, offset: 0, totalCount: 2 })
  const { _links: links } = (await app.admin('GET', `${IDENTITIES}/${id}`)).json.data
  for (const name of Object.keys(links).filter((key) => links[key].href.startsWith(`./identities/${id}/`))) {
    assert.equal((await get(name)).status, 200, `the link ${name} leads somewhere`)
    assert.equal(summarize(await get(name, NOWHERE)), '404 NOT_FOUND', name)
  }
})

test('cluster endpoints are 404 in the usual envelope', async (t) => {
  const app = await buildApp(t)
  assert.equal(summarize(await app.call('GET', '/fabric/v1/cluster/list-members')), '404 NOT_FOUND')
})
