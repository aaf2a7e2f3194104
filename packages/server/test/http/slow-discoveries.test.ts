/** Callers whose requests make the controller fetch from hosts of their choice, which are slow. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { startJwksServer } from '@countersign/testkit'
import { until } from '../keyset/fake-time.ts'
import { buildApp, type Reply } from './build-app.ts'
import { SIGNERS } from './provider.fixture.ts'

const PROVIDERS = '/identity/v1/identity-providers'
/** One runs, and 20 wait. */
const PER_NODE = 21
const TOO_MANY = 9

async function startIssuer(t: TestContext, delayMs?: number) {
  const server = await startJwksServer()
  t.after(() => server.close())
  const issuer = `http://127.0.0.1:${server.port}`
  const body = { issuer, jwks_uri: `${issuer}/keys`, token_endpoint: `${issuer}/token` }
  server.respondWith({ body, ...(delayMs !== undefined && { delayMs }) })
  return { server, issuer }
}

async function setUp(t: TestContext) {
  const app = await buildApp(t)
  const [slow, fine] = [await startIssuer(t, 4_000), await startIssuer(t)]
  const nodes = app.stores.length
  /** Sends more requests at once than may wait. Returns how many were refused, and the reply to `meanwhile`. */
  const flood = async (send: (nth: number) => Promise<Reply>, meanwhile: () => Promise<Reply>) => {
    const settled: Reply[] = []
    const sent = Array.from({ length: (PER_NODE + TOO_MANY) * nodes }, async (_, nth) => {
      settled.push(await send(nth))
    })
    await until(() => settled.length >= TOO_MANY * nodes)
    const reply = await meanwhile()
    const { connections } = slow.server
    await slow.server.close()
    await Promise.all(sent)
    const refused = settled.filter(({ status }) => status === 429).length
    return { reply, connections, refused }
  }
  return { app, nodes, slow, fine, flood }
}

test('S-11 slow discoveries of one identity wait for each other, and others are answered', async (t) => {
  const { app, nodes, slow, fine, flood } = await setUp(t)
  const { session } = await app.makeIdentity({ permissions: ['external-jwt-signer.create'] })
  const { reply, connections, refused } = await flood(
    () => app.call('POST', `${SIGNERS}/discover`, { issuer: slow.issuer }, { session }),
    () => app.admin('POST', `${SIGNERS}/discover`, { issuer: fine.issuer }),
  )
  assert.equal(reply.status, 200, reply.text)
  assert.ok(connections <= nodes, `${connections} connections`)
  assert.equal(refused, TOO_MANY * nodes)
  const own = await app.call('POST', `${SIGNERS}/discover`, { issuer: fine.issuer }, { session })
  assert.equal(own.status, 200, 'when the others have ended')
})

test('S-11 slow providers of one organization are discovered one by one, and others are answered', async (t) => {
  const { app, nodes, slow, fine, flood } = await setUp(t)
  const organization = await app.admin('POST', '/identity/v1/organizations', { name: 'Fine', label: 'FINE' })
  const record = (name: string, issuer: string) => ({ name, kind: 'oidc', issuer, audience: 'api' })
  const { reply, connections, refused } = await flood(
    (nth) => app.admin('POST', PROVIDERS, record(`slow${nth}`, slow.issuer)),
    () => app.admin('POST', PROVIDERS, { ...record('fine', fine.issuer), organizationId: organization.json.id }),
  )
  assert.equal(reply.status, 201, reply.text)
  assert.ok(connections <= nodes, `${connections} connections`)
  assert.equal(refused, TOO_MANY * nodes)
  const own = await app.admin('POST', PROVIDERS, record('own', fine.issuer))
  assert.equal(own.status, 201, own.text)
})
