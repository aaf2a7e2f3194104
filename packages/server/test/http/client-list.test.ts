import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { clientExtJwtSignerRoutes } from '../../src/http/client/ext-jwt-signers.ts'
import type { Call } from '../../src/http/pipeline/call.ts'
import type { ChangeListener } from '../../src/store/change.ts'
import { listTrustedSigners } from '../../src/store/reads/signer-reads.ts'
import type { StoredSigner } from '../../src/store/signer-row.ts'
import { buildApp } from './build-app.ts'
import {
  CLIENT_SIGNERS,
  certBody,
  create,
  detailOf,
  jwksBody,
  SIGNERS,
  summarize,
  testWithApp,
} from './ext-jwt-signers.fixture.ts'

const MEMBERS = [
  '_links',
  'audience',
  'clientId',
  'createdAt',
  'enrollToCertEnabled',
  'enrollToTokenEnabled',
  'externalAuthUrl',
  'id',
  'name',
  'openIdConfigurationUrl',
  'scopes',
  'targetToken',
  'updatedAt',
]

testWithApp('the client list', async (t, app) => {
  const list = (query = '') => app.call('GET', CLIENT_SIGNERS + query)
  const namesIn = async (query = '') => {
    const reply = await list(query)
    assert.equal(reply.status, 200, reply.text)
    return reply.json.data.map(({ name }: { name: string }) => name)
  }

  await t.test('S1-4.2 is an empty list with an empty meta where there is no signer', async () => {
    const reply = await list()
    assert.deepEqual([reply.status, reply.json], [200, { data: [], meta: {} }])
    assert.equal(reply.headers['content-type'], 'application/json')
  })

  const full = await detailOf(
    app,
    await create(
      app,
      jwksBody({
        name: 'bravo',
        kid: 'hidden',
        externalAuthUrl: 'https://login.example/authorize',
        openIdConfigurationUrl: 'https://login.example/.well-known/openid-configuration',
        clientId: 'desktop',
        scopes: ['openid', 'email'],
        targetToken: 'ID',
        enrollToCertEnabled: true,
        enrollToTokenEnabled: true,
        enrollAttributeClaimsSelector: '/groups',
        enrollAuthPolicyId: 'default',
        requiredClaims: { hd: 'acme.example' },
        tags: { owner: 'iam' },
      }),
    ),
  )
  const bare = await detailOf(app, await create(app, certBody({ name: 'alpha' })))
  await create(app, jwksBody({ name: 'off', enabled: false }))
  await create(app, jwksBody({ name: 'Zulu', audience: 'zulu' }))

  await t.test(
    'S1-4.2 S1-2.2 S1-2.2.id S1-2.2.name S1-2.2.externalAuthUrl S1-2.2.openIdConfigurationUrl S1-2.2.clientId S1-2.2.scopes S1-2.2.audience S1-2.2.targetToken S1-2.2.enrollToCertEnabled S1-2.2.enrollToTokenEnabled L-13 D3 D6 D12 shows the enabled signers by name, with the public members and no others',
    async () => {
      const { data, meta } = (await list()).json
      assert.deepEqual(meta, {})
      assert.deepEqual(
        data.map((signer: { name: string }) => signer.name),
        ['Zulu', 'alpha', 'bravo'],
      )
      for (const signer of data) assert.deepEqual(Object.keys(signer).toSorted(), MEMBERS)
      const { createdAt, updatedAt } = full
      assert.deepEqual(data[2], {
        _links: { self: { href: `./external-jwt-signers/${full.id}` } },
        id: full.id,
        createdAt,
        updatedAt,
        name: 'bravo',
        externalAuthUrl: 'https://login.example/authorize',
        openIdConfigurationUrl: 'https://login.example/.well-known/openid-configuration',
        clientId: 'desktop',
        scopes: 'openid email',
        audience: 'edge',
        targetToken: 'ID',
        enrollToCertEnabled: true,
        enrollToTokenEnabled: true,
      })
      const { _links, id, createdAt: _created, updatedAt: _updated, ...unset } = data[1]
      assert.deepEqual(unset, {
        name: 'alpha',
        externalAuthUrl: null,
        openIdConfigurationUrl: null,
        clientId: null,
        scopes: null,
        audience: 'edge',
        targetToken: 'ACCESS',
        enrollToCertEnabled: false,
        enrollToTokenEnabled: false,
      })
      assert.equal(id, bare.id)
      const { text } = await list()
      for (const hidden of [
        full.issuer,
        full.jwksEndpoint,
        bare.fingerprint,
        'hidden',
        'CERTIFICATE',
        '/groups',
        'iam',
        'acme',
      ]) {
        assert.ok(!text.includes(hidden), hidden)
      }
    },
  )

  await t.test('D3 pages, sorts and filters on request, and then returns a pagination', async () => {
    assert.deepEqual(await namesIn('?limit=2'), ['Zulu', 'alpha'])
    assert.deepEqual(await namesIn('?limit=1&offset=1'), ['alpha'])
    assert.deepEqual(await namesIn('?offset=2'), ['bravo'])
    assert.deepEqual(await namesIn('?filter=true skip 2'), ['bravo'])
    assert.deepEqual(await namesIn('?sort=name desc'), ['bravo', 'alpha', 'Zulu'])
    assert.deepEqual(await namesIn('?filter=name="alpha"'), ['alpha'])
    assert.deepEqual(await namesIn('?filter=audience="zulu" or clientId="desktop"'), ['Zulu', 'bravo'])
    assert.deepEqual(await namesIn('?filter=targetToken="ID" and enrollToCertEnabled=true'), ['bravo'])
    assert.deepEqual(await namesIn('?filter=name="off"'), [])
    for (const [query, pagination] of [
      ['?limit=2', { limit: 2, offset: 0, totalCount: 3 }],
      ['?limit=1&offset=1', { limit: 1, offset: 1, totalCount: 3 }],
      ['?offset=2', { limit: 10, offset: 2, totalCount: 3 }],
      ['?limit=-1', { limit: 500, offset: 0, totalCount: 3 }],
      ['?limit=9999', { limit: 500, offset: 0, totalCount: 3 }],
      ['?filter=name="alpha"', { limit: -1, offset: 0, totalCount: 1 }],
      ['?sort=name', { limit: -1, offset: 0, totalCount: 3 }],
    ] as const) {
      assert.deepEqual((await list(query)).json.meta.pagination, pagination)
    }
    assert.deepEqual((await list('?rejectUnauthorized=false')).json.meta, {})
    for (const query of ['?limit=abc', '?offset=x']) assert.equal((await list(query)).status, 400)
  })

  await t.test('M-16 a stranger has at most 20 terms, and an administrator has more', async () => {
    const filter = (terms: number) => `?filter=${encodeURIComponent(Array(terms).fill('name = "a"').join(' or '))}`
    assert.equal((await list(filter(20))).status, 200)
    assert.equal(summarize(await list(filter(21))), '400 INVALID_FILTER')
    assert.equal((await app.admin('GET', SIGNERS + filter(21))).status, 200)
  })

  await t.test('L-14 D3 hidden members cannot be filtered by', async () => {
    const hidden = [
      'issuer',
      'jwksEndpoint',
      'kid',
      'certPem',
      'fingerprint',
      'commonName',
      'notAfter',
      'enabled',
      'isSystem',
    ]
    hidden.push(
      'claimsProperty',
      'useExternalId',
      'enrollAuthPolicyId',
      'enrollNameClaimsSelector',
      'requiredClaims',
      'tags.owner',
    )
    for (const symbol of hidden) {
      for (const filter of [`${symbol} contains "x"`, `${symbol} = null`, `not (${symbol} = true)`]) {
        assert.equal(summarize(await list(`?filter=${encodeURIComponent(filter)}`)), '400 INVALID_FILTER')
      }
      assert.equal(summarize(await list(`?sort=${symbol}`)), '400 INVALID_SORT_IDENTIFIER')
    }
    assert.equal(summarize(await list('?filter=clientId=null&sort=clientId')), '200')
    const { filterableFields } = (await list('?limit=1')).json.meta
    for (const symbol of hidden) assert.ok(!filterableFields.includes(symbol))
  })

  await t.test('D13 follows every change at once', async () => {
    await list()
    const id = await create(app, jwksBody({ name: 'new' }))
    assert.deepEqual(await namesIn(), ['Zulu', 'alpha', 'bravo', 'new'])
    const steps: [method: string, body: unknown, names: string[]][] = [
      ['PATCH', { name: 'mike' }, ['Zulu', 'alpha', 'bravo', 'mike']],
      ['PATCH', { enabled: false }, ['Zulu', 'alpha', 'bravo']],
      ['PATCH', { enabled: true }, ['Zulu', 'alpha', 'bravo', 'mike']],
      ['PUT', jwksBody({ name: 'aaa' }), ['Zulu', 'aaa', 'alpha', 'bravo']],
      ['DELETE', undefined, ['Zulu', 'alpha', 'bravo']],
    ]
    for (const [method, body, names] of steps) {
      assert.equal((await app.admin(method, `${SIGNERS}/${id}`, body)).status, 200)
      assert.deepEqual(await namesIn(), names)
      assert.deepEqual(await namesIn('?sort=name'), names)
      const page = await list('?limit=1')
      assert.deepEqual(page.json.meta.pagination, { limit: 1, offset: 0, totalCount: names.length })
    }
  })

  await t.test('W-59 ignores a bad token; other methods and a single signer do not exist', async () => {
    for (const headers of [{ 'zt-session': 'nonsense' }, { authorization: 'Bearer nonsense' }]) {
      const reply = await app.call('GET', CLIENT_SIGNERS, undefined, { headers })
      assert.equal(reply.status, 200)
      assert.equal(reply.headers['www-authenticate'], undefined)
    }
    assert.equal(summarize(await list(`/${full.id}`)), '404 NOT_FOUND')
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
      assert.equal(summarize(await app.call(method, CLIENT_SIGNERS, {})), '405 METHOD_NOT_ALLOWED')
    }
    for (const path of ['/external-jwt-signers', '/edge/v1/external-jwt-signers', `${CLIENT_SIGNERS}/`]) {
      assert.deepEqual((await app.call('GET', path)).json, (await list()).json)
    }
  })

  await t.test('D3 returns all signers in one response', async () => {
    await Promise.all(Array.from({ length: 30 }, () => create(app)))
    assert.equal((await list()).json.data.length, 33)
    assert.equal((await list('?filter=true')).json.data.length, 33)
  })
})

