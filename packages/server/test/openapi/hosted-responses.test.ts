import assert from 'node:assert/strict'
import { test } from 'node:test'
import { buildHostedDocument } from '../../src/http/openapi/build-hosted-document.ts'
import { isHostedPath } from '../../src/http/pipeline/hosted-errors.ts'
import type { Route } from '../../src/http/pipeline/route.ts'
import { beginJob } from '../../src/operations/account-job/begin-job.ts'
import { setUpFederated } from '../hosted/federated.fixture.ts'
import { setUpHosted } from '../hosted/hosted.fixture.ts'
import { createChecker } from './check-responses.fixture.ts'

type Answer = {
  readonly status: number
  readonly text: string
  readonly json: Record<string, unknown> & { id: string }
}

async function setUp(t: Parameters<typeof setUpHosted>[0]) {
  const hosted = await setUpHosted(t)
  const provider = await hosted.createProvider('cognito')
  const account = await hosted.createAccount(provider, 'machine')
  const bearer = hosted.token('cognito', 'machine')
  const { schemas, check } = await createChecker(t, hosted.app, 'hosted', 'HostedError')
  /** Calls a path of the document, and compares status and body with it. */
  const call = async (method: string, template: string, id = '', body?: unknown): Promise<Answer> => {
    const described = schemas.find((one) => one.path === template && one.method === method.toLowerCase())
    const reply = await hosted.call(method, template.replace('{id}', id), bearer, body)
    if (!described) assert.equal(reply.status, 204, `${method} ${template} has no schema: ${reply.text}`)
    else {
      assert.equal(reply.status, described.status, `${method} ${template}: ${reply.text}`)
      assert.equal(await check(described.route, reply.json), undefined, `${method} ${template}: ${reply.text}`)
      assert.equal('etag' in reply.headers, described.hasVersion, `ETag of ${method} ${template}`)
    }
    return reply as Answer
  }
  return { ...hosted, provider, account, bearer, schemas, check, call }
}

test('every GET of the hosted API responds as its OpenAPI document says', async (t) => {
  const { provider, account, bearer, schemas, call } = await setUp(t)
  const self = await call('GET', '/identity/v1/identities/self')
  const { organizationId } = self.json as unknown as { organizationId: string }
  const list = async (path: string) =>
    (await call('GET', path)).json as unknown as { _embedded: Record<string, { id: string }[]> }
  const network = (await list('/core/v3/networks'))._embedded.networkList?.[0]?.id ?? ''
  const group = (await list('/core/v3/network-groups'))._embedded.networkGroupList?.[0]?.id ?? ''
  const roles = (await call('GET', '/auth/v1/roles')).json as unknown as { content: { id: string }[] }
  const users = (await call('GET', '/identity/v1/user-identities')).json as unknown as { id: string }[]
  const ids: Readonly<Record<string, string | undefined>> = {
    networks: network,
    'network-groups': group,
    'api-account-identities': account,
    identities: account,
    'user-identities': users[0]?.id,
    'identity-providers': provider,
    organizations: organizationId,
    operator: organizationId,
    roles: roles.content[0]?.id,
  }
  let checked = 0
  for (const { path, method } of schemas) {
    const id = ids[path.split('/')[3] ?? '']
    if (method !== 'get' || (path.includes('{') && (id === undefined || !/\{id\}(\/quotas)?$/.test(path)))) continue
    await call('GET', path, id)
    checked++
  }
  assert.ok(checked >= 20, String(checked))
  assert.ok(bearer)
})

