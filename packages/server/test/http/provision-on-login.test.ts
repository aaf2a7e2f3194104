import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { enroll, IDENTITIES, KINDS, POLICIES, refusal } from './enroll-token.fixture.ts'
import { ALICE, decisionOf, logInWithToken, refusalOf, SIGNERS, setUpProvider } from './provider.fixture.ts'

const PROVISIONING = {
  enrollToTokenEnabled: true,
  provisionOnLogin: true,
  enrollAttributeClaimsSelector: 'groups',
  enrollNameClaimsSelector: 'name',
}
const MINUTE = 60_000

async function setUp(t: TestContext, members: Readonly<Record<string, unknown>> = {}) {
  const provider = await setUpProvider(t)
  const signerId = await provider.createSigner({ ...PROVISIONING, ...members })
  const { app } = provider
  const find = async (externalId = ALICE) =>
    (await app.admin('GET', `${IDENTITIES}?filter=externalId = "${externalId}"`)).json.data[0]
  return { ...provider, signerId, find }
}

test('K-07 a login with an unknown subject creates its identity without rights, and later logins find it', async (t) => {
  const { app, token, signerId, find } = await setUp(t, { attributeSync: 'login' })
  const claims = { name: 'Alice', groups: ['sales'], isAdmin: true, permissions: ['identity'] }
  const first = await logInWithToken(app, token(claims))
  assert.equal(first.status, 200, first.text)
  const alice = await find()
  assert.deepEqual(
    [alice.name, alice.externalId, alice.isAdmin, alice.permissions, alice.authPolicyId],
    ['Alice', ALICE, false, null, 'default'],
  )
  assert.deepEqual(alice.attributeOrigins, [{ attribute: 'sales', origin: 'signer', signerId }])
  assert.equal(first.json.data.identityId, alice.id)
  const again = await logInWithToken(app, token({ ...claims, groups: ['b'] }))
  assert.equal(again.json.data.identityId, alice.id)
  assert.deepEqual((await find()).roleAttributes, ['b'])
  const [enrolled] = app.events('enrollment')
  assert.deepEqual([enrolled.event_type, enrolled.identity_id, enrolled.type], ['success', alice.id, 'token'])
})

test('without provisionOnLogin, or with a signer that is disabled, an unknown subject is refused', async (t) => {
  const { app, token, signerId, find } = await setUp(t)
  const login = () => logInWithToken(app, token({ name: 'Alice' }))
  for (const body of [{ provisionOnLogin: false }, { provisionOnLogin: true, enabled: false }]) {
    await app.admin('PATCH', `${SIGNERS}/${signerId}`, body)
    assert.equal((await login()).status, 401)
    assert.equal(await find(), undefined)
  }
  await app.admin('PATCH', `${SIGNERS}/${signerId}`, { enabled: true })
  assert.equal((await login()).status, 200)
})

test('an expired, foreign or unsigned token provisions nothing', async (t) => {
  const { app, token, find } = await setUp(t)
  const now = Math.floor(app.clock.now() / 1000)
  const good = token({ name: 'Alice' })
  const refused = [token({ name: 'Alice', exp: now - 1 }), token({ name: 'Alice', aud: 'other' }), `${good}x`]
  for (const bad of refused) assert.equal((await logInWithToken(app, bad)).status, 401)
  assert.equal(await find(), undefined)
  assert.equal((await logInWithToken(app, good)).status, 200)
})

test('a token that cannot be enrolled is refused like an unknown one, and the decision names the reason', async (t) => {
  const { app, token, explain } = await setUp(t)
  const unusable = token({ groups: 7, name: 'Alice' })
  const id = await refusalOf(logInWithToken(app, unusable))
  const decision = await decisionOf(app, id)
  assert.equal(decision.reason, 'claim-unusable')
  assert.match(decision.missing.join(), /enrollAttributeClaimsSelector/)
  assert.match((await explain(unusable)).missing.join(), /enrollAttributeClaimsSelector/)
  assert.deepEqual((await explain(token({ name: 'Alice' }))).missing, [], 'the login would succeed')
})

test('a taken name is refused, or gets a suffix when the signer keeps names up to date', async (t) => {
  const { app, token, signerId, createIdentity, find } = await setUp(t)
  await createIdentity({ name: 'Alice', externalId: 'another' })
  const login = () => logInWithToken(app, token({ name: 'Alice' }))
  const decision = await decisionOf(app, await refusalOf(login()))
  assert.equal(decision.reason, 'identity-refused')
  await app.admin('PATCH', `${SIGNERS}/${signerId}`, { nameSync: true })
  assert.equal((await login()).status, 200)
  const { name } = await find()
  assert.match(name, /^Alice [0-9a-f]{8}$/)
  assert.equal((await login()).status, 200)
  assert.equal((await find()).name, name)
})

test('a deleted identity is provisioned again only after reprovisionAfterMinutes', async (t) => {
  const { app, token, signerId, find, explain } = await setUp(t, { reprovisionAfterMinutes: 10 })
  const login = () => logInWithToken(app, token({ name: 'Alice' }))
  assert.equal((await login()).status, 200)
  const { id } = await find()
  assert.equal((await app.admin('DELETE', `${IDENTITIES}/${id}`)).status, 200)
  const decision = await decisionOf(app, await refusalOf(login()))
  assert.equal(decision.reason, 'deleted-recently')
  assert.match((await explain(token({ name: 'Alice' }))).missing.join(), /reprovisionAfterMinutes/)
  app.clock.advance(-20 * MINUTE)
  assert.equal((await login()).status, 401, 'a clock that goes back')
  app.clock.advance(20 * MINUTE + 9 * MINUTE)
  assert.equal((await login()).status, 401)
  app.clock.advance(MINUTE)
  assert.equal((await login()).status, 200)
  assert.equal((await app.admin('DELETE', `${IDENTITIES}/${(await find()).id}`)).status, 200)
  await app.admin('PATCH', `${SIGNERS}/${signerId}`, { reprovisionAfterMinutes: 0 })
  assert.equal((await login()).status, 200)
})

