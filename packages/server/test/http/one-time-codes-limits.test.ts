import assert from 'node:assert/strict'
import { after, type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { buildApp, newPostgresDatabase, stopTestPostgres, type TestApp } from './build-app.ts'
import {
  enrollTotp,
  MFA,
  makePerson,
  OWN_SESSION,
  passCode,
  SELF,
  STEP_MS,
  tally,
  told,
} from './one-time-codes.fixture.ts'
import { decisionOf } from './provider.fixture.ts'

after(stopTestPostgres)

const MINUTE_MS = 60_000
const INVALID = '400 MFA_INVALID_TOKEN'
const TOO_MANY = '429 SERVER_TOO_MANY_REQUESTS'

/** Where the attempts arrive: at one node, or at each of several on one database. */
const PLACES = {
  sqlite: async (t: TestContext) => [await buildApp(t)],
  postgres: async (t: TestContext) => {
    const database = await newPostgresDatabase()
    return [await buildApp(t, { database }), await buildApp(t, { database })]
  },
}

const repeat = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i))

for (const [place, open] of Object.entries(PLACES)) {
  const setUp = async (t: TestContext) => {
    const nodes = await open(t)
    const [app] = nodes as [TestApp]
    const person = await makePerson(app)
    const device = await enrollTotp(app, person.session)
    const session = await person.logIn()
    const nodeOf = (index: number) => nodes[index % nodes.length] as TestApp
    const advance = (ms: number) => nodes.forEach(({ clock }) => void clock.advance(ms))
    return { app, person, device, session, nodeOf, advance }
  }

  test(`R-07 D37 a one-time code given many times at once works once (${place})`, async (t) => {
    const { app, device, session, nodeOf } = await setUp(t)
    const code = device.code(1)
    const replies = await Promise.all(repeat(8, (index) => passCode(nodeOf(index), session, code)))
    assert.deepEqual(tally(replies), { 200: 1, [INVALID]: 7 })
    assert.equal(told(await app.call('GET', SELF, undefined, { session })), '200')
  })

  test(`R-07 D37 a code works once within its window, whatever for, and an earlier one no more (${place})`, async (t) => {
    const { app, person, device, session, advance } = await setUp(t)
    const verified = device.code()
    assert.equal(told(await passCode(app, session, verified)), INVALID, 'it was used to verify')
    advance(STEP_MS)
    const [skipped, code] = [device.code(), device.code(1)]
    assert.equal(told(await passCode(app, session, code)), '200')
    const elsewhere = await person.logIn()
    assert.equal(told(await passCode(app, elsewhere, code)), INVALID)
    assert.equal(told(await passCode(app, elsewhere, skipped)), INVALID)
    assert.equal(told(await passCode(app, elsewhere, device.code(2))), '200')
  })

  test(`R-07 D37 a recovery code given many times at once works once (${place})`, async (t) => {
    const { device, session, nodeOf } = await setUp(t)
    const [code = '', next = ''] = device.recoveryCodes
    const replies = await Promise.all(repeat(8, (index) => passCode(nodeOf(index), session, code)))
    assert.deepEqual(tally(replies), { 200: 1, [INVALID]: 7 })
    assert.equal(told(await passCode(nodeOf(0), session, next)), '200')
  })

  test(`R-07 D37 of parallel guesses ten are looked at, and for five minutes no code is, not even the right one (${place})`, async (t) => {
    const { app, device, session, nodeOf, advance } = await setUp(t)
    const wrong = device.wrongCode()
    const replies = await Promise.all(repeat(60, (index) => passCode(nodeOf(index), session, wrong)))
    assert.deepEqual(tally(replies), { [INVALID]: 10, [TOO_MANY]: 50 })
    const right = await passCode(app, session, device.code(1))
    assert.equal(told(right), TOO_MANY)
    const wait = Number(right.headers['retry-after'])
    assert.ok(wait > 290 && wait <= 300, String(wait))
    assert.equal(told(await passCode(app, session, device.recoveryCodes[0] ?? '')), TOO_MANY)
    advance(5 * MINUTE_MS - 10_000)
    assert.equal(told(await passCode(app, session, device.code())), TOO_MANY)
    advance(10_000)
    assert.equal(told(await passCode(app, session, device.code())), '200')
    assert.equal(
      told(await passCode(app, session, device.recoveryCodes[0] ?? '')),
      '200',
      'what was refused is not spent',
    )
  })
}

