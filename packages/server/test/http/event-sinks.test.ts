import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { newId } from '@countersign/core'
import { pruneOutbox } from '../../src/operations/event-sink/arrange-records.ts'
import { leaseSink } from '../../src/operations/event-sink/deliver.ts'
import { recordEvents } from '../../src/operations/event-sink/record-events.ts'
import { eventLines } from '../../src/store/event-lines.ts'
import { ADMIN_PASSWORD, buildApp, type TestApp } from './build-app.ts'
import { deliver, makeSink, SINKS, sinkBody, startReceiver, WEBHOOK_SECRET } from './event-sinks.fixture.ts'
import { create as createSigner, jwksBody, SIGNERS } from './ext-jwt-signers.fixture.ts'
import { IDENTITIES, identityBody } from './identities.fixture.ts'

const OTHER_SECRET = `whsec_${Buffer.alloc(24, 2).toString('base64')}`

const get = async (app: TestApp, id: string) => (await app.admin('GET', `${SINKS}/${id}`)).json.data
// biome-ignore lint/suspicious/noExplicitAny: tests read events of every shape
const otlpEvents = ({ resourceLogs }: any): any[] =>
  resourceLogs[0].scopeLogs[0].logRecords.map(({ body }: { body: { stringValue: string } }) =>
    JSON.parse(body.stringValue),
  )
const system = (app: TestApp) => ({ actorId: 'system', now: app.clock.now() })
const signature = (secret: string, signed: string): string => {
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
  return `v1,${createHmac('sha256', key).update(signed).digest('base64')}`
}

