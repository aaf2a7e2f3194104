import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pino } from 'pino'
import { createSharedAttempts } from '../../src/limits/attempt-sharing.ts'
import { type Handshake, HandshakeLimiter } from '../../src/limits/handshake-limiter.ts'
import { KnownNetworks } from '../../src/limits/known-networks.ts'

const ONE = '192.0.2.1'
const OTHER = '192.0.2.2'
const KIB = 1024

interface Connection extends Handshake {
  state: 'waits' | 'runs' | 'is cut'
}

function setUp(sharing?: ReturnType<typeof createSharedAttempts>) {
  let now = 0
  const timers: { at: number; task: () => void }[] = []
  const scheduler = {
    elapsedMs: () => now,
    after: (ms: number, task: () => void) => {
      const timer = { at: now + ms, task }
      timers.push(timer)
      return () => void timers.splice(timers.indexOf(timer), 1)
    },
  }
  const runTimers = (): void => {
    for (const timer of timers.filter(({ at }) => at <= now)) {
      timers.splice(timers.indexOf(timer), 1)
      timer.task()
    }
  }
  const known = new KnownNetworks()
  const log = pino({ enabled: false })
  const limiter = new HandshakeLimiter({ known, sharing, scheduler, clock: { now: () => now }, log })
  return {
    limiter,
    known,
    timers,
    begin: (address: string): Connection => {
      const connection: Connection = { state: 'waits', end: () => {} }
      const start = (): void => {
        connection.state = 'runs'
      }
      const cut = (): void => {
        connection.state = 'is cut'
        connection.end(0)
      }
      connection.end = limiter.begin(address, { start, cut }).end
      return connection
    },
    advance: (ms: number): void => {
      for (const until = now + ms; now < until; now += 100) runTimers()
    },
    /** Time passes, and only then timers run. */
    stop: (ms: number): void => {
      now += ms
      runTimers()
    },
  }
}

type Limiter = ReturnType<typeof setUp>

/** Begins a handshake and ends it with certificates of this size. */
function spend({ begin }: Limiter, address: string, bytes: number): void {
  const connection = begin(address)
  assert.equal(connection.state, 'runs')
  connection.end(bytes)
}

test('M-28 certificates are charged to their network, which waits until the debt is paid', () => {
  const limiter = setUp()
  for (let nth = 0; nth < 1_000; nth++) spend(limiter, ONE, 0)
  for (let nth = 0; nth < 6; nth++) spend(limiter, ONE, 20 * KIB)
  spend(limiter, ONE, 40 * KIB)
  const [next, other] = [limiter.begin(ONE), limiter.begin(OTHER)]
  assert.deepEqual([next.state, other.state], ['waits', 'runs'])
  limiter.advance(4_400)
  assert.equal(next.state, 'waits', 'the debt is 72 KiB, at 16 KiB a second')
  limiter.advance(400)
  assert.equal(next.state, 'runs')
})

test('M-28 a connection waits ten seconds at most', () => {
  const limiter = setUp()
  const together = [limiter.begin(ONE), limiter.begin(ONE)]
  for (const connection of together) connection.end(100 * KIB)
  const next = limiter.begin(ONE)
  limiter.advance(9_900)
  assert.equal(next.state, 'waits')
  limiter.advance(300)
  assert.equal(next.state, 'is cut')
  assert.equal(limiter.timers.length, 0)
})

test('M-28 two handshakes of a network run at the same time, and the end of one starts the next', () => {
  const { begin } = setUp()
  const connections = Array.from({ length: 4 }, () => begin(ONE))
  const states = () => connections.map(({ state }) => state)
  assert.deepEqual(states(), ['runs', 'runs', 'waits', 'waits'])
  connections[1]?.end(0)
  connections[1]?.end(0)
  assert.deepEqual(states(), ['runs', 'runs', 'runs', 'waits'])
  assert.equal(begin(OTHER).state, 'runs')
})

test('M-28 a slow handshake is cut when others of its network wait, and only then', () => {
  const { begin, advance, timers } = setUp()
  const slow = Array.from({ length: 2 }, () => begin(ONE))
  advance(5_000)
  assert.deepEqual([slow[0]?.state, timers.length], ['runs', 0])
  const next = begin(ONE)
  advance(200)
  assert.deepEqual([slow[0]?.state, next.state], ['is cut', 'runs'])
})

