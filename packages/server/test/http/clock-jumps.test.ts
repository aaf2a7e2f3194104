import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EXPIRED_FOR_GOOD } from '../../src/store/session-activity.ts'
import { until } from '../keyset/fake-time.ts'
import { summarize } from './ext-jwt-signers.fixture.ts'
import { createPassword, IDENTITIES, createIdentity as makeIdentity, OWN_SESSION } from './identities.fixture.ts'
import { logInWithToken, setUpProvider } from './provider.fixture.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const LOGIN = '/edge/management/v1/authenticate?method=password'
/** The clock's offsets from the start time. */
const JUMPS = [0, HOUR, 0, -HOUR, 0, -HOUR, HOUR, 0]
/** Validity periods of tokens, in minutes from the start time. No boundary is close to a clock position. */
const LIVES = [
  [-10, 10],
  [-70, -50],
  [50, 70],
  [-120, 120],
  [-120, -90],
  [-90, 30],
  [-30, 90],
] as const

test('S-08 verdicts follow a clock that jumps an hour either way repeatedly', async (t) => {
  const { app, token, createSigner, createIdentity } = await setUpProvider(t)
  await createSigner()
  await createIdentity()
  const start = app.clock.now()
  const tokens = LIVES.map(([from, to]) => {
    const [nbf, exp] = [from, to].map((minutes) => Math.floor((start + minutes * MINUTE) / 1000))
    return { from: start + from * MINUTE, to: start + to * MINUTE, token: token({ iat: nbf, nbf, exp }) }
  })
  const idle = app.settings.session.idleSeconds * 1000
  assert.ok(idle < HOUR)
  const locked = await makeIdentity(app)
  const { username, password } = await createPassword(app, locked)
  const disabled = await app.admin('POST', `${IDENTITIES}/${locked}/disable`, { durationMinutes: 30 })
  assert.equal(disabled.status, 200)
  const sessions: { readonly token: string; readonly opened: number }[] = []
  for (const [nth, jump] of JUMPS.entries()) {
    app.clock.advance(start + jump - app.clock.now())
    const now = app.clock.now()
    for (const { from, to, token } of tokens) {
      const expected = from <= now && now < to ? 200 : 401
      // Twice: a cached result must not outlive the token either.
      for (const _ of [1, 2])
        assert.equal((await logInWithToken(app, token)).status, expected, `jump ${nth}, ${from - start}`)
    }
    const isLocked = now < start + 30 * MINUTE
    const byPassword = await app.call('POST', LOGIN, { username, password })
    assert.equal(byPassword.status, isLocked ? 401 : 200, `jump ${nth}: disabled for half an hour`)
    const opened = await logInWithToken(app, token())
    assert.equal(opened.status, 200)
    const session = opened.json.data.token as string
    assert.ok(Date.parse(opened.json.data.expiresAt) > now, 'a new session is not expired')
    assert.equal(summarize(await app.call('GET', OWN_SESSION, undefined, { session })), '200')
    for (const { token, opened } of sessions) {
      const { status } = await app.call('GET', OWN_SESSION, undefined, { session: token })
      assert.ok([200, 401].includes(status))
      if (now >= opened + 2 * idle) assert.equal(status, 401, `jump ${nth}: unused beyond the idle time`)
    }
    sessions.push({ token: session, opened: now })
  }
})

const POLICY = '/edge/management/v1/auth-policies'

for (const [what, session, life] of [
  ['idleMinutes', { idleMinutes: 5 }, 5 * MINUTE],
  ['maxMinutes', { maxMinutes: 7 }, 7 * MINUTE],
  ['endWithToken', { endWithToken: true }, 10 * MINUTE],
] as const) {
  test(`S-08 I-08 a session that was refused after ${what} stays ended when the clock goes back`, async (t) => {
    const { app, token, createSigner, createIdentity } = await setUpProvider(t)
    await createSigner()
    const { data } = (await app.admin('GET', `${POLICY}/default`)).json
    const policy = await app.admin('POST', POLICY, { ...data, name: 'own', session })
    await createIdentity({ authPolicyId: policy.json.data.id })
    const logIn = async () => (await logInWithToken(app, token())).json.data.token as string
    const statusOf = async (of: string) => (await app.call('GET', OWN_SESSION, undefined, { session: of })).status
    const [seen, unseen] = [await logIn(), await logIn()]
    const later = life + 2 * MINUTE
    app.clock.advance(later)
    assert.equal(await statusOf(seen), 401)
    // The end is stored after the response.
    const ended = app.store.db.selectFrom('api_sessions').select('id').where('expires_at', '=', EXPIRED_FOR_GOOD)
    await until(async () => (await ended.executeTakeFirst()) !== undefined)
    app.clock.advance(-later)
    assert.deepEqual([await statusOf(seen), await statusOf(unseen)], [401, 200])
    for (const _ of app.stores) assert.equal(await statusOf(seen), 401)
  })
}