test('Z-01 a webhook receives a signed request for each event, once, in order per subject', async (t) => {
  const receiver = await startReceiver(t)
  const app = await buildApp(t)
  const id = await makeSink(app, { name: 'siem', kind: 'webhook', url: receiver.url, secret: WEBHOOK_SECRET })
  await app.logIn('admin', ADMIN_PASSWORD)
  await deliver(app)
  const types = receiver.received.map(({ json }) => `${json.namespace} ${json.event_type ?? json.eventType}`)
  assert.deepEqual(types.toSorted(), ['apiSession created', 'authentication success', 'entityChange created'])
  assert.ok(types.indexOf('apiSession created') < types.indexOf('authentication success'))
  for (const { headers, body, json } of receiver.received) {
    const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`
    assert.equal(headers['webhook-signature'], signature(WEBHOOK_SECRET, signed))
    assert.equal(headers['content-type'], 'application/json')
    assert.equal(json.event_id, headers['webhook-id'])
    assert.doesNotMatch(body, /whsec_/)
  }
  const { position, behind, lastError, lastDeliveryAt, secretSet, ...others } = await get(app, id)
  assert.deepEqual([position, behind, lastError, secretSet], [3, 0, null, true])
  assert.ok(Date.parse(lastDeliveryAt) <= app.clock.now())
  assert.equal('secret' in others, false)
  await deliver(app)
  assert.equal(receiver.received.length, 3)
})

test('nothing is recorded without a sink', async (t) => {
  const app = await buildApp(t)
  await deliver(app)
  await app.admin('POST', IDENTITIES, identityBody())
  await app.logIn('admin', ADMIN_PASSWORD)
  await app.call('POST', '/edge/management/v1/authenticate?method=password', { username: 'admin', password: 'wrong' })
  const { db } = app.store
  const events = await db.selectFrom('pending_records').selectAll().where('kind', '=', 'events').execute()
  assert.deepEqual(events, [])
  await deliver(app)
  assert.deepEqual(await db.selectFrom('event_outbox').selectAll().execute(), [])
  await makeSink(app)
  await app.logIn('admin', ADMIN_PASSWORD)
  await deliver(app)
  assert.notDeepEqual(await db.selectFrom('event_outbox').selectAll().execute(), [])
})

test('Z-03 bodies are refused with the field that is wrong', async (t) => {
  const app = await buildApp(t)
  const webhook = { name: 'a', kind: 'webhook', url: 'https://siem.example/in' }
  const refused: [object, string][] = [
    [{ ...webhook, kind: 'syslog' }, 'kind'],
    [{ ...webhook, url: undefined }, 'url'],
    [{ ...webhook, url: 'https://169.254.169.254/' }, 'url'],
    [{ ...webhook, url: 'http://siem.example/in' }, 'url'],
    [{ ...webhook, url: 'https://user:pass@siem.example/' }, 'url'],
    [{ ...webhook, format: 'xml' }, 'format'],
    [{ ...webhook, secret: 'whsec_short' }, 'secret'],
    [{ ...webhook, secret: 'plain text of a secret that is long' }, 'secret'],
    [{ ...webhook, filter: { types: ['unknown'] } }, 'filter.types.0'],
    [{ ...webhook, filter: { outcomes: ['maybe'] } }, 'filter.outcomes.0'],
    [{ ...webhook, filter: { type: ['authentication'] } }, 'filter.type'],
    [{ ...webhook, name: '' }, 'name'],
    [{ name: '../../etc/cron', kind: 'file' }, 'name'],
    [{ name: 'a/b', kind: 'file' }, 'name'],
    [{ name: 'a', kind: 'file', url: 'https://siem.example/in' }, 'url'],
  ]
  for (const [body, field] of refused) {
    const reply = await app.admin('POST', SINKS, body)
    assert.equal(reply.status, 400, JSON.stringify(body))
    assert.equal(reply.json.error.cause.field, field, reply.text)
    assert.doesNotMatch(reply.text, /whsec_short|plain text/)
  }
  await makeSink(app, { ...webhook, secret: WEBHOOK_SECRET, filter: { types: ['authentication'], outcomes: ['fail'] } })
  const again = await app.admin('POST', SINKS, webhook)
  assert.equal(again.json.error.cause.field, 'name')
})

test('Z-03 only administrators read and write sinks', async (t) => {
  const app = await buildApp(t)
  await makeSink(app)
  const { session } = await app.makeIdentity({ permissions: ['admin_readonly'] })
  for (const method of ['GET', 'POST']) {
    const body = method === 'POST' ? sinkBody() : undefined
    assert.equal((await app.call(method, SINKS, body, { session })).status, 401)
    assert.ok((await app.admin(method, SINKS, body)).status < 300)
  }
})

test('Z-03 the address of a webhook, which may hold its credential, is shown to administrators alone', async (t) => {
  const receiver = await startReceiver(t)
  const app = await buildApp(t)
  await makeSink(app, { name: 'siem', kind: 'webhook', url: receiver.url })
  const url = 'https://hooks.example/services/hidden-credential'
  const id = await makeSink(app, { name: 'chat', kind: 'webhook', url })
  const { session } = await app.makeIdentity({ permissions: ['admin_readonly'] })
  const history = await app.call('GET', `/edge/management/v1/audit-entries?filter=objectId="${id}"`, undefined, {
    session,
  })
  assert.equal(history.json.data[0].after.origin, 'https://hooks.example')
  assert.match(history.json.data[0].after.url, /^sha256:/)
  await deliver(app)
  const events = receiver.received.filter(({ json }) => json.finalState?.id === id)
  assert.equal(events[0]?.json.finalState.origin, 'https://hooks.example')
  for (const text of [history.text, ...events.map(({ body }) => body)]) assert.doesNotMatch(text, /hidden-credential/)
  assert.equal((await get(app, id)).url, url)
})

test('Z-03 a sink that is disabled or moved while it is behind sends no further batch to the old address', async (t) => {
  const [old, next] = [await startReceiver(t), await startReceiver(t)]
  const app = await buildApp(t)
  const id = await makeSink(app, { name: 'a', kind: 'webhook', url: old.url })
  const isSent = Promise.withResolvers<void>()
  const isDisabled = Promise.withResolvers<void>()
  old.respond(async () => {
    isSent.resolve()
    await isDisabled.promise
    return 200
  })
  await app.admin('POST', IDENTITIES, identityBody())
  const delivering = deliver(app)
  await isSent.promise
  const later = identityBody()
  assert.equal((await app.admin('POST', IDENTITIES, later)).status, 201)
  // Gives the event its position.
  await app.admin('GET', '/edge/management/v1/audit-entries?limit=1')
  assert.equal((await app.admin('PATCH', `${SINKS}/${id}`, { enabled: false })).status, 200)
  isDisabled.resolve()
  await delivering
  await deliver(app)
  const hasLater = ({ received }: typeof old) => received.some(({ json }) => json.finalState?.name === later.name)
  assert.deepEqual([old.received.length > 0, hasLater(old)], [true, false])
  assert.equal((await app.admin('PATCH', `${SINKS}/${id}`, { enabled: true, url: next.url })).status, 200)
  await deliver(app)
  assert.deepEqual([hasLater(old), hasLater(next), (await get(app, id)).behind], [false, true, 0])
})

test('D64 D65 members change only when named, and another address clears the secret', async (t) => {
  const app = await buildApp(t)
  const webhook = { name: 'a', kind: 'webhook', url: 'https://siem.example/in' }
  const id = await makeSink(app, { ...webhook, secret: WEBHOOK_SECRET, filter: { types: ['authentication'] } })
  const path = `${SINKS}/${id}`
  assert.equal((await app.admin('PUT', path, webhook)).status, 200)
  const kept = await get(app, id)
  assert.deepEqual([kept.secretSet, kept.filter], [true, { types: ['authentication'] }])
  assert.equal((await app.admin('PATCH', path, { filter: null })).status, 200)
  assert.equal((await get(app, id)).filter, null)
  assert.equal((await app.admin('PATCH', path, { url: 'https://other.example/in', secret: OTHER_SECRET })).status, 200)
  assert.equal((await get(app, id)).secretSet, true)
  assert.equal((await app.admin('PATCH', path, { url: 'https://third.example/in' })).status, 200)
  assert.equal((await get(app, id)).secretSet, false)
  const row = await app.store.db.selectFrom('event_sinks').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
  assert.deepEqual([row.secret, row.previous_secret], [null, null])
  for (const none of [null, '']) {
    for (const secret of [WEBHOOK_SECRET, OTHER_SECRET]) await app.admin('PATCH', path, { secret })
    assert.equal((await get(app, id)).secretSet, true)
    assert.equal((await app.admin('PATCH', path, { secret: none })).status, 200)
    assert.equal((await get(app, id)).secretSet, false, String(none))
  }
})

test('both secrets sign during a rotation, for a day', async (t) => {
  const receiver = await startReceiver(t)
  const app = await buildApp(t)
  const id = await makeSink(app, { name: 'a', kind: 'webhook', url: receiver.url, secret: WEBHOOK_SECRET })
  assert.equal((await app.admin('PATCH', `${SINKS}/${id}`, { secret: OTHER_SECRET })).status, 200)
  await app.admin('POST', `${SINKS}/${id}/test`)
  const first = receiver.received.at(-1)
  const signed = `${first?.headers['webhook-id']}.${first?.headers['webhook-timestamp']}.${first?.body}`
  const both = `${signature(OTHER_SECRET, signed)} ${signature(WEBHOOK_SECRET, signed)}`
  assert.equal(first?.headers['webhook-signature'], both)
  app.clock.advance(24 * 3_600_000)
  const session = await app.logIn('admin', ADMIN_PASSWORD)
  await app.call('POST', `${SINKS}/${id}/test`, undefined, { session })
  const last = receiver.received.at(-1)
  assert.doesNotMatch(String(last?.headers['webhook-signature']), / /)
})

test('Z-03 a receiver that upgrades connections, or sends interim responses without end, keeps no connection', async (t) => {
  const INTERIM = 'HTTP/1.1 103 Early Hints\r\n\r\n'
  const responses: Record<string, [string, boolean]> = {
    '/upgrade': ['HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n', false],
    '/interim': [INTERIM.repeat(100), false],
    '/few': [`${INTERIM}${INTERIM}HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`, true],
  }
  const closed: Promise<unknown>[] = []
  const server = createServer((socket) => {
    closed.push(once(socket, 'close'))
    socket.on('error', () => {})
    socket.once('data', (head) => socket.write(responses[head.toString().split(' ')[1] ?? '']?.[0] ?? ''))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => server.close())
  const { port } = server.address() as AddressInfo
  const app = await buildApp(t)
  for (const [path, [, isDelivered]] of Object.entries(responses)) {
    const sink = { name: path.slice(1), kind: 'webhook', url: `http://127.0.0.1:${port}${path}`, enabled: false }
    const sent = await app.admin('POST', `${SINKS}/${await makeSink(app, sink)}/test`)
    assert.equal(sent.json.data.delivered, isDelivered, sent.text)
    assert.doesNotMatch(sent.text, /within 5 s/)
  }
  assert.equal(closed.length, 3)
  await Promise.all(closed)
})

