import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { buildApp, newPostgresDatabase, type TestApp } from './build-app.ts'
import {
  enrollTotp,
  MFA,
  makeUser,
  OWN_SESSION,
  SELF,
  STEP_MS,
  statusAndCode,
  submitCode,
  tally,
} from './one-time-codes.fixture.ts'
import { decisionOf } from './provider.fixture.ts'

const MINUTE_MS = 60_000
const INVALID = '400 MFA_INVALID_TOKEN'
const TOO_MANY = '429 SERVER_TOO_MANY_REQUESTS'

/** One node, or several on one database. */
const NODES = {
  sqlite: async (t: TestContext) => [await buildApp(t)],
  postgres: async (t: TestContext) => {
    const database = await newPostgresDatabase()
    return [await buildApp(t, { database }), await buildApp(t, { database })]
  },
}

const repeat = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i))

for (const [database, open] of Object.entries(NODES)) {
  const setUp = async (t: TestContext) => {
    const nodes = await open(t)
    const [app] = nodes as [TestApp]
    const user = await makeUser(app)
    const device = await enrollTotp(app, user.session)
    const session = await user.logIn()
    const nodeOf = (index: number) => nodes[index % nodes.length] as TestApp
    const advance = (ms: number) => nodes.forEach(({ clock }) => void clock.advance(ms))
    return { app, user, device, session, nodeOf, advance }
  }

  test(`R-07 D37 a one-time code submitted many times at once works once (${database})`, async (t) => {
    const { app, device, session, nodeOf } = await setUp(t)
    const code = device.code(1)
    const replies = await Promise.all(repeat(8, (index) => submitCode(nodeOf(index), session, code)))
    assert.deepEqual(tally(replies), { 200: 1, [INVALID]: 7 })
    assert.equal(statusAndCode(await app.call('GET', SELF, undefined, { session })), '200')
  })

  test(`R-07 D37 a code works once within its window, and an earlier one does not work after it (${database})`, async (t) => {
    const { app, user, device, session, advance } = await setUp(t)
    const verified = device.code()
    assert.equal(statusAndCode(await submitCode(app, session, verified)), INVALID, 'it was used in verification')
    advance(STEP_MS)
    const [skipped, code] = [device.code(), device.code(1)]
    assert.equal(statusAndCode(await submitCode(app, session, code)), '200')
    const elsewhere = await user.logIn()
    assert.equal(statusAndCode(await submitCode(app, elsewhere, code)), INVALID)
    assert.equal(statusAndCode(await submitCode(app, elsewhere, skipped)), INVALID)
    assert.equal(statusAndCode(await submitCode(app, elsewhere, device.code(2))), INVALID, 'two steps early')
    advance(STEP_MS)
    assert.equal(statusAndCode(await submitCode(app, elsewhere, device.code(1))), '200')
  })

  test(`R-07 D37 a recovery code submitted many times at once works once (${database})`, async (t) => {
    const { device, session, nodeOf } = await setUp(t)
    const [code = '', next = ''] = device.recoveryCodes
    const replies = await Promise.all(repeat(8, (index) => submitCode(nodeOf(index), session, code)))
    assert.deepEqual(tally(replies), { 200: 1, [INVALID]: 7 })
    assert.equal(statusAndCode(await submitCode(nodeOf(0), session, next)), '200')
  })

  test(`R-07 D37 of parallel guesses ten are checked, and no code is for five minutes, not even the right one (${database})`, async (t) => {
    const { app, device, session, nodeOf, advance } = await setUp(t)
    const wrong = device.wrongCode()
    const replies = await Promise.all(repeat(60, (index) => submitCode(nodeOf(index), session, wrong)))
    assert.deepEqual(tally(replies), { [INVALID]: 10, [TOO_MANY]: 50 })
    const right = await submitCode(app, session, device.code(1))
    assert.equal(statusAndCode(right), TOO_MANY)
    const wait = Number(right.headers['retry-after'])
    assert.ok(wait > 290 && wait <= 300, String(wait))
    assert.equal(statusAndCode(await submitCode(app, session, device.recoveryCodes[0] ?? '')), TOO_MANY)
    advance(5 * MINUTE_MS - 10_000)
    assert.equal(statusAndCode(await submitCode(app, session, device.code())), TOO_MANY)
    advance(10_000)
    assert.equal(statusAndCode(await submitCode(app, session, device.code())), '200')
    assert.equal(
      statusAndCode(await submitCode(app, session, device.recoveryCodes[0] ?? '')),
      '200',
      'a refused code is not used up',
    )
  })
}

test('D37 nine wrong codes do not lock, and wrong codes are forgotten after five minutes', async (t) => {
  const app = await buildApp(t)
  const { session } = await makeUser(app)
  const device = await enrollTotp(app, session)
  const guessWrong = async (times: number) => {
    for (let i = 0; i < times; i++)
      assert.equal(statusAndCode(await submitCode(app, session, device.wrongCode())), INVALID)
  }
  await guessWrong(5)
  app.clock.advance(3 * MINUTE_MS)
  await guessWrong(4)
  assert.equal(
    statusAndCode(await submitCode(app, session, device.code())),
    '200',
    'a right code after nine wrong ones',
  )
  app.clock.advance(2 * MINUTE_MS + 1000)
  await guessWrong(5)
  assert.equal(
    statusAndCode(await submitCode(app, session, device.code())),
    '200',
    'the first five have been forgotten',
  )
  await guessWrong(1)
  assert.equal(statusAndCode(await submitCode(app, session, device.code(1))), TOO_MANY)
})

