import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { KnownPolicies } from '../../src/token/known-policies.ts'
import { enroll, KINDS } from './enroll-token.fixture.ts'
import { AUDIENCE, decisionOf, logInWithToken, refusalOf, SIGNERS, setUpProvider } from './provider.fixture.ts'

const RULE = 'claims.repository == "acme/app" && claims.ref.startsWith("refs/heads/")'
const GOOD = { repository: 'acme/app', ref: 'refs/heads/main' }

async function setUp(
  t: TestContext,
  members: Readonly<Record<string, unknown>> = {},
  options: Parameters<typeof setUpProvider>[1] = {},
) {
  const provider = await setUpProvider(t, options)
  const signerId = await provider.createSigner(members)
  return { ...provider, signerId, path: `${SIGNERS}/${signerId}` }
}

test('Z-11 Z-13 a token that does not meet the rule of its signer is refused, and the decision names the part and its values', async (t) => {
  const { app, token, createIdentity, explain } = await setUp(t, { acceptRule: RULE })
  await createIdentity()
  assert.equal((await logInWithToken(app, token(GOOD))).status, 200)
  const refused = token({ ...GOOD, repository: 'evil/app' })
  const decision = await decisionOf(app, await refusalOf(logInWithToken(app, refused)))
  assert.equal(decision.reason, 'rule-refused')
  const step = decision.signers[0].checks.at(-1)
  assert.deepEqual([step.check, step.pass], ['acceptRule', false])
  assert.match(step.received, /^claims\.repository == "acme\/app" is false .*; claims\.repository is "evil\/app"$/)
  const explained = await explain(refused)
  assert.equal(explained.signers[0].reason, 'rule-refused')
  assert.match(explained.hints.join(), /acceptRule of the signer "idp" refuses/)
  const failing = token({ repository: 'acme/app' })
  assert.equal((await decisionOf(app, await refusalOf(logInWithToken(app, failing)))).reason, 'rule-error')
  assert.match((await explain(failing)).hints.join(), /there is no ref/)
  const accepted = (await explain(token(GOOD))).signers[0]
  assert.equal(accepted.reason, 'accepted')
  assert.match(accepted.checks.at(-1).received, /claims\.ref is "refs\/heads\/main"/)
})

test('Z-12 a rule with a mistake is not saved, and the error has its position', async (t) => {
  const { app, path } = await setUp(t, { acceptRule: RULE })
  for (const [body, field, position] of [
    [{ acceptRule: 'claims.a ==\n && true' }, 'acceptRule', 'line 2, column 2'],
    [{ acceptRule: 'claims.a + ' }, 'acceptRule', 'line 1, column 12'],
    [{ acceptRule: '"text"' }, 'acceptRule', 'line 1, column 1'],
    [{ acceptRule: `true ${' '.repeat(4096)}` }, 'acceptRule', ''],
    [{ acceptRule: 'claims.a == "\u202e"' }, 'acceptRule', 'line 1, column 14'],
    [{ attributeRules: ['claims.groups', 'claims.a.'] }, 'attributeRules[1]', 'line 1, column 10'],
    [{ attributeRules: ['true'] }, 'attributeRules[0]', 'line 1, column 1'],
    [{ attributeRules: Array.from({ length: 17 }, () => 'claims.groups') }, 'attributeRules', ''],
  ] as const) {
    const reply = await app.admin('PATCH', path, body)
    assert.equal(reply.status, 400, JSON.stringify(body))
    assert.equal(reply.json.error.cause.field, field, reply.text)
    assert.ok(reply.json.error.cause.reason.includes(position), reply.text)
  }
  const saved = { acceptRule: `${RULE}\n// of the main repository`, attributeRules: ['claims.groups', '["ci"]'] }
  assert.equal((await app.admin('PATCH', path, saved)).status, 200)
  const { data } = (await app.admin('GET', path)).json
  assert.deepEqual([data.acceptRule, data.attributeRules], [saved.acceptRule, saved.attributeRules])
})

