import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { SIGNER } from '@countersign/contract/ext-jwt-signer'
import { makeTestCertificate, mintKey, mintKeySet } from '@countersign/testkit'
import { createPolicy } from './auth-policies.fixture.ts'
import { CLIENT_SIGNERS, detailOf, jwksBody, testWithApp } from './ext-jwt-signers.fixture.ts'
import { ISSUER, logInWithToken, SIGNERS, setUpProvider } from './provider.fixture.ts'

const ROOT = 'root@idp.example'

/** An administrator, and a signer of a caller who is not one, whose tokens name that administrator. */
async function setUpForgedSigner(t: TestContext, members: object = {}) {
  const set = await setUpProvider(t)
  const { app, token } = set
  await set.createIdentity({ name: 'root', externalId: ROOT, isAdmin: true })
  const holder = await app.makeIdentity({ permissions: ['external-jwt-signer', 'identity.create'] })
  const asHolder = (method: string, path: string, body?: unknown) =>
    app.call(method, path, body, { session: holder.session })
  const body = jwksBody({ issuer: ISSUER, audience: 'overlay', useExternalId: true, ...members })
  const made = await asHolder('POST', SIGNERS, body)
  assert.equal(made.status, 201, made.text)
  const id: string = made.json.data.id
  return {
    ...set,
    id,
    holder,
    asHolder,
    path: `${SIGNERS}/${id}`,
    /** The status of a login as the administrator, by a token of the signer's provider. */
    forge: async () => (await logInWithToken(app, token({ sub: ROOT }))).status,
    trustOf: async () => (await detailOf(app, id)).trust,
  }
}

test('D55 an administrator who writes name, tags or enabled does not make a signer trusted', async (t) => {
  const { app, path, id, forge, holder, trustOf } = await setUpForgedSigner(t)
  assert.equal(await forge(), 401)
  const before = await trustOf()
  assert.deepEqual([before.state, before.writtenBy.id], ['untrusted', holder.id])
  app.clock.advance(1_000)
  for (const changes of [{ tags: { reviewed: 'no' } }, { name: 'renamed' }, { enabled: false }, { enabled: true }]) {
    assert.equal((await app.admin('PATCH', path, changes)).status, 200)
    assert.equal(await forge(), 401, JSON.stringify(changes))
    assert.deepEqual(await trustOf(), before)
  }
  const whole = await detailOf(app, id)
  assert.equal(
    (await app.admin('PUT', path, { ...whole, tags: { by: 'a client that sends details back' } })).status,
    200,
  )
  assert.equal(await forge(), 401, 'a PUT that changes tags only')
  assert.deepEqual(await trustOf(), before)

  assert.equal((await app.admin('PUT', path, { ...whole, clientId: 'by an administrator' })).status, 200)
  assert.equal(await forge(), 200)
})

const LOGGED = { 'account-disabled': 'log', 'session-revoked': 'log' }

/** Members of a signer, the form in which a client sends them back with a new name, and a form that changes what they mean. */
const SENT_BACK: Readonly<Record<string, { readonly made: object; readonly sent: object; readonly changed: object }>> =
  {
    'a required claim as a list': {
      made: { requiredClaims: { sub: ROOT, aud: 'overlay' } },
      sent: { requiredClaims: { aud: ['overlay'], sub: [ROOT] } },
      changed: { requiredClaims: { aud: ['overlay'], sub: [ROOT, 'another'] } },
    },
    'scopes apart': {
      made: { scopes: ['openid email'] },
      sent: { scopes: ['openid', 'email'] },
      changed: { scopes: ['openid', 'email', 'groups'] },
    },
    'actions in another order': {
      made: { sharedSignals: { audience: 'signals', actions: LOGGED } },
      sent: {
        sharedSignals: { actions: Object.fromEntries(Object.entries(LOGGED).toReversed()), audience: 'signals' },
      },
      changed: { sharedSignals: { audience: 'signals', actions: { 'session-revoked': 'log' } } },
    },
    'only members that are not the default': {
      made: {},
      sent: { claimsProperty: undefined, targetToken: null, kid: '', scopes: [], requiredClaims: {} },
      changed: { claimsProperty: '/email' },
    },
  }