test('Z-01 a collector that is down for minutes misses nothing, and repeats have the same id', async (t) => {
  const receiver = await startReceiver(t)
  const app = await buildApp(t)
  const id = await makeSink(app, { name: 'a', kind: 'webhook', url: receiver.url })
  const tried: string[] = []
  receiver.respond(({ headers }) => {
    tried.push(String(headers['webhook-id']))
    return 503
  })
  for (let login = 0; login < 3; login++) await app.logIn('admin', ADMIN_PASSWORD)
  await deliver(app)
  const down = await get(app, id)
  assert.match(down.lastError, /HTTP 503/)
  assert.deepEqual([down.position, down.behind], [0, 7])
  const attempts = tried.length
  await deliver(app)
  assert.equal(tried.length, attempts, 'it waits before the next attempt')
  for (let minute = 0; minute < 5; minute++) {
    app.clock.advance(60_000)
    await deliver(app)
  }
  assert.ok(tried.length > attempts)
  receiver.respond(() => 200)
  app.clock.advance(600_000)
  await deliver(app)
  const up = await get(app, id)
  assert.deepEqual([up.lastError, up.behind, up.position], [null, 0, 7])
  const positions = receiver.received.map(({ json }) => json.position).toSorted((a, b) => a - b)
  assert.deepEqual(positions, [1, 2, 3, 4, 5, 6, 7])
  const ids = new Set(receiver.received.map(({ headers }) => String(headers['webhook-id'])))
  assert.ok(tried.every((each) => ids.has(each)))
})

