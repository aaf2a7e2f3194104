/** Attacks at an issuer whose clients share a `sub`, that of their owner: one organization makes an account of it before the others come. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { startJwksServer } from '@countersign/testkit'
import { keysOf, setUpHosted } from './hosted.fixture.ts'

const PROVIDERS = '/identity/v1/identity-providers'
const ACCOUNTS = '/identity/v1/api-account-identities'
const SELF = '/identity/v1/identities/self'
const OWNER = 'app-owner'
const REGISTERED = 'registered-machine'

/** Two organizations, each with an administrator at another issuer. The shared issuer registers clients for both. */
async function setUp(t: TestContext) {
  const hosted = await setUpHosted(t)
  const { app, call, bodyOf, token } = hosted
  const server = await startJwksServer()
  t.after(() => server.close())
  const answer = { client_id: REGISTERED, client_secret: 'x' }
  server.respondWith({ status: 201, body: answer, headers: { 'content-type': 'application/json' } })
  const issuer = `http://127.0.0.1:${server.port}`
  const urls = { jwksUri: keysOf({ issuer }), tokenUrl: `${issuer}/token` }
  const record = { name: 'shared', kind: 'oidc', issuer, audience: 'network-api', ...urls }
  const registrationUrl = `${issuer}/.well-known/register`

  const makeOrganization = async (label: string) => {
    const organizationId = await hosted.createOrganization(label)
    const first = await hosted.createProvider('cognito', { organizationId })
    const bearer = token('cognito', label)
    return {
      organizationId,
      /** The first account of an organization is the operator's to create. */
      setUpFirst: () => hosted.createAccount(first, label, { organizationId }),
      makeProvider: async (members: object): Promise<string> =>
        bodyOf(await call('POST', PROVIDERS, bearer, { ...record, ...members })).id,
      makeAccount: (identityProviderId: string, members: object = {}) => {
        app.clock.advance(1000)
        return call('POST', ACCOUNTS, bearer, { name: 'machine', identityProviderId, ...members })
      },
    }
  }
  /** A token of a client of the shared issuer. Keycloak's rules do not apply to it. */
  const mint = (clientId: string | undefined, sub = OWNER) =>
    token('keycloak', '', { iss: issuer, azp: clientId, client_id: clientId, sub })
  const organizationOf = async (bearer: string) => {
    const { status, json } = await call('GET', SELF, bearer)
    return status === 200 ? json.organizationId : status
  }
  const [evil, victim] = [await makeOrganization('EVIL'), await makeOrganization('VICTIM')]
  return { ...hosted, evil, victim, record, registrationUrl, mint, organizationOf }
}

test('N-13 a sub that clients share is not bound by a token of one of them', async (t) => {
  const { evil, victim, registrationUrl, bodyOf, mint, organizationOf } = await setUp(t)
  await evil.setUpFirst()
  await victim.setUpFirst()
  const trap = await evil.makeProvider({ clientIdClaim: 'sub' })
  const refused = await evil.makeAccount(trap, { clientId: OWNER, proofToken: mint('machine-of-evil') })
  assert.deepEqual([refused.status, refused.json.field], [400, 'proofToken'], refused.text)
  bodyOf(await victim.makeAccount(await victim.makeProvider({ registrationUrl })))
  assert.equal(await organizationOf(mint(REGISTERED)), victim.organizationId)
  bodyOf(await evil.makeAccount(trap, { clientId: OWNER, proofToken: mint(OWNER) }))
})

test('N-13 an account of a shared sub gets only tokens that name no other client', async (t) => {
  const { evil, victim, record, registrationUrl, app, bodyOf, mint, organizationOf } = await setUp(t)
  const { organizationId } = evil
  const trap = { ...record, organizationId, clientIdClaim: '/sub' }
  const { id: identityProviderId } = bodyOf(await app.admin('POST', PROVIDERS, trap))
  bodyOf(await app.admin('POST', ACCOUNTS, { name: 'trap', organizationId, identityProviderId, clientId: OWNER }))
  await victim.setUpFirst()
  assert.equal(await organizationOf(mint(REGISTERED)), 401)
  bodyOf(await victim.makeAccount(await victim.makeProvider({ registrationUrl })))
  assert.equal(await organizationOf(mint(REGISTERED)), victim.organizationId, 'the later account is its own')
  assert.equal(await organizationOf(mint(undefined)), organizationId)
})
