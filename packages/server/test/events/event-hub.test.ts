import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { SignerHealthEvent } from '../../src/events/controller-event.ts'
import { createEventHub } from '../../src/events/event-hub.ts'
import { JsonText } from '../../src/events/json-text.ts'
import { eventLines } from './read-events.ts'

const AT = Date.UTC(2026, 4, 2, 10, 20)

function setUp() {
  let now = AT
  const hub = createEventHub({ nodeId: 'node-1', clock: { now: () => now } })
  const advance = (ms: number): void => {
    now += ms
  }
  return { hub, advance }
}

const health = (message: string): SignerHealthEvent => ({
  namespace: 'signerHealth',
  event_type: 'provider-down',
  external_jwt_signer_id: 'signer-1',
  message,
})

const numbersOf = (hub: ReturnType<typeof setUp>['hub'], after: number): number[] => {
  const reader = hub.readAfter(after)
  const numbers: number[] = []
  for (let event = reader.next(); event; event = reader.next()) numbers.push(event.number)
  return numbers
}

describe('the event hub', () => {
  test('keeps events in order, with the node and the instant in front', () => {
    const { hub } = setUp()
    hub.publish(health('one'))
    hub.publish(health('two'))
    assert.equal(
      eventLines(hub)[0],
      '{"namespace":"signerHealth","event_src_id":"node-1","timestamp":"2026-05-02T10:20:00.000Z",' +
        '"event_type":"provider-down","external_jwt_signer_id":"signer-1","message":"one"}',
    )
    assert.deepEqual(numbersOf(hub, 0), [1, 2])
    assert.deepEqual(numbersOf(hub, 1), [2])
    assert.deepEqual(numbersOf(hub, 2), [])
    assert.deepEqual(numbersOf(hub, 99), [], 'an unknown number begins with the next event')
  })

  test('R-10 writes one line of JSON whatever is in the fields', () => {
    const { hub } = setUp()
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a text that other loggers would run
    const hostile = 'a\r\n{"namespace":"forged"}\u001b[31m\u007f\u0085\u009b31m\u2028\u2029"},"x":"%s ${jndi:ldap://e}'
    hub.publish(health(hostile))
    const [line = ''] = eventLines(hub)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: what a terminal or a reader of lines would obey
    assert.ok(!/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/.test(line), line)
    assert.equal(JSON.parse(line).message, hostile)
  })

  test('R-04 keeps a bounded number of events, and a reader learns how many it missed', () => {
    const { hub } = setUp()
    const slow = hub.readAfter(0)
    const published = 10_000
    for (let count = 0; count < published; count += 1) hub.publish(health(`${count}`))
    const kept = numbersOf(hub, 0)
    assert.ok(kept.length <= 4096 && kept.length > 1000, `${kept.length}`)
    assert.equal(kept.at(-1), published)
    assert.equal(slow.missed, published - kept.length)
    assert.equal(slow.next()?.number, kept[0])
    assert.equal(hub.readAfter(kept[0] ?? 0).missed, 0)
  })

  test('R-04 keeps a bounded amount of text, however large the changed entities are', () => {
    const { hub } = setUp()
    const state = new JsonText(JSON.stringify({ appData: 'x'.repeat(1_000_000) }))
    const metadata = {
      author: { type: 'system', id: 's', name: 's' },
      source: { type: 'internal' },
      version: 'v',
    } as const
    for (let count = 0; count < 100; count += 1) {
      hub.publish({
        namespace: 'entityChange',
        eventId: `${count}`,
        eventType: 'updated',
        entityType: 'identities',
        isParentEvent: false,
        metadata,
        initialState: state,
        finalState: state,
      })
    }
    const kept = numbersOf(hub, 0)
    assert.ok(kept.length >= 1 && kept.length <= 8, `${kept.length}`)
    assert.equal(kept.at(-1), 100)
  })

  test('R-04 publishes a sample of a flood, in which one address does not hide another', () => {
    const { hub, advance } = setUp()
    for (let count = 0; count < 100_000; count += 1) hub.publishSampled(health('flood'), '192.0.2.1')
    const afterFlood = hub.last
    assert.ok(afterFlood <= 500, `${afterFlood}`)
    assert.equal(hub.counts.sampledOut, 100_000 - afterFlood)
    advance(1000)
    hub.publishSampled(health('another address'), '192.0.2.2')
    assert.equal(hub.last, afterFlood + 1)
    hub.publish(health('only attempts are sampled'))
    assert.equal(hub.last, afterFlood + 2)
  })

  test('wakes a reader once for all events of a turn, and at once when there are events already', async () => {
    const { hub } = setUp()
    const reader = hub.readAfter(0)
    let woken = 0
    reader.wake(() => void woken++)
    hub.publish(health('one'))
    hub.publish(health('two'))
    assert.equal(woken, 0, 'never inside publish')
    await nextTurn()
    assert.equal(woken, 1)
    reader.wake(() => void woken++)
    await nextTurn()
    assert.equal(woken, 2)
    const cancel = hub.readAfter(hub.last).wake(() => void woken++)
    cancel()
    hub.publish(health('three'))
    await nextTurn()
    assert.equal(woken, 2)
  })
})
