import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ADMIN_PASSWORD, buildApp, type Reply } from '../http/build-app.ts'
import { enrollTotp, makeUser } from '../http/one-time-codes.fixture.ts'
import { claimsOf, HOST, newVerifier, OidcClient, settingsFile } from './oidc.fixture.ts'

const errorOf = ({ status, json }: Reply) => `${status} ${json.error}: ${json.error_description}`

/** A login that is complete, with its code. */
async function loginWithCode(client: OidcClient) {
  const login = await client.begin()
  assert.equal((await client.logInByPassword(login, 'admin', ADMIN_PASSWORD)).status, 302)
  return { ...login, code: await client.code(login) }
}

test('U-08 a code is good once, for a minute, for its client, redirect URI and verifier', async (t) => {
  const app = await buildApp(t)
  const client = new OidcClient(app)
  const login = await loginWithCode(client)
  const refused: readonly (readonly [members: Record<string, string | undefined>, error: string])[] = [
    [{ code: undefined }, '400 invalid_request: code missing'],
    [{ code_verifier: undefined }, '400 invalid_request: code_verifier required'],
    [{ code: 'x' }, '400 invalid_grant: invalid code'],
    [{ code_verifier: newVerifier() }, '400 invalid_grant: invalid code_verifier'],
    [{ code_verifier: 'wrong' }, '400 invalid_grant: invalid code_verifier'],
    [{ redirect_uri: 'http://localhost:8081/auth/callback' }, '400 invalid_grant: redirect_uri does not correspond'],
    [{ client_id: 'native' }, '400 invalid_grant: client_id does not match original grant'],
    [{ client_id: 'zac' }, '400 invalid_client: client not found'],
    [{ client_id: undefined }, '400 invalid_request: client_id or client_assertion must be provided'],
  ]
  for (const [members, error] of refused) {
    assert.equal(errorOf(await client.redeem(login.code, login, members)), error)
  }
  assert.equal(await client.code(login), login.code, 'a login has one code')
  const late = await loginWithCode(client)
  const good = await client.redeem(login.code, login)
  assert.equal(good.status, 200)
  assert.equal(good.headers['cache-control'], 'no-store')
  assert.equal((await client.get(good.json.access_token)).status, 200)
  const repeated = await client.call('GET', `/oidc/authorize/callback?id=${login.id}`)
  assert.deepEqual([repeated.status, repeated.text], [400, 'request not found'])
  app.clock.advance(60_000)
  assert.equal((await client.call('GET', `/oidc/authorize/callback?id=${late.id}`)).status, 400)
  assert.equal(errorOf(await client.redeem(late.code, late)), '400 invalid_grant: invalid code')
})

test('U-08 the way to the code ends when the code is redeemed', async (t) => {
  const client = new OidcClient(await buildApp(t))
  const login = await client.begin()
  await client.logInByPassword(login, 'admin', ADMIN_PASSWORD)
  const code = await client.code(login)
  assert.equal(await client.code(login), code, 'a page may be loaded again')
  assert.equal((await client.redeem(code, login)).status, 200)
  const late = await client.call('GET', `/oidc/authorize/callback?id=${login.id}`)
  assert.deepEqual([late.status, late.text], [400, 'request not found'])
})

for (const deployment of [undefined, 'workers'] as const) {
  test(`U-08 a code is refused after a later login has replaced it${deployment ? `, on another of the ${deployment}` : ''}`, async (t) => {
    const app = await buildApp(t, deployment && { deployment })
    const client = new OidcClient(app)
    const login = await client.begin()
    await client.logInByPassword(login, 'admin', ADMIN_PASSWORD)
    const replaced = await client.code(login)
    await client.logInByPassword(login, 'admin', ADMIN_PASSWORD)
    const code = await client.code(login)
    assert.notEqual(code, replaced)
    assert.equal(errorOf(await client.redeem(replaced, login)), '400 invalid_grant: invalid code')
    assert.equal((await client.redeem(code, login)).status, 200)
  })
}

test('U-08 a code that is used twice ends the session that it opened', async (t) => {
  const app = await buildApp(t)
  const client = new OidcClient(app)
  const login = await loginWithCode(client)
  const tokens = (await client.redeem(login.code, login)).json
  assert.equal((await client.get(tokens.access_token)).status, 200)
  // A thief without the verifier ends nothing.
  await client.redeem(login.code, { verifier: newVerifier() })
  assert.equal((await client.get(tokens.access_token)).status, 200)
  assert.equal(errorOf(await client.redeem(login.code, login)), '400 invalid_grant: invalid code')
  assert.equal((await client.get(tokens.access_token)).status, 401)
  assert.equal((await client.refresh(tokens.refresh_token)).json.error, 'invalid_grant')
  assert.ok(app.logged.some((line) => line.includes('a code was used again')))
})

