import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { settingsFile } from '../oidc/oidc.fixture.ts'
import { createPolicy, POLICIES } from './auth-policies.fixture.ts'
import type { AppOptions } from './build-app.ts'
import { savedOf, summarize } from './ext-jwt-signers.fixture.ts'
import { createPassword, defaultAdminId, IDENTITIES } from './identities.fixture.ts'
import { logInWithToken, SIGNERS, setUpProvider } from './provider.fixture.ts'
import { makeScimToken, ScimClient } from './scim.fixture.ts'

const ONLY_TOKENS = { cert: { allowed: false }, extJwt: { allowed: true }, updb: { allowed: false } }
const BOB = 'bob@idp.example'
const LOCKED_OUT = '409 WOULD_LOCK_OUT'
const WHAT_IF = '/edge/management/v1/what-if'
const CONFIRMED = '?confirmLockOut=true'
const ADMINS_ONLY = '"admins" in identity.attributes'

type Members = Readonly<Record<string, unknown>>

/** Alice is an administrator who logs in by tokens of a signer that refers to `hd`. */
async function setUp(t: TestContext, options: Omit<AppOptions, 'fetchJwks'> = {}) {
  const set = await setUpProvider(t, options)
  const { app, token, createSigner, createIdentity } = set
  const signer = await createSigner({ requiredClaims: { hd: { glob: '*.example' } } })
  const policy = await createPolicy(app, ONLY_TOKENS)
  const alice = await createIdentity({ isAdmin: true, authPolicyId: policy })
  const logIn = async (claims: Members = {}): Promise<string> => {
    const reply = await logInWithToken(app, token({ hd: 'a.example', ...claims }))
    assert.equal(reply.status, 200, reply.text)
    return reply.json.data.token
  }
  return {
    ...set,
    signer,
    policy,
    alice,
    logIn,
    disableDefault: async () =>
      summarize(await app.admin('POST', `${IDENTITIES}/${await defaultAdminId(app)}/disable`, { durationMinutes: 0 })),
    send: async (method: string, path: string, body: unknown, session = app.adminSession) => {
      // Every node stores what it has kept.
      for (const _ of app.stores) await app.call('POST', WHAT_IF, { changes: [] }, { session })
      return summarize(await app.call(method, path, body, { session }))
    },
  }
}

test('N-08 Z-20 a signer or policy cannot refuse the last login of the only administrator', async (t) => {
  const { app, signer, policy, alice, logIn, disableDefault, send } = await setUp(t)
  const holder = await app.makeIdentity({ permissions: ['external-jwt-signer', 'auth-policy'] })
  const one = `${SIGNERS}/${signer}`
  const rules = `${POLICIES}/${policy}`
  await logIn()
  assert.equal(await send('PATCH', one, { requiredClaims: { hd: 'b.example' } }), '200', 'a password is left')
  assert.equal(await send('PATCH', one, { requiredClaims: { hd: { glob: '*.example' } } }), '200')
  await logIn()
  assert.equal(await disableDefault(), '200')
  const admin = await logIn()
  const before = await savedOf(app, signer, { session: admin })
  const refused: readonly [string, Members][] = [
    [one, { requiredClaims: { hd: 'b.example' } }],
    [one, { acceptRule: 'claims.hd == "b.example"' }],
    [one, { acceptRule: 'claims.hd.nothing' }],
    [one, { attributeRules: ['claims.groups'] }],
    [one, { attributeRules: ['[claims.hd.nothing]'] }],
    [one, { audience: 'other' }],
    [one, { issuer: 'https://other.example' }],
    [one, { claimsProperty: 'hd' }],
    [one, { requirePossession: 'any' }],
    [one, { maxTokenAgeSeconds: 60, jwksEndpoint: 'https://other.example/jwks' }],
    [one, { acceptRule: 'claims.department == "net"' }],
    [one, { acceptRule: 'inCidr(request.address, "10.0.0.0/8")' }],
    [rules, { acceptRule: 'claims.hd == "b.example"' }],
    [rules, { acceptRule: 'claims.department == "net"' }],
    [rules, { primary: { extJwt: { allowed: true, requireAcr: ['strong'] } } }],
    [`${IDENTITIES}/${alice}`, { externalId: 'someone.else' }],
  ]
  for (const [path, body] of refused)
    assert.equal(await send('PATCH', path, body, admin), LOCKED_OUT, JSON.stringify(body))
  assert.deepEqual(await savedOf(app, signer, { session: admin }), before)
  for (const query of ['', CONFIRMED])
    assert.equal(await send('PATCH', `${rules}${query}`, { acceptRule: 'false' }, holder.session), '401 UNAUTHORIZED')
  const accepted: readonly [string, Members][] = [
    [one, { acceptRule: 'claims.hd == "a.example"' }],
    [one, { requiredClaims: { hd: 'a.example' } }],
    [one, { attributeRules: ['[claims.hd]'] }],
    [one, { additionalAudiences: ['other'] }],
    [one, { name: 'renamed' }],
    [rules, { acceptRule: 'claims.hd == "a.example" && "manual" in identity.attributes || signer.id != ""' }],
    [rules, { acceptRule: null }],
  ]
  let session = admin
  for (const [path, body] of accepted) {
    assert.equal(await send('PATCH', path, body, session), '200', JSON.stringify(body))
    session = await logIn()
  }
  assert.equal(await send('PATCH', `${one}${CONFIRMED}`, { acceptRule: 'false' }, session), '200')
})

