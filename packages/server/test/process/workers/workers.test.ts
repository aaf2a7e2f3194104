import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError } from '@countersign/core'
import { Counter, Registry } from 'prom-client'
import { createEventHub } from '../../../src/events/event-hub.ts'
import { createMetricsAggregator, snapshotMetrics } from '../../../src/events/metrics/metrics-aggregator.ts'
import { createSharedAttempts, type NotedAttempts, SHARE_EVERY_MS } from '../../../src/limits/attempt-sharing.ts'
import { LocalGuesses } from '../../../src/limits/guesses.ts'
import { OutboundError } from '../../../src/outbound/outbound-error.ts'
import { StartupError } from '../../../src/platform/startup-error.ts'
import { type Channel, createChannel, type Procedures } from '../../../src/process/workers/channel.ts'
import type { PrimaryProcedures } from '../../../src/process/workers/protocol.ts'
import { createRemoteGuesses, serveGuesses } from '../../../src/process/workers/remote-guesses.ts'
import { createStreamRelay } from '../../../src/process/workers/stream-relay.ts'
import { workerCount } from '../../../src/process/workers/worker-count.ts'
import { createWorkerEvents } from '../../../src/process/workers/worker-events.ts'

/** Connects two channel ends through structured clones, as processes do. */
function connectEnds<Theirs extends Procedures>(procedures: Theirs): Channel<Theirs> {
  type Listener = (message: never) => void
  const listeners: Listener[] = []
  const port = (own: number) => ({
    send: (message: unknown) => {
      const copy = structuredClone(message) as never
      setImmediate(() => listeners[1 - own]?.(copy))
    },
    onMessage: (listener: Listener) => {
      listeners[own] = listener
    },
  })
  const caller = createChannel<Theirs>(port(0), {})
  createChannel(port(1), procedures)
  return caller
}

test('auto is one worker for every two cores, and at least one', () => {
  assert.deepEqual(
    [1, 2, 3, 4, 8, 16].map((cores) => workerCount('auto', cores)),
    [1, 1, 2, 2, 4, 8],
  )
  assert.equal(workerCount(5, 2), 5)
})

test('errors of the other process arrive with their type, and calls to a process that ends are rejected', async () => {
  const errors = [
    new AppError('NOT_FOUND'),
    new OutboundError('status', 'answered 500', { status: 500 }),
    new StartupError('no', 'try again'),
  ]
  const channel = connectEnds({
    fail: (index: number) => Promise.reject(errors[index]),
    double: (number: number) => 2 * number,
    hang: () => new Promise<void>(() => {}),
  })
  assert.equal(await channel.call('double', 21), 42)
  for (const [index, error] of errors.entries()) {
    await assert.rejects(channel.call('fail', index), (thrown) => {
      assert.ok(thrown instanceof error.constructor)
      assert.equal((thrown as Error).message, error.message)
      return true
    })
  }
  const waiting = channel.call('hang', undefined as never)
  channel.close()
  await assert.rejects(waiting, { code: 'STORE_UNAVAILABLE' })
})

test('failed attempts are shared with the other processes in batches, returned ones are not', async () => {
  const shared: NotedAttempts[] = []
  const attempts = createSharedAttempts((noted) => void shared.push(noted))
  for (let count = 0; count < 3; count++) attempts.note('address', '192.0.2.1', 1)
  attempts.note('address', '192.0.2.2', 1)
  attempts.note('address', '192.0.2.2', -1)
  await new Promise((resolve) => setTimeout(resolve, 4 * SHARE_EVERY_MS))
  assert.deepEqual(shared, [[['address', '192.0.2.1', 3]]])
  const heard: string[] = []
  attempts.onNoted('address', (client, count) => void heard.push(`${client} ${count}`))
  attempts.apply([['address', '192.0.2.3', 2]])
  assert.deepEqual(heard, ['192.0.2.3 2'])
})

