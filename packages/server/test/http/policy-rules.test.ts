import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { OidcClient } from '../oidc/oidc.fixture.ts'
import { createPolicy, POLICIES } from './auth-policies.fixture.ts'
import { ADMIN_PASSWORD, buildApp, type TestApp } from './build-app.ts'
import { LOG_IN, makeHolder, overTls } from './client-certificates.fixture.ts'
import { summarize } from './ext-jwt-signers.fixture.ts'
import { createIdentity, createPassword, IDENTITIES, OWN_IDENTITY } from './identities.fixture.ts'
import { logInByPasskey, makePerson, mustRegister } from './passkeys.fixture.ts'
import { DECISIONS, logInWithToken, SIGNERS, setUpProvider, storeDecisions } from './provider.fixture.ts'

const ONLY_TOKENS = 'has(claims.sub)'
const ANY = 'signer.id == "" && identity.name != ""'

const setRule = async (app: TestApp, policyId: string, acceptRule: string) => {
  const reply = await app.admin('PATCH', `${POLICIES}/${policyId}`, { acceptRule })
  assert.equal(reply.status, 200, reply.text)
}

const reasonOf = async (app: TestApp, requestId: string, session = app.adminSession): Promise<string> => {
  await storeDecisions(app, session)
  return (await app.call('GET', `${DECISIONS}/${requestId}`, undefined, { session })).json.data.reason
}

test('Z-18 Z-19 a login by certificate obeys the rule of its policy, and so does each of its requests', async (t) => {
  const app = await buildApp(t)
  const policyId = await createPolicy(app, { cert: { allowed: true } })
  const holder = await makeHolder(app, { identity: { authPolicyId: policyId } })
  const call = await overTls(app)
  const admin = await app.logIn('admin', ADMIN_PASSWORD)
  const rule = async (acceptRule: string) => {
    const reply = await app.call('PATCH', `${POLICIES}/${policyId}`, { acceptRule }, { session: admin })
    assert.equal(reply.status, 200, reply.text)
  }
  await rule(ONLY_TOKENS)
  const refused = await call('POST', LOG_IN, holder)
  assert.equal(refused.status, 401)
  assert.equal(await reasonOf(app, refused.json.error.requestId, admin), 'rule-refused')
  await rule(ANY)
  const accepted = await call('POST', LOG_IN, holder)
  assert.equal(accepted.status, 200, accepted.text)
  const session = accepted.json.data.token
  const use = async () => (await call('GET', OWN_IDENTITY, { ...holder, session })).status
  assert.equal(await use(), 200)
  await rule('request.method == "POST"')
  assert.equal(await use(), 401)
  await rule(ANY)
  assert.equal(await use(), 200)
})

test('Z-18 Z-19 a login by passkey obeys the rule of its policy, and so does each of its requests', async (t) => {
  const app = await buildApp(t)
  const person = await makePerson(app)
  await mustRegister(app, person)
  await setRule(app, person.authPolicyId, ONLY_TOKENS)
  const refused = await logInByPasskey(app, person.device)
  assert.equal(refused.status, 401)
  assert.equal(await reasonOf(app, refused.json.error.requestId), 'rule-refused')
  await setRule(app, person.authPolicyId, ANY)
  const accepted = await logInByPasskey(app, person.device)
  assert.equal(accepted.status, 200, accepted.text)
  const { token: session } = accepted.json.data
  const use = async () => (await app.call('GET', OWN_IDENTITY, undefined, { session })).status
  assert.equal(await use(), 200)
  await setRule(app, person.authPolicyId, 'request.method == "POST"')
  assert.equal(await use(), 401)
  await setRule(app, person.authPolicyId, ANY)
  assert.equal(await use(), 200)
})