test('changes at the hosted API respond as its OpenAPI document says', async (t) => {
  const { app, provider, account, bearer, call } = await setUp(t)
  for (const version of ['v2', 'v3']) {
    const { id } = (await call('POST', `/core/${version}/networks`, '', { name: `plant ${version}` })).json
    const one = `/core/${version}/networks/{id}`
    await call('PUT', one, id, { name: `plant ${version}`, controllerUrl: 'https://plant.example' })
    await call('PATCH', one, id, { size: 'large' })
    await call('DELETE', one, id)
  }
  const networks = await app.call('GET', '/core/v3/networks', undefined, {
    headers: { authorization: `Bearer ${bearer}` },
  })
  await call('POST', '/core/v3/networks/{id}/exchange', networks.json._embedded.networkList[0].id, { type: 'session' })
  await call('POST', '/identity/v1/logout')
  const members = { name: 'other', identityProviderId: provider, clientId: 'other' }
  const created = await app.admin('POST', '/identity/v1/api-account-identities', members)
  const accounts = '/identity/v1/api-account-identities/{id}'
  await call('PUT', accounts, created.json.id, { name: 'renamed' })
  await call('PATCH', accounts, created.json.id, { description: 'nightly' })
  await call('DELETE', accounts, created.json.id)
  const record = {
    name: 'o',
    kind: 'oidc',
    issuer: 'https://o.example',
    jwksUri: 'https://o.example/jwks',
    tokenUrl: 'https://o.example/token',
    audience: 'a',
  }
  const { id } = (await call('POST', '/identity/v1/identity-providers', '', record)).json
  const providers = '/identity/v1/identity-providers/{id}'
  await call('PUT', providers, id, record)
  await call('POST', `${providers}/test`, id)
  await call('PATCH', providers, id, { enabled: false })
  await call('POST', `${providers}/test`, id)
  await call('DELETE', providers, id)
  const { organizationId } = (await call('GET', accounts, account)).json
  await call('PATCH', '/identity/v1/organizations/{id}', String(organizationId), { name: 'Acme' })
  const tenant = (await app.admin('POST', '/identity/v1/organizations', { name: 'Tenant', label: 'TENANT' })).json.id
  const operator = '/identity/v1/operator/organizations/{id}'
  await call('POST', `${operator}/suspend`, tenant, { reason: 'unpaid' })
  await call('POST', `${operator}/resume`, tenant)
  await call('PATCH', `${operator}/quotas`, tenant, { networks: 3 })
})

test('the document has If-Match where an outdated version is refused', async (t) => {
  const { app, provider, account, bearer, bodyOf } = await setUp(t)
  const send = (method: string, path: string, body?: unknown, headers = {}) =>
    app.call(method, path, body, { headers: { authorization: `Bearer ${bearer}`, ...headers } })
  const tenant = bodyOf(await app.admin('POST', '/identity/v1/organizations', { name: 'Tenant', label: 'TENANT' })).id
  const network = bodyOf(await send('POST', '/core/v3/networks', { name: 'plant' })).id
  const { organizationId } = bodyOf(await send('GET', `/identity/v1/api-account-identities/${account}`), 200)
  const job = { id: 'job-1', organizationId, identityProviderId: provider, accountId: 'x', accountName: 'nightly' }
  const meta = { actorId: 'system', now: app.clock.now() }
  await app.store.run(beginJob, { ...job, kind: 'create', input: '{}' }, meta)
  const ids: Readonly<Record<string, string>> = {
    'account-jobs': job.id,
    networks: network,
    'api-account-identities': account,
    'identity-providers': provider,
    organizations: organizationId,
    operator: tenant,
  }
  const document = JSON.parse((await app.call('GET', '/api-docs/hosted.json')).text)
  const conditional: string[] = []
  for (const [template, methods] of Object.entries<Record<string, { parameters?: { $ref: string }[] }>>(
    document.paths,
  )) {
    for (const [method, { parameters = [] }] of Object.entries(methods)) {
      if (!parameters.some(({ $ref }) => $ref.endsWith('/ifMatch'))) continue
      const path = template.replace('{id}', ids[template.split('/')[3] ?? ''] ?? assert.fail(template))
      const body = ['put', 'patch'].includes(method) ? (await send('GET', path)).json : undefined
      const reply = await send(method.toUpperCase(), path, body, { 'if-match': '"outdated"' })
      assert.equal(reply.status, 412, `${method} ${path}: ${reply.text}`)
      conditional.push(`${method} ${template}`)
    }
  }
  for (const wanted of ['rotate', 'repeat', 'suspend', 'resume', 'quotas']) {
    assert.ok(
      conditional.some((one) => one.endsWith(`/${wanted}`)),
      wanted,
    )
  }
})

