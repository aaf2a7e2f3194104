import assert from 'node:assert/strict'
import { test } from 'node:test'
import { totpCode, totpStep } from '@countersign/core'
import { readProvisioningSecret } from '@countersign/testkit'
import { createPolicy } from '../http/auth-policies.fixture.ts'
import { buildApp } from '../http/build-app.ts'
import { enrollTotp, makeUser } from '../http/one-time-codes.fixture.ts'
import { makeSecondSigner, makeStrictPolicy } from '../http/second-token.fixture.ts'
import { type BegunLogin, claimsOf, ISSUER, OidcClient } from './oidc.fixture.ts'

const TOTP_QUERY = {
  typeId: 'TOTP',
  provider: 'ziti',
  format: 'numeric',
  httpMethod: 'POST',
  httpUrl: './oidc/login/totp',
  minLength: 6,
  maxLength: 8,
  scopes: null,
}

const isInteractionRequired = async (client: OidcClient, { id }: BegunLogin): Promise<boolean> => {
  const reply = await client.call('GET', `/oidc/authorize/callback?id=${id}`)
  return new URL(reply.headers.location ?? '').searchParams.get('error') === 'interaction_required'
}

test('W-64 a login with one-time codes is complete after the code, with either kind of code', async (t) => {
  const app = await buildApp(t)
  const client = new OidcClient(app)
  const user = await makeUser(app)
  const device = await enrollTotp(app, user.session)
  const login = await client.begin()
  const first = await client.logInByPassword(login, user.username, user.password)
  assert.deepEqual([first.status, first.headers['totp-required']], [200, 'true'])
  assert.deepEqual(first.json, { authQueries: [{ ...TOTP_QUERY, isTotpEnrolled: true }] })
  assert.deepEqual((await client.call('GET', `/oidc/login/auth-queries?id=${login.id}`)).json, first.json)
  assert.ok(await isInteractionRequired(client, login))
  app.clock.advance(30_000)
  const totp = (code: string | undefined, id = login.id) =>
    client.call('POST', '/oidc/login/totp', { json: { id, code } })
  for (const code of [device.wrongCode(), '', 'x'.repeat(65)]) {
    const wrong = await totp(code)
    assert.deepEqual([wrong.status, wrong.json.code], [400, 'INVALID TOTP CODE'])
  }
  assert.equal((await totp(device.code(), 'no-such-login')).json.code, 'INVALID TOTP CODE')
  const right = await totp(device.code())
  assert.equal(right.status, 302)
  assert.equal(right.headers.location, `${ISSUER}/authorize/callback?id=${login.id}`)
  const tokens = await client.finish(login)
  assert.deepEqual(claimsOf(tokens.access_token).amr, ['password', 'totp'])
  assert.equal((await client.get(tokens.access_token)).status, 200)
  const second = await client.begin()
  await client.logInByPassword(second, user.username, user.password)
  const [recoveryCode] = device.recoveryCodes
  assert.equal((await totp(recoveryCode, second.id)).status, 302)
  const third = await client.begin()
  await client.logInByPassword(third, user.username, user.password)
  assert.equal((await totp(recoveryCode, third.id)).status, 400, 'a recovery code works once')
})

test('X-03 a login that needs a passkey is refused in words: the login pages have none', async (t) => {
  const app = await buildApp(t)
  const client = new OidcClient(app)
  const authPolicyId = await createPolicy(app, { secondary: { requireTotp: false, requirePasskey: true } })
  const user = await makeUser(app, { authPolicyId })
  const login = await client.begin()
  const refused = await client.logInByPassword(login, user.username, user.password)
  assert.equal(refused.status, 401)
  assert.match(refused.text, /requires a passkey/)
  assert.ok(await isInteractionRequired(client, login))
  const other = await makeUser(app, { authPolicyId: await createPolicy(app) })
  const second = await client.begin()
  assert.equal((await client.logInByPassword(second, other.username, other.password)).status, 302)
})

test('wrong codes are limited over all logins of an identity', async (t) => {
  const app = await buildApp(t)
  const client = new OidcClient(app)
  const user = await makeUser(app)
  const device = await enrollTotp(app, user.session)
  app.clock.advance(30_000)
  const statuses: number[] = []
  for (let count = 0; count < 12; count++) {
    const { id } = await client.begin()
    await client.logInByPassword({ id, verifier: '', location: '' }, user.username, user.password)
    statuses.push((await client.call('POST', '/oidc/login/totp', { json: { id, code: device.wrongCode() } })).status)
  }
  assert.equal(statuses[0], 400)
  assert.equal(statuses.at(-1), 429)
})

