import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { IdentityPatch } from '@countersign/contract'
import { totpCode, totpStep } from '@countersign/core'
import { readProvisioningSecret } from '@countersign/testkit'
import { patchIdentity } from '../../src/operations/identity/update-identity.ts'
import { createPolicy } from '../http/auth-policies.fixture.ts'
import type { AppOptions } from '../http/build-app.ts'
import { enrollTotp, makeUser, STEP_MS } from '../http/one-time-codes.fixture.ts'
import { ALICE, SIGNERS } from '../http/provider.fixture.ts'
import { IDENTITIES, sendLogout, setUpChannels } from '../http/provider-channels.fixture.ts'
import { race } from '../races/race.fixture.ts'
import { claimsOf, HOST, OidcClient } from './oidc.fixture.ts'

const CODES = '/oidc/login/totp'

/** An identity with a password, a second token and one-time codes; its policy requires the token, and the codes unless `requireTotp` is false. */
async function setUp(
  t: TestContext,
  { requireTotp = true, ...options }: AppOptions & { readonly requireTotp?: boolean } = {},
) {
  const { app, signerId, token, logoutToken, createSigner } = await setUpChannels(t, {}, options)
  const client = new OidcClient(app)
  const user = await makeUser(app, { externalId: ALICE, linkedSigners: [signerId] })
  const device = await enrollTotp(app, user.session)
  const authPolicyId = await createPolicy(app, { secondary: { requireTotp, requireExtJwtSigner: signerId } })
  const patch = async (path: string, body: object) => {
    assert.equal((await app.admin('PATCH', path, body)).status, 200)
  }
  const identity = `${IDENTITIES}/${user.id}`
  const signer = `${SIGNERS}/${signerId}`
  await patch(identity, { authPolicyId })
  app.clock.advance(STEP_MS)
  const begin = async (bearer = token()) => {
    const login = await client.begin()
    const headers = { authorization: `Bearer ${bearer}` }
    const reply = await client.logInByPassword(login, user.username, user.password, { headers })
    assert.deepEqual(kindsOf(reply), ['TOTP'], 'the second token was given')
    return login
  }
  const send = (method: string, path: string, json: object) => client.call(method, path, { json })
  return { app, client, user, device, signerId, token, logoutToken, createSigner, begin, send, patch, identity, signer }
}

type Setting = Awaited<ReturnType<typeof setUp>>

const kindsOf = ({ json }: { readonly json: { readonly authQueries: readonly { readonly typeId: string }[] } }) =>
  json.authQueries.map(({ typeId }) => typeId)

interface Event {
  readonly title: string
  happen(setting: Setting): Promise<unknown>
}

const ENDING: readonly Event[] = [
  { title: 'its signer is disabled', happen: ({ patch, signer }) => patch(signer, { enabled: false }) },
  { title: 'its signer gets another audience', happen: ({ patch, signer }) => patch(signer, { audience: 'other' }) },
  { title: 'it names the identity no more', happen: ({ patch, identity }) => patch(identity, { externalId: 'other' }) },
  {
    title: 'its provider logs the person out',
    happen: async ({ app, signerId, logoutToken }) => {
      assert.equal((await sendLogout(app, signerId, logoutToken())).status, 200)
    },
  },
]

const KEEPING: readonly Event[] = [
  { title: 'it expires', happen: async ({ app }) => app.clock.advance(300_000) },
  {
    title: 'another signer is disabled',
    happen: async ({ patch, createSigner }) => {
      const other = await createSigner({ name: 'other', audience: 'other' })
      await patch(`${SIGNERS}/${other}`, { enabled: false })
    },
  },
  { title: 'its identity is renamed', happen: ({ patch, identity }) => patch(identity, { name: 'renamed' }) },
  {
    title: 'its provider logs another person out',
    happen: async ({ app, signerId, logoutToken }) => {
      assert.equal((await sendLogout(app, signerId, logoutToken({ sub: 'bob@idp.example' }))).status, 200)
    },
  },
]

/** A token that expires in the login. */
const shortToken = ({ app, token }: Setting) => token({ exp: Math.floor(app.clock.now() / 1000) + 5 })

for (const { title, happen } of ENDING) {
  test(`U-19 a second token completes no login in which it was given once ${title}`, async (t) => {
    const setting = await setUp(t)
    const { client, device, begin, send, app } = setting
    const early = await begin()
    const late = await begin()
    const passed = await send('POST', CODES, { id: early.id, code: device.code() })
    assert.equal(passed.status, 302)
    const code = await client.code(early)
    await happen(setting)
    app.clock.advance(STEP_MS)
    const redeemed = await client.redeem(code, early)
    assert.deepEqual([redeemed.status, typeof redeemed.json.id_token], [200, 'undefined'])
    const pending = await send('POST', CODES, { id: late.id, code: device.code() })
    assert.deepEqual([pending.status, kindsOf(pending)], [200, ['EXT-JWT']])
    await assert.rejects(client.code(late), 'the login is not complete')
  })

  test(`U-19 U-18 a second token removes no one-time codes in a login once ${title}`, async (t) => {
    const setting = await setUp(t, { requireTotp: false })
    const { app, device, begin, send, identity } = setting
    const { id } = await begin()
    await happen(setting)
    app.clock.advance(STEP_MS)
    const refused = await send('DELETE', `${CODES}/enroll`, { id, code: device.code() })
    assert.deepEqual([refused.status, refused.json.code], [401, 'UNAUTHORIZED'])
    assert.equal((await app.admin('GET', identity)).json.data.isMfaEnabled, true)
    assert.equal((await send('POST', `${CODES}/enroll`, { id })).status, 409)
    const passed = await send('POST', CODES, { id, code: device.code() })
    assert.deepEqual([passed.status, kindsOf(passed)], [200, ['EXT-JWT']], 'the code was not spent')
  })
}