test('Z-20 a later refused login of an administrator does not hide the accepted one', async (t) => {
  const { app, token, signer, logIn, disableDefault, send } = await setUp(t)
  assert.equal(await disableDefault(), '200')
  const admin = await logIn()
  app.clock.advance(1_000)
  assert.equal((await logInWithToken(app, token({ hd: 'elsewhere' }))).status, 401)
  const one = `${SIGNERS}/${signer}`
  assert.equal(await send('PATCH', one, { requiredClaims: { hd: ['b.example', 'elsewhere'] } }, admin), LOCKED_OUT)
  assert.equal(await send('PATCH', one, { requiredClaims: { hd: ['a.example', 'elsewhere'] } }, admin), '200')
})

test('Z-20 a second token counts only for an administrator whom its signer can name', async (t) => {
  const { app, signer, logIn, send } = await setUp(t)
  await logIn()
  const strict = { requiredClaims: { hd: 'b.example' } }
  assert.equal(await send('PATCH', `${SIGNERS}/${signer}`, strict), '200', 'Alice is refused, a password is left')
  const demand = () => send('PATCH', `${POLICIES}/default`, { secondary: { requireExtJwtSigner: signer } })
  assert.equal(await demand(), LOCKED_OUT, 'no token names the default administrator')
  const path = `${IDENTITIES}/${await defaultAdminId(app)}`
  assert.equal(await send('PATCH', path, { externalId: 'root@idp.example' }), '200')
  assert.equal(await demand(), '200')
})

test('Z-20 another administrator whose login is accepted counts', async (t) => {
  const { signer, policy, createIdentity, logIn, disableDefault, send } = await setUp(t)
  const bob = await createIdentity({ name: 'bob', externalId: BOB, isAdmin: true, authPolicyId: policy })
  assert.equal(await disableDefault(), '200')
  const narrow = { acceptRule: 'claims.hd == "b.example"' }
  assert.equal(
    await send('PATCH', `${SIGNERS}/${signer}`, narrow, await logIn()),
    LOCKED_OUT,
    'nothing is kept of Bob, and more is checked',
  )
  await logIn({ sub: BOB, hd: 'b.example' })
  assert.equal(await send('PATCH', `${SIGNERS}/${signer}`, narrow, await logIn()), '200')
  const session = await logIn({ sub: BOB, hd: 'b.example' })
  assert.equal(
    await send('DELETE', `${IDENTITIES}/${bob}`, undefined, session),
    LOCKED_OUT,
    'Alice is refused by the rule',
  )
})

test('Z-20 the rule of a policy counts for logins without a token', async (t) => {
  const { app, policy, alice, disableDefault, send } = await setUp(t)
  const passwords = await createPolicy(app, { ...ONLY_TOKENS, extJwt: { allowed: false }, updb: { allowed: true } })
  const { username, password } = await createPassword(app, alice)
  assert.equal(await send('PATCH', `${IDENTITIES}/${alice}`, { authPolicyId: passwords }), '200')
  const session = await app.logIn(username, password)
  assert.equal(await disableDefault(), '200')
  const rule = (acceptRule: string) => send('PATCH', `${POLICIES}/${passwords}`, { acceptRule }, session)
  for (const refusing of ['claims.hd == "a.example"', 'signer.id != ""', 'inCidr(request.address, "192.0.2.0/24")'])
    assert.equal(await rule(refusing), LOCKED_OUT, refusing)
  assert.equal(await rule('identity.name == "alice"'), '200')
  assert.equal(await send('PATCH', `${IDENTITIES}/${alice}`, { authPolicyId: policy }, session), '200')
})

test('Z-20 a refused login is not the last one of an administrator', async (t) => {
  const { app, token, signer, policy, logIn, disableDefault, send } = await setUp(t)
  const rules = `${POLICIES}/${policy}`
  const strong = { primary: { extJwt: { allowed: true, requireAcr: ['strong'] } } }
  await logIn({ acr: 'strong' })
  assert.equal(await send('PATCH', rules, strong), '200')
  const admin = await logIn({ acr: 'strong' })
  assert.equal(await disableDefault(), '200')
  app.clock.advance(1_000)
  // A thief with the password of the administrator at the provider, without the second factor there.
  assert.equal((await logInWithToken(app, token({ hd: 'b.example', acr: 'weak' }))).status, 401)
  const one = `${SIGNERS}/${signer}`
  assert.equal(await send('PATCH', one, { requiredClaims: { hd: 'b.example' } }, admin), LOCKED_OUT)
  assert.equal(await send('PATCH', one, { requiredClaims: { hd: 'a.example' } }, admin), '200')
})

