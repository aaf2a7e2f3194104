import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { TestContext } from 'node:test'
import { startStub } from './stub-server.ts'

/** The scope that each call of the Management API requires. */
const SCOPES: Readonly<Record<string, string>> = {
  'POST clients': 'create:clients',
  'GET clients': 'read:clients',
  'DELETE clients': 'delete:clients',
  'POST client-grants': 'create:client_grants',
  'GET client-grants': 'read:client_grants',
  'DELETE client-grants': 'delete:client_grants',
}

/** The Management API of Auth0, as far as it is used, with the scopes of the caller. */
export async function startAuth0(t: TestContext) {
  const clients = new Map<string, Record<string, unknown>>()
  const grants = new Map<string, { readonly client_id: string; readonly audience: string }>()
  const state = { scopes: Object.values(SCOPES), secret: 'the-secret', failsAt: '' }
  const tokens = new Map<string, readonly string[]>()
  const stub = await startStub(t, ({ method, path, query, headers, body }) => {
    if (path === '/oauth/token') {
      assert.equal(headers['content-type'], 'application/json')
      const json = JSON.parse(body)
      assert.equal(json.grant_type, 'client_credentials')
      assert.equal(json.audience, `${stub.base}/api/v2/`)
      if (json.client_secret !== state.secret) return { status: 401, json: { error: 'access_denied' } }
      const access_token = randomUUID()
      tokens.set(access_token, state.scopes)
      return { status: 200, json: { access_token, scope: state.scopes.join(' '), token_type: 'Bearer' } }
    }
    const [, api, version, collection = '', id] = path.split('/')
    assert.deepEqual([api, version], ['api', 'v2'])
    const granted = tokens.get(headers.authorization?.replace('Bearer ', '') ?? '')
    if (!granted) return { status: 401, json: { statusCode: 401, error: 'Unauthorized' } }
    const scope = SCOPES[`${method} ${collection}`]
    assert.ok(scope, `${method} ${path}`)
    if (state.failsAt === `${method} ${collection}`) return { status: 500 }
    if (!granted.includes(scope)) {
      return { status: 403, json: { statusCode: 403, error: 'Forbidden', errorCode: 'insufficient_scope' } }
    }
    if (collection === 'clients' && method === 'POST') {
      const client = JSON.parse(body)
      assert.deepEqual([client.app_type, client.grant_types], ['non_interactive', ['client_credentials']])
      assert.equal(/[<>]/.test(client.name), false)
      const client_id = randomUUID()
      clients.set(client_id, { ...client, client_id })
      return { status: 201, json: { ...client, client_id, client_secret: `secret-of-${client_id}` } }
    }
    if (collection === 'clients' && method === 'GET') {
      const [perPage, page] = [Number(query.get('per_page')), Number(query.get('page') ?? 0)]
      assert.ok(perPage >= 1 && perPage <= 100)
      const all = [...clients.values()].slice(perPage * page, perPage * (page + 1))
      return { status: 200, json: all.map(({ client_id, client_metadata }) => ({ client_id, client_metadata })) }
    }
    if (collection === 'clients') {
      clients.delete(String(id))
      for (const [grantId, { client_id }] of grants) if (client_id === id) grants.delete(grantId)
      return { status: 204 }
    }
    if (method === 'POST') {
      const grant = JSON.parse(body)
      assert.deepEqual(Object.keys(grant).sort(), ['audience', 'client_id', 'scope'])
      assert.ok(clients.has(grant.client_id))
      const grantId = `cgr_${randomUUID()}`
      grants.set(grantId, grant)
      return { status: 201, json: { id: grantId, ...grant } }
    }
    if (method === 'GET') {
      const found = [...grants].filter(([, { client_id }]) => client_id === query.get('client_id'))
      return { status: 200, json: found.map(([grantId, grant]) => ({ id: grantId, ...grant })) }
    }
    grants.delete(String(id))
    return { status: 204 }
  })
  return { ...stub, clients, grants, state }
}
