import assert from 'node:assert/strict'
import type { TestApp } from './build-app.ts'
import {
  CLIENT_SIGNERS,
  certBody,
  create,
  detailOf,
  jwksBody,
  OLD_SIGNERS,
  SIGNERS,
  savedOf,
  summarize,
  testWithApp,
} from './ext-jwt-signers.fixture.ts'

type Action = 'list' | 'read' | 'create' | 'replace' | 'patch' | 'delete'

const ACTIONS: Readonly<Record<Action, (app: TestApp, id: string, session: string) => Promise<number>>> = {
  list: async (app, _id, session) => (await app.call('GET', SIGNERS, undefined, { session })).status,
  read: async (app, id, session) => (await app.call('GET', `${SIGNERS}/${id}`, undefined, { session })).status,
  create: async (app, _id, session) => (await app.call('POST', SIGNERS, jwksBody(), { session })).status,
  replace: async (app, id, session) => (await app.call('PUT', `${SIGNERS}/${id}`, jwksBody(), { session })).status,
  patch: async (app, id, session) =>
    (await app.call('PATCH', `${SIGNERS}/${id}`, { clientId: 'x' }, { session })).status,
  delete: async (app, id, session) => (await app.call('DELETE', `${SIGNERS}/${id}`, undefined, { session })).status,
}

const CASES: readonly (readonly [holder: Record<string, unknown>, allowed: readonly Action[]])[] = [
  [{ isAdmin: true }, ['list', 'read', 'create', 'replace', 'patch', 'delete']],
  [{ permissions: ['admin_readonly'] }, ['list', 'read']],
  [{ permissions: ['external-jwt-signer'] }, ['list', 'read', 'create', 'replace', 'patch', 'delete']],
  [{ permissions: ['external-jwt-signer.read'] }, ['list', 'read']],
  [{ permissions: ['external-jwt-signer.create'] }, ['create']],
  [{ permissions: ['external-jwt-signer.update'] }, ['replace', 'patch']],
  [{ permissions: ['external-jwt-signer.delete'] }, ['delete']],
  [{ permissions: ['auth-policy', 'identity'] }, []],
  [{}, []],
]

testWithApp('access to signers', async (t, app) => {
  await t.test('W-34 each permission allows its own actions and no other', async () => {
    for (const [holder, allowed] of CASES) {
      const { session } = await app.makeIdentity(holder)
      for (const [action, perform] of Object.entries(ACTIONS)) {
        const id = await create(app)
        const before = await savedOf(app, id)
        const good = action === 'create' ? 201 : 200
        const isAllowed = allowed.includes(action as Action)
        assert.equal(await perform(app, id, session), isAllowed ? good : 401, `${JSON.stringify(holder)} ${action}`)
        if (!isAllowed) assert.deepEqual(await savedOf(app, id), before)
      }
    }
  })

  await t.test('W-34 a refusal for a missing permission has no challenge and no cause', async () => {
    const { session } = await app.makeIdentity()
    const reply = await app.call('GET', SIGNERS, undefined, { session })
    assert.equal(summarize(reply), '401 UNAUTHORIZED')
    assert.equal(reply.headers['www-authenticate'], undefined)
    assert.equal(reply.json.error.cause, undefined)
  })

  await t.test('W-23 S1-4.2 the management list needs a login, the client list does not', async () => {
    const id = await create(
      app,
      jwksBody({ externalAuthUrl: 'https://a.example/', clientId: 'c', scopes: ['openid'], targetToken: 'ID' }),
    )
    for (const path of [SIGNERS, OLD_SIGNERS, `${SIGNERS}/${id}`]) {
      const reply = await app.call('GET', path)
      assert.equal(summarize(reply), '401 UNAUTHORIZED')
      assert.ok(reply.headers['www-authenticate'])
      assert.deepEqual(reply.json.meta, { apiEnrollmentVersion: '0.0.1', apiVersion: '0.0.1' })
    }
    const reply = await app.call('GET', CLIENT_SIGNERS)
    assert.equal(reply.status, 200)
    const { name, externalAuthUrl, clientId, scopes, targetToken, audience } = reply.json.data.find(
      (signer: { id: string }) => signer.id === id,
    )
    assert.deepEqual(
      [externalAuthUrl, clientId, scopes, targetToken, audience],
      ['https://a.example/', 'c', 'openid', 'ID', 'edge'],
    )
    assert.equal(name, (await detailOf(app, id)).name)
  })

  await t.test('D48 D55 a signer records whether an administrator wrote its security members last', async () => {
    const isTrusted = async (id: string): Promise<boolean> => {
      const columns = app.store.db.selectFrom('ext_jwt_signers').select('is_trusted')
      return Boolean((await columns.where('id', '=', id).executeTakeFirstOrThrow()).is_trusted)
    }
    const { session } = await app.makeIdentity({ permissions: ['external-jwt-signer'] })
    const id = await create(app)
    assert.equal(await isTrusted(id), true)
    for (const [method, body] of [
      ['PATCH', { clientId: 'x' }],
      ['PUT', jwksBody({ clientId: 'put' })],
    ] as const) {
      assert.equal((await app.call(method, `${SIGNERS}/${id}`, body, { session })).status, 200)
      assert.equal(await isTrusted(id), false)
      assert.equal((await app.admin('PATCH', `${SIGNERS}/${id}`, {})).status, 200)
      assert.equal(await isTrusted(id), false, 'nothing was saved')
      assert.equal((await app.admin(method, `${SIGNERS}/${id}`, { ...body, clientId: `admin ${method}` })).status, 200)
      assert.equal(await isTrusted(id), true)
      assert.equal(
        (await app.call('PATCH', `${SIGNERS}/${id}`, { tags: {}, trust: { state: 'untrusted' } }, { session })).status,
        200,
      )
      assert.equal(await isTrusted(id), true, 'nothing was saved')
    }
    const own = await app.call('POST', SIGNERS, jwksBody({ trust: { state: 'trusted' } }), { session })
    assert.equal(await isTrusted(own.json.data.id), false)
  })

  await t.test('W-30 a replaced signer keeps its id and creation time', async () => {
    const id = await create(app)
    const { createdAt } = await detailOf(app, id)
    app.clock.advance(1_000)
    assert.equal((await app.admin('PUT', `${SIGNERS}/${id}`, jwksBody())).status, 200)
    const after = await detailOf(app, id)
    assert.deepEqual([after.id, after.createdAt], [id, createdAt])
  })
})