test('Z-18 Z-19 a login through the OpenID provider obeys the rule of its policy, and so do its tokens', async (t) => {
  const app = await buildApp(t)
  const policyId = await createPolicy(app, { updb: { allowed: true } })
  const id = await createIdentity(app, { authPolicyId: policyId })
  const { username, password } = await createPassword(app, id)
  const client = new OidcClient(app)
  await setRule(app, policyId, ONLY_TOKENS)
  const login = await client.begin()
  assert.notEqual((await client.logInByPassword(login, username, password)).status, 302)
  await setRule(app, policyId, ANY)
  const tokens = await client.logIn(username, password)
  const use = async () => (await client.get(tokens.access_token)).status
  assert.equal(await use(), 200)
  await setRule(app, policyId, 'request.method == "PUT"')
  assert.equal(await use(), 401)
  assert.equal((await client.get(tokens.access_token, '/oidc/userinfo')).status, 401)
  const refreshed = (await client.refresh(tokens.refresh_token)).json
  assert.equal(refreshed.id_token, undefined, 'other services take an id token for an accepted login')
  await setRule(app, policyId, ANY)
  assert.equal((await client.get(refreshed.access_token)).status, 200)
  assert.equal(typeof (await client.refresh(refreshed.refresh_token)).json.id_token, 'string')
})

const UNAUTHORIZED = '401 UNAUTHORIZED'

/** Two trusted signers of one provider, and an administrator whose policy accepts one of them, by its name. */
async function setUpNames(t: TestContext, acceptRule: string) {
  const set = await setUpProvider(t)
  const { app, token, createSigner, createIdentity } = set
  const strong = await createSigner({ name: 'strong', audience: 'strong' })
  const weak = await createSigner({ name: 'weak', audience: 'weak' })
  const authPolicyId = await createPolicy(app, { acceptRule })
  await createIdentity({ isAdmin: true, authPolicyId })
  const holder = await app.makeIdentity({ permissions: ['external-jwt-signer.read', 'external-jwt-signer.update'] })
  return {
    ...set,
    strong,
    weak,
    authPolicyId,
    logIn: async (aud: string) => (await logInWithToken(app, token({ aud }))).status,
    write: async (method: string, id: string, body: object) =>
      summarize(await app.call(method, `${SIGNERS}/${id}`, body, { session: holder.session })),
  }
}

test('N-22 a trusted signer that a rule of a policy names is renamed by administrators only', async (t) => {
  const { app, strong, weak, authPolicyId, logIn, write } = await setUpNames(t, 'signer.name == "strong"')
  assert.deepEqual([await logIn('strong'), await logIn('weak')], [200, 401])
  const detail = (await app.admin('GET', `${SIGNERS}/${strong}`)).json.data
  assert.equal(await write('PATCH', strong, { name: 'other' }), UNAUTHORIZED)
  assert.equal(await write('PUT', strong, { ...detail, name: 'other' }), UNAUTHORIZED)
  assert.equal(await write('PATCH', strong, { name: 'strong', tags: { seen: true } }), '200')
  assert.equal((await app.admin('PATCH', `${SIGNERS}/${strong}`, { name: 'other' })).status, 200)
  assert.equal(await write('PATCH', weak, { name: 'strong' }), UNAUTHORIZED)
  assert.deepEqual([await logIn('strong'), await logIn('weak')], [401, 401])
  await setRule(app, authPolicyId, `signer.id == "${strong}"`)
  assert.equal(await write('PATCH', weak, { name: 'strong' }), '200', 'no rule reads the names any more')
  assert.deepEqual([await logIn('strong'), await logIn('weak')], [200, 401])
})