test('D64 a PUT without rules keeps them, and null and an empty list clear them', async (t) => {
  const rules = { acceptRule: RULE, attributeRules: ['claims.groups'] }
  const { app, path } = await setUp(t, rules)
  const rulesNow = async () => {
    const { acceptRule, attributeRules } = (await app.admin('GET', path)).json.data
    return { acceptRule, attributeRules }
  }
  const { name, issuer, audience, jwksEndpoint } = (await app.admin('GET', path)).json.data
  const put = (body: object) =>
    app.admin('PUT', path, { name, enabled: true, issuer, audience, jwksEndpoint, useExternalId: true, ...body })
  assert.equal((await put({})).status, 200)
  assert.deepEqual(await rulesNow(), rules)
  assert.equal((await put({ acceptRule: null, attributeRules: [] })).status, 200)
  assert.deepEqual(await rulesNow(), { acceptRule: null, attributeRules: [] })
  assert.equal((await app.admin('PATCH', path, rules)).status, 200)
  assert.equal((await app.admin('PATCH', path, { acceptRule: null, attributeRules: null })).status, 200)
  assert.deepEqual(await rulesNow(), { acceptRule: null, attributeRules: [] })
})

test('Z-15 a new or changed rule ends the sessions of its signer, and one that is removed ends none', async (t) => {
  const { app, token, createIdentity, path } = await setUp(t)
  await createIdentity()
  const logIn = async () => {
    const reply = await logInWithToken(app, token(GOOD))
    assert.equal(reply.status, 200, reply.text)
    return reply.json.data.token as string
  }
  const statusOf = async (session: string) =>
    (await app.call('GET', '/edge/client/v1/current-identity', undefined, { session })).status
  const first = await logIn()
  await app.admin('PATCH', path, { name: 'another name' })
  assert.equal(await statusOf(first), 200)
  await app.admin('PATCH', path, { acceptRule: RULE })
  assert.equal(await statusOf(first), 401)
  const second = await logIn()
  await app.admin('PATCH', path, { attributeRules: ['["ci"]'] })
  assert.equal(await statusOf(second), 200)
  await app.admin('PATCH', path, { acceptRule: `${RULE} && true` })
  assert.equal(await statusOf(second), 401)
  const third = await logIn()
  await app.admin('PATCH', path, { acceptRule: null })
  assert.equal(await statusOf(third), 200)
})

test('Z-17 rules that take too long together refuse a token, and the decision and the explanation say so', async (t) => {
  const rule = 'claims.groups.filter(g, claims.long.contains("ab"))'
  const rules = (count: number) => ({ attributeRules: Array(count).fill(rule) })
  const { app, token, createIdentity, explain, path } = await setUp(t, rules(16))
  await createIdentity()
  const slow = token({ groups: Array(80).fill('g'), long: 'a'.repeat(4_000) })
  const decision = await decisionOf(app, await refusalOf(logInWithToken(app, slow)))
  const explained = await explain(slow)
  for (const { reason, signers } of [decision, { ...explained, reason: explained.signers[0].reason }]) {
    assert.equal(reason, 'rule-error')
    const step = signers[0].checks.at(-1)
    assert.equal(step.check, 'attributeRules')
    assert.match(step.received, /^rule 6: .* take too long together for these claims$/)
  }
  assert.match(explained.hints.join(), /take too long together/)
  assert.equal((await app.admin('PATCH', path, rules(5))).status, 200)
  assert.equal((await logInWithToken(app, slow)).status, 200)
})

