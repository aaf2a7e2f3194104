import assert from 'node:assert/strict'
import { test } from 'node:test'
import { recordEvents } from '../../src/operations/event-sink/record-events.ts'
import { readEventLines } from '../../src/store/event-lines.ts'
import { OidcClient } from '../oidc/oidc.fixture.ts'
import { ADMIN_PASSWORD, buildApp, type TestApp } from './build-app.ts'
import { deliver, makeSink } from './event-sinks.fixture.ts'
import { logInWithToken } from './provider.fixture.ts'
import { sendLogout, setUpChannels } from './provider-channels.fixture.ts'

/** The events of logins that are stored, as `namespace.event_type`. */
async function storedLogins({ store }: TestApp): Promise<string[]> {
  const pending = await store.db.selectFrom('pending_records').selectAll().where('kind', '=', 'events').execute()
  const arranged = await store.db.selectFrom('event_outbox').selectAll().execute()
  return [...arranged, ...pending]
    .flatMap(({ content }) => readEventLines(content))
    .map(({ text }) => JSON.parse(text))
    .filter(({ namespace }) => namespace === 'authentication' || namespace === 'apiSession')
    .map(({ namespace, event_type }) => `${namespace}.${event_type}`)
    .sort()
}

const LOGIN_EVENTS = ['apiSession.created', 'authentication.success']

const LOGINS: Readonly<Record<string, (app: TestApp) => Promise<unknown>>> = {
  'the edge API': (app) => app.logIn('admin', ADMIN_PASSWORD),
  'the OpenID provider': (app) => new OidcClient(app).logIn('admin', ADMIN_PASSWORD),
}

for (const [door, logIn] of Object.entries(LOGINS)) {
  test(`Z-01 a node that is killed after a login at ${door} has its events`, async (t) => {
    const app = await buildApp(t)
    await makeSink(app)
    const before = (await storedLogins(app)).length
    const { run } = app.store
    // The node is killed before it stores what no transaction has recorded.
    const killed: typeof run = (operation, ...rest) =>
      operation.name === recordEvents.name ? new Promise(() => {}) : run(operation, ...rest)
    t.mock.method(app.store, 'run', killed)
    await logIn(app)
    assert.deepEqual((await storedLogins(app)).slice(before), LOGIN_EVENTS)
  })
}

test('Z-01 C-24 a token that is used again causes no event of an accepted login', async (t) => {
  const { app, token } = await setUpChannels(t, { oneUse: true })
  await makeSink(app)
  const once = token({ jti: 'one' })
  assert.equal((await logInWithToken(app, once)).status, 200)
  await deliver(app)
  assert.deepEqual(await storedLogins(app), LOGIN_EVENTS)
  for (let again = 0; again < 3; again++) assert.equal((await logInWithToken(app, once)).status, 401)
  await deliver(app)
  const refused = ['authentication.fail', 'authentication.fail', 'authentication.fail']
  assert.deepEqual(await storedLogins(app), [...LOGIN_EVENTS, ...refused].sort())
})

test('Z-01 V-01 a token that its provider has revoked causes no event of an accepted login', async (t) => {
  const { app, signerId, token, logIn, logoutToken } = await setUpChannels(t)
  const revoked = token()
  await logIn()
  await makeSink(app)
  assert.equal((await sendLogout(app, signerId, logoutToken())).status, 200)
  assert.equal((await logInWithToken(app, revoked)).status, 401)
  await deliver(app)
  assert.deepEqual(
    (await storedLogins(app)).filter((name) => name !== 'apiSession.deleted'),
    ['authentication.fail'],
  )
  app.clock.advance(1_000)
  await logIn()
  await deliver(app)
  assert.deepEqual(
    (await storedLogins(app)).filter((name) => name !== 'apiSession.deleted'),
    [...LOGIN_EVENTS, 'authentication.fail'].sort(),
  )
})