test('U-08 of requests with one code at the same time one is served, and the session ends', async (t) => {
  const app = await buildApp(t)
  const client = new OidcClient(app)
  const login = await loginWithCode(client)
  const replies = await Promise.all(Array.from({ length: 6 }, () => client.redeem(login.code, login)))
  const served = replies.filter(({ status }) => status === 200)
  assert.equal(served.length, 1, JSON.stringify(replies.map(({ status, text }) => [status, text])))
  for (const reply of replies.filter(({ status }) => status !== 200)) {
    assert.equal(errorOf(reply), '400 invalid_grant: invalid code')
  }
  assert.equal((await client.get(served[0]?.json.access_token)).status, 401)
})

test('U-09 refreshes at the same time are one use of the token, and a logout among them ends all', async (t) => {
  const app = await buildApp(t)
  const client = new OidcClient(app)
  const { access_token: access, refresh_token: refresh } = await client.logIn()
  const refreshed = await Promise.all(Array.from({ length: 4 }, () => client.refresh(refresh)))
  assert.deepEqual([...new Set(refreshed.map(({ status }) => status))], [200])
  const spent = await app.store.db.selectFrom('oidc_spent_tokens').select('jti').execute()
  assert.deepEqual(spent, [{ jti: claimsOf(refresh).jti }])
  const path = '/edge/client/v1/current-api-session'
  const [ended, ...others] = await Promise.all([
    client.call('DELETE', path, { headers: { authorization: `Bearer ${access}` } }),
    ...refreshed.map(({ json }) => client.refresh(json.refresh_token)),
  ])
  assert.equal(ended.status, 200)
  for (const reply of others) {
    assert.ok(reply.status === 200 || reply.json.error === 'invalid_grant', reply.text)
    if (reply.status === 200) assert.equal((await client.get(reply.json.access_token)).status, 401)
  }
})

test('W-74 other grants and clients are refused as existing controllers do', async (t) => {
  const app = await buildApp(t)
  const client = new OidcClient(app)
  const grants: readonly (readonly [members: Record<string, string | undefined>, error: string])[] = [
    [{}, '400 invalid_request: grant_type missing'],
    [{ grant_type: 'password' }, '400 unsupported_grant_type: password not supported'],
    [{ grant_type: '__proto__' }, '400 unsupported_grant_type: __proto__ not supported'],
    [{ grant_type: 'client_credentials' }, '400 unsupported_grant_type: client_credentials not supported'],
    [{ grant_type: 'urn:ietf:params:oauth:grant-type:device_code' }, '400 unauthorized_client: grant_type not allowed'],
    [{ grant_type: 'refresh_token' }, '400 invalid_request: refresh_token missing'],
    [{ grant_type: 'refresh_token', refresh_token: 'x' }, '400 invalid_grant: failed to parse refresh token'],
  ]
  for (const [members, error] of grants) assert.equal(errorOf(await client.token(members)), error)
  assert.equal(errorOf(await client.call('GET', '/oidc/oauth/token')), '400 invalid_request: grant_type missing')
  const json = await client.call('POST', '/oidc/oauth/token', { json: { grant_type: 'refresh_token' } })
  assert.equal(errorOf(json), '400 invalid_request: grant_type missing')
  const basic = (client_: string) => ({
    headers: { authorization: `Basic ${Buffer.from(client_).toString('base64')}` },
  })
  const { refresh_token: token } = await new OidcClient(app, 'native').logIn()
  const form = { client_id: undefined }
  assert.equal((await client.refresh(token, form, basic('native:'))).status, 200, 'as the Go SDK sends it')
  const other = (await new OidcClient(app, 'native').logIn()).refresh_token
  assert.equal((await client.refresh(other, form, basic('native:secret'))).json.error, 'invalid_client')
  assert.equal((await client.refresh(other, {}, basic('native:'))).json.error, 'invalid_request', 'two clients')
  const malformed = await client.call('POST', '/oidc/oauth/token', {
    raw: 'grant_type=%',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  })
  assert.deepEqual(
    [malformed.status, malformed.json.error, malformed.json.code],
    [400, 'invalid_request', 'COULD_NOT_VALIDATE'],
    'every error has the members of OAuth',
  )
  const tooLarge = await client.token({ grant_type: 'x'.repeat(70_000) })
  assert.deepEqual([tooLarge.status, tooLarge.json.code], [413, 'REQUEST_ENTITY_TOO_LARGE'])
})