test('Z-14 attribute rules add to the attributes of the selector, at enrollment and at each login', async (t) => {
  const attributeRules = ['claims.repository.split("/").map(part, "repo-" + part)', '["ci"]']
  const { app, token, path } = await setUp(t, {
    enrollToTokenEnabled: true,
    provisionOnLogin: true,
    attributeSync: 'login',
    enrollAttributeClaimsSelector: 'groups',
    attributeRules,
  })
  const attributes = async () =>
    (await app.admin('GET', '/edge/management/v1/identities?filter=externalId != null')).json.data[0]?.roleAttributes
  const claims = { ...GOOD, groups: ['dev', 'ci'] }
  assert.equal((await logInWithToken(app, token(claims))).status, 200)
  assert.deepEqual(await attributes(), ['ci', 'dev', 'repo-acme', 'repo-app'])
  assert.equal((await logInWithToken(app, token({ ...claims, repository: 'acme/web' }))).status, 200)
  assert.deepEqual(await attributes(), ['ci', 'dev', 'repo-acme', 'repo-web'])
  const failing = await decisionOf(app, await refusalOf(logInWithToken(app, token({ groups: [] }))))
  assert.equal(failing.reason, 'rule-error')
  assert.equal(failing.signers[0].checks.at(-1).check, 'attributeRules')
  await app.admin('PATCH', path, { attributeRules: [] })
  assert.equal((await logInWithToken(app, token(claims))).status, 200)
  assert.deepEqual(await attributes(), ['ci', 'dev'])
})

test('Z-11 both enrollments obey the rules', async (t) => {
  const { app, token } = await setUp(t, {
    enrollToTokenEnabled: true,
    enrollToCertEnabled: true,
    acceptRule: RULE,
    attributeRules: ['["from-rule"]'],
  })
  for (const [sub, bodyOf] of Object.entries(KINDS)) {
    const refused = await enroll(app, { tokens: [token({ ...GOOD, sub, ref: 'refs/tags/v1' })], body: bodyOf() })
    assert.equal(refused.status, 400, refused.text)
    assert.equal((await decisionOf(app, refused.json.error.requestId)).reason, 'rule-refused')
    const enrolled = await enroll(app, { tokens: [token({ ...GOOD, sub })], body: bodyOf() })
    assert.equal(enrolled.status, 200, enrolled.text)
    const { data } = (await app.admin('GET', `/edge/management/v1/identities/${enrolled.json.data.identityId}`)).json
    assert.deepEqual(data.roleAttributes, ['from-rule'])
  }
})

test('Z-11 a second token obeys the rule of its signer, which sees the request', async (t) => {
  const { app, token, createIdentity, signerId } = await setUp(t, {
    acceptRule: 'request.method == "GET" || request.method == "POST" && claims.writer == true',
  })
  const POLICIES = '/edge/management/v1/auth-policies'
  const { data: policy } = (await app.admin('GET', `${POLICIES}/default`)).json
  const secondary = { ...policy.secondary, requireExtJwtSigner: signerId }
  const made = await app.admin('POST', POLICIES, { name: 'second', primary: policy.primary, secondary })
  await createIdentity({ authPolicyId: made.json.data.id })
  const reader = token({ writer: false })
  assert.equal((await logInWithToken(app, reader)).status, 401)
  const session = (await logInWithToken(app, token({ writer: true }))).json.data.token
  const call = (method: 'GET' | 'DELETE', bearer: string) =>
    app.call(method, '/edge/client/v1/current-identity/mfa', undefined, {
      session,
      headers: { authorization: `Bearer ${bearer}` },
    })
  assert.equal((await call('GET', reader)).status, 404)
  assert.equal((await call('DELETE', token({ writer: true }))).status, 401)
})

test('Z-17 a rule that multiplies the lists of a token is refused, also when it computes nothing', async (t) => {
  const rule = 'claims.list.map(a, claims.list.map(b, 1)).size() > 0'
  const { app, token, createIdentity } = await setUp(t, { acceptRule: rule })
  await createIdentity()
  const listOf = (length: number) => ({ list: Array.from({ length }, () => 1) })
  assert.equal((await logInWithToken(app, token(listOf(40)))).status, 200)
  const decision = await decisionOf(app, await refusalOf(logInWithToken(app, token(listOf(250)))))
  assert.equal(decision.reason, 'rule-error')
  assert.match(decision.signers[0].checks.at(-1).received, /takes too long/)
})

