/** Attacks with client ids, which are public: an organization registers a client of another one before its owner does. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { accountFromBody } from '@countersign/core'
import { startJwksServer } from '@countersign/testkit'
import { createApiAccount } from '../../src/operations/api-account/create-api-account.ts'
import { KINDS, keysOf, OTHER_KEYS, setUpHosted } from './hosted.fixture.ts'

const PROVIDERS = '/identity/v1/identity-providers'
const ACCOUNTS = '/identity/v1/api-account-identities'
const SELF = '/identity/v1/identities/self'
const VICTIM = 'victim-machine'

/** An organization with an administrator, who knows issuer and client id of another organization's machine. */
async function setUp(t: TestContext) {
  const hosted = await setUpHosted(t)
  const { call, bodyOf, token } = hosted
  const organizationId = await hosted.createOrganization('ACME')
  await hosted.createAccount(await hosted.createProvider('cognito', { organizationId }), 'acme', { organizationId })
  const bearer = token('cognito', 'acme')
  const { record } = KINDS.keycloak
  const makeProvider = async (members: object = {}): Promise<string> => {
    const urls = { jwksUri: keysOf(record), tokenUrl: `${record.issuer}/token` }
    return bodyOf(await call('POST', PROVIDERS, bearer, { name: 'sso', ...record, ...urls, ...members })).id
  }
  const bind = (identityProviderId: string, members: object = { clientId: VICTIM }) =>
    call('POST', ACCOUNTS, bearer, { name: 'x', identityProviderId, ...members })
  const proof = (clientId = VICTIM, claims: object = {}) => token('keycloak', clientId, { ...claims })
  return { ...hosted, organizationId, bearer, makeProvider, bind, proof }
}

test('N-13 an organization binds an existing client only with a token of that client', async (t) => {
  const { call, makeProvider, bind, proof, token, bodyOf, organizationId, otherKey } = await setUp(t)
  const provider = await makeProvider()
  const wrong: readonly (string | undefined)[] = [
    undefined,
    '',
    'no token',
    proof('another-machine'),
    proof(VICTIM, { exp: 1 }),
    proof(VICTIM, { aud: 'account' }),
    proof(VICTIM, { iss: 'https://sso.example.com/realms/other' }),
    token('keycloak', VICTIM, {}, otherKey),
  ]
  for (const proofToken of wrong) {
    const reply = await bind(provider, { clientId: VICTIM, proofToken })
    assert.deepEqual([reply.status, reply.json.field], [400, 'proofToken'], reply.text)
    if (proofToken) assert.equal(reply.text.includes(proofToken), false)
  }
  assert.equal((await call('GET', SELF, proof())).status, 401, 'the machine has no account in any organization')
  bodyOf(await bind(provider, { clientId: VICTIM, proofToken: proof() }))
  assert.equal(bodyOf(await call('GET', SELF, proof()), 200).organizationId, organizationId)
})

test('N-13 rotation to an existing client needs a token of that client too', async (t) => {
  const { call, makeProvider, bind, proof, bodyOf, bearer } = await setUp(t)
  const mine = { clientId: 'mine', proofToken: proof('mine') }
  const { id } = bodyOf(await bind(await makeProvider(), mine))
  const rotate = (body: object) => call('POST', `${ACCOUNTS}/${id}/rotate`, bearer, body)
  const refused = await rotate({ clientId: VICTIM })
  assert.deepEqual([refused.status, refused.json.field], [400, 'proofToken'])
  assert.equal((await rotate({ clientId: VICTIM, proofToken: proof('mine') })).status, 400)
  bodyOf(await rotate({ clientId: VICTIM, proofToken: proof() }), 200)
})

test('N-13 the audience of a record stays while it has accounts, since their proofs were tokens for it', async (t) => {
  const { call, makeProvider, bind, proof, bodyOf, bearer } = await setUp(t)
  const elsewhere = { audience: 'an-api-of-the-attacker' }
  const provider = await makeProvider(elsewhere)
  const change = () => call('PATCH', `${PROVIDERS}/${provider}`, bearer, { audience: KINDS.keycloak.record.audience })
  const { id } = bodyOf(
    await bind(provider, { clientId: VICTIM, proofToken: proof(VICTIM, { aud: elsewhere.audience }) }),
  )
  assert.equal((await change()).status, 400)
  assert.equal((await call('GET', SELF, proof())).status, 401, 'the machine does not act in this organization')
  await call('DELETE', `${ACCOUNTS}/${id}`, bearer)
  assert.equal((await change()).status, 200)
})