test('refusals have the described body, and the check can fail', async (t) => {
  const { app, bearer, check, call: _ } = await setUp(t)
  const headers = { authorization: `Bearer ${bearer}` }
  const refusals = [
    await app.call('GET', '/core/v3/networks'),
    await app.call('GET', '/core/v3/networks/none', undefined, { headers }),
    await app.call('POST', '/core/v3/networks', { name: '' }, { headers }),
  ]
  assert.deepEqual(
    refusals.map(({ status }) => status),
    [401, 404, 400],
  )
  for (const { json, text } of refusals) assert.equal(await check('/error/HostedError', json), undefined, text)
  assert.notEqual(await check('/error/HostedError', { errors: 'no' }), undefined)
  assert.notEqual(await check('/get/core/v3/networks/_id_', { id: 'x' }), undefined)
})

test('errors of the token endpoint have the described body of OAuth', async (t) => {
  const { app, createRecord, createFederated, jobToken, trade } = await setUpFederated(t)
  const { check } = await createChecker(t, app, 'hosted', 'OAuthError')
  const { paths, components } = JSON.parse((await app.call('GET', '/api-docs/hosted.json')).text)
  const { responses } = paths['/auth/v1/token'].post
  assert.deepEqual(Object.keys(responses), ['200', '400', 'default'])
  for (const status of ['400', 'default']) {
    const described = components.responses[responses[status].$ref.split('/').at(-1)]
    assert.equal(described.content['application/json'].schema.$ref, '#/components/schemas/OAuthError')
  }
  await createFederated(await createRecord())
  const accepted = await trade(jobToken())
  assert.equal(accepted.status, 200, accepted.text)
  assert.equal(await check('/post/auth/v1/token', accepted.json), undefined, accepted.text)
  const refusals = [
    await trade(jobToken(), { grant_type: 'password' }),
    await trade(`${jobToken()}x`),
    await app.call('POST', '/auth/v1/token', { grant_type: 'password' }),
    await trade('x'.repeat(1_000_000)),
  ]
  assert.deepEqual(
    refusals.map(({ status }) => status),
    [400, 400, 415, 413],
  )
  for (const { json, text } of refusals) assert.equal(await check('/error/OAuthError', json), undefined, text)
  assert.notEqual(await check('/error/OAuthError', { errors: ['no'] }), undefined)
})

test('the document lists parameters of single calls', async (t) => {
  const { app } = await setUp(t)
  const { paths } = JSON.parse((await app.call('GET', '/api-docs/hosted.json')).text)
  const named = (name: string) =>
    Object.entries<Record<string, { parameters?: { $ref: string }[] }>>(paths).flatMap(([path, methods]) =>
      Object.entries(methods)
        .filter(([, { parameters = [] }]) => parameters.some(({ $ref }) => $ref === `#/components/parameters/${name}`))
        .map(([method]) => `${method} ${path}`),
    )
  const accounts = '/identity/v1/api-account-identities'
  assert.deepEqual(named('confirmBroad'), [`post ${accounts}`, `put ${accounts}/{id}`, `patch ${accounts}/{id}`])
  for (const name of ['name', 'active']) {
    assert.deepEqual(named(name), ['get /identity/v1/operator/organizations'])
  }
})

test('the document is not built with a route that the tables do not describe', async (t) => {
  const { app } = await setUp(t)
  const { routes } = app.controller.http
  const [known] = routes.filter(({ paths }) => paths.some((path) => isHostedPath(path)))
  assert.ok(known)
  const added = { ...known, method: 'POST', paths: ['/identity/v1/things/:id/polish'] } as Route
  assert.throws(() => buildHostedDocument([...routes, added]), {
    message: 'http/openapi/hosted-notes.ts lacks POST /identity/v1/things/:id/polish',
  })
  assert.ok(buildHostedDocument(routes).paths['/identity/v1/organization'])
})
