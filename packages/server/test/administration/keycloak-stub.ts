import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { TestContext } from 'node:test'
import { startStub } from './stub-server.ts'

interface Representation {
  readonly id: string
  readonly clientId: string
  readonly enabled: boolean
  readonly secret: string
}

/** The admin REST API of Keycloak, as far as it is used: what its OpenAPI document describes, and the roles that its services require. */
export async function startKeycloak(t: TestContext) {
  const clients = new Map<string, Representation>()
  const state = { roles: ['manage-clients'], secret: 'the-secret', failsAt: '' }
  const tokens = new Set<string>()
  const stub = await startStub(t, ({ method, path, query, headers, body }) => {
    if (state.failsAt === `${method} ${path.replace(/[0-9a-f-]{36}/, '{id}')}`) return { status: 503 }
    if (path === '/realms/acme/protocol/openid-connect/token') {
      assert.equal(headers['content-type'], 'application/x-www-form-urlencoded')
      const form = Object.fromEntries(new URLSearchParams(body))
      assert.deepEqual(Object.keys(form).sort(), ['client_id', 'client_secret', 'grant_type'])
      if (form.client_secret !== state.secret) return { status: 401, json: { error: 'invalid_client' } }
      assert.deepEqual([form.grant_type, form.client_id], ['client_credentials', 'countersign-admin'])
      const access_token = randomUUID()
      tokens.add(access_token)
      return { status: 200, json: { access_token, token_type: 'Bearer', expires_in: 60 } }
    }
    assert.ok(path.startsWith('/admin/realms/acme/clients'), path)
    if (!tokens.has(headers.authorization?.replace('Bearer ', '') ?? '')) return { status: 401 }
    const forbidden = { status: 403, json: { error: 'HTTP 403 Forbidden' } }
    const canManage = state.roles.includes('manage-clients')
    const canView = canManage || state.roles.includes('view-clients')
    const [, , , , , id, part] = path.split('/')
    if (id === undefined && method === 'GET') {
      if (!canView) return forbidden
      const wanted = query.get('clientId')
      const found = [...clients.values()].filter(({ clientId }) => wanted === null || clientId === wanted)
      return { status: 200, json: found }
    }
    if (id === undefined) {
      assert.equal(method, 'POST')
      if (!canManage) return forbidden
      const client = JSON.parse(body)
      if (client.clientId === 'countersign-admin') return { status: 409, json: { errorMessage: 'Client exists' } }
      checkServiceAccount(client)
      const created = { ...client, id: randomUUID(), secret: `secret-of-${client.clientId}` }
      clients.set(created.id, created)
      return { status: 201, headers: { location: `${stub.base}/admin/realms/acme/clients/${created.id}` } }
    }
    const client = clients.get(id)
    if (!client) return canView ? { status: 404, json: { error: 'Could not find client' } } : forbidden
    if (part === 'client-secret' && method === 'GET') {
      return canView ? { status: 200, json: { type: 'secret', value: client.secret } } : forbidden
    }
    if (method === 'GET') return canView ? { status: 200, json: client } : forbidden
    if (!canManage) return forbidden
    if (method === 'DELETE') {
      clients.delete(id)
      return { status: 204 }
    }
    assert.equal(method, 'PUT')
    clients.set(id, { ...client, ...JSON.parse(body) })
    return { status: 204 }
  })
  return { ...stub, clients, state }
}

/** A confidential client that gets tokens for the audience of the record by client credentials only. */
// biome-ignore lint/suspicious/noExplicitAny: a representation of any shape
function checkServiceAccount(client: any): void {
  const { serviceAccountsEnabled, publicClient, standardFlowEnabled, directAccessGrantsEnabled } = client
  const { implicitFlowEnabled, fullScopeAllowed, protocol, enabled, clientAuthenticatorType } = client
  assert.deepEqual([serviceAccountsEnabled, enabled], [true, true])
  assert.deepEqual([publicClient, standardFlowEnabled, directAccessGrantsEnabled], [false, false, false])
  assert.deepEqual([implicitFlowEnabled, fullScopeAllowed], [false, false])
  assert.deepEqual([protocol, clientAuthenticatorType], ['openid-connect', 'client-secret'])
  const [mapper] = client.protocolMappers
  assert.equal(mapper.protocolMapper, 'oidc-audience-mapper')
  assert.deepEqual(
    [mapper.config['included.custom.audience'], mapper.config['access.token.claim']],
    ['network-api', 'true'],
  )
}
