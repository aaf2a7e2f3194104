import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SIGNERS, storeDecisions } from './provider.fixture.ts'
import { makeScimToken, refusal, ScimClient, setUpScim } from './scim.fixture.ts'

test('V-14 administrators make two tokens at most, which are shown once and stored as digests', async (t) => {
  const { app, signerId, scim } = await setUpScim(t)
  const path = `${SIGNERS}/${signerId}/scim-tokens`
  const second = await makeScimToken(app, signerId)
  assert.match(second.token, /^scim_[\w-]{43}$/)
  const third = await app.admin('POST', path)
  assert.deepEqual([third.status, third.json.error.code], [409, 'SCIM_TOKEN_LIMIT'])
  const listed = (await app.admin('GET', path)).json.data
  assert.equal(listed.length, 2)
  assert.deepEqual(Object.keys(listed[1]), ['id', 'createdAt', 'createdBy'])
  assert.equal(listed[1].createdBy.name, 'admin')
  const rows = await app.store.db.selectFrom('scim_tokens').selectAll().execute()
  assert.ok(!JSON.stringify(rows).includes(second.token))
  assert.equal((await app.admin('DELETE', `${path}/${listed[0].id}`)).status, 200)
  assert.equal((await scim.call('GET', '/Users')).status, 401, 'the deleted token')
  const other = new ScimClient(app, signerId, second.token)
  assert.equal((await other.call('GET', '/Users')).status, 200)
  assert.equal((await app.admin('DELETE', `${path}/${listed[0].id}`)).status, 404)
  assert.equal((await app.admin('POST', path)).status, 201)
  assert.equal((await app.admin('GET', `${SIGNERS}/nowhere/scim-tokens`)).status, 404)
  assert.equal((await app.admin('POST', `${SIGNERS}/nowhere/scim-tokens`)).status, 404)
  assert.equal((await app.admin('DELETE', `${SIGNERS}/nowhere/scim-tokens/x`)).status, 404)
})

test('V-14 a request without a token of the signer is refused, and the decision says why', async (t) => {
  const { app, signerId, scim, createSigner, connect } = await setUpScim(t)
  assert.equal((await scim.call('GET', '/Users')).status, 200)
  const ofOther = await connect(await createSigner({ name: 'other', audience: 'other' }))
  const wrong = { authorization: `Bearer ${ofOther.token}` }
  for (const headers of [wrong, { authorization: '' }, { authorization: `Basic ${scim.token}` }]) {
    const reply = await scim.call('GET', '/Users', undefined, { headers })
    assert.deepEqual(refusal(reply), [401, undefined])
    assert.equal(reply.headers['www-authenticate'], 'Bearer realm="scim", error="invalid_token"')
  }
  const twice = [`Bearer ${scim.token}`, `Bearer ${scim.token}`] as unknown as string
  assert.equal((await scim.call('GET', '/Users', undefined, { headers: { authorization: twice } })).status, 401)
  const unknown = await scim.call('POST', '/Users', { userName: 'x' }, { headers: wrong })
  await storeDecisions(app)
  const decisions = (await app.admin('GET', '/edge/management/v1/auth-decisions?limit=100')).json.data
  const refused = decisions.filter(({ method }: { method: string }) => method === 'scim')
  assert.ok(refused.length > 0)
  assert.deepEqual([refused[0].reason, refused[0].signerId], ['token-unknown', signerId])
  assert.equal(unknown.status, 401)
})

test('V-14 D55 the channel of a signer that is disabled or not trusted is off', async (t) => {
  const { app, signerId, scim } = await setUpScim(t)
  const id = await scim.addUser()
  await app.admin('PATCH', `${SIGNERS}/${signerId}`, { enabled: false })
  assert.deepEqual(refusal(await scim.call('GET', '/Users')), [403, undefined])
  assert.equal((await scim.setActive(id, false)).status, 403)
  await app.admin('PATCH', `${SIGNERS}/${signerId}`, { enabled: true })
  assert.equal((await scim.call('GET', '/Users')).status, 200)
  const { session } = await app.makeIdentity({ permissions: ['external-jwt-signer.update', 'identity.create'] })
  const change = { clockSkewSeconds: 5 }
  assert.equal((await app.call('PATCH', `${SIGNERS}/${signerId}`, change, { session })).status, 200)
  assert.deepEqual(refusal(await scim.call('GET', '/Users')), [403, undefined])
  assert.equal((await app.admin('POST', `${SIGNERS}/${signerId}/trust`)).status, 200)
  assert.equal((await scim.call('GET', '/Users')).status, 200)
})

test('V-14 the settings of SCIM are changed by administrators only, and checked', async (t) => {
  const { app, signerId } = await setUpScim(t)
  const { session } = await app.makeIdentity({ permissions: ['external-jwt-signer', 'identity.create'] })
  const path = `${SIGNERS}/${signerId}`
  for (const body of [{ scimIdentityAttribute: 'externalId' }, { scimGroupAttributeTemplate: 'group {displayName}' }]) {
    assert.equal((await app.call('PATCH', path, body, { session })).status, 401)
    assert.equal((await app.admin('PATCH', path, body)).status, 200)
  }
  const { scimIdentityAttribute, scimGroupAttributeTemplate, scimUrl } = (await app.admin('GET', path)).json.data
  assert.deepEqual([scimIdentityAttribute, scimGroupAttributeTemplate], ['externalId', 'group {displayName}'])
  assert.match(scimUrl, new RegExp(`^https://[^/]+/scim/v2/${signerId}$`))
  for (const template of ['{name}', '{displayName', '#{displayName}', '@x']) {
    const reply = await app.admin('PATCH', path, { scimGroupAttributeTemplate: template })
    assert.deepEqual([reply.status, reply.json.error.cause.field], [400, 'scimGroupAttributeTemplate'], template)
  }
  assert.equal((await app.admin('PATCH', path, { scimIdentityAttribute: 'nickName' })).status, 400)
  const cleared = { scimIdentityAttribute: null, scimGroupAttributeTemplate: null }
  assert.equal((await app.admin('PATCH', path, cleared)).status, 200)
  assert.equal((await app.admin('GET', path)).json.data.scimGroupAttributeTemplate, '{displayName}')
})

test('V-14 no SCIM request is served without a SCIM token, also with the session of an administrator', async (t) => {
  const { app, scim } = await setUpScim(t)
  const routes = app.controller.http.routes.filter(({ access }) => access === 'scim')
  const calls = routes.flatMap(({ method, paths }) => paths.map((path) => ({ method, path })))
  assert.equal(calls.length, 26)
  assert.ok(calls.every(({ path }) => path.startsWith('/scim/v2/:signerId/')))
  for (const { method, path } of calls) {
    const rest = path.replace('/scim/v2/:signerId', '').replace(':id', 'x')
    const body = method === 'GET' || method === 'DELETE' ? undefined : {}
    const headers = { authorization: '' }
    const reply = await scim.call(method, rest, body, { session: app.adminSession, headers })
    assert.deepEqual(refusal(reply), [401, undefined], `${method} ${path}`)
    assert.notEqual((await scim.call(method, rest, body)).status, 401, `${method} ${path}`)
  }
})