test('R-07 a code that was seen a minute ago does not work, and one of the step before does', async (t) => {
  const app = await buildApp(t)
  const { session, logIn } = await makeUser(app)
  const device = await enrollTotp(app, session)
  app.clock.advance(3 * STEP_MS)
  const elsewhere = await logIn()
  assert.equal(statusAndCode(await submitCode(app, elsewhere, device.code(-2))), INVALID)
  assert.equal(statusAndCode(await submitCode(app, elsewhere, device.code(-1))), '200')
})

test('R-07 D37 each lock takes twice as long as the one before, until a right code', async (t) => {
  const app = await buildApp(t)
  const { session, logIn } = await makeUser(app)
  const device = await enrollTotp(app, session)
  const lock = async () => {
    const partial = await logIn()
    for (let i = 0; i < 10; i++)
      assert.equal(statusAndCode(await submitCode(app, partial, device.wrongCode())), INVALID)
    const refused = await submitCode(app, partial, device.code(1))
    assert.equal(statusAndCode(refused), TOO_MANY)
    return Math.round(Number(refused.headers['retry-after']) / 60)
  }
  for (const minutes of [5, 10, 20]) {
    assert.equal(await lock(), minutes)
    app.clock.advance(minutes * MINUTE_MS)
  }
  assert.equal(statusAndCode(await submitCode(app, await logIn(), device.code())), '200')
  assert.equal(await lock(), 5)
})

test('D37 the limit is per identity: it covers every endpoint that takes a code and every session', async (t) => {
  const app = await buildApp(t)
  const [user, other] = [await makeUser(app), await makeUser(app)]
  const [device, others] = [await enrollTotp(app, user.session), await enrollTotp(app, other.session)]
  const { session } = user
  const code = device.wrongCode()
  const header = { session, headers: { 'mfa-validation-code': code } }
  const calls = [
    () => submitCode(app, session, code),
    () => app.call('DELETE', MFA, undefined, header),
    () => app.call('GET', `${MFA}/recovery-codes`, undefined, header),
    () => app.call('POST', `${MFA}/recovery-codes`, { code }, { session }),
    async () => submitCode(app, await user.logIn(), code),
  ]
  for (const call of [...calls, ...calls]) assert.equal(statusAndCode(await call()), INVALID)
  for (const call of calls) assert.equal(statusAndCode(await call()), TOO_MANY)
  assert.equal(statusAndCode(await submitCode(app, other.session, others.code(1))), '200')
})

test('administrators find a refused code under its request id, without the code', async (t) => {
  const app = await buildApp(t)
  const { session, id } = await makeUser(app)
  const device = await enrollTotp(app, session)
  const wrong = device.wrongCode()
  const decision = await decisionOf(app, (await submitCode(app, session, wrong)).json.error.requestId)
  assert.deepEqual([decision.method, decision.reason, decision.identityId], ['totp', 'wrong-code', id])
  assert.equal(decision.missing.length, 1)
  assert.ok(!decision.missing[0].includes(wrong))
  for (let i = 0; i < 9; i++) await submitCode(app, session, wrong)
  const locked = await submitCode(app, session, device.code(1))
  assert.equal((await decisionOf(app, locked.json.error.requestId)).reason, 'too-many-codes')
})

test('D37 a new enrollment does not reset the count of wrong codes', async (t) => {
  const app = await buildApp(t)
  const user = await makeUser(app)
  const device = await enrollTotp(app, user.session)
  for (let i = 0; i < 10; i++) await submitCode(app, user.session, device.wrongCode())
  await app.admin('DELETE', `/edge/management/v1/identities/${user.id}/mfa`)
  const session = await user.logIn()
  const started = await app.call('POST', MFA, undefined, { session })
  assert.equal(started.status, 201)
  const verify = () => app.call('POST', `${MFA}/verify`, { code: '000000' }, { session })
  assert.equal(statusAndCode(await verify()), TOO_MANY)
  app.clock.advance(5 * MINUTE_MS)
  assert.equal(statusAndCode(await verify()), INVALID)
})

test('D23 codes verified on one node are required on the other within a second', async (t) => {
  const [app, other] = (await NODES.postgres(t)) as [TestApp, TestApp]
  const user = await makeUser(app)
  const elsewhere = await user.logIn()
  const there = () => other.call('GET', SELF, undefined, { session: elsewhere })
  assert.equal(statusAndCode(await there()), '200')
  const device = await enrollTotp(app, user.session)
  const deadline = Date.now() + 1000
  while ((await there()).status !== 401 && Date.now() < deadline) await sleep(10)
  assert.equal(statusAndCode(await there()), '401 UNAUTHORIZED')
  assert.equal(statusAndCode(await submitCode(app, elsewhere, device.code(1))), '200')
  const whole = Date.now() + 1000
  while ((await there()).status !== 200 && Date.now() < whole) await sleep(10)
  const shown = await other.call('GET', OWN_SESSION, undefined, { session: elsewhere })
  assert.equal(shown.json.data.isMfaComplete, true)
})