test('D2 S1-2.2.scopes the scopes are a list when the setting says so', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-client-list-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const config = join(folder, 'settings.yaml')
  writeFileSync(config, 'clientScopes: array\n')
  const app = await buildApp(t, { settings: { config } })
  await create(app, jwksBody({ name: 'a', scopes: 'openid email' }))
  await create(app, jwksBody({ name: 'b' }))
  const { data } = (await app.call('GET', CLIENT_SIGNERS)).json
  assert.deepEqual(
    data.map(({ scopes }: { scopes: unknown }) => scopes),
    [['openid', 'email'], null],
  )
})

test('R-23 after a change of one signer, the others are not described again', async (t) => {
  const app = await buildApp(t)
  for (const name of ['c', 'a', 'b']) await create(app, jwksBody({ name }))
  const described: string[] = []
  const watch = (signer: StoredSigner): StoredSigner =>
    new Proxy(signer, {
      get: (target, member: keyof StoredSigner) => {
        if (member === 'audience') described.push(target.name)
        return target[member]
      },
    })
  let signers = (await listTrustedSigners(app.store.db)).map(watch)
  const listeners: ChangeListener[] = []
  const [route] = clientExtJwtSignerRoutes({
    store: { onChange: (listener) => void listeners.push(listener) },
    signers: { all: async () => signers },
    settings: { clientScopes: 'array' },
  })
  const list = async () => {
    described.length = 0
    const response = await route?.handle({ query: new Map() } as unknown as Call)
    const { data } = JSON.parse(String(response?.text))
    return [data.map(({ name }: { name: string }) => name), new Set(described)]
  }
  assert.deepEqual(await list(), [['a', 'b', 'c'], new Set(['a', 'b', 'c'])])
  assert.deepEqual(await list(), [['a', 'b', 'c'], new Set()])
  signers = signers.map((signer) => (signer.name === 'b' ? watch({ ...signer, name: 'd' }) : signer))
  for (const report of listeners) report([{ entity: 'externalJwtSigners', id: 'b', action: 'updated' }])
  assert.deepEqual(await list(), [['a', 'c', 'd'], new Set(['d'])])
})
