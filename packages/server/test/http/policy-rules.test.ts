import assert from 'node:assert/strict'
import { test } from 'node:test'
import { OidcClient } from '../oidc/oidc.fixture.ts'
import { createPolicy, POLICIES } from './auth-policies.fixture.ts'
import { ADMIN_PASSWORD, buildApp, type TestApp } from './build-app.ts'
import { LOG_IN, makeHolder, overTls } from './client-certificates.fixture.ts'
import { createIdentity, createPassword, OWN_IDENTITY } from './identities.fixture.ts'
import { logInByPasskey, makePerson, mustRegister } from './passkeys.fixture.ts'
import { DECISIONS, storeDecisions } from './provider.fixture.ts'

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