test('Z-01 an event that fails delays only those about the same subject', async (t) => {
  const receiver = await startReceiver(t)
  const app = await buildApp(t)
  const id = await makeSink(app, { name: 'a', kind: 'webhook', url: receiver.url })
  await app.logIn('admin', ADMIN_PASSWORD)
  await app.admin('POST', IDENTITIES, identityBody())
  receiver.respond(({ json }) => (json.namespace === 'apiSession' ? 500 : 200))
  await deliver(app)
  const before = receiver.received.map(({ json }) => json.namespace)
  assert.equal(before.includes('authentication'), false, 'it is about the same identity')
  receiver.respond(() => 200)
  app.clock.advance(10_000)
  await deliver(app)
  const positions = receiver.received.map(({ json }) => json.position)
  assert.deepEqual(positions.toSorted(), [1, 2, 3, 4])
  assert.equal((await get(app, id)).behind, 0)
})

/** Records events of logins of identities, or of none. */
async function recordLogins(app: TestApp, identityIds: readonly string[]): Promise<void> {
  const text = (identityId: string) => JSON.stringify({ namespace: 'authentication', identity_id: identityId })
  const at = app.clock.now()
  const events = eventLines(identityIds.map((identityId) => ({ id: newId(), at, text: text(identityId) })))
  await app.store.run(recordEvents, {}, { ...system(app), events })
}