for (const [form, { made, sent, changed }] of Object.entries(SENT_BACK)) {
  test(`D55 a PUT that renames a signer and has ${form} does not make it trusted; a real change does`, async (t) => {
    const { app, path, id, forge, trustOf } = await setUpForgedSigner(t, made)
    const before = await trustOf()
    assert.equal(before.state, 'untrusted')
    const whole = { ...(await detailOf(app, id)), name: 'renamed' }
    const renamed = await app.admin('PUT', path, { ...whole, ...sent })
    assert.equal(renamed.status, 200, renamed.text)
    assert.equal((await detailOf(app, id)).name, 'renamed')
    assert.deepEqual(await trustOf(), before)
    assert.equal(await forge(), 401)

    const reply = await app.admin('PUT', path, { ...whole, ...sent, ...changed })
    assert.equal(reply.status, 200, reply.text)
    assert.equal((await trustOf()).state, 'trusted')
  })
}

test('D55 an administrator who writes any other member makes a signer trusted, also with the same value', async (t) => {
  const { app, path, id, forge, asHolder } = await setUpForgedSigner(t)
  const { id: adminId, name } = (await app.admin('GET', '/edge/management/v1/current-identity')).json.data
  const { claimsProperty } = await detailOf(app, id)
  assert.equal((await app.admin('PATCH', path, { claimsProperty })).status, 200)
  assert.equal(await forge(), 200)
  const { trust, updatedAt } = await detailOf(app, id)
  assert.deepEqual(trust, { state: 'trusted', writtenBy: { id: adminId, name }, writtenAt: updatedAt })

  assert.equal((await asHolder('PATCH', path, { tags: { a: 'b' } })).status, 200)
  assert.equal(await forge(), 200, 'tags of another writer change nothing')
  assert.equal((await asHolder('PATCH', path, { clientId: 'c' })).status, 200)
  assert.equal(await forge(), 401, 'trust follows the last writer')
})

test('D55 the trust action makes a signer trusted as it is, for administrators only', async (t) => {
  const { app, path, id, forge, asHolder, trustOf, holder } = await setUpForgedSigner(t)
  assert.equal((await asHolder('POST', `${path}/trust`)).status, 401)
  assert.equal(await forge(), 401)
  const before = await app.admin('GET', path)
  assert.equal((await asHolder('PATCH', path, { clientId: 'after the review' })).status, 200)
  const stale = { headers: { 'zt-session': app.adminSession, 'if-match': before.headers.etag ?? '' } }
  assert.equal((await app.call('POST', `${path}/trust`, undefined, stale)).status, 412)
  assert.equal(await forge(), 401)

  assert.equal((await app.admin('POST', `${path}/trust`)).status, 200)
  assert.equal(await forge(), 200)
  const { state, writtenBy } = await trustOf()
  assert.deepEqual([state, writtenBy.id], ['trusted', holder.id], 'the writer stays the writer')
  const other = `/edge/management/v1/external-jwt-signers/${id}/trust`
  assert.equal((await app.admin('POST', other)).status, 200, 'again, under the other name')
})

test('D55 a trusted signer that a non-administrator writes ends the sessions of administrators', async (t) => {
  const { app, path, asHolder, token } = await setUpForgedSigner(t)
  await app.admin('POST', `${path}/trust`)
  const session = (await logInWithToken(app, token({ sub: ROOT }))).json.data.token
  const own = async () => (await app.call('GET', '/edge/client/v1/current-identity', undefined, { session })).status
  assert.equal(await own(), 200)
  assert.equal((await asHolder('PATCH', path, { enabled: true })).status, 200)
  assert.equal(await own(), 200)
  assert.equal((await asHolder('PATCH', path, { scopes: ['email'] })).status, 200)
  assert.equal(await own(), 401)
})

/** What a member needs beside it. */
const NEEDED: Readonly<Record<string, object>> = {
  certPem: { jwksEndpoint: '' },
  certPems: { jwksEndpoint: '' },
  jwks: { jwksEndpoint: '' },
  pushedKeys: { jwksEndpoint: '' },
  provisionOnLogin: { enrollToTokenEnabled: true },
}