for (const { title, happen } of KEEPING) {
  test(`U-19 a second token that was given in a login counts to its end, also when ${title}`, async (t) => {
    const setting = await setUp(t)
    const { app, client, device, signerId, begin, send } = setting
    const login = await begin(shortToken(setting))
    const other = await begin(shortToken(setting))
    await happen(setting)
    app.clock.advance(STEP_MS)
    assert.equal((await send('POST', CODES, { id: login.id, code: device.code() })).status, 302)
    const { id_token: idToken } = await client.finish(login)
    assert.deepEqual(claimsOf(idToken).amr, ['password', `ejs:${signerId}`, 'totp'])
    app.clock.advance(STEP_MS)
    const removed = await send('DELETE', `${CODES}/enroll`, { id: other.id, code: device.code() })
    assert.equal(removed.status, 200, removed.text)
  })
}

test('U-19 another second token completes a login whose first one no longer counts', async (t) => {
  const { app, client, device, signerId, token, logoutToken, begin, send } = await setUp(t)
  const login = await begin()
  assert.equal((await sendLogout(app, signerId, logoutToken())).status, 200)
  app.clock.advance(STEP_MS)
  const { id } = login
  assert.deepEqual(kindsOf(await send('POST', CODES, { id, code: device.code() })), ['EXT-JWT'])
  const give = (bearer: string) =>
    client.call('POST', '/oidc/login/second-jwt', { json: { id }, headers: { authorization: `Bearer ${bearer}` } })
  assert.equal((await give(token({ iat: Math.floor(app.clock.now() / 1000) - 60 }))).status, 200, 'revoked as well')
  assert.equal((await give(token())).status, 302)
  assert.deepEqual(claimsOf((await client.finish(login)).id_token).amr, ['password', `ejs:${signerId}`, 'totp'])
})

test('N-01 U-19 a second token that ends directly before the write changes no one-time codes in a login', async (t) => {
  const { app, device, begin, send, user } = await setUp(t, { requireTotp: false })
  const { id } = await begin()
  const set = (body: IdentityPatch) => {
    return app.store.run(patchIdentity, { id: user.id, body }, { actorId: 'system', now: app.clock.now() })
  }
  const write = async (method: string, path: string, name: string, code: string, body: IdentityPatch) => {
    const request = { method, path: `${CODES}/${path}`, body: { id, code }, headers: { host: HOST } }
    const { reply, ...result } = await race({ app }, { credentials: {} }, request, name, () => set(body))
    return { status: reply.status, ...result }
  }
  const refused = { status: 401, hasWritten: true, hasChanged: false }
  const remove = (body: IdentityPatch) =>
    write('DELETE', 'enroll', 'totp.removeInLogin', device.recoveryCodes[0] ?? '', body)
  assert.deepEqual(await remove({ externalId: 'other' }), refused)
  await set({ externalId: ALICE })
  assert.equal((await remove({ name: 'renamed' })).status, 200)

  const begun = await send('POST', `${CODES}/enroll`, { id })
  assert.equal(begun.status, 201, begun.text)
  const code = totpCode(readProvisioningSecret(begun.json.provisioningUrl), totpStep(app.clock.now()))
  const verify = (body: IdentityPatch) => write('POST', 'enroll/verify', 'totp.verify', code, body)
  assert.deepEqual(await verify({ externalId: 'other' }), refused)
  await set({ externalId: ALICE })
  assert.equal((await verify({ name: 'renamed again' })).status, 302)
})

test('a login of the previous release, whose second token is not stored, asks for it again', async (t) => {
  const { app, client, device, signerId, token, begin, send } = await setUp(t, { database: 'postgres' })
  const login = await begin()
  const { id } = login
  const { details } = await app.store.db
    .selectFrom('oidc_logins')
    .select('details')
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  const { secondSigner, ...previous } = JSON.parse(details ?? '')
  assert.equal(secondSigner.id, signerId)
  assert.deepEqual(previous.amr, ['password', `ejs:${signerId}`], 'the previous release reads it here')
  await app.store.db
    .updateTable('oidc_logins')
    .set({ details: JSON.stringify(previous) })
    .where('id', '=', id)
    .execute()
  const passed = await send('POST', CODES, { id, code: device.code() })
  assert.deepEqual([passed.status, kindsOf(passed)], [200, ['EXT-JWT']])
  const headers = { authorization: `Bearer ${token()}` }
  assert.equal((await client.call('POST', '/oidc/login/second-jwt', { json: { id }, headers })).status, 302)
  assert.deepEqual(claimsOf((await client.finish(login)).id_token).amr, ['password', `ejs:${signerId}`, 'totp'])
})
