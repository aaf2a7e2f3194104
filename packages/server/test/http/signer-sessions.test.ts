import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeTestCertificate } from '@countersign/testkit'
import { OidcClient } from '../oidc/oidc.fixture.ts'
import { OWN_IDENTITY } from './identities.fixture.ts'
import { logInWithToken, SIGNERS, setUpProvider } from './provider.fixture.ts'

type Change = Readonly<Record<string, unknown>>

const ENDING: Readonly<Record<string, Change>> = {
  requiredClaims: { requiredClaims: { dept: ['it'] } },
  claimsProperty: { claimsProperty: '/email' },
  audience: { audience: 'other' },
  issuer: { issuer: 'https://other.example' },
  useExternalId: { useExternalId: false },
  maxTokenAgeSeconds: { maxTokenAgeSeconds: 60 },
  jwksEndpoint: { jwksEndpoint: 'https://idp.example/new-keys' },
}

/** Changes of members that decide about tokens, which accept every token as before, and changes of others. */
const KEEPING: Readonly<Record<string, Change>> = {
  name: { name: 'renamed', tags: { team: 'red' } },
  'the same values': { audience: 'overlay', claimsProperty: 'sub' },
  'another audience in addition': { additionalAudiences: ['second'] },
  'a tolerated clock skew': { clockSkewSeconds: 30 },
  enrollment: { enrollToTokenEnabled: true, provisionOnLogin: true, attributeSync: 'login', nameSync: true },
  'settings of clients': { clientId: 'cli', scopes: ['openid'], externalAuthUrl: 'https://idp.example/login' },
}

async function setUp(...args: Parameters<typeof setUpProvider>) {
  const { app, token, createSigner, createIdentity } = await setUpProvider(...args)
  const id = await createSigner({ claimsProperty: '/sub' })
  await createIdentity()
  const statusOf = async (session: string) => (await app.call('GET', OWN_IDENTITY, undefined, { session })).status
  const logIn = async () => (await logInWithToken(app, token())).json.data.token as string
  const patch = async (body: Change) => {
    const reply = await app.admin('PATCH', `${SIGNERS}/${id}`, body)
    assert.equal(reply.status, 200, reply.text)
  }
  return { app, id, token, statusOf, logIn, patch }
}

for (const [what, change] of Object.entries(ENDING)) {
  test(`I-15 a changed ${what} ends the sessions of a signer for good`, async (t) => {
    const { app, statusOf, logIn, patch } = await setUp(t)
    const session = await logIn()
    const own = await app.call('GET', '/edge/client/v1/current-api-session', undefined, { session })
    assert.equal(own.status, 200)
    await patch(change)
    assert.equal(await statusOf(session), 401)
    for (const enabled of [false, true]) await patch({ enabled })
    assert.equal(await statusOf(session), 401, 'after disabling and enabling')
    await patch({ name: 'renamed' })
    assert.equal(await statusOf(session), 401, 'after another change')
  })
}

for (const [what, change] of Object.entries(KEEPING)) {
  test(`I-15 ${what}: such a change of a signer ends no session`, async (t) => {
    const { statusOf, logIn, patch } = await setUp(t)
    const session = await logIn()
    await patch(change)
    assert.equal(await statusOf(session), 200)
    for (const enabled of [false, true]) await patch({ enabled })
    assert.equal(await statusOf(session), 200, 'after disabling and enabling')
  })
}

test('I-15 a signer that is changed back keeps its ended sessions ended, and opens new ones', async (t) => {
  const { app, id, statusOf, logIn, patch } = await setUp(t)
  const session = await logIn()
  await patch({ audience: 'other' })
  await patch({ audience: 'overlay' })
  assert.equal(await statusOf(session), 401)
  const later = await logIn()
  assert.equal(await statusOf(later), 200)
  const { data } = (await app.admin('GET', `${SIGNERS}/${id}`)).json
  assert.equal((await app.admin('PUT', `${SIGNERS}/${id}`, { ...data, name: 'renamed' })).status, 200)
  assert.equal(await statusOf(later), 200, 'a PUT with one other name')
  assert.equal((await app.admin('PUT', `${SIGNERS}/${id}`, { ...data, audience: 'other' })).status, 200)
  assert.equal(await statusOf(later), 401, 'a PUT with another audience')
})

test('I-15 a replaced certificate of a signer ends its sessions', async (t) => {
  const { statusOf, logIn, patch } = await setUp(t)
  const session = await logIn()
  const { pem } = makeTestCertificate()
  await patch({ jwksEndpoint: '', certPem: pem })
  assert.equal(await statusOf(session), 401)
})

test('I-15 sessions of an earlier release stay until they expire', async (t) => {
  const { app, statusOf, logIn, patch } = await setUp(t, { database: 'postgres' })
  const [session, current] = [await logIn(), await logIn()]
  const { data } = (await app.call('GET', '/edge/client/v1/current-api-session', undefined, { session })).json
  await app.store.db.updateTable('api_sessions').set({ signer_revision: null }).where('id', '=', data.id).execute()
  await patch({ requiredClaims: { dept: ['it'] } })
  assert.deepEqual([await statusOf(session), await statusOf(current)], [200, 401])
})

test('I-15 U-03 a restricted signer ends the sessions of the OpenID provider', async (t) => {
  const { app, token, patch } = await setUp(t)
  const client = new OidcClient(app)
  const login = await client.begin()
  const headers = { authorization: `Bearer ${token()}` }
  const reply = await client.call('POST', '/oidc/login/ext-jwt', { json: { id: login.id }, headers })
  assert.equal(reply.status, 302, reply.text)
  const tokens = await client.finish(login)
  await patch({ name: 'renamed' })
  assert.equal((await client.get(tokens.access_token)).status, 200)
  await patch({ requiredClaims: { dept: ['it'] } })
  for (const enabled of [false, true]) await patch({ enabled })
  assert.equal((await client.get(tokens.access_token)).status, 401)
  assert.equal((await client.refresh(tokens.refresh_token)).status, 400)
})