testWithApp('D55 every member but name, tags and enabled is a security member', async (_t, app) => {
  const enrollAuthPolicyId = await createPolicy(app)
  const values: Readonly<Record<string, unknown>> = {
    name: 'another name',
    enabled: true,
    tags: { a: 'b' },
    issuer: 'https://another.example',
    audience: 'another',
    additionalAudiences: ['another'],
    jwksEndpoint: 'https://another.example/keys',
    jwksCaPem: makeTestCertificate().pem,
    certPem: makeTestCertificate().pem,
    certPems: [makeTestCertificate().pem],
    jwks: mintKeySet(mintKey('P-256')),
    pushedKeys: { maxAgeSeconds: 700 },
    jwksAuthorization: 'Bearer another',
    pinnedKeyThumbprints: ['A'.repeat(43)],
    requireKeyContinuity: true,
    kid: 'another',
    claimsProperty: '/another',
    useExternalId: true,
    externalAuthUrl: 'https://another.example/login',
    openIdConfigurationUrl: 'https://another.example/.well-known/openid-configuration',
    clientId: 'another',
    scopes: ['another'],
    targetToken: 'ID',
    enrollToCertEnabled: true,
    enrollToTokenEnabled: true,
    enrollAttributeClaimsSelector: '/another',
    enrollAuthPolicyId,
    enrollNameClaimsSelector: '/another',
    attributeSync: 'login',
    nameSync: true,
    provisionOnLogin: true,
    reprovisionAfterMinutes: 7,
    requirePossession: 'any',
    oneUse: true,
    sharedSignals: { audience: 'signals' },
    scimIdentityAttribute: 'email',
    scimGroupAttributeTemplate: 'another-{displayName}',
    clockSkewSeconds: 7,
    maxTokenAgeSeconds: 7,
    requiredClaims: { '/hd': 'another' },
    testCases: [{ name: 'another', claims: {}, expect: { outcome: 'refused', check: 'issuer' } }],
    acceptRule: 'claims.hd == "another"',
    attributeRules: ['claims.groups'],
  }
  const writable = Object.entries(SIGNER.members).flatMap(([name, { notes }]) => ('readOnly' in notes ? [] : [name]))
  assert.deepEqual(Object.keys(values).toSorted(), writable.toSorted(), 'a new member needs a value here')
  const { session } = await app.makeIdentity({ permissions: ['external-jwt-signer'] })
  const others = new Set(['name', 'tags', 'enabled'])
  for (const [name, value] of Object.entries(values)) {
    const made = await app.call('POST', SIGNERS, jwksBody(), { session })
    const path = `${SIGNERS}/${made.json.data.id}`
    const withOthers = NEEDED[name] ?? {}
    const reply = await app.admin('PATCH', path, { [name]: value, ...withOthers })
    assert.equal(reply.status, 200, `${name}: ${reply.text}`)
    const { trust } = await detailOf(app, made.json.data.id)
    assert.equal(trust.state, others.has(name) ? 'untrusted' : 'trusted', name)
  }
})

testWithApp('D55 an untrusted signer offers no login in a browser', async (_t, app) => {
  const { session } = await app.makeIdentity({ permissions: ['external-jwt-signer'] })
  const issuer = 'https://login.example'
  const body = jwksBody({
    issuer,
    externalAuthUrl: issuer,
    openIdConfigurationUrl: `${issuer}/.well-known/openid-configuration`,
    clientId: 'client',
  })
  const { id } = (await app.call('POST', SIGNERS, body, { session })).json.data
  const offered = async (query: string) => {
    const { data } = (await app.call('GET', `${CLIENT_SIGNERS}${query}`)).json
    const { externalAuthUrl, openIdConfigurationUrl, clientId } = data.find(
      (signer: { id: string }) => signer.id === id,
    )
    return [externalAuthUrl, openIdConfigurationUrl, clientId]
  }
  for (const query of ['', '?limit=100']) assert.deepEqual(await offered(query), [null, null, null])
  assert.equal((await app.admin('POST', `${SIGNERS}/${id}/trust`)).status, 200)
  for (const query of ['', '?limit=100']) {
    assert.deepEqual(await offered(query), [body.externalAuthUrl, body.openIdConfigurationUrl, body.clientId])
  }
})