test('Z-01 events of others overtake those of an identity that causes more than the receiver takes', async (t) => {
  const receiver = await startReceiver(t)
  const app = await buildApp(t)
  const id = await makeSink(app, { name: 'a', kind: 'webhook', url: receiver.url })
  await deliver(app)
  await recordLogins(app, [...new Array(2_500).fill('busy'), 'other'])
  let isSlow = true
  const { promise: isOvertaken, resolve: overtake } = Promise.withResolvers<void>()
  receiver.respond(async ({ json }) => {
    if (json.identity_id === 'other') overtake()
    else if (isSlow) await sleep(10)
    return 200
  })
  const delivering = deliver(app)
  await isOvertaken
  isSlow = false
  const ofBusy = () =>
    receiver.received.filter(({ json }) => json.identity_id === 'busy').map(({ json }) => json.position)
  assert.ok(ofBusy().length < 1_000)
  await delivering
  assert.equal(ofBusy().length, 2_500)
  assert.deepEqual(
    ofBusy(),
    ofBusy().toSorted((a, b) => a - b),
  )
  assert.equal((await get(app, id)).behind, 0)
})

test('Z-01 refusals, which are about no subject, do not wait for each other', async (t) => {
  const receiver = await startReceiver(t)
  const app = await buildApp(t)
  await makeSink(app, { name: 'a', kind: 'webhook', url: receiver.url })
  await deliver(app)
  const mostAtOnce = async (identityId: string): Promise<number> => {
    await recordLogins(app, new Array(16).fill(identityId))
    let [running, most] = [0, 0]
    receiver.respond(async () => {
      most = Math.max(most, ++running)
      await sleep(20)
      running--
      return 200
    })
    await deliver(app)
    return most
  }
  assert.equal(await mostAtOnce(''), 8)
  assert.equal(await mostAtOnce('somebody'), 1)
})

test('Z-01 a replay and a new address begin with events that the receiver had before others', async (t) => {
  const [receiver, other] = [await startReceiver(t), await startReceiver(t)]
  const app = await buildApp(t)
  const id = await makeSink(app, { name: 'a', kind: 'webhook', url: receiver.url })
  await deliver(app)
  const { position } = await get(app, id)
  const range = (first: number, last: number) => Array.from({ length: last + 1 - first }, (_, at) => first + at)
  const positions = ({ received }: typeof receiver) =>
    received
      .splice(0)
      .map(({ json }) => json.position)
      .filter((each) => each > position && each <= position + 4)
      .toSorted((a, b) => a - b)
  /** Every event is received but the first. */
  const receiveAhead = async (): Promise<void> => {
    receiver.respond(({ json }) => (json.position === position + 1 ? 500 : 200))
    await deliver(app)
    assert.deepEqual(
      [(await get(app, id)).position, positions(receiver)],
      [position, range(position + 2, position + 4)],
    )
    receiver.respond(() => 200)
  }
  await recordLogins(app, ['one', 'two', 'three', 'four'])
  await receiveAhead()
  app.clock.advance(10_000)
  await deliver(app)
  assert.deepEqual(positions(receiver), [position + 1], 'what it has received is not repeated')

  const replay = () => app.admin('POST', `${SINKS}/${id}/replay`, { from: position + 1 })
  await replay()
  await receiveAhead()
  await replay()
  await deliver(app)
  assert.deepEqual(positions(receiver), range(position + 1, position + 4))

  await replay()
  receiver.respond(({ json }) => (json.position === position + 1 ? 500 : 200))
  await deliver(app)
  await app.admin('PATCH', `${SINKS}/${id}`, { url: other.url })
  await deliver(app)
  assert.deepEqual(positions(other), range(position + 1, position + 4))
})

test('Z-01 tests of a file between its deliveries damage and lose no line', async (t) => {
  const app = await buildApp(t, { isAlone: 'controller' })
  const body = sinkBody()
  const id = await makeSink(app, body)
  await deliver(app)
  for (let round = 0; round < 20; round++) {
    await recordLogins(app, new Array(50).fill('somebody'))
    const tests = Array.from({ length: 5 }, () => app.admin('POST', `${SINKS}/${id}/test`))
    const replies = await Promise.all([...tests, deliver(app).then(() => undefined)])
    for (const reply of replies) if (reply) assert.equal(reply.json.data.delivered, true)
  }
  const text = readFileSync(join(app.dir, 'events', `${body.name}.jsonl`), 'utf8').trimEnd()
  const lines = text.split('\n').map((line) => JSON.parse(line))
  assert.equal(lines.filter(({ identity_id }) => identity_id === 'somebody').length, 1_000)
  assert.equal(lines.filter(({ event_type }) => event_type === 'test').length, 100)
})