test('U-01 a second login on one request id does not inherit the one-time code of another identity', async (t) => {
  const app = await buildApp(t)
  const client = new OidcClient(app)
  const attacker = await makeUser(app)
  const attackerDevice = await enrollTotp(app, attacker.session)
  const victim = await makeUser(app)
  const victimDevice = await enrollTotp(app, victim.session)
  app.clock.advance(30_000)
  const login = await client.begin()
  await client.logInByPassword(login, attacker.username, attacker.password)
  const passed = await client.call('POST', '/oidc/login/totp', { json: { id: login.id, code: attackerDevice.code() } })
  assert.equal(passed.status, 302)
  const second = await client.logInByPassword(login, victim.username, victim.password)
  assert.deepEqual([second.status, second.json.authQueries[0].typeId], [200, 'TOTP'], 'the code of the victim is due')
  assert.ok(await isInteractionRequired(client, login))
  const own = await client.call('POST', '/oidc/login/totp', { json: { id: login.id, code: attackerDevice.code(1) } })
  assert.equal(own.status, 400, 'a code of the first identity is not one of the second')
  const right = await client.call('POST', '/oidc/login/totp', { json: { id: login.id, code: victimDevice.code() } })
  assert.equal(right.status, 302)
  const { sub, amr } = claimsOf((await client.finish(login)).access_token)
  assert.deepEqual({ sub, amr }, { sub: victim.id, amr: ['password', 'totp'] })
  const sessions = await app.admin('GET', `/edge/management/v1/api-sessions?filter=identity="${attacker.id}"`)
  assert.equal(sessions.json.data.length, 1, 'the session of the first identity has ended, except its own earlier one')
})

test('the same identity may repeat its login, and keeps the code that it has passed', async (t) => {
  const app = await buildApp(t)
  const client = new OidcClient(app)
  const user = await makeUser(app)
  const device = await enrollTotp(app, user.session)
  app.clock.advance(30_000)
  const login = await client.begin()
  await client.logInByPassword(login, user.username, user.password)
  await client.call('POST', '/oidc/login/totp', { json: { id: login.id, code: device.code() } })
  assert.equal((await client.logInByPassword(login, user.username, user.password)).status, 302)
  assert.deepEqual(claimsOf((await client.finish(login)).access_token).amr, ['password', 'totp'])
})

test('one-time codes that the policy requires are set up during the login', async (t) => {
  const app = await buildApp(t)
  const client = new OidcClient(app)
  const authPolicyId = await createPolicy(app, { secondary: { requireTotp: true } })
  const user = await makeUser(app, { authPolicyId })
  const login = await client.begin()
  const call = (method: string, path: string, json: object = {}) =>
    client.call(method, `/oidc/login/totp/${path}`, { json: { id: login.id, ...json } })
  assert.equal((await call('POST', 'enroll')).status, 401, 'before the first credential')
  const first = await client.logInByPassword(login, user.username, user.password)
  assert.deepEqual(first.json.authQueries, [TOTP_QUERY], 'not enrolled: the member is omitted')
  const begun = await call('POST', 'enroll')
  assert.equal(begun.status, 201)
  assert.deepEqual(Object.keys(begun.json).toSorted(), [
    ...['_links', 'createdAt', 'id', 'isVerified', 'provisioningUrl', 'recoveryCodes', 'updatedAt'],
  ])
  assert.equal(begun.json.recoveryCodes.length, 20)
  const again = await call('POST', 'enroll')
  assert.deepEqual([again.status, again.json.code], [409, 'MFA_EXISTS'])
  assert.equal((await call('DELETE', 'enroll')).status, 200)
  const { provisioningUrl } = (await call('POST', 'enroll')).json
  const secret = readProvisioningSecret(provisioningUrl)
  const wrong = await call('POST', 'enroll/verify', { code: '000000' })
  assert.deepEqual([wrong.status, wrong.json.code], [400, 'MFA_INVALID_TOKEN'])
  const verified = await call('POST', 'enroll/verify', { code: totpCode(secret, totpStep(app.clock.now())) })
  assert.equal(verified.status, 302)
  const { access_token: token } = await client.finish(login)
  assert.deepEqual(claimsOf(token).amr, ['password', 'totp'])
  assert.equal((await client.get(token)).status, 200)
})