test('Z-20 where nothing is kept, only what checks more is refused', async (t) => {
  const { signer, policy, disableDefault, send, logIn } = await setUp(t, {
    settings: { config: settingsFile(t, 'whatIf:\n  keepLogins: false\n') },
  })
  assert.equal(await disableDefault(), '200')
  const session = await logIn()
  const change = (body: Members) => send('PATCH', `${SIGNERS}/${signer}`, body, session)
  assert.equal(await change({ requiredClaims: { hd: 'a.example' } }), LOCKED_OUT)
  assert.equal(await change({ acceptRule: 'true' }), LOCKED_OUT)
  assert.equal(await send('PATCH', `${POLICIES}/${policy}`, { acceptRule: 'true' }, session), LOCKED_OUT)
  assert.equal(await change({ name: 'renamed', additionalAudiences: ['other'] }), '200')
  assert.equal(
    await send('PATCH', `${POLICIES}/${policy}`, { name: 'renamed', session: { idleMinutes: 30 } }, session),
    '200',
  )
  assert.equal(await send('PATCH', `${SIGNERS}/${signer}${CONFIRMED}`, { acceptRule: 'true' }, session), '200')
})

test('Z-20 where nothing is kept, an administrator keeps what the rule of the policy reads of the identity', async (t) => {
  const { policy, alice, disableDefault, send, logIn } = await setUp(t, {
    settings: { config: settingsFile(t, 'whatIf:\n  keepLogins: false\n') },
  })
  const [one, rules] = [`${IDENTITIES}/${alice}`, `${POLICIES}/${policy}`]
  assert.equal(await send('PATCH', one, { roleAttributes: ['admins'] }), '200')
  assert.equal(await send('PATCH', rules, { acceptRule: ADMINS_ONLY }), '200')
  assert.equal(await disableDefault(), '200')
  const change = async () => send('PATCH', one, { name: 'renamed', roleAttributes: [] }, await logIn())
  assert.equal(await change(), LOCKED_OUT)
  assert.equal(await send('PATCH', one, { tags: { a: 'b' } }, await logIn()), '200')
  const other = { acceptRule: 'has(claims.sub) && identity.id != ""' }
  assert.equal(await send('PATCH', `${rules}${CONFIRMED}`, other, await logIn()), '200')
  assert.equal(await change(), '200')
})

const SYNCING = { attributeSync: 'login', enrollAttributeClaimsSelector: 'groups' }

for (const keepLogins of [true, false]) {
  test(`Z-20 the last signer that supplies what the rule of administrators reads, ${keepLogins ? 'with' : 'without'} kept logins`, async (t) => {
    const { policy, createSigner, logIn, disableDefault, send } = await setUp(t, {
      settings: { config: settingsFile(t, `whatIf:\n  keepLogins: ${keepLogins}\n`) },
    })
    const supply = async (name: string) => {
      const id = await createSigner({ ...SYNCING, name, audience: name })
      await logIn({ aud: name, groups: ['admins'] })
      return `${SIGNERS}/${id}`
    }
    const [one, other] = [await supply('one'), await supply('other')]
    await logIn()
    assert.equal(await send('PATCH', `${POLICIES}/${policy}`, { acceptRule: ADMINS_ONLY }), '200')
    assert.equal(await disableDefault(), '200')
    const session = await logIn()
    const remove = (path: string) => send('DELETE', path, undefined, session)
    assert.equal(await remove(one), '200', 'no attribute is lost')
    assert.equal(await remove(other), LOCKED_OUT)
    assert.equal(await send('PATCH', other, { enabled: false }, session), '200')
    assert.equal(await remove(other), LOCKED_OUT, 'its attributes stay while it is disabled')
    assert.equal(typeof (await logIn()), 'string')
    assert.equal(await remove(`${other}${CONFIRMED}`), '200')
  })
}

test('Z-20 attributes of groups that the rule of administrators reads are not renamed', async (t) => {
  const { app, policy, alice, createSigner, logIn, disableDefault, send } = await setUp(t)
  const id = await createSigner({ name: 'groups', audience: 'groups' })
  const one = `${SIGNERS}/${id}`
  const scim = new ScimClient(app, id, (await makeScimToken(app, id)).token)
  assert.equal(await send('PATCH', `${IDENTITIES}/${alice}`, { linkedSigners: [id] }), '200')
  await scim.addGroup('admins', [alice])
  await logIn()
  assert.equal(await send('PATCH', `${POLICIES}/${policy}`, { acceptRule: ADMINS_ONLY }), '200')
  assert.equal(await disableDefault(), '200')
  const session = await logIn()
  const rename = (query = '') =>
    send('PATCH', `${one}${query}`, { scimGroupAttributeTemplate: 'group {displayName}' }, session)
  assert.equal(await rename(), LOCKED_OUT)
  assert.equal(await send('PATCH', one, { enabled: false }, session), '200')
  assert.equal(await rename(), LOCKED_OUT, 'its attributes stay while it is disabled')
  const both = `${ADMINS_ONLY} || "group admins" in identity.attributes`
  assert.equal(await send('PATCH', `${POLICIES}/${policy}`, { acceptRule: both }, session), '200')
  assert.equal(await rename(), '200')
  assert.equal(typeof (await logIn()), 'string')
})