test('U-09 a refresh token is replaced at each use, and its reuse ends the session', async (t) => {
  const app = await buildApp(t)
  const client = new OidcClient(app)
  const first = await client.logIn()
  const second = await client.refresh(first.refresh_token)
  assert.equal(second.status, 200, second.text)
  const claims = claimsOf(second.json.access_token)
  const before = claimsOf(first.access_token)
  for (const name of ['z_asid', 'auth_time', 'amr', 'sub', 'z_authid'])
    assert.deepEqual(claims[name], before[name], name)
  assert.notEqual(claims.jti, before.jti)
  assert.equal(claimsOf(second.json.id_token).nonce, undefined, 'only in the first id token')
  assert.equal((await client.get(first.access_token)).status, 200, 'an earlier access token stays good')
  const retried = await client.refresh(first.refresh_token)
  assert.equal(retried.status, 200, 'a client that missed the response repeats the request')
  app.clock.advance(10_001)
  const third = await client.refresh(second.json.refresh_token)
  assert.equal(third.status, 200)
  const reused = await client.refresh(first.refresh_token)
  assert.equal(errorOf(reused), '400 invalid_grant: refresh token revoked')
  assert.equal((await client.get(third.json.access_token)).status, 401, 'thief and owner are both logged out')
  assert.equal(errorOf(await client.refresh(third.json.refresh_token)), '400 invalid_grant: refresh token revoked')
  assert.ok(app.logged.some((line) => line.includes('a refresh token was used again')))
})

test('U-09 who exchanges a refresh token that its owner replaces ends the session, and so does the exchange of a replaced one', async (t) => {
  const app = await buildApp(t)
  const client = new OidcClient(app)
  const exchange = (token: string) => client.exchange(token, { requested: 'refresh_token' })
  const revoked = '400 invalid_grant: refresh token revoked'

  const first = await client.logIn()
  const copy = await exchange(first.refresh_token)
  assert.equal(copy.status, 200, copy.text)
  assert.equal((await exchange(first.refresh_token)).status, 200, 'clients exchange the same token again')
  assert.equal(errorOf(await client.refresh(first.refresh_token)), revoked)
  assert.equal(errorOf(await client.refresh(copy.json.refresh_token)), revoked)

  const second = await client.logIn()
  const replaced = await client.refresh(second.refresh_token)
  assert.equal(replaced.status, 200, replaced.text)
  assert.equal((await exchange(second.refresh_token)).status, 400, 'also while the client may repeat its request')
  assert.equal(errorOf(await client.refresh(replaced.json.refresh_token)), revoked)

  const third = await client.logIn()
  assert.equal((await client.exchange(third.refresh_token, { requested: 'access_token' })).status, 200)
  assert.equal((await client.refresh(third.refresh_token)).status, 200, 'no copy of the refresh token was made')
})

test('a refresh token is only good for its client and as a refresh token, and scopes can only shrink', async (t) => {
  const app = await buildApp(t)
  const client = new OidcClient(app)
  const { access_token: access, refresh_token: refresh } = await client.logIn()
  assert.equal(
    errorOf(await client.refresh(refresh, { client_id: 'native' })),
    '400 invalid_grant: client_id does not match original grant',
  )
  assert.equal(errorOf(await client.refresh(access)), '400 invalid_grant: invalid token type, expected refresh')
  assert.equal((await client.refresh(refresh, { scope: 'openid profile' })).json.error, 'invalid_scope')
  const narrowed = await client.refresh(refresh, { scope: 'openid' })
  assert.deepEqual([narrowed.json.scope, claimsOf(narrowed.json.access_token).scopes], ['openid', ['openid']])
  const again = await client.refresh(narrowed.json.refresh_token)
  assert.equal(again.json.scope, 'openid offline_access')
  const online = await client.logIn('admin', ADMIN_PASSWORD, { scope: 'openid' })
  assert.equal(online.refresh_token, undefined)
  assert.equal(online.scope, 'openid')
})