test('D37 nine wrong codes do not lock, and wrong codes are forgotten after five minutes', async (t) => {
  const app = await buildApp(t)
  const { session } = await makePerson(app)
  const device = await enrollTotp(app, session)
  const guessWrong = async (times: number) => {
    for (let i = 0; i < times; i++) assert.equal(told(await passCode(app, session, device.wrongCode())), INVALID)
  }
  await guessWrong(5)
  app.clock.advance(3 * MINUTE_MS)
  await guessWrong(4)
  assert.equal(told(await passCode(app, session, device.code())), '200', 'a right code, after nine wrong ones')
  app.clock.advance(2 * MINUTE_MS + 1000)
  await guessWrong(5)
  assert.equal(told(await passCode(app, session, device.code())), '200', 'the first five have been forgotten')
  await guessWrong(1)
  assert.equal(told(await passCode(app, session, device.code(1))), TOO_MANY)
})

test('D37 the limit is of the identity: of every call that takes a code, of every session, and of nobody else', async (t) => {
  const app = await buildApp(t)
  const [person, other] = [await makePerson(app), await makePerson(app)]
  const [device, others] = [await enrollTotp(app, person.session), await enrollTotp(app, other.session)]
  const { session } = person
  const code = device.wrongCode()
  const header = { session, headers: { 'mfa-validation-code': code } }
  const calls = [
    () => passCode(app, session, code),
    () => app.call('DELETE', MFA, undefined, header),
    () => app.call('GET', `${MFA}/recovery-codes`, undefined, header),
    () => app.call('POST', `${MFA}/recovery-codes`, { code }, { session }),
    async () => passCode(app, await person.logIn(), code),
  ]
  for (const call of [...calls, ...calls]) assert.equal(told(await call()), INVALID)
  for (const call of calls) assert.equal(told(await call()), TOO_MANY)
  assert.equal(told(await passCode(app, other.session, others.code(1))), '200')
})

test('administrators find a refused code under its request id, without the code', async (t) => {
  const app = await buildApp(t)
  const { session, id } = await makePerson(app)
  const device = await enrollTotp(app, session)
  const wrong = device.wrongCode()
  const decision = await decisionOf(app, (await passCode(app, session, wrong)).json.error.requestId)
  assert.deepEqual([decision.method, decision.reason, decision.identityId], ['totp', 'wrong-code', id])
  assert.equal(decision.missing.length, 1)
  assert.ok(!decision.missing[0].includes(wrong))
  for (let i = 0; i < 9; i++) await passCode(app, session, wrong)
  const locked = await passCode(app, session, device.code(1))
  assert.equal((await decisionOf(app, locked.json.error.requestId)).reason, 'too-many-codes')
})

test('D37 setting codes up anew does not take back the wrong ones', async (t) => {
  const app = await buildApp(t)
  const person = await makePerson(app)
  const device = await enrollTotp(app, person.session)
  for (let i = 0; i < 10; i++) await passCode(app, person.session, device.wrongCode())
  await app.admin('DELETE', `/edge/management/v1/identities/${person.id}/mfa`)
  const started = await app.call('POST', MFA, undefined, { session: person.session })
  assert.equal(started.status, 201)
  const verify = () => app.call('POST', `${MFA}/verify`, { code: '000000' }, { session: person.session })
  assert.equal(told(await verify()), TOO_MANY)
  app.clock.advance(5 * MINUTE_MS)
  assert.equal(told(await verify()), INVALID)
})

test('D23 codes that are verified on one node are asked for on the other within a second', async (t) => {
  const [app, other] = (await PLACES.postgres(t)) as [TestApp, TestApp]
  const person = await makePerson(app)
  const elsewhere = await person.logIn()
  const there = () => other.call('GET', SELF, undefined, { session: elsewhere })
  assert.equal(told(await there()), '200')
  const device = await enrollTotp(app, person.session)
  const deadline = Date.now() + 1000
  while ((await there()).status !== 401 && Date.now() < deadline) await sleep(10)
  assert.equal(told(await there()), '401 UNAUTHORIZED')
  assert.equal(told(await passCode(app, elsewhere, device.code(1))), '200')
  const whole = Date.now() + 1000
  while ((await there()).status !== 200 && Date.now() < whole) await sleep(10)
  const shown = await other.call('GET', OWN_SESSION, undefined, { session: elsewhere })
  assert.equal(shown.json.data.isMfaComplete, true)
})