test('U-18 verified codes are removed in a login only with a right code and every other factor', async (t) => {
  const app = await buildApp(t)
  const client = new OidcClient(app)
  const signer = await makeSecondSigner(app)
  const user = await makeUser(app, { externalId: 'both' })
  const device = await enrollTotp(app, user.session)
  const identity = `/edge/management/v1/identities/${user.id}`
  const authPolicyId = await createPolicy(app, { secondary: { requireExtJwtSigner: signer.id } })
  await app.admin('PATCH', identity, { authPolicyId })
  app.clock.advance(30_000)
  const { id } = await client.begin()
  const logIn = (headers: Record<string, string> = {}) => {
    const form = { id, username: user.username, password: user.password }
    return client.call('POST', '/oidc/login/password', { form, headers })
  }
  const remove = (code?: string) => client.call('DELETE', '/oidc/login/totp/enroll', { json: { id, code } })
  assert.equal((await logIn()).status, 200)
  const withoutToken = await remove(device.recoveryCodes[0])
  assert.deepEqual([withoutToken.status, withoutToken.json.code], [401, 'UNAUTHORIZED'], 'the second token is missing')
  await logIn({ authorization: `Bearer ${signer.token('both')}` })
  for (const code of [undefined, device.wrongCode()]) {
    const refused = await remove(code)
    assert.deepEqual([refused.status, refused.json.code], [400, 'MFA_INVALID_TOKEN'])
  }
  assert.equal((await remove(device.recoveryCodes[0])).status, 200, 'the code was not spent before')
  assert.equal((await app.admin('GET', identity)).json.data.isMfaEnabled, false)
  assert.equal((await remove()).status, 404, 'there are none')
})

test('W-64 a second token is due in the login and on every call, and belongs to the same identity', async (t) => {
  const app = await buildApp(t)
  const client = new OidcClient(app)
  const signer = await makeSecondSigner(app)
  const authPolicyId = await makeStrictPolicy(app, signer.id)
  const user = await makeUser(app, { authPolicyId, externalId: 'second-user' })
  const login = await client.begin()
  const withToken = (token?: string) =>
    client.logInByPassword(
      login,
      user.username,
      user.password,
      token ? { headers: { authorization: `Bearer ${token}` } } : {},
    )
  const missing = await withToken()
  assert.deepEqual([missing.status, missing.headers['totp-required']], [200, undefined])
  assert.equal(missing.headers['www-authenticate'], signer.challenge('missing'))
  assert.deepEqual(missing.json.authQueries[0].typeId, 'EXT-JWT')
  assert.ok(await isInteractionRequired(client, login))
  const foreign = await withToken(signer.token('another-user'))
  assert.equal(foreign.headers['www-authenticate'], signer.challenge('invalid'))
  const expired = await withToken(signer.token('second-user', -10))
  assert.equal(expired.headers['www-authenticate'], signer.challenge('expired'))
  const token = signer.token('second-user')
  assert.equal((await withToken(token)).status, 302)
  const tokens = await client.finish(login)
  assert.deepEqual(claimsOf(tokens.access_token).amr, ['password', `ejs:${signer.id}`])
  const call = (...tokens_: string[]) =>
    client.call('GET', '/edge/client/v1/current-identity', {
      headers: { authorization: tokens_.map((one) => `Bearer ${one}`) as unknown as string },
    })
  assert.equal((await call(tokens.access_token)).status, 401)
  assert.equal((await call(tokens.access_token)).headers['www-authenticate'], signer.challenge('missing'))
  assert.equal((await call(tokens.access_token, token)).status, 200)
  assert.equal((await call(token, tokens.access_token)).status, 200, 'in either order')
  assert.equal((await call(tokens.access_token, signer.token('another-user'))).status, 401)
  const refreshed = await client.refresh(tokens.refresh_token)
  assert.equal(refreshed.status, 200, 'a refresh needs no second token')
  assert.deepEqual(claimsOf(refreshed.json.access_token).amr, ['password', `ejs:${signer.id}`])
})