test('tokens expire, refreshes prolong the session up to its end, and no further', async (t) => {
  const config = settingsFile(t, 'oidc:\n  maxSessionSeconds: 100000\n')
  const app = await buildApp(t, { settings: { config } })
  const client = new OidcClient(app)
  const first = await client.logIn()
  app.clock.advance(1_801_000)
  const expired = await client.get(first.access_token)
  assert.equal(expired.status, 401)
  assert.match(expired.headers['www-authenticate'] ?? '', /realm="openziti-oidc" error="expired"/)
  app.clock.advance(80_000_000)
  const second = await client.refresh(first.refresh_token)
  assert.equal(second.status, 200)
  assert.equal((await client.get(second.json.access_token)).status, 200)
  const { exp, iat } = claimsOf(second.json.refresh_token)
  assert.ok(exp - iat < 20_000, 'the refresh token ends with the session')
  app.clock.advance(19_000_000)
  assert.equal((await client.refresh(second.json.refresh_token)).status, 400)
  const idle = await client.logIn()
  app.clock.advance(86_401_000)
  assert.equal(errorOf(await client.refresh(idle.refresh_token)), '400 invalid_grant: refresh token expired')
})

test('U-04 an exchange keeps what the session has passed', async (t) => {
  const app = await buildApp(t)
  const client = new OidcClient(app)
  const user = await makeUser(app)
  const device = await enrollTotp(app, user.session)
  app.clock.advance(30_000)
  const login = await client.begin()
  await client.logInByPassword(login, user.username, user.password)
  await client.call('POST', '/oidc/login/totp', { json: { id: login.id, code: device.code() } })
  const tokens = await client.finish(login)
  app.clock.advance(5_000)
  const before = claimsOf(tokens.access_token)
  const renewed = await client.exchange(tokens.refresh_token, { requested: 'refresh_token' })
  assert.equal(renewed.status, 200, renewed.text)
  assert.equal(renewed.json.issued_token_type, 'urn:ietf:params:oauth:token-type:refresh_token')
  assert.deepEqual(Object.keys(renewed.json).toSorted(), [
    ...['access_token', 'expires_in', 'issued_token_type', 'refresh_token', 'token_type'],
  ])
  const after = claimsOf(renewed.json.access_token)
  for (const name of ['amr', 'auth_time', 'scopes', 'z_asid']) assert.deepEqual(after[name], before[name], name)
  assert.deepEqual(after.amr, ['password', 'totp'])
  assert.equal((await client.get(renewed.json.access_token)).status, 200, 'the session is still complete')
  const idToken = await client.exchange(tokens.refresh_token, { requested: 'id_token' })
  assert.deepEqual([idToken.json.token_type, idToken.json.expires_in], ['N_A', undefined])
  const { sub, amr, name } = claimsOf(idToken.json.access_token)
  assert.deepEqual({ sub, amr, hasName: typeof name === 'string' }, { sub: user.id, amr: after.amr, hasName: true })
  const access = await client.exchange(tokens.refresh_token, { requested: 'access_token' }, { audience: 'native' })
  assert.deepEqual([access.json.refresh_token, claimsOf(access.json.access_token).aud], [undefined, ['native']])
  assert.equal((await client.get(access.json.access_token)).status, 200)
})

test('U-04 the copy of an access token is revoked with it, and it with its copy', async (t) => {
  const app = await buildApp(t)
  const client = new OidcClient(app)
  const byEndpoint = (token: string) => client.call('POST', '/oidc/revoke', { form: { client_id: 'openziti', token } })
  const byAdministrator = (token: string) =>
    app.admin('POST', '/edge/management/v1/revocations', { id: claimsOf(token).jti, type: 'JTI' })
  for (const [revoke, isCopy] of [
    [byEndpoint, false],
    [byAdministrator, false],
    [byEndpoint, true],
  ] as const) {
    const { access_token: first, refresh_token: refresh } = await client.logIn()
    const exchange = async (token: string, subject: string) =>
      (await client.exchange(token, { subject, requested: 'access_token' })).json.access_token as string
    const copy = await exchange(first, 'access_token')
    const [ofCopy, own] = [await exchange(copy, 'access_token'), await exchange(refresh, 'refresh_token')]
    const statuses = () =>
      Promise.all([first, copy, ofCopy, own].map(async (token) => (await client.get(token)).status))
    assert.deepEqual(await statuses(), [200, 200, 200, 200])
    assert.ok((await revoke(isCopy ? copy : first)).status < 300)
    assert.deepEqual(await statuses(), [401, 401, 401, 200], 'one by the refresh token is no copy')
  }
})