const OWN = '/edge/client/v1/current-identity'
const IDENTITIES = '/edge/management/v1/identities'
const POLICIES = '/edge/management/v1/auth-policies'

/** A policy with this rule, for the identity of the tokens. */
async function setUpPolicy(t: TestContext, acceptRule: string, options: Parameters<typeof setUpProvider>[1] = {}) {
  const provider = await setUp(t, { enrollToTokenEnabled: true, enrollToCertEnabled: true }, options)
  const { app } = provider
  const { data: standard } = (await app.admin('GET', `${POLICIES}/default`)).json
  const { primary, secondary } = standard
  const made = await app.admin('POST', POLICIES, { name: 'ruled', primary, secondary, acceptRule })
  assert.equal(made.status, 201, made.text)
  const policyPath = `${POLICIES}/${made.json.data.id}`
  const identityId = await provider.createIdentity({
    authPolicyId: made.json.data.id,
    attributes: ['ops'],
    permissions: ['identity.read'],
  })
  const setRule = (rule: string | null) => app.admin('PATCH', policyPath, { acceptRule: rule })
  const statusOf = async (session: string) => (await app.call('GET', IDENTITIES, undefined, { session })).status
  return { ...provider, policyId: made.json.data.id as string, policyPath, identityId, setRule, statusOf }
}

test('Z-18 the rule of a policy decides over its logins, and sees claims, signer, identity and request', async (t) => {
  const rule = 'claims.level > 1 && signer.name == "idp" && "ops" in identity.attributes && request.method == "POST"'
  const { app, token, explain, identityId } = await setUpPolicy(t, rule)
  const accepted = token({ level: 2 })
  const refused = token({ level: 1 })
  // Opening a session is a POST, and so is the request that is judged here.
  assert.equal((await logInWithToken(app, accepted)).status, 200)
  const decision = await decisionOf(app, await refusalOf(logInWithToken(app, refused)))
  assert.equal(decision.reason, 'rule-refused')
  assert.match(decision.missing.join(), /rule of the policy "ruled" .*claims\.level > 1 is false .*claims\.level is 1/)
  assert.match((await explain(refused)).missing.join(), /claims\.level is 1/)
  assert.deepEqual((await explain(accepted)).missing, [])
  assert.equal((await decisionOf(app, await refusalOf(logInWithToken(app, token())))).reason, 'rule-error')
  await app.admin('PATCH', `${IDENTITIES}/${identityId}`, { roleAttributes: ['dev'] })
  assert.equal((await logInWithToken(app, accepted)).status, 401)
})

test('Z-17 the rule of a policy that takes too long for all signers of a token together refuses', async (t) => {
  const { app, token, createSigner, signerId, setRule } = await setUpPolicy(t, 'true')
  const others = Array.from({ length: 9 }, (_, at) => `${AUDIENCE}${at}`)
  const ids = [signerId]
  for (const audience of others) ids.push(await createSigner({ name: audience, audience }))
  const last = ids.toSorted().at(-1)
  assert.equal(last, ids.at(-1), 'ids grow with time')
  await setRule(`claims.groups.filter(g, claims.long.contains("ab")) == [] && signer.id == "${last}"`)
  const claims = { groups: Array(80).fill('g'), long: 'a'.repeat(4_000) }
  const fitting = token({ ...claims, aud: others.slice(-5) })
  const tooMany = token({ ...claims, aud: [AUDIENCE, ...others] })
  // The identity is read at the first login, and cached at the others.
  for (const _ of [1, 2]) {
    assert.equal((await logInWithToken(app, fitting)).status, 200)
    assert.equal((await logInWithToken(app, tooMany)).status, 401)
  }
})

