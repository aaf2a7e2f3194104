import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, type TestContext, test } from 'node:test'
import { pino } from 'pino'
import { PasswordCheck } from '../../src/login/password-check.ts'
import { Passwords } from '../../src/login/passwords.ts'
import { findAuthPolicy } from '../../src/store/reads/auth-policy-reads.ts'
import { findIdentity } from '../../src/store/reads/identity-reads.ts'
import { withoutLimits } from '../limits/without-limits.ts'
import { createPolicy } from './auth-policies.fixture.ts'
import { buildApp, TEST_PASSWORD_COST, type TestApp } from './build-app.ts'
import { summarize, testWithApp } from './ext-jwt-signers.fixture.ts'
import { createIdentity, createPassword, IDENTITIES, identityOf, OWN_SESSION } from './identities.fixture.ts'

const MINUTE = 60_000
const PATH = '/edge/client/v1/authenticate?method=password'
const WRONG = '401 INVALID_AUTH'

const dir = mkdtempSync(join(tmpdir(), 'countersign-lock-out-'))
after(() => rmSync(dir, { recursive: true, force: true }))
const config = join(dir, 'settings.yaml')
writeFileSync(
  config,
  JSON.stringify({ http: { trustedProxies: ['127.0.0.1'] }, limits: { passwordBurst: 0, accountBurst: 0 } }),
)

/** Creates an identity under a policy that locks out, with functions that try its password. */
async function makeLockable(app: TestApp, updb: Record<string, unknown>, members: Record<string, unknown> = {}) {
  const authPolicyId = await createPolicy(app, { updb })
  const id = await createIdentity(app, { authPolicyId, ...members })
  const { username, password, id: authenticatorId } = await createPassword(app, id)
  const attempt = (guess: string, address = '192.0.2.1') =>
    app.call('POST', PATH, { username, password: guess }, { headers: { 'x-forwarded-for': address } })
  return {
    id,
    password,
    authenticatorId,
    attempt,
    right: async (address?: string) => summarize(await attempt(password, address)),
    wrong: async (times = 1, address?: string) => {
      const seen = new Set<string>()
      for (let nth = 0; nth < times; nth++) seen.add(summarize(await attempt('not-the-password', address)))
      return [...seen].join()
    },
  }
}

testWithApp(
  'lockout after wrong passwords',
  async (t, app) => {
    await t.test(
      'the n-th wrong password in a row disables the identity for the configured time, and ends its sessions',
      async () => {
        const { id, right, wrong, attempt, password } = await makeLockable(app, {
          maxAttempts: 3,
          lockoutDurationMinutes: 5,
        })
        const session = (await attempt(password)).json.data.token
        assert.equal(await wrong(2), WRONG)
        assert.equal((await identityOf(app, id)).disabled, false)
        assert.equal(await wrong(), WRONG)
        const { disabled, disabledAt, disabledUntil } = await identityOf(app, id)
        assert.equal(disabled, true)
        assert.equal(Date.parse(disabledUntil) - Date.parse(disabledAt), 5 * MINUTE)
        assert.equal(await right(), WRONG, 'the right password no longer helps')
        assert.equal(summarize(await app.call('GET', OWN_SESSION, undefined, { session })), '401 UNAUTHORIZED')
        app.clock.advance(5 * MINUTE)
        assert.equal(await right(), '200')
        assert.equal(summarize(await app.call('GET', OWN_SESSION, undefined, { session })), '401 UNAUTHORIZED')
        assert.equal(await wrong(2), WRONG)
        assert.equal(await right(), '200', 'the count was reset')
      },
    )

    await t.test('R-05 a right password in between resets the count', async () => {
      const { id, right, wrong } = await makeLockable(app, { maxAttempts: 3, lockoutDurationMinutes: 5 })
      for (let round = 0; round < 4; round++) {
        assert.equal(await wrong(2), WRONG)
        assert.equal(await right(), '200')
      }
      assert.equal((await identityOf(app, id)).disabled, false)
    })

    await t.test('a duration of 0 lasts until the identity is enabled', async () => {
      const { id, right, wrong } = await makeLockable(app, { maxAttempts: 1, lockoutDurationMinutes: 0 })
      assert.equal(await wrong(), WRONG)
      const { disabled, disabledUntil } = await identityOf(app, id)
      assert.deepEqual([disabled, disabledUntil], [true, undefined])
      assert.equal(await right(), WRONG)
      assert.equal(summarize(await app.admin('POST', `${IDENTITIES}/${id}/enable`, {})), '200')
      assert.equal(await right(), '200')
    })

    await t.test('without a maximum of attempts there is no lockout', async () => {
      const { right, wrong } = await makeLockable(app, { maxAttempts: 0, lockoutDurationMinutes: 5 })
      assert.equal(await wrong(30), WRONG)
      assert.equal(await right(), '200')
    })

    await t.test('L-01 a locked-out identity gets the usual refusal', async () => {
      const { wrong, attempt, password } = await makeLockable(app, { maxAttempts: 2, lockoutDurationMinutes: 5 })
      const responseOf = (reply: Awaited<ReturnType<typeof attempt>>) => {
        const { requestId: _, ...error } = reply.json.error
        const { date: __, ...headers } = reply.headers
        return { status: reply.status, error, headers }
      }
      const before = responseOf(await attempt('not-the-password'))
      assert.equal(await wrong(2), WRONG)
      assert.deepEqual(responseOf(await attempt(password)), before)
      assert.deepEqual(responseOf(await attempt('not-the-password')), before)
    })

    await t.test(
      'R-06 D35 an administrator is never disabled, but the guessing address is refused for a while',
      async () => {
        const updb = { maxAttempts: 3, lockoutDurationMinutes: 0 }
        const { id, right, wrong, attempt, password } = await makeLockable(app, updb, { isAdmin: true })
        const session = (await attempt(password, '198.51.100.1')).json.data.token
        assert.equal(await wrong(20, '192.0.2.66'), WRONG)
        assert.equal(await right('192.0.2.66'), WRONG, 'refused from the guessing address')
        assert.equal(await right('198.51.100.1'), '200', 'the administrator can still log in')
        assert.equal((await identityOf(app, id)).disabled, false)
        assert.equal(summarize(await app.call('GET', OWN_SESSION, undefined, { session })), '200')
        app.clock.advance(15 * MINUTE)
        assert.equal(await right('192.0.2.66'), '200', 'only for a while')
      },
    )

    await t.test('a wrong current password counts too', async () => {
      const user = await makeLockable(app, { maxAttempts: 2, lockoutDurationMinutes: 5 })
      const session = (await user.attempt(user.password)).json.data.token
      const path = `/edge/client/v1/current-identity/authenticators/${user.authenticatorId}`
      const change = (currentPassword: string) =>
        app.call('PATCH', path, { currentPassword, password: user.password }, { session })
      assert.equal(summarize(await change(user.password)), '200')
      const wrong = await change('not-the-password')
      assert.equal(summarize(wrong), '401 UNAUTHORIZED currentPassword')
      assert.equal(await user.wrong(), WRONG)
      assert.equal((await identityOf(app, user.id)).disabled, true)
      assert.equal(summarize(await change(user.password)), '401 UNAUTHORIZED')
    })

    await t.test('R-06 parallel guesses lock out like sequential ones', async () => {
      const { id, right, attempt } = await makeLockable(app, { maxAttempts: 5, lockoutDurationMinutes: 5 })
      const replies = await Promise.all(Array.from({ length: 100 }, () => attempt('not-the-password')))
      const seen = new Set(replies.map(summarize))
      seen.delete('429 SERVER_TOO_MANY_REQUESTS')
      assert.deepEqual([...seen], [WRONG])
      assert.equal((await identityOf(app, id)).disabled, true)
      assert.equal(await right(), WRONG)
    })
  },
  { settings: { config }, isAlone: 'node' },
)