test('N-23 a signer that supplies attributes to an identity is deleted only with the rights of that identity', async (t) => {
  const { app, token, createSigner, createIdentity } = await setUpProvider(t)
  const holder = await app.makeIdentity({ permissions: ['external-jwt-signer.delete'] })
  const main = await createSigner({ name: 'main' })
  const authPolicyId = await createPolicy(app, {
    extJwt: { allowed: true, allowedSigners: [main] },
    acceptRule: '!("contractors" in identity.attributes) || claims.hd == "strong"',
  })
  let made = 0
  /** A person whose attributes come from the tokens of a signer of their own. */
  const makePair = async (rights: object) => {
    const aud = `sync ${++made}`
    const sub = `person-${made}@idp.example`
    const identityId = await createIdentity({ ...rights, name: aud, externalId: sub })
    const signer = { name: aud, audience: aud, attributeSync: 'login', enrollAttributeClaimsSelector: 'groups' }
    const signerId = await createSigner(signer)
    assert.equal((await logInWithToken(app, token({ aud, sub, groups: ['contractors'] }))).status, 200)
    assert.equal((await app.admin('PATCH', `${IDENTITIES}/${identityId}`, { authPolicyId })).status, 200)
    const logIn = async (hd: string) => (await logInWithToken(app, token({ sub, hd }))).status
    assert.deepEqual([await logIn('weak'), await logIn('strong')], [401, 200])
    const path = `${SIGNERS}/${signerId}`
    const remove = async () => summarize(await app.call('DELETE', path, undefined, { session: holder.session }))
    return { path, logIn, remove }
  }
  for (const rights of [{ isAdmin: true }, { permissions: ['identity.read'] }]) {
    const { path, logIn, remove } = await makePair(rights)
    assert.equal(await remove(), UNAUTHORIZED, JSON.stringify(rights))
    assert.equal((await app.admin('PATCH', path, { enabled: false })).status, 200)
    assert.equal(await remove(), UNAUTHORIZED, 'its attributes stay while it is disabled')
    assert.deepEqual([await logIn('weak'), await logIn('strong')], [401, 200])
  }
  for (const rights of [{}, { permissions: ['external-jwt-signer.delete'] }]) {
    const { logIn, remove } = await makePair(rights)
    assert.equal(await remove(), '200', JSON.stringify(rights))
    assert.deepEqual([await logIn('weak'), await logIn('strong')], [200, 200])
  }
})

test('N-22 rules see no name of a signer that is not trusted', async (t) => {
  const { app, token, weak, createIdentity, write } = await setUpNames(t, 'true')
  const authPolicyId = await createPolicy(app, { acceptRule: 'signer.name.startsWith("corp")' })
  await createIdentity({ name: 'bob', externalId: 'bob@idp.example', authPolicyId })
  const logIn = async () => (await logInWithToken(app, token({ aud: 'weak', sub: 'bob@idp.example' }))).status
  assert.equal((await app.admin('PATCH', `${SIGNERS}/${weak}`, { name: 'corp' })).status, 200)
  assert.equal(await logIn(), 200)
  assert.equal(await write('PATCH', weak, { clientId: 'of another writer' }), '200')
  assert.equal(await logIn(), 401)
  assert.equal((await app.admin('POST', `${SIGNERS}/${weak}/trust`)).status, 200)
  assert.equal(await logIn(), 200)
})

test('R-23 a rename reads at most twenty rules about signers, and more count as rules that read names', async (t) => {
  const { app, weak, write } = await setUpNames(t, 'true')
  const policies: string[] = []
  const add = async (acceptRule: string) => policies.push(await createPolicy(app, { acceptRule }))
  for (let count = 0; count < 20; count++) await add(`signer.id != "${count}"`)
  await add('identity.name != ""')
  await add('identity.name != "Signer"')
  assert.equal(await write('PATCH', weak, { name: 'among twenty' }), '200')
  await add('signer.id != "20"')
  assert.equal(await write('PATCH', weak, { name: 'among more' }), UNAUTHORIZED)
  assert.equal((await app.admin('PATCH', `${SIGNERS}/${weak}`, { name: 'by an administrator' })).status, 200)
  assert.equal((await app.admin('DELETE', `${POLICIES}/${policies[0]}`)).status, 200)
  assert.equal(await write('PATCH', weak, { name: 'among twenty again' }), '200')
})
