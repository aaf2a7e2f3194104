import assert from 'node:assert/strict'
import { test } from 'node:test'
import { buildOtlpLogs, otlpBatches } from './otlp-logs.ts'
import { retryDelayMs } from './retry-delay.ts'
import { eventSubject, formatEvent, passesFilter, type SinkEvent } from './sink-event.ts'

const AT = Date.UTC(2026, 0, 2, 3, 4, 5, 678)

const eventOf = (members: object): SinkEvent => {
  const text = JSON.stringify({ event_src_id: 'node', timestamp: '2026-01-02T03:04:05.678Z', ...members })
  return { id: 'event-1', position: 7, at: AT, text }
}

const LOGIN = eventOf({
  namespace: 'authentication',
  event_type: 'fail',
  identity_id: 'identity',
  external_jwt_signer_id: 'signer',
  success: false,
  reason: 'expired',
})
const CHANGE = eventOf({
  namespace: 'entityChange',
  eventType: 'created',
  entityType: 'externalJwtSigners',
  initialState: null,
  finalState: { id: 'signer' },
})
const DELETED = eventOf({
  namespace: 'entityChange',
  eventType: 'deleted',
  initialState: { id: 'gone' },
  finalState: null,
})
const HEAD = eventOf({ namespace: 'auditHead', node: 'node' })
const TEST = eventOf({ namespace: 'eventSink', event_type: 'test' })

test('JSON has the id and the position beside the members of the event', () => {
  const { event_id, position, ...members } = JSON.parse(formatEvent(LOGIN, 'json'))
  assert.deepEqual([event_id, position, members], ['event-1', 7, JSON.parse(LOGIN.text)])
})

test('CloudEvents 1.0 has the required attributes, and the event as data', () => {
  const { data, ...attributes } = JSON.parse(formatEvent(LOGIN, 'cloudevents'))
  assert.deepEqual(attributes, {
    specversion: '1.0',
    id: 'event-1',
    source: '/countersign/node',
    type: 'countersign.authentication.fail',
    subject: 'identity',
    time: '2026-01-02T03:04:05.678Z',
    datacontenttype: 'application/json',
    sequence: '0000000000000007',
  })
  assert.equal(data.reason, 'expired')
  const { type, subject } = JSON.parse(formatEvent(eventOf({ namespace: 'x', event_src_id: undefined }), 'cloudevents'))
  assert.deepEqual([type, subject], ['countersign.x', undefined])
})

test('the sequences of CloudEvents, compared as texts, have the order of the positions', () => {
  const positions = [1, 9, 10, 99, 100, 1_000_000, Number.MAX_SAFE_INTEGER]
  const sequences = positions.map((position) => JSON.parse(formatEvent({ ...LOGIN, position }, 'cloudevents')).sequence)
  assert.deepEqual(sequences.toSorted(), sequences)
  assert.deepEqual(sequences.map(Number), positions)
})

test('the subject of an event is the identity, else what changed, the signer, the account or the node', () => {
  assert.equal(eventSubject(LOGIN), 'identity')
  assert.equal(eventSubject(CHANGE), 'signer')
  assert.equal(eventSubject(DELETED), 'gone')
  assert.equal(eventSubject(HEAD), 'node')
  assert.equal(eventSubject(eventOf({ namespace: 'signerHealth', identity_id: '', external_jwt_signer_id: 's' })), 's')
  assert.equal(eventSubject(eventOf({ namespace: 'apiAccount', api_account_id: 'account' })), 'account')
  assert.equal(eventSubject(TEST), undefined)
})

test('a filter lets pass what has one of its types, signers and outcomes', () => {
  const passing = (filter: Parameters<typeof passesFilter>[1]) =>
    [LOGIN, CHANGE, TEST].filter((event) => passesFilter(event, filter)).map(({ text }) => JSON.parse(text).namespace)
  assert.deepEqual(passing(null), ['authentication', 'entityChange', 'eventSink'])
  assert.deepEqual(passing({ types: ['entityChange'] }), ['entityChange'])
  assert.deepEqual(passing({ signers: ['signer'] }), ['authentication', 'entityChange'])
  assert.deepEqual(passing({ signers: ['other'] }), [])
  for (const outcome of ['fail', 'refused'] as const)
    assert.deepEqual(passing({ outcomes: [outcome] }), ['authentication'])
  for (const outcome of ['success', 'accepted'] as const) assert.deepEqual(passing({ outcomes: [outcome] }), [])
  assert.deepEqual(passing({ types: ['entityChange'], outcomes: ['fail'] }), [])
})

test('heads of the audit record pass every filter', () => {
  assert.equal(passesFilter(HEAD, { types: ['authentication'], outcomes: ['fail'] }), true)
})

test('OTLP logs have a record for each event, with 64-bit numbers as text', () => {
  const { resourceLogs } = JSON.parse(buildOtlpLogs([LOGIN, CHANGE], 'json', AT + 1))
  const [{ resource, scopeLogs }] = resourceLogs
  assert.deepEqual(resource.attributes, [{ key: 'service.name', value: { stringValue: 'countersign' } }])
  const [first, second] = scopeLogs[0].logRecords
  assert.equal(first.timeUnixNano, `${AT}000000`)
  assert.equal(first.observedTimeUnixNano, `${AT + 1}000000`)
  assert.deepEqual(
    [first.severityText, first.severityNumber, first.eventName],
    ['WARN', 13, 'countersign.authentication.fail'],
  )
  assert.deepEqual([second.severityText, second.severityNumber], ['INFO', 9])
  assert.equal(JSON.parse(first.body.stringValue).event_id, 'event-1')
  assert.deepEqual(first.attributes.slice(0, 2), [
    { key: 'event.id', value: { stringValue: 'event-1' } },
    { key: 'event.position', value: { stringValue: '7' } },
  ])
  assert.ok(first.attributes.some(({ key }: { key: string }) => key === 'reason'))
})

test('OTLP requests stay below the limits of collectors: events are divided in their order, and no event is left out', () => {
  const eventWith = (position: number, length: number): SinkEvent => ({ ...LOGIN, position, text: 'x'.repeat(length) })
  const divided = (lengths: readonly number[]) =>
    otlpBatches(lengths.map((length, at) => eventWith(at, length))).map((batch) =>
      batch.map(({ position }) => position),
    )
  const half = 524_288
  assert.deepEqual(divided([]), [])
  assert.deepEqual(divided([10, 10, 10]), [[0, 1, 2]])
  assert.deepEqual(divided([half, half]), [[0, 1]])
  assert.deepEqual(divided([half, half + 1, 10]), [[0], [1, 2]])
  assert.deepEqual(divided([10, 5 * half, 10]), [[0], [1], [2]])
})

test('retries wait longer each time, at most five minutes', () => {
  assert.equal(retryDelayMs(1, 1), 1_000)
  assert.equal(retryDelayMs(1, 0), 750)
  assert.equal(retryDelayMs(4, 1), 8_000)
  assert.equal(retryDelayMs(1_000, 1), 300_000)
})