test('M-28 a stop of this process cuts no handshake whose bytes are still unread', () => {
  const { begin, advance, stop } = setUp()
  const running = Array.from({ length: 2 }, () => begin(ONE))
  begin(ONE)
  stop(3_000)
  assert.equal(running[0]?.state, 'runs')
  advance(300)
  assert.equal(running[0]?.state, 'is cut')
})

test('M-28 connections that wait when the server stops are closed at once', () => {
  const { begin, limiter, timers } = setUp()
  const connections = Array.from({ length: 4 }, () => begin(ONE))
  limiter.cutWaiting()
  const states = connections.map(({ state }) => state)
  assert.deepEqual([states, timers.length], [['runs', 'runs', 'is cut', 'is cut'], 0])
})

test('M-28 networks of one /48 take turns, however many connections of one of them wait', () => {
  const { begin, advance } = setUp()
  const flood = Array.from({ length: 100 }, () => begin('2001:db8:1:1::1'))
  advance(500)
  const [first, second] = ['a', 'b'].map((subnet) => begin(`2001:db8:1:${subnet}::1`))
  assert.deepEqual([first?.state, second?.state], ['waits', 'waits'])
  advance(800)
  assert.deepEqual([first?.state, second?.state], ['runs', 'waits'])
  first?.end(0)
  assert.equal(second?.state, 'runs')
  assert.equal(flood.filter(({ state }) => state === 'waits').length, 97)
})

test('M-28 the work for one connection does not grow with the networks that wait', () => {
  const { begin } = setUp()
  const beginMany = (count: number, site: number): number => {
    const addresses = Array.from({ length: count }, (_, nth) => `2001:db8:${site}:${nth.toString(16)}::1`)
    const before = process.cpuUsage()
    for (const address of addresses) begin(address)
    return process.cpuUsage(before).user / count
  }
  beginMany(250, 1)
  const [few, many] = [beginMany(250, 2), beginMany(2_000, 3)]
  assert.ok(many < 4 * few, `${few} and ${many} µs`)
})

test('M-28 the /64 networks of one /48 share their handshakes, and three times the budget of one', () => {
  const limiter = setUp()
  const { begin } = limiter
  const running = Array.from({ length: 2 }, (_, nth) => begin(`2001:db8:1:${nth}::1`))
  assert.equal(begin('2001:db8:1:ffff::1').state, 'waits')
  assert.equal(begin('2001:db8:2:ffff::1').state, 'runs')
  for (const { end } of running) end(0)
  for (let nth = 0; nth < 20; nth++) spend(limiter, `2001:db8:3:${nth % 4}::1`, 20 * KIB)
  assert.equal(begin('2001:db8:3:ffff::1').state, 'waits')
  assert.equal(begin('2001:db8:4:ffff::1').state, 'runs')
})

test('M-28 a network from which an identity has logged in has three times the budget, and more handshakes at a time', () => {
  const limiter = setUp()
  limiter.known.note('identity', ONE)
  for (let nth = 0; nth < 20; nth++) spend(limiter, ONE, 20 * KIB)
  assert.equal(limiter.begin(ONE).state, 'waits')
  limiter.known.note('identity', OTHER)
  const states = Array.from({ length: 5 }, () => limiter.begin(OTHER).state)
  assert.deepEqual(states.slice(-2), ['runs', 'waits'])
})

test('M-28 the known /64 networks of one /48 share a budget', () => {
  const limiter = setUp()
  const addresses = [0, 1, 2, 3].map((nth) => `2001:db8:5:${nth}::1`)
  for (const address of [...addresses, '2001:db8:6::1']) limiter.known.note('identity', address)
  for (let nth = 0; nth < 39; nth++) spend(limiter, addresses[nth % 4] ?? '', 20 * KIB)
  assert.equal(limiter.begin('2001:db8:5::1').state, 'waits')
  assert.equal(limiter.begin('2001:db8:6::1').state, 'runs')
})

test('M-28 the processes of a node share the budgets', () => {
  const sent: Parameters<typeof here.apply>[0][] = []
  const here = createSharedAttempts((noted) => void sent.push(noted))
  const there = createSharedAttempts(() => {})
  const [limiter, remote] = [setUp(here), setUp(there)]
  spend(limiter, ONE, 100 * KIB)
  here.stop()
  assert.equal(remote.begin(ONE).state, 'runs')
  for (const noted of sent) there.apply(noted)
  assert.deepEqual([remote.begin(ONE).state, remote.begin(OTHER).state], ['waits', 'runs'])
  there.stop()
})