test('Z-19 the rule of a policy is judged at each request of a session, by the claims of its login', async (t) => {
  const { app, token, setRule, statusOf, identityId } = await setUpPolicy(t, 'claims.level > 1')
  const session = (await logInWithToken(app, token({ level: 2, other: 1 }))).json.data.token
  assert.equal(await statusOf(session), 200)
  await setRule('claims.level > 2')
  assert.equal(await statusOf(session), 401)
  await setRule('claims.level > 0 && "ops" in identity.attributes && signer.name == "idp"')
  assert.equal(await statusOf(session), 200)
  await app.admin('PATCH', `${IDENTITIES}/${identityId}`, { roleAttributes: ['dev'] })
  assert.equal(await statusOf(session), 401)
  await setRule('request.method == "GET"')
  assert.equal(await statusOf(session), 200)
  await setRule('request.method == "PUT"')
  assert.equal(await statusOf(session), 401)
  // The session did not keep this claim: what the rule needs is not known.
  await setRule('claims.other == 1')
  assert.equal(await statusOf(session), 401)
  await setRule('!has(claims.other)')
  assert.equal(await statusOf(session), 401, 'the token had it')
  const later = (await logInWithToken(app, token({ level: 2 }))).json.data.token
  assert.equal(await statusOf(later), 200)
  await setRule(null)
  assert.equal(await statusOf(session), 200)
})

test('Z-19 a request that the rule refuses sets up no one-time codes, which the policy requires', async (t) => {
  const { app, token, setRule, policyPath } = await setUpPolicy(t, 'claims.level > 1')
  const { secondary } = (await app.admin('GET', policyPath)).json.data
  assert.equal((await app.admin('PATCH', policyPath, { secondary: { ...secondary, requireTotp: true } })).status, 200)
  const session = (await logInWithToken(app, token({ level: 2 }))).json.data.token
  const setUpCodes = async () => (await app.call('POST', `${OWN}/mfa`, undefined, { session })).status
  await setRule('request.address == "192.0.2.1"')
  assert.equal(await setUpCodes(), 401)
  assert.equal((await app.call('GET', `${OWN}/mfa`, undefined, { session })).status, 404)
  await setRule('request.address != "192.0.2.1"')
  assert.equal(await setUpCodes(), 201)
})

test('Z-19 a write is refused by the rule that holds when it is made', async (t) => {
  const { app, token, setRule, identityId } = await setUpPolicy(t, 'claims.level > 1')
  await app.admin('PATCH', `${IDENTITIES}/${identityId}`, { isAdmin: true })
  const session = (await logInWithToken(app, token({ level: 2 }))).json.data.token
  const write = () => app.call('PATCH', `${IDENTITIES}/${identityId}`, { tags: { a: 'b' } }, { session })
  assert.equal((await write()).status, 200)
  await setRule('claims.level > 2')
  assert.equal((await write()).status, 401)
  const { data: own } = (await app.call('GET', '/edge/client/v1/current-api-session', undefined, { session })).json
  await setRule(`request.address == "${own.ipAddress}" && request.method == "PATCH"`)
  assert.equal((await write()).status, 200)
})

test('Z-18 a login without a token has no claims, and obeys the rule of its policy', async (t) => {
  const { app, setRule, identityId } = await setUpPolicy(t, 'claims.level > 1')
  const credential = { username: 'alice', password: 'correct horse battery' }
  const made = await app.admin('POST', '/edge/management/v1/authenticators', {
    method: 'updb',
    identityId,
    ...credential,
  })
  assert.equal(made.status, 201, made.text)
  const logIn = () => app.call('POST', '/edge/client/v1/authenticate?method=password', credential)
  assert.equal((await decisionOf(app, await refusalOf(logIn()))).reason, 'rule-error')
  await setRule('has(claims.sub) && claims.level > 1')
  assert.equal((await decisionOf(app, await refusalOf(logIn()))).reason, 'rule-refused')
  await setRule('!has(claims.sub) || claims.level > 1')
  assert.equal((await logIn()).status, 200)
})

