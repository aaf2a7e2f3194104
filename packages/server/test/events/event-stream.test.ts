import assert from 'node:assert/strict'
import { finished } from 'node:stream/promises'
import { describe, type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { newId } from '@countersign/core'
import { openRawHttps } from '@countersign/testkit'
import { createIdentity as createIdentityOperation } from '../../src/operations/identity/create-identity.ts'
import { serveRoutes } from '../attack/serve-routes.ts'
import { ADMIN_PASSWORD, buildApp, newPostgresDatabase, type TestApp } from '../http/build-app.ts'
import { summarize } from '../http/ext-jwt-signers.fixture.ts'
import { createIdentity, createPassword, IDENTITIES, OWN_SESSION } from '../http/identities.fixture.ts'
import { makeSecondSigner, makeStrictPolicy } from '../http/second-token.fixture.ts'
import { listen, openStream, type StreamOptions } from './open-stream.ts'

const POLICIES = '/edge/management/v1/auth-policies'
const SIGNERS = '/edge/management/v1/ext-jwt-signers'

async function setUp(t: TestContext, options: Parameters<typeof buildApp>[1] = {}) {
  const app = await buildApp(t, { isAlone: 'node', ...options })
  const port = await listen(app)
  return { app, port, open: (given: StreamOptions = { session: app.adminSession }) => openStream(t, port, given) }
}

/** Creates an identity that can read events, under its own policy. */
async function makeReader(app: TestApp, members: Record<string, unknown> = {}) {
  const policy = (await app.admin('GET', `${POLICIES}/default`)).json.data
  const policyId = (await app.admin('POST', POLICIES, { ...policy, name: `readers ${newId()}` })).json.data.id as string
  const id = await createIdentity(app, { permissions: ['admin_readonly'], authPolicyId: policyId, ...members })
  const { username, password } = await createPassword(app, id)
  return { id, policyId, session: await app.logIn(username, password) }
}

const isChangeOf = (id: string) => (event: { data: { finalState?: { id: string } } }) =>
  event.data.finalState?.id === id

describe('the event stream', () => {
  test('D19 is text/event-stream, each event with a resume point and one JSON object, as it happens', async (t) => {
    const { app, open } = await setUp(t)
    const stream = await open()
    assert.deepEqual([stream.status, stream.headers['content-type']], [200, 'text/event-stream'])
    assert.equal(stream.headers['cache-control'], 'no-store')
    const id = await createIdentity(app)
    const { data, ...created } = await stream.until(isChangeOf(id))
    assert.equal(created.type, 'message')
    assert.match(created.id ?? '', /^\S+$/)
    assert.deepEqual([data.namespace, data.eventType, data.entityType], ['entityChange', 'created', 'identities'])
    assert.equal(data.event_src_id, app.controller.events.nodeId)
    await app.logIn('admin', ADMIN_PASSWORD)
    await stream.until((event) => event.data.namespace === 'authentication' && event.data.success)
    await stream.until((event) => event.data.namespace === 'apiSession' && event.data.event_type === 'created')
    assert.equal(stream.events()[0]?.data.finalState?.id, id, 'events before the call are not sent')
  })

  test('D19 resumes after Last-Event-ID, without gaps or repetitions', async (t) => {
    const { app, open } = await setUp(t)
    const first = await open()
    const ids: string[] = []
    for (let count = 0; count < 3; count += 1) ids.push(await createIdentity(app))
    const seen = await first.until(isChangeOf(ids[0] ?? ''))
    first.close()
    ids.push(await createIdentity(app))
    const headers = { 'last-event-id': seen.id ?? '' }
    const second = await open({ session: app.adminSession, headers })
    await second.until(isChangeOf(ids[3] ?? ''))
    assert.deepEqual(
      second.events().map(({ data }) => data.finalState.id),
      ids.slice(1),
    )
  })

  test('D19 reports a gap when the resume point is of another node or too old, and begins with the kept events', async (t) => {
    const { app, open } = await setUp(t)
    const { events } = app.controller
    const id = await createIdentity(app)
    for (const lastEventId of [
      'elsewhere.1',
      `${events.nodeId}.999999`,
      `${events.nodeId}.x`,
      'x',
      '\u00e4'.repeat(200),
    ]) {
      const headers = { 'last-event-id': lastEventId }
      const stream = await open({ session: app.adminSession, headers, query: '?namespace=entityChange' })
      await stream.until(isChangeOf(id))
      assert.deepEqual([stream.events()[0]?.type, stream.events()[0]?.id], ['gap', undefined], lastEventId)
      stream.close()
    }
    const [message, external_jwt_signer_id, event_type] = ['filler', 'signer', 'provider-down']
    for (let count = 0; count < 5_000; count += 1) {
      events.publish({ namespace: 'signerHealth', event_type, external_jwt_signer_id, message })
    }
    const old = await open({ session: app.adminSession, headers: { 'last-event-id': `${events.nodeId}.1` } })
    const gap = await old.until(({ type }) => type === 'gap')
    assert.match(gap.data.message, /no longer available/)
    await old.until((event) => event.id === `${events.nodeId}.${events.last}`)
    assert.equal(old.events().filter(({ type }) => type === 'gap').length, 1)
  })

  test('sends only the requested namespaces, also by the names that existing readers know', async (t) => {
    const { app, open } = await setUp(t)
    const session = app.adminSession
    const stream = await open({ session, query: '?namespace=edge.apiSessions,signerHealth' })
    await createIdentity(app)
    await app.logIn('admin', ADMIN_PASSWORD)
    await stream.until(({ data }) => data.namespace === 'apiSession')
    assert.deepEqual(new Set(stream.events().map(({ data }) => data.namespace)), new Set(['apiSession']))
    const wrong = await app.admin('GET', '/edge/management/v1/events?namespace=apiSession,nothing')
    assert.equal(summarize(wrong), '400 COULD_NOT_VALIDATE namespace')
  })

  test('is for callers who can read everything: others are refused', async (t) => {
    const { app, open } = await setUp(t)
    const plain = await app.makeIdentity({ permissions: ['identity', 'external-jwt-signer'] })
    assert.equal((await open({ session: plain.session })).status, 401)
    assert.equal((await open({})).status, 401)
    const reader = await makeReader(app)
    assert.equal((await open({ session: reader.session })).status, 200)
  })

  test('is refused beyond the allowed number of streams, and accepted again when one has ended', async (t) => {
    const { app, port } = await setUp(t)
    const session = app.adminSession
    const streams = []
    for (let count = 0; count < app.settings.events.maxStreams; count += 1) {
      streams.push(await openStream(t, port, { session }))
    }
    assert.ok(streams.every(({ status }) => status === 200))
    assert.equal((await openStream(t, port, { session })).status, 429)
    streams[0]?.close()
    for (let tries = 0; tries < 250 && app.controller.http.streams.size === streams.length; tries += 1) await sleep(20)
    assert.equal((await openStream(t, port, { session })).status, 200)
  })
})

test('D19 callers who are not administrators hold at most half of the streams, and one of them a quarter', async (t) => {
  const { app, port } = await setUp(t)
  const { maxStreams } = app.settings.events
  const openAs = async (session: string, count: number) => {
    const statuses: number[] = []
    for (let nth = 0; nth < count; nth += 1) statuses.push((await openStream(t, port, { session })).status)
    return statuses
  }
  const [greedy, second, third] = [await makeReader(app), await makeReader(app), await makeReader(app)]
  const quarter = Array(maxStreams / 4).fill(200)
  assert.deepEqual(await openAs(greedy.session, maxStreams / 4 + 1), [...quarter, 429])
  assert.deepEqual(await openAs(second.session, maxStreams / 4), quarter)
  assert.deepEqual(await openAs(third.session, 1), [429])
  assert.deepEqual(await openAs(app.adminSession, maxStreams / 2), [...quarter, ...quarter])
})

test('D19 an administrator who becomes a reader keeps no more streams than a reader opens', async (t) => {
  const { app, port } = await setUp(t)
  const { maxStreams } = app.settings.events
  const demoted = await makeReader(app, { isAdmin: true })
  const open = () => openStream(t, port, { session: demoted.session })
  const streams = []
  for (let nth = 0; nth < maxStreams; nth += 1) streams.push(await open())
  await app.admin('PATCH', `${IDENTITIES}/${demoted.id}`, { tags: { team: 'one' } })
  await sleep(600)
  assert.ok(streams.every(({ status, isEnded }) => status === 200 && !isEnded))
  await app.admin('PATCH', `${IDENTITIES}/${demoted.id}`, { isAdmin: false })
  for (const stream of streams) await stream.untilEnded()
  const statuses: number[] = []
  for (let nth = 0; nth <= maxStreams / 4; nth += 1) statuses.push((await open()).status)
  assert.deepEqual(statuses, [...Array(maxStreams / 4).fill(200), 429])
})

describe('an event stream ends within a second', () => {
  type Reader = Awaited<ReturnType<typeof makeReader>>
  const ENDINGS: Readonly<Record<string, (app: TestApp, reader: Reader) => unknown>> = {
    'its session is closed': (app, { session }) => app.call('DELETE', OWN_SESSION, undefined, { session }),
    'its identity is disabled': (app, { id }) =>
      app.admin('POST', `${IDENTITIES}/${id}/disable`, { durationMinutes: 0 }),
    'its identity is deleted': (app, { id }) => app.admin('DELETE', `${IDENTITIES}/${id}`),
    'its permission is revoked': (app, { id }) => app.admin('PATCH', `${IDENTITIES}/${id}`, { permissions: [] }),
    'its policy no longer allows its login method': (app, { policyId }) =>
      app.admin('PATCH', `${POLICIES}/${policyId}`, { primary: { updb: { allowed: false } } }),
    'its policy requires a second factor': async (app, { policyId }) => {
      const { id: requireExtJwtSigner } = await makeSecondSigner(app)
      return app.admin('PATCH', `${POLICIES}/${policyId}`, { secondary: { requireExtJwtSigner } })
    },
    'its session has expired': (app) => app.clock.advance(app.settings.session.idleSeconds * 1000 + 1),
  }

  test('D19 D13 D23 when its session, identity or policy ends it, and not for changes of others', async (t) => {
    const { app, open } = await setUp(t)
    for (const [when, change] of Object.entries(ENDINGS)) {
      await t.test(when, async () => {
        const reader = await makeReader(app)
        const stream = await open({ session: reader.session })
        const id = await createIdentity(app)
        await stream.until(isChangeOf(id))
        await app.admin('PATCH', `${IDENTITIES}/${id}`, { permissions: ['identity'] })
        await sleep(600)
        assert.ok(!stream.isEnded)
        await change(app, reader)
        const last = await stream.untilEnded()
        assert.deepEqual([last?.type, last?.data.event_type], ['end', 'end'])
        assert.equal((await open({ session: reader.session })).status, 401)
      })
    }
  })

  test('D19 D13 when its session is closed on another node', async (t) => {
    const database = await newPostgresDatabase()
    const { app, open } = await setUp(t, { database })
    const other = await buildApp(t, { database })
    const stream = await open()
    const id = await createIdentity(app)
    await stream.until(isChangeOf(id))
    await other.call('DELETE', OWN_SESSION, undefined, { session: app.adminSession })
    await stream.untilEnded()
  })

  /** Opens a stream with a second token that is valid for a minute. */
  async function openWithSecondToken(t: TestContext) {
    const { app, open } = await setUp(t)
    const second = await makeSecondSigner(app)
    const authPolicyId = await makeStrictPolicy(app, second.id)
    const members = { permissions: ['admin_readonly'], authPolicyId, externalId: 'alice' }
    const { username, password } = await createPassword(app, await createIdentity(app, members))
    const session = await app.logIn(username, password)
    assert.equal((await open({ session })).status, 401)
    const headers = { authorization: `Bearer ${second.token('alice', 60)}` }
    const stream = await open({ session, headers })
    assert.equal(stream.status, 200)
    await sleep(600)
    assert.ok(!stream.isEnded, 'while the token is good')
    return { app, second, stream, again: () => open({ session, headers }) }
  }

  test('E-06 E-10 D22 when the second token expires, although the session continues', async (t) => {
    const { app, stream, again } = await openWithSecondToken(t)
    app.clock.advance(61_000)
    const last = await stream.untilEnded()
    assert.equal(last?.type, 'end')
    const refused = await again()
    assert.equal(refused.status, 401)
    assert.match(refused.headers['www-authenticate'] ?? '', /error="expired"/)
  })

  test('E-10 D22 when the signer of the second token is disabled', async (t) => {
    const { app, second, stream, again } = await openWithSecondToken(t)
    await app.admin('PATCH', `${SIGNERS}/${second.id}`, { enabled: false })
    await stream.untilEnded()
    assert.equal((await again()).status, 401)
  })

  test('E-06 E-10 like every long response, also a list without limit', async (t) => {
    const { app, port } = await setUp(t)
    const meta = { actorId: 'system', now: app.clock.now() }
    const tags = { one: 'x'.repeat(2_000), two: 'x'.repeat(2_000) }
    const bodies = Array.from({ length: 3_000 }, (_, index) => ({ name: `n${index}`, type: 'Default', tags }) as const)
    await Promise.all(
      bodies.map((body) =>
        app.store.run(createIdentityOperation, { id: newId(), body: { ...body, isAdmin: false } }, meta),
      ),
    )
    const path = `${IDENTITIES}?limit=none`
    const read = async (whileReading: (session: string) => unknown): Promise<boolean> => {
      const session = await app.logIn('admin', ADMIN_PASSWORD)
      const list = await openStream(t, port, { session, path, isIdle: true })
      assert.equal(list.status, 200)
      await sleep(600)
      await whileReading(session)
      await sleep(600)
      await finished(list.response.resume()).catch(() => {})
      return list.response.complete
    }
    assert.equal(await read(() => {}), true)
    assert.equal(await read((session) => app.call('DELETE', OWN_SESSION, undefined, { session })), false)
  })

  test('when the controller stops', async (t) => {
    const { app, open } = await setUp(t)
    const stream = await open()
    assert.equal(stream.status, 200)
    const closing = app.controller.http.close()
    const last = await stream.untilEnded()
    assert.match(last?.data.message, /stopping/)
    await closing
  })
})

describe('an open event stream', () => {
  test('does not count as a use of its session', async (t) => {
    const { app, open } = await setUp(t)
    const reader = await makeReader(app)
    const stream = await open({ session: reader.session })
    const idleMs = app.settings.session.idleSeconds * 1000
    app.clock.advance(idleMs - 60_000)
    await sleep(600)
    assert.ok(!stream.isEnded)
    app.clock.advance(60_001)
    await stream.untilEnded()
  })

  test('lasts longer than the handler timeout', async (t) => {
    const words = ['one', 'two']
    const eventStream = {
      read: () => (words.length > 0 ? `data: "${words.shift()}"\n\n` : ''),
      isTooSlow: false,
      wake: () => () => {},
      endNotice: () => 'event: end\ndata: "over"\n\n',
    }
    const served = await serveRoutes(
      t,
      { '/edge/management/v1/events': () => ({ status: 200, eventStream }) },
      { handlerMs: 50 },
    )
    const stream = await openStream(t, served.port, {})
    await sleep(400)
    assert.ok(!stream.isEnded)
    assert.deepEqual(
      stream.events().map(({ data }) => data),
      ['one', 'two'],
    )
  })

  test('gives its place back when it is ready only after the handler timeout', async (t) => {
    const opened = Promise.withResolvers<void>()
    const closed = Promise.withResolvers<string>()
    const eventStream = {
      read: () => '',
      isTooSlow: false,
      wake: () => () => {},
      endNotice: () => '',
      close: () => closed.resolve('closed'),
    }
    const handle = async () => {
      await opened.promise
      return { status: 200, eventStream }
    }
    const served = await serveRoutes(t, { '/edge/management/v1/events': handle }, { handlerMs: 50 })
    assert.equal((await openStream(t, served.port, {})).status, 503)
    opened.resolve()
    assert.equal(await Promise.race([closed.promise, sleep(1_000)]), 'closed')
  })

  for (const leaves of [true, false]) {
    test(`D19 ${leaves ? 'takes no place when its client leaves' : 'is opened when its client stays'} until it is ready`, async (t) => {
      const asked = Promise.withResolvers<void>()
      const ready = Promise.withResolvers<void>()
      const closed = Promise.withResolvers<string>()
      const eventStream = {
        read: () => '',
        isTooSlow: false,
        wake: () => () => {},
        endNotice: () => '',
        close: () => closed.resolve('closed'),
      }
      const handle = async () => {
        asked.resolve()
        await ready.promise
        return { status: 200, eventStream }
      }
      const { port } = await serveRoutes(t, { '/edge/management/v1/events': handle })
      const client = await openRawHttps({ port })
      client.send('GET /edge/management/v1/events HTTP/1.1\r\nHost: localhost\r\n\r\n')
      await asked.promise
      if (leaves) client.close()
      // The controller notices a little later.
      await sleep(100)
      ready.resolve()
      const result = await Promise.race([closed.promise, sleep(1_000, 'open')])
      client.close()
      assert.equal(result, leaves ? 'closed' : 'open')
    })
  }

  test('is ended when its reader is too slow, with a bounded buffer', async (t) => {
    const { app, open } = await setUp(t)
    const { events } = app.controller
    const stream = await open({ session: app.adminSession, isIdle: true })
    const message = 'x'.repeat(4_000)
    // More than the connection's buffers and the hub's memory hold together.
    for (let count = 0; count < 20_000; count += 1) {
      events.publish({ namespace: 'signerHealth', event_type: 'filler', external_jwt_signer_id: 'signer', message })
      if (count % 100 === 0) await new Promise(setImmediate)
    }
    let text = ''
    stream.response.on('data', (chunk: Buffer) => {
      text += chunk.toString()
    })
    await stream.untilEnded()
    assert.match(text, /event: end\ndata: \{[^\n]*events came faster than they were read/)
    assert.ok(text.length < 40_000_000, `${text.length}`)
    const next = await open()
    assert.equal(next.status, 200, 'other streams are not affected')
  })
})