test('U-04 an exchange is refused for other clients, targets and scopes, and never makes a refresh token of an access token', async (t) => {
  const app = await buildApp(t)
  const client = new OidcClient(app)
  const { access_token: access, refresh_token: refresh, id_token: id } = await client.logIn()
  const exchange = (token: string, subject: string, requested?: string, members = {}) =>
    client.exchange(token, { subject, ...(requested && { requested }) }, members)
  const refused: readonly (readonly [reply: Reply, error: string])[] = [
    [await exchange('', 'refresh_token'), 'invalid_request: subject_token missing'],
    [await exchange('x', 'refresh_token'), 'invalid_request: subject_token is invalid'],
    [await exchange(refresh, 'access_token'), 'invalid_request: subject_token is invalid'],
    [await exchange(access, 'refresh_token'), 'invalid_request: subject_token is invalid'],
    [await exchange(id, 'id_token'), 'invalid_request: exchanging id_token for any token type is not supported'],
    [
      await exchange(access, 'access_token', 'refresh_token'),
      'invalid_request: an access token cannot be exchanged for a refresh token',
    ],
    [await exchange(refresh, 'refresh_token', 'saml2'), 'invalid_request: requested_token_type is not supported'],
    [
      await exchange(refresh, 'refresh_token', 'access_token', { audience: 'https://a.example' }),
      'invalid_target: invalid audience requested',
    ],
    [
      await exchange(refresh, 'refresh_token', 'access_token', { scope: 'profile' }),
      'invalid_scope: a requested scope was not granted',
    ],
    [
      await exchange(refresh, 'refresh_token', 'access_token', { client_id: 'native' }),
      'invalid_grant: client_id does not match original grant',
    ],
  ]
  for (const [reply, error] of refused) assert.equal(errorOf(reply), `400 ${error}`)
  app.clock.advance(60_000)
  const renewed = await exchange(access, 'access_token', 'access_token')
  assert.equal(renewed.status, 200)
  assert.equal(claimsOf(renewed.json.access_token).exp, claimsOf(access).exp, 'it keeps its end')
  const bought = await exchange(access, 'access_token', 'id_token')
  assert.equal(claimsOf(bought.json.access_token).exp, claimsOf(access).exp, 'an id token does not outlive it')
  const later = await exchange(refresh, 'refresh_token', 'id_token')
  const laterBy = claimsOf(later.json.access_token).exp - claimsOf(id).exp
  assert.ok(laterBy >= 60, `that of a refresh token has its usual life: ${laterBy}`)
  const scoped = await exchange(refresh, 'refresh_token', 'access_token', { scope: 'openid' })
  assert.deepEqual([scoped.json.scope, claimsOf(scoped.json.access_token).scopes], ['openid', ['openid']])
  assert.equal((await client.call('POST', '/oidc/oauth/introspect', { headers: { host: HOST } })).status, 404)
})

test('R-21 a session refreshes and exchanges tokens a limited number of times, others of its identity too, together', async (t) => {
  const app = await buildApp(t, { isAlone: 'controller' })
  const client = new OidcClient(app)
  const [tokens, user] = [await client.logIn(), await makeUser(app)]
  const other = await client.logIn(user.username, user.password)
  const exchange = (token: string) => client.exchange(token, { subject: 'access_token', requested: 'access_token' })
  const exchangeMany = async (token: string, count: number) => {
    const replies = await Promise.all(Array.from({ length: count }, () => exchange(token)))
    return replies.filter(({ status }) => status === 200).length
  }
  const served = await exchangeMany(tokens.access_token, 40)
  assert.ok(served >= 20 && served < 30, String(served))
  const limited = await client.refresh(tokens.refresh_token)
  assert.deepEqual([limited.status, limited.json.error], [429, 'temporarily_unavailable'])
  assert.ok(Number(limited.headers['retry-after']) >= 1)
  assert.equal((await client.get(tokens.access_token)).status, 200, 'requests of the session are not limited')
  const owner = await client.logIn()
  assert.equal((await client.refresh(owner.refresh_token)).status, 200, 'a thief of one session uses up no other')

  const further = []
  for (let count = 0; count < 4; count++) further.push(await exchangeMany((await client.logIn()).access_token, 20))
  const all = further.reduce((sum, one) => sum + one, served + 1)
  assert.ok(all >= 60 && all < 80, `${served} ${further}`)
  assert.equal((await exchange(other.access_token)).status, 200, 'another identity')
  app.clock.advance(60_000)
  assert.equal((await exchange(tokens.access_token)).status, 200)
})