test('a worker that ends in the middle of a guess frees its slot', { timeout: 10_000 }, async () => {
  const guesses = new LocalGuesses({ now: () => 0 })
  const ends = [serveGuesses(guesses), serveGuesses(guesses)] as const
  const [one, two] = ends.map(({ procedures }) =>
    createRemoteGuesses(connectEnds(procedures) as unknown as Channel<PrimaryProcedures>),
  ) as [ReturnType<typeof createRemoteGuesses>, ReturnType<typeof createRemoteGuesses>]
  assert.ok(await one.begin('alice', 1))
  const waiting = two.begin('alice', 1)
  ends[0].endAll()
  const guess = await waiting
  assert.equal(await guess?.settle(false), 1)
  await guess?.lock(1_000)
  await guess?.end()
  assert.equal(await one.begin('alice', 1), undefined, 'locked for all')
})

test('a worker that ends while its guess waits takes no slot', { timeout: 10_000 }, async () => {
  const guesses = new LocalGuesses({ now: () => 0 })
  const ended = serveGuesses(guesses)
  const own = await guesses.begin('alice', 1)
  const waiting = ended.procedures.beginGuess({ name: 'alice', max: 1 })
  ended.endAll()
  await own?.end()
  assert.equal(await waiting, undefined)
  assert.ok(await guesses.begin('alice', 1), 'the slot is free')
})

test('the counts of a worker stay when it has ended, and while it does not respond', async () => {
  const countedBy = async (count: number) => {
    const registry = new Registry()
    new Counter({ name: 'calls_total', help: 'calls', registers: [registry] }).inc(count)
    return snapshotMetrics(registry)
  }
  const metrics = createMetricsAggregator()
  const shared = async () => (await metrics.gather()).metrics()
  const [first, second, third] = [{}, {}, {}]
  metrics.note(first, await countedBy(5))
  metrics.note(second, await countedBy(7))
  assert.match(await shared(), /calls_total 12\n/)
  metrics.retire(first)
  metrics.note(third, await countedBy(1))
  assert.match(await shared(), /calls_total 13\n/)
  metrics.note(first, await countedBy(6))
  assert.match(await shared(), /calls_total 13\n/, 'a late response is not counted twice')
  metrics.retire(second)
  metrics.retire(third)
  assert.match(await shared(), /calls_total 13\n/)
})

const ADMINISTRATOR = { identityId: 'admin', isAdmin: true }

test('D19 events published while a stream is being opened are in it, before, with or after the response', async () => {
  const clock = { now: () => 0 }
  const node = createEventHub({ nodeId: 'node', clock })
  const relay = createStreamRelay(node, 10)
  const responses: (() => void)[] = []
  const primary = {
    call: () => {
      const remembered = relay.open(primary, ADMINISTRATOR)
      return new Promise((resolve) => responses.push(() => resolve(remembered)))
    },
    send: (name: string, argument: never) => {
      if (name === 'events') worker.receive(argument)
      else if (name === 'closeStream') relay.close(primary, ADMINISTRATOR)
    },
    close: () => {},
  } as never
  const worker = createWorkerEvents(primary, { nodeId: 'node', clock })
  let count = 0
  const happen = () => relay.publish([{ namespace: 'entityChange', text: String(++count) }])
  const respond = () => responses.shift()?.()
  const turn = () => new Promise(setImmediate)

  for (let round = 0; round < 2; round++) {
    happen()
    const opened = worker.hub.follow(ADMINISTRATOR)
    await turn()
    const first = count
    happen()
    respond()
    // The response has arrived and is not processed yet.
    happen()
    const close = await opened
    const reader = worker.hub.readAfter(first)
    const read = (): string[] => {
      const next = reader.next()
      return next ? [next.text, ...read()] : []
    }
    happen()
    const further = worker.hub.follow(ADMINISTRATOR)
    await turn()
    // The only stream closes, and events before the response for the next one must not be lost.
    close()
    happen()
    respond()
    const closeFurther = await further
    happen()
    assert.deepEqual(
      read(),
      Array.from({ length: 5 }, (_, index) => String(first + 1 + index)),
    )
    assert.equal(worker.hub.last, node.last)
    closeFurther()
    happen()
    assert.notEqual(worker.hub.last, node.last, 'this worker has no reader')
  }
})