test('a code and a second token are asked for one after the other', async (t) => {
  const app = await buildApp(t)
  const client = new OidcClient(app)
  const signer = await makeSecondSigner(app)
  const secondary = { requireTotp: true, requireExtJwtSigner: signer.id }
  const user = await makeUser(app, { externalId: 'both' })
  const device = await enrollTotp(app, user.session)
  const authPolicyId = await createPolicy(app, { secondary })
  await app.admin('PATCH', `/edge/management/v1/identities/${user.id}`, { authPolicyId })
  app.clock.advance(30_000)
  const login = await client.begin()
  const first = await client.logInByPassword(login, user.username, user.password)
  assert.deepEqual(
    first.json.authQueries.map(({ typeId }: { typeId: string }) => typeId),
    ['TOTP', 'EXT-JWT'],
  )
  const code = await client.call('POST', '/oidc/login/totp', { json: { id: login.id, code: device.code() } })
  assert.equal(code.status, 200, 'the token is still outstanding')
  assert.deepEqual(code.json.authQueries[0].typeId, 'EXT-JWT')
  const wrong = await client.call('POST', '/oidc/login/second-jwt', {
    json: { id: login.id },
    headers: { authorization: `Bearer ${signer.token('another')}` },
  })
  assert.equal(wrong.headers['www-authenticate'], signer.challenge('invalid'))
  const token = signer.token('both')
  const complete = await client.call('POST', '/oidc/login/second-jwt', {
    json: { id: login.id },
    headers: { authorization: `Bearer ${token}` },
  })
  assert.equal(complete.status, 302)
  assert.deepEqual(claimsOf((await client.finish(login)).access_token).amr, ['password', `ejs:${signer.id}`, 'totp'])
})

test('a policy that requires a code makes running sessions partial at once', async (t) => {
  const app = await buildApp(t)
  const client = new OidcClient(app)
  const authPolicyId = await createPolicy(app)
  const user = await makeUser(app, { authPolicyId })
  const { access_token: token } = await client.logIn(user.username, user.password)
  assert.equal((await client.get(token)).status, 200)
  const path = `/edge/management/v1/auth-policies/${authPolicyId}`
  await app.admin('PATCH', path, { secondary: { requireTotp: true } })
  assert.equal((await client.get(token)).status, 401)
  const session = await client.get(token, '/edge/client/v1/current-api-session')
  assert.equal(session.json.data.authQueries[0].typeId, 'MFA')
  await app.admin('PATCH', path, { secondary: { requireTotp: false } })
  assert.equal((await client.get(token)).status, 200)
})

test('U-04 a code that is redeemed when its policy requires another factor buys no id token', async (t) => {
  const app = await buildApp(t)
  const client = new OidcClient(app)
  const signer = await makeSecondSigner(app)
  const user = await makeUser(app, { externalId: 'second-user' })
  const authPolicyId = await makeStrictPolicy(app, signer.id)
  await app.admin('PATCH', `/edge/management/v1/identities/${user.id}`, { authPolicyId })
  const finishWith = async (requireTotp: boolean) => {
    const login = await client.begin()
    const headers = { authorization: `Bearer ${signer.token('second-user')}` }
    await client.logInByPassword(login, user.username, user.password)
    await client.call('POST', '/oidc/login/second-jwt', { json: { id: login.id }, headers })
    const code = await client.code(login)
    await app.admin('PATCH', `/edge/management/v1/auth-policies/${authPolicyId}`, { secondary: { requireTotp } })
    return (await client.redeem(code, login)).json
  }
  const whole = await finishWith(false)
  assert.deepEqual(claimsOf(whole.id_token).amr, ['password', `ejs:${signer.id}`], 'the second token was given')
  const partial = await finishWith(true)
  assert.deepEqual([typeof partial.access_token, partial.id_token], ['string', undefined])
})

test('U-04 a session that lacks a second factor gets no id token by refresh or exchange', async (t) => {
  const app = await buildApp(t)
  const client = new OidcClient(app)
  const authPolicyId = await createPolicy(app)
  const user = await makeUser(app, { authPolicyId })
  const tokens = await client.logIn(user.username, user.password)
  const require = async (requireTotp: boolean) => {
    await app.admin('PATCH', `/edge/management/v1/auth-policies/${authPolicyId}`, { secondary: { requireTotp } })
  }
  const exchange = (token: string, subject: string) => client.exchange(token, { subject, requested: 'id_token' })
  await require(true)
  for (const reply of [
    await exchange(tokens.access_token, 'access_token'),
    await exchange(tokens.refresh_token, 'refresh_token'),
  ])
    assert.deepEqual([reply.status, reply.json.error], [400, 'invalid_grant'])
  const partial = await client.refresh(tokens.refresh_token)
  assert.deepEqual([partial.status, partial.json.id_token], [200, undefined])
  await require(false)
  assert.equal((await exchange(partial.json.refresh_token, 'refresh_token')).status, 200)
  const whole = await client.refresh(partial.json.refresh_token)
  assert.equal(typeof whole.json.id_token, 'string')
})