test('K-16 an enrollment to token use is no way around the wait after a deletion', async (t) => {
  const { app, token, signerId, find, explain } = await setUp(t, {
    reprovisionAfterMinutes: 10,
    enrollToCertEnabled: true,
  })
  const enrolling = (body: object) => enroll(app, { tokens: [token({ name: 'Alice' })], body })
  const remove = async () => assert.equal((await app.admin('DELETE', `${IDENTITIES}/${(await find()).id}`)).status, 200)
  assert.equal((await logInWithToken(app, token({ name: 'Alice' }))).status, 200)
  await remove()
  const refused = await enrolling(KINDS.token())
  assert.equal(refusal(refused), '409 INVALID_ENROLLMENT_NOT_ALLOWED')
  assert.equal((await decisionOf(app, refused.json.error.requestId)).reason, 'deleted-recently')
  assert.match((await explain(token({ name: 'Alice' }), 'enroll')).missing.join(), /reprovisionAfterMinutes/)
  assert.equal((await logInWithToken(app, token({ name: 'Alice' }))).status, 401)
  assert.equal(await find(), undefined)
  assert.equal((await enrolling(KINDS.cert())).status, 200, 'to a certificate')
  await remove()
  await app.admin('PATCH', `${SIGNERS}/${signerId}`, { provisionOnLogin: false })
  assert.equal((await enrolling(KINDS.token())).status, 200, 'a signer that does not provision')
  await remove()
  await app.admin('PATCH', `${SIGNERS}/${signerId}`, { provisionOnLogin: true })
  app.clock.advance(10 * MINUTE)
  assert.equal((await enrolling(KINDS.token())).status, 200)
})

test('K-16 a changed externalId frees its subject only after reprovisionAfterMinutes', async (t) => {
  const { app, token, find, createIdentity } = await setUp(t, { reprovisionAfterMinutes: 10, nameSync: true })
  const login = (sub = ALICE) => logInWithToken(app, token({ sub, name: sub }))
  assert.equal((await login()).status, 200)
  const { id } = await find()
  const change = async (of: string, externalId: string) =>
    assert.equal((await app.admin('PATCH', `${IDENTITIES}/${of}`, { externalId })).status, 200)
  await change(id, 'former')
  const decision = await decisionOf(app, await refusalOf(login()))
  assert.equal(decision.reason, 'deleted-recently')
  assert.equal((await login('bob')).status, 200, 'another subject')
  const moved = await createIdentity({ name: 'another', externalId: 'x' })
  await change(moved, ALICE)
  assert.equal((await login()).json.data.identityId, moved, 'an administrator gave it to another identity')
  await change(moved, 'x')
  await change(id, ALICE)
  assert.equal((await login()).json.data.identityId, id, 'an administrator gave it back')
  await change(id, 'former')
  app.clock.advance(10 * MINUTE)
  const again = await login()
  assert.equal(again.status, 200, again.text)
  assert.notEqual(again.json.data.identityId, id)
})

test('a token that the policy of new identities refuses provisions nothing', async (t) => {
  const { app, token, signerId, find } = await setUp(t)
  const policy = (await app.admin('GET', `${POLICIES}/default`)).json.data
  const extJwt = { ...policy.primary.extJwt, requireAcr: ['gold'] }
  const strict = { ...policy, name: 'strict', primary: { ...policy.primary, extJwt } }
  const created = await app.admin('POST', POLICIES, strict)
  await app.admin('PATCH', `${SIGNERS}/${signerId}`, { enrollAuthPolicyId: created.json.data.id })
  const refused = await logInWithToken(app, token({ name: 'Alice', acr: 'silver' }))
  assert.equal(refused.status, 401)
  assert.match(refused.headers['www-authenticate'] ?? '', /insufficient_user_authentication.*acr_values="gold"/)
  assert.equal(await find(), undefined)
  assert.equal((await logInWithToken(app, token({ name: 'Alice', acr: 'gold' }))).status, 200)
})

test('concurrent first logins create one identity, and all succeed', async (t) => {
  const { app, token } = await setUp(t)
  const logins = await Promise.all(Array.from({ length: 8 }, () => logInWithToken(app, token({ name: 'Alice' }))))
  assert.deepEqual(new Set(logins.map(({ status }) => status)), new Set([200]))
  assert.equal(new Set(logins.map(({ json }) => json.data.identityId)).size, 1)
})

test('a token that several provisioning signers accept provisions nothing', async (t) => {
  const { app, token, createSigner, find } = await setUp(t)
  const second = await createSigner({ ...PROVISIONING, name: 'second', audience: 'second' })
  const both = token({ name: 'Alice', aud: ['overlay', 'second'] })
  const decision = await decisionOf(app, await refusalOf(logInWithToken(app, both)))
  assert.equal(decision.reason, 'signer-ambiguous')
  assert.equal(await find(), undefined)
  await app.admin('PATCH', `${SIGNERS}/${second}`, { provisionOnLogin: false })
  assert.equal((await logInWithToken(app, both)).status, 200)
})