test('Z-01 another process delivers when the lease of one that died has ended', async (t) => {
  const receiver = await startReceiver(t)
  const app = await buildApp(t)
  const id = await makeSink(app, { name: 'a', kind: 'webhook', url: receiver.url })
  assert.equal(await app.store.run(leaseSink, { id, owner: 'dead', leaseMs: 30_000 }, system(app)), true)
  await deliver(app)
  assert.equal(receiver.received.length, 0)
  app.clock.advance(30_001)
  await deliver(app)
  assert.equal(receiver.received.length, 1)
})

test('filters send what they name, and heads of the record besides', async (t) => {
  const [logins, changes, signers] = [await startReceiver(t), await startReceiver(t), await startReceiver(t)]
  const app = await buildApp(t)
  const signer = await createSigner(app)
  const other = await createSigner(app)
  const kind = 'webhook'
  await makeSink(app, {
    name: 'a',
    kind,
    url: logins.url,
    filter: { types: ['authentication'], outcomes: ['refused'] },
  })
  await makeSink(app, { name: 'b', kind, url: changes.url, filter: { types: ['entityChange'] } })
  await makeSink(app, { name: 'c', kind, url: signers.url, filter: { signers: [signer] } })
  await app.logIn('admin', ADMIN_PASSWORD)
  await app.call('POST', '/edge/management/v1/authenticate?method=password', { username: 'admin', password: 'wrong' })
  for (const id of [signer, other]) {
    await app.admin('PATCH', `/edge/management/v1/ext-jwt-signers/${id}`, { tags: { a: 'b' } })
  }
  await deliver(app)
  assert.deepEqual(
    logins.received.map(({ json }) => [json.namespace, json.success]),
    [['authentication', false]],
  )
  assert.ok(changes.received.length >= 4)
  assert.ok(changes.received.every(({ json }) => json.namespace === 'entityChange'))
  assert.deepEqual(
    signers.received.map(({ json }) => json.finalState.id),
    [signer],
  )
})

test('a replay sends the events from a position again, with the same ids', async (t) => {
  const receiver = await startReceiver(t)
  const app = await buildApp(t)
  const id = await makeSink(app, { name: 'a', kind: 'webhook', url: receiver.url })
  await app.logIn('admin', ADMIN_PASSWORD)
  await deliver(app)
  const before = new Map(receiver.received.map(({ json, headers }) => [json.position, headers['webhook-id']]))
  receiver.received.length = 0
  const reply = await app.admin('POST', `${SINKS}/${id}/replay`, { from: 2 })
  assert.deepEqual(reply.json.data, { from: 2 })
  await deliver(app)
  const again = receiver.received.filter(({ json }) => json.position <= 3)
  assert.deepEqual(again.map(({ json }) => json.position).toSorted(), [2, 3])
  for (const { json, headers } of again) assert.equal(headers['webhook-id'], before.get(json.position))
  for (const from of [0, 1_000, 1.5, 'x']) {
    assert.equal((await app.admin('POST', `${SINKS}/${id}/replay`, { from })).status, 400, String(from))
  }
})

test('Z-04 what is deleted before it was delivered is reported', async (t) => {
  const receiver = await startReceiver(t)
  const app = await buildApp(t)
  const id = await makeSink(app, { name: 'a', kind: 'webhook', url: receiver.url })
  receiver.respond(() => 503)
  for (let login = 0; login < 2; login++) {
    await app.logIn('admin', ADMIN_PASSWORD)
    await deliver(app)
  }
  assert.equal(await app.store.run(pruneOutbox, { keepMs: 1e9, keepRows: 2 }, system(app)), false)
  receiver.respond(() => 200)
  app.clock.advance(60_000)
  await deliver(app)
  const [notice] = receiver.received.filter(({ json }) => json.event_type === 'dropped')
  assert.deepEqual([notice?.json.first_position, notice?.json.last_position, notice?.json.dropped], [1, 3, 3])
  const positions = receiver.received
    .filter(({ json }) => json.namespace !== 'eventSink')
    .map(({ json }) => json.position)
  assert.deepEqual(positions.toSorted(), [4, 5])
  const { dropped, behind } = await get(app, id)
  assert.deepEqual([dropped, behind], [3, 0])
  assert.equal(await app.store.run(pruneOutbox, { keepMs: -1, keepRows: 2 }, system(app)), false)
  assert.deepEqual(await app.store.db.selectFrom('event_outbox').selectAll().execute(), [], 'too old')
})