test('N-13 another kind of the record, which has no audience, is refused while it has accounts', async (t) => {
  const { call, makeProvider, bind, token, bodyOf, bearer } = await setUp(t)
  const { issuer } = KINDS.cognito.record
  const provider = await makeProvider({ issuer, jwksUri: keysOf({ issuer }), audience: 'an-api' })
  const change = (body: object) => call('PATCH', `${PROVIDERS}/${provider}`, bearer, body)
  const proofToken = token('cognito', VICTIM, { aud: 'an-api' })
  const { id } = bodyOf(await bind(provider, { clientId: VICTIM, proofToken }))
  const refused = await change({ kind: 'cognito' })
  assert.equal(refused.status, 400)
  assert.match(refused.text, /the audience cannot change/)
  assert.equal((await call('GET', SELF, token('cognito', VICTIM))).status, 401, 'a token for another audience')
  assert.equal((await change({ kind: 'auth0' })).status, 200, 'with the same audience')
  await call('DELETE', `${ACCOUNTS}/${id}`, bearer)
  assert.equal((await change({ kind: 'cognito' })).status, 200)
})

test('N-13 the operator binds a client without a token of it', async (t) => {
  const { createOrganization, createProvider, createAccount, call, proof, bodyOf } = await setUp(t)
  const organizationId = await createOrganization('OTHER')
  await createAccount(await createProvider('keycloak', { organizationId }), VICTIM, { organizationId })
  assert.equal(bodyOf(await call('GET', SELF, proof()), 200).organizationId, organizationId)
})

test('N-13 a proof counts only by keys of the issuer itself: below it, or named by its discovery document', async (t) => {
  const { makeProvider, bind, token, otherKey, bodyOf } = await setUp(t)
  const server = await startJwksServer()
  t.after(() => server.close())
  const issuer = `http://127.0.0.1:${server.port}`
  const publish = (jwks_uri: string) =>
    server.respondWith({ body: { issuer, jwks_uri }, headers: { 'content-type': 'application/json' } })
  const forged = token('keycloak', VICTIM, { iss: issuer, sub: VICTIM }, otherKey)
  publish(`${issuer}/keys`)
  const provider = await makeProvider({ issuer, jwksUri: OTHER_KEYS })
  const refused = await bind(provider, { clientId: VICTIM, proofToken: forged })
  assert.deepEqual([refused.status, refused.json.field], [400, 'jwksUri'], refused.text)
  publish(OTHER_KEYS)
  bodyOf(await bind(provider, { clientId: VICTIM, proofToken: forged }))
})

test('N-13 a client counts as registered only at the issuer’s own registration endpoint', async (t) => {
  const { makeProvider, bind, bodyOf } = await setUp(t)
  const server = await startJwksServer()
  t.after(() => server.close())
  const base = `http://127.0.0.1:${server.port}`
  const answer = { client_id: VICTIM, client_secret: 'x' }
  server.respondWith({ status: 201, body: answer, headers: { 'content-type': 'application/json' } })
  const issuer = `${base}/tenants/victim`
  const urls = { issuer, jwksUri: `${issuer}/keys`, tokenUrl: `${issuer}/token` }
  const trap = await makeProvider({ ...urls, registrationUrl: `${base}/tenants/attacker/register` })
  const refused = await bind(trap, {})
  assert.equal(refused.status, 400, refused.text)
  const own = await makeProvider({ ...urls, name: 'own', registrationUrl: `${issuer}/register` })
  bodyOf(await bind(own, {}))
})

test('N-13 a proof holds only for the record that it was verified with', async (t) => {
  const { app, makeProvider, organizationId } = await setUp(t)
  const identityProviderId = await makeProvider()
  const create = (revision: number) => {
    const client = { clientId: VICTIM, administeredBy: null, handle: null, sealedToken: null }
    const settings = accountFromBody({ name: 'x', role: 'admin' })
    const binding = { by: 'proof', revision, claims: { azp: VICTIM } } as const
    const args = { id: 'x', organizationId, identityProviderId, settings, client, binding }
    return app.store.run(createApiAccount, args, { actorId: 'system', now: app.clock.now() })
  }
  await assert.rejects(create(2), /changed meanwhile/)
  await create(1)
})