/** A password check over a real store and real digests that counts the comparisons with an identity's password. */
async function makePasswordCheck(t: TestContext, maxAttempts: number) {
  const app = await buildApp(t)
  const { id } = await makeLockable(app, { maxAttempts, lockoutDurationMinutes: 5 })
  const real = new Passwords(TEST_PASSWORD_COST)
  const digest = await real.digest('the-right-one', id)
  let compared = 0
  const passwords: Pick<Passwords, 'isRight'> = {
    isRight: async (password, with_, sender) => {
      if (with_) compared++
      await new Promise(setImmediate)
      return real.isRight(password, with_, sender)
    },
  }
  const check = new PasswordCheck({
    ...app,
    log: pino({ enabled: false }),
    passwords,
    limits: withoutLimits(app.clock),
  })
  const identity = (await findIdentity(app.store.db, id)) ?? assert.fail()
  const policy = (await findAuthPolicy(app.store.db, identity.authPolicyId)) ?? assert.fail()
  const owner = { identity, policy, digest }
  const guess = (password: string) =>
    check.isRight({ password, account: id, identityId: id, address: '192.0.2.1', owner })
  return { app, id, guess, compared: () => compared }
}

test('R-06 of many concurrent guesses no more are compared than the policy allows, and the right one after them is refused', async (t) => {
  const { app, id, guess, compared } = await makePasswordCheck(t, 5)
  const wrong = Array.from({ length: 10 }, (_, nth) => guess(`wrong ${nth}`))
  const right = guess('the-right-one')
  assert.deepEqual(await Promise.all([...wrong, right]), Array(11).fill(false))
  assert.equal(compared(), 5)
  assert.equal((await identityOf(app, id)).disabled, true)
})

test('R-05 many concurrent right passwords all succeed, however few attempts the policy allows', async (t) => {
  const { app, id, guess } = await makePasswordCheck(t, 1)
  const results = await Promise.all(Array.from({ length: 12 }, () => guess('the-right-one')))
  assert.deepEqual(results, Array(12).fill(true))
  assert.equal((await identityOf(app, id)).disabled, false)
})

test('a lockout that the store failed to write is retried by the next guess, which is not compared', async (t) => {
  const { app, id, guess, compared } = await makePasswordCheck(t, 2)
  const writing = t.mock.method(app.store, 'run', () => Promise.reject(new Error('down')))
  assert.equal(await guess('wrong'), false)
  await assert.rejects(guess('wrong'), /down/)
  writing.mock.restore()
  assert.equal(await guess('the-right-one'), false)
  assert.equal(compared(), 2)
  assert.equal((await identityOf(app, id)).disabled, true)
})