test('a test event is sent at once and reports what the receiver said', async (t) => {
  const receiver = await startReceiver(t)
  const app = await buildApp(t)
  const id = await makeSink(app, { name: 'a', kind: 'webhook', url: receiver.url, enabled: false })
  const sent = (await app.admin('POST', `${SINKS}/${id}/test`)).json.data
  assert.equal(sent.delivered, true)
  assert.deepEqual([receiver.received[0]?.json.event_type, receiver.received[0]?.json.event_id], ['test', sent.eventId])
  receiver.respond(() => 418)
  const refused = (await app.admin('POST', `${SINKS}/${id}/test`)).json.data
  assert.deepEqual([refused.delivered, refused.status], [false, 418])
  assert.match(refused.error, /418/)
  assert.equal((await get(app, id)).position, 0)
})

test('OTLP logs and CloudEvents are sent to a collector', async (t) => {
  const [otlp, cloud] = [await startReceiver(t), await startReceiver(t)]
  const app = await buildApp(t)
  await makeSink(app, { name: 'otlp', kind: 'otlp', url: otlp.url })
  await makeSink(app, { name: 'cloud', kind: 'webhook', format: 'cloudevents', url: cloud.url })
  await app.logIn('admin', ADMIN_PASSWORD)
  await deliver(app)
  const records = otlp.received.flatMap(({ json }) => json.resourceLogs[0].scopeLogs[0].logRecords)
  assert.deepEqual(
    records.map(({ eventName }) => eventName),
    ['entityChange.created', 'entityChange.created', 'apiSession.created', 'authentication.success'].map(
      (name) => `countersign.${name}`,
    ),
  )
  const [event] = cloud.received
  assert.equal(event?.headers['content-type'], 'application/cloudevents+json')
  assert.equal(event?.json.specversion, '1.0')
  assert.equal(event?.json.id, event?.headers['webhook-id'])
})

test('Z-01 long events reach a collector in several requests, and those that it has accepted are not repeated', async (t) => {
  const collector = await startReceiver(t)
  const app = await buildApp(t)
  const id = await makeSink(app, { name: 'otlp', kind: 'otlp', url: collector.url, filter: { types: ['apiAccount'] } })
  const LONG = 400_000
  const ids = Array.from({ length: 5 }, () => newId())
  const text = JSON.stringify({ namespace: 'apiAccount', note: 'x'.repeat(LONG) })
  const events = eventLines(ids.map((each) => ({ id: each, at: app.clock.now(), text })))
  await app.store.run(recordEvents, {}, { ...system(app), events })
  const tooLong = (body: string) => body.length > 1_500_000
  collector.respond(({ body }) => (tooLong(body) ? 413 : collector.received.length === 0 ? 200 : 503))
  await deliver(app)
  const idsOf = ({ json }: (typeof collector.received)[number]): string[] =>
    json.resourceLogs[0].scopeLogs[0].logRecords.map(
      ({ attributes }: { attributes: { value: { stringValue: string } }[] }) => attributes[0]?.value.stringValue,
    )
  assert.deepEqual(collector.received.map(idsOf), [ids.slice(0, 2)])
  assert.match((await get(app, id)).lastError, /HTTP 503/)
  collector.respond(({ body }) => (tooLong(body) ? 413 : 200))
  app.clock.advance(10_000)
  await deliver(app)
  assert.deepEqual(collector.received.flatMap(idsOf), ids)
  const { lastError, behind } = await get(app, id)
  assert.deepEqual([lastError, behind], [null, 0])
})