testWithApp('lists of signers', async (t, app) => {
  const names = ['delta', 'alpha', 'Beta', 'charlie']
  for (const [at, name] of names.entries()) {
    await create(app, jwksBody({ name, enabled: at !== 1, tags: { team: `t${at}` }, kid: at === 0 ? 'k' : null }))
  }
  const cert = await detailOf(app, await create(app, certBody({ name: 'echo' })))
  const list = (query: string) => app.admin('GET', `${OLD_SIGNERS}?${query}`)
  const namesOf = async (query: string) => (await list(query)).json.data.map(({ name }: { name: string }) => name)

  await t.test('W-22 lists page, sort and filter', async () => {
    assert.deepEqual(await namesOf('limit=2&sort=name%20asc'), ['Beta', 'alpha'])
    assert.deepEqual(await namesOf('limit=2&offset=1&sort=name  desc'), ['delta', 'charlie'])
    assert.deepEqual(await namesOf('filter=name="Beta"'), ['Beta'])
    assert.deepEqual(await namesOf('filter=name="beta"'), [])
    assert.deepEqual(await namesOf('filter=name%20contains%20%22a%22%20and%20enabled%20%3D%20true&sort=name'), [
      'Beta',
      'charlie',
      'delta',
    ])
    assert.deepEqual(await namesOf('filter=enabled=false'), ['alpha'])
    assert.deepEqual(await namesOf('filter=tags.team="t3"'), ['charlie'])
    assert.deepEqual(await namesOf('filter=kid="k"'), ['delta'])
    assert.deepEqual(await namesOf(`filter=fingerprint="${cert.fingerprint}"`), ['echo'])
    assert.deepEqual(await namesOf('filter=fingerprint=null&limit=1&sort=name'), ['Beta'])
    assert.deepEqual(await namesOf('filter=notAfter > datetime(2039-01-01T00:00:00Z)'), ['echo'])
    assert.deepEqual(await namesOf('filter=true sort by name limit 1'), ['Beta'])
    const { meta } = (await list('limit=2&sort=name&filter=enabled=true')).json
    assert.deepEqual(meta.pagination, { limit: 2, offset: 0, totalCount: 4 })
    assert.deepEqual(meta.filterableFields.toSorted(), FILTERABLE)
    assert.deepEqual((await list('limit=none&sort=name')).json.data.length, 5)
  })

  await t.test('M-18 L-14 refuses unknown symbols', async () => {
    for (const symbol of ['jwksEndpoint', 'externalAuthUrl', 'is_trusted', 'revision', 'nope']) {
      assert.equal(summarize(await list(`filter=${symbol}="x"`)), '400 INVALID_FILTER')
      assert.equal(summarize(await list(`sort=${symbol}`)), '400 INVALID_SORT_IDENTIFIER')
    }
    assert.equal(summarize(await list('filter=issuer="x"&sort=issuer')), '200')
    for (const query of ['limit=abc', 'offset=x', 'limit=5.5']) assert.equal((await list(query)).status, 400)
  })
})

const FILTERABLE = [
  'audience',
  'certPem',
  'claimsProperty',
  'clientId',
  'commonName',
  'createdAt',
  'enabled',
  'enrollAttributeClaimsSelector',
  'enrollAuthPolicyId',
  'enrollNameClaimsSelector',
  'enrollToCertEnabled',
  'enrollToTokenEnabled',
  'fingerprint',
  'id',
  'isSystem',
  'issuer',
  'kid',
  'name',
  'notAfter',
  'notBefore',
  'scopes',
  'tags',
  'targetToken',
  'updatedAt',
  'useExternalId',
]
