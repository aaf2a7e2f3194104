import assert from 'node:assert/strict'
import { test } from 'node:test'
import { digestPassword } from '@countersign/core'
import { recoverAdmin } from '../../src/operations/start/recover-admin.ts'
import { warnOfPasskeyDomains } from '../../src/process/warn-of-passkey-domains.ts'
import { buildApp, TEST_PASSWORD_COST, type TestApp } from './build-app.ts'
import { AUTHENTICATORS, createIdentity, createPassword, IDENTITIES, OWN_SESSION } from './identities.fixture.ts'
import { makePerson, mustRegister } from './passkeys.fixture.ts'

const POLICIES = '/edge/management/v1/auth-policies'

const recover = async (app: TestApp, password: string) =>
  app.store.run(
    recoverAdmin,
    { passwordDigest: await digestPassword(password, TEST_PASSWORD_COST) },
    { actorId: 'system', now: app.clock.now() },
  )

const logIn = (app: TestApp, username: string, password: string) =>
  app.call('POST', '/edge/management/v1/authenticate?method=password', { username, password })

/** The default administrator, and another one who can change it. */
async function setUp(app: TestApp) {
  const query = new URLSearchParams({ filter: 'isDefaultAdmin = true' })
  const [admin] = (await app.admin('GET', `${IDENTITIES}?${query}`)).json.data
  const other = await app.makeIdentity({ isAdmin: true })
  const change = async (method: string, path: string, body?: object) => {
    const reply = await app.call(method, path, body, { session: other.session })
    assert.ok(reply.status < 300, `${path} ${reply.text}`)
    return reply.json.data
  }
  return { admin, change }
}

test('a recovered administrator logs in with the new password alone, whatever stopped it', async (t) => {
  const app = await buildApp(t)
  const { admin, change } = await setUp(app)
  const strict = await change('GET', `${POLICIES}/default`)
  const { id: authPolicyId } = await change('POST', POLICIES, {
    ...strict,
    name: 'strict',
    secondary: { ...strict.secondary, requireTotp: true, requirePasskey: true },
  })
  await change('PATCH', `${IDENTITIES}/${admin.id}`, { authPolicyId })
  await change('POST', `${IDENTITIES}/${admin.id}/disable`, { durationMinutes: 0 })
  assert.equal((await logIn(app, 'admin', 'new password')).status, 401)
  const done = await recover(app, 'new password')
  assert.deepEqual([done.username, done.wasDisabled, done.formerPolicyName], ['admin', true, 'strict'])
  const login = await logIn(app, 'admin', 'new password')
  assert.equal(login.status, 200, login.text)
  const session = login.json.data.token
  assert.equal((await app.call('GET', OWN_SESSION, undefined, { session })).status, 200)
  assert.equal((await app.call('GET', IDENTITIES, undefined, { session })).status, 200)
  const { policyName } = await recover(app, 'newer password')
  assert.equal(policyName, null, 'the policy of the first recovery suffices')
  assert.equal((await app.call('GET', IDENTITIES, undefined, { session })).status, 401, 'its sessions end')
  assert.equal((await logIn(app, 'admin', 'newer password')).status, 200)
})

test('a recovered administrator logs in although a rule of its policy refuses every login', async (t) => {
  const app = await buildApp(t)
  const { admin, change } = await setUp(app)
  const open = await change('GET', `${POLICIES}/default`)
  const { id: authPolicyId } = await change('POST', POLICIES, {
    ...open,
    name: 'closed',
    acceptRule: 'claims.sub == "x"',
  })
  await change('PATCH', `${IDENTITIES}/${admin.id}`, { authPolicyId })
  const { formerPolicyName, policyName } = await recover(app, 'new password')
  assert.deepEqual([formerPolicyName, policyName !== null], ['closed', true])
  assert.equal((await logIn(app, 'admin', 'new password')).status, 200)
})

test('a recovered administrator without a password login gets one, under a free user name', async (t) => {
  const app = await buildApp(t)
  const { admin, change } = await setUp(app)
  const query = new URLSearchParams({ filter: `identity = "${admin.id}"` })
  for (const { id } of await change('GET', `${AUTHENTICATORS}?${query}`))
    await change('DELETE', `${AUTHENTICATORS}/${id}`)
  const taken = await app.store.db.selectFrom('authenticators').select('id').where('username', '=', 'admin').execute()
  assert.deepEqual(taken, [])
  const { policyName, username } = await recover(app, 'new password')
  assert.deepEqual([policyName, username], [null, 'admin'])
  assert.equal((await logIn(app, 'admin', 'new password')).status, 200)
  for (const { id } of await change('GET', `${AUTHENTICATORS}?${query}`))
    await change('DELETE', `${AUTHENTICATORS}/${id}`)
  const mallory = (await change('POST', IDENTITIES, { name: 'mallory', type: 'User', isAdmin: false })).id
  await change('POST', AUTHENTICATORS, {
    method: 'updb',
    identityId: mallory,
    username: 'admin',
    password: 'not theirs',
  })
  const again = await recover(app, 'newest password')
  assert.match(again.username, /^admin-\S+$/)
  assert.equal((await logIn(app, again.username, 'newest password')).status, 200)
})

test('a start warns when passkeys that a policy requires are of another domain', async (t) => {
  const app = await buildApp(t)
  const person = await makePerson(app, { requirePasskey: true })
  await mustRegister(app, person)
  const [{ rpId }] = (await app.admin('GET', `${IDENTITIES}/${person.id}/passkeys`)).json.data
  await createPassword(app, await createIdentity(app))
  const warned = async (domain: string | null, certificateNames: readonly string[] = []) => {
    const warnings: { readonly identities: readonly string[] }[] = []
    const log = { warn: (facts: { readonly identities: readonly string[] }) => void warnings.push(facts) }
    const settings = { advertise: [], passkeys: { domain } }
    await warnOfPasskeyDomains(app.store, { settings, certificateNames }, log as never)
    return warnings.flatMap(({ identities }) => identities)
  }
  assert.deepEqual(await warned(rpId), [])
  assert.deepEqual(await warned(null, [rpId]), [])
  assert.equal((await warned('other.example')).length, 1)
  assert.equal((await warned(null, ['other.example'])).length, 1)
})