test('Z-01 an event that a receiver refuses as too long is sent shortened, and keeps no later one from it', async (t) => {
  const app = await buildApp(t)
  const { session } = await app.makeIdentity({ permissions: ['external-jwt-signer'] })
  const LIMIT = 65_536
  for (const kind of ['webhook', 'otlp']) {
    const receiver = await startReceiver(t)
    const id = await makeSink(app, { name: kind, kind, url: receiver.url })
    receiver.respond(({ body }) => (body.length > LIMIT ? 413 : 200))
    const scopes = Array.from({ length: 4 }, (_, number) => `${number}${'x'.repeat(200)}`)
    const testCases = Array.from({ length: 20 }, (_, number) => {
      const claims = { sub: Array.from({ length: 10 }, () => 'x'.repeat(400)) }
      return { name: `case ${number}`, claims, expect: { outcome: 'refused' } }
    })
    const body = { ...jwksBody({ name: `long of ${kind}` }), scopes, testCases }
    const created = await app.call('POST', SIGNERS, body, { session })
    assert.equal(created.status, 201, created.text)
    const signerId = created.json.data.id
    await app.admin('POST', IDENTITIES, identityBody())
    await deliver(app)
    const { behind, lastError } = await get(app, id)
    assert.deepEqual([behind, lastError], [0, null])
    const events = receiver.received.flatMap(({ json }) => (kind === 'webhook' ? [json] : otlpEvents(json)))
    const changed = events.filter(({ namespace }) => namespace === 'entityChange')
    const long = changed.find(({ finalState }) => finalState.id === signerId)
    assert.deepEqual([long.shortened, long.metadata.author.type], [true, 'identity'])
    assert.deepEqual([long.finalState.scopes, long.finalState.testCases], [scopes, undefined])
    const whole = changed.find(({ entityType }) => entityType === 'identities')
    assert.deepEqual([whole.shortened, whole.finalState.isAdmin], [undefined, false])
    assert.equal((await app.admin('DELETE', `${SINKS}/${id}`)).status, 200)
  }
})

test('Z-01 a file has a line for each event; a full disk and a torn line lose and repeat none', async (t) => {
  const app = await buildApp(t, { isAlone: 'controller' })
  const folder = join(app.dir, 'events')
  const path = join(folder, 'audit.jsonl')
  const lines = () => readFileSync(path, 'utf8').split('\n').slice(0, -1)
  const id = await makeSink(app, { name: 'audit', kind: 'file' })
  // The folder cannot be created, as on a full disk.
  writeFileSync(folder, '')
  await deliver(app)
  assert.match((await get(app, id)).lastError, /EEXIST|ENOTDIR|EACCES/)
  rmSync(folder)
  app.clock.advance(10_000)
  await deliver(app)
  assert.equal(lines().length, 1)
  // A process that ended in the middle of a line.
  writeFileSync(path, '{"event_id":"torn', { flag: 'a' })
  await app.logIn('admin', ADMIN_PASSWORD)
  await deliver(app)
  assert.deepEqual(
    lines().map((line) => JSON.parse(line).position),
    [1, 2, 3],
  )
  const missing = join(folder, 'other')
  mkdirSync(missing, { recursive: true })
  assert.equal((await get(app, id)).lastError, null)
})

test('Z-01 events that were committed before a node died are delivered by the next one', async (t) => {
  const receiver = await startReceiver(t)
  const app = await buildApp(t)
  await makeSink(app, { name: 'a', kind: 'webhook', url: receiver.url })
  const name = `identity-${newId()}`
  // Written by operations of a node that ends before its next round.
  await app.logIn('admin', ADMIN_PASSWORD)
  assert.equal((await app.admin('POST', IDENTITIES, { ...identityBody(), name })).status, 201)
  const pending = await app.store.db.selectFrom('pending_records').selectAll().execute()
  const placed = await app.store.db.selectFrom('event_outbox').selectAll().execute()
  assert.ok(pending.length + placed.length > 0)
  await deliver(app)
  assert.equal(receiver.received.length, 4)
  assert.ok(receiver.received.some(({ json }) => json.finalState?.name === name))
})