test('Z-18 an enrollment obeys the rule of the policy that its identity gets', async (t) => {
  const { app, token, path, policyId } = await setUpPolicy(t, 'claims.level > 1 && identity.name == "bob"')
  await app.admin('PATCH', path, { enrollAuthPolicyId: policyId })
  for (const [kind, bodyOf] of Object.entries(KINDS)) {
    const claims = { sub: 'bob', level: 1 }
    const refused = await enroll(app, { tokens: [token(claims)], body: bodyOf() })
    assert.equal(refused.json.error.code, 'INVALID_ENROLLMENT_NOT_ALLOWED', kind)
    assert.equal((await decisionOf(app, refused.json.error.requestId)).reason, 'rule-refused')
  }
  const enrolled = await enroll(app, { tokens: [token({ sub: 'bob', level: 2 })], body: {} })
  assert.equal(enrolled.status, 200, enrolled.text)
})

test('F-05 C-02 a token that expires while the rule of its policy waits is refused, and one that does not is accepted', async (t) => {
  const { app, token, path, policyId, identityId } = await setUpPolicy(t, 'claims.level > 1', { isAlone: 'controller' })
  await app.admin('PATCH', path, {
    enrollAuthPolicyId: policyId,
    attributeSync: 'login',
    enrollAttributeClaimsSelector: 'groups',
  })
  const find = KnownPolicies.prototype.find
  const statusAfter = async (waitMs: number, send: () => Promise<{ readonly status: number }>) => {
    // The policy is read before its rule has its turn.
    const { mock } = t.mock.method(KnownPolicies.prototype, 'find', async function (this: KnownPolicies, id: string) {
      const found = await find.call(this, id)
      if (mock.callCount() === 1) app.clock.advance(waitMs)
      return found
    })
    const { status } = await send()
    mock.restore()
    return status
  }
  const lifeMs = 60_000
  const later = () => Math.floor((app.clock.now() + lifeMs) / 1000)
  const logIn = () => logInWithToken(app, token({ level: 2, exp: later(), groups: ['dev'] }))
  const attributes = async () => (await app.admin('GET', `${IDENTITIES}/${identityId}`)).json.data.roleAttributes
  const enrollAs = (sub: string) => () => enroll(app, { tokens: [token({ sub, level: 2, exp: later() })], body: {} })
  assert.equal(await statusAfter(3 * lifeMs, logIn), 401)
  assert.deepEqual(await attributes(), ['ops'])
  assert.equal(await statusAfter(1_000, logIn), 200)
  assert.deepEqual(await attributes(), ['dev', 'ops'])
  assert.equal(await statusAfter(3 * lifeMs, enrollAs('bob')), 400)
  assert.equal(await statusAfter(1_000, enrollAs('carol')), 200)
})

test('Z-12 D64 the rule of a policy is checked when it is saved, and a PUT keeps it', async (t) => {
  const { app, policyPath, setRule } = await setUpPolicy(t, 'claims.level > 1')
  const refused = await setRule('header.alg == "none"')
  assert.equal(refused.status, 400)
  assert.deepEqual(refused.json.error.cause.field, 'acceptRule')
  assert.match(refused.json.error.cause.reason, /line 1, column 1: unknown variable: header/)
  const { data } = (await app.admin('GET', policyPath)).json
  const { name, primary, secondary } = data
  assert.equal((await app.admin('PUT', policyPath, { name, primary, secondary })).status, 200)
  assert.equal((await app.admin('GET', policyPath)).json.data.acceptRule, 'claims.level > 1')
  assert.equal((await app.admin('PUT', policyPath, { name, primary, secondary, acceptRule: null })).status, 200)
  assert.equal((await app.admin('GET', policyPath)).json.data.acceptRule, null)
})
