import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createFakeDns } from '@countersign/testkit'
import { createHostResolver } from '../../src/outbound/resolve-host.ts'
import { assertFails } from './fetch.fixture.ts'

const NEVER = new AbortController().signal
const GOOD = ['127.0.0.1']
const DEAD = new Error('getaddrinfo EAI_AGAIN')

/** A result of the name service that the test resolves. */
const heldResult = () => Promise.withResolvers<readonly string[]>()

/** A resolver whose time the test advances. */
function createResolver(script: Parameters<typeof createFakeDns>[0]) {
  const { lookup, queries } = createFakeDns(script)
  let elapsedMs = 0
  const resolveHost = createHostResolver(lookup, () => elapsedMs)
  const advance = (ms: number): void => {
    elapsedMs += ms
  }
  return { resolve: (host: string, signal = NEVER) => resolveHost(host, signal), queries, advance }
}

test('F-06 concurrent look-ups of a name share one query, and the next look-up makes a new one', async () => {
  const { promise: held, resolve: release } = heldResult()
  const { resolve, queries } = createResolver({ 'idp.test': [held, ['127.0.0.2']] })
  const work = Array.from({ length: 200 }, () => resolve('idp.test'))
  release(GOOD)
  for (const addresses of await Promise.all(work)) assert.equal(addresses[0]?.address, '127.0.0.1')
  assert.deepEqual(queries, ['idp.test'])
  assert.equal((await resolve('idp.test'))[0]?.address, '127.0.0.2')
})

test('a shared look-up continues while one caller waits, and is dropped when all have given up', async () => {
  const { promise: held, resolve: release } = heldResult()
  const hosts = ['a.test', 'b.test', 'abandoned.test', 'wanted.test']
  const { resolve, queries } = createResolver(Object.fromEntries(hosts.map((host) => [host, [held]])))
  const givingUp = new AbortController()
  const running = [resolve('a.test'), resolve('b.test')]
  const abandoned = [resolve('abandoned.test', givingUp.signal), resolve('abandoned.test', givingUp.signal)]
  const wanted = [resolve('wanted.test', givingUp.signal), resolve('wanted.test')]
  givingUp.abort()
  release(GOOD)
  for (const work of abandoned) await assertFails(work, 'name-not-resolved')
  await Promise.all([...running, ...wanted])
  assert.deepEqual(queries, ['a.test', 'b.test', 'wanted.test'])
  assert.equal(
    (await resolve('abandoned.test'))[0]?.address,
    '127.0.0.1',
    'a dropped look-up does not count as a failure',
  )
})

test('F-08 a failed name is refused at once for four seconds, and then queried again', async () => {
  const { resolve, queries, advance } = createResolver({ 'idp.test': [DEAD, GOOD] })
  await assertFails(resolve('idp.test'), 'name-not-resolved')
  advance(3_999)
  await assertFails(resolve('idp.test'), 'name-not-resolved')
  assert.deepEqual(queries, ['idp.test'])
  advance(1)
  assert.equal((await resolve('idp.test'))[0]?.address, '127.0.0.1')
})

test('failed names leave capacity for those that resolve, however many there are', async () => {
  const { promise: held, resolve: release } = heldResult()
  const dead = Array.from({ length: 20 }, (_, nth) => `dead-${nth}.test`)
  const script = Object.fromEntries(dead.map((host) => [host, [DEAD, held]]))
  const { resolve, queries, advance } = createResolver({ ...script, 'idp.test': [GOOD] })
  for (const host of dead) await assertFails(resolve(host), 'name-not-resolved')
  advance(4_000)
  const again = dead.map((host) => resolve(host))
  assert.equal((await resolve('idp.test'))[0]?.address, '127.0.0.1')
  assert.equal(queries.length, dead.length + 2, 'one of the failed names is queried')
  release(GOOD)
  await Promise.all(again)
  assert.deepEqual(queries.slice(-dead.length + 1), dead.slice(1), 'the others follow one by one')
})

test('failed names pause for as long as the last one took', async () => {
  const { promise: held, resolve: release } = heldResult()
  const { resolve, queries, advance } = createResolver({ 'slow.test': [DEAD, held], 'next.test': [DEAD, GOOD] })
  for (const host of ['slow.test', 'next.test']) await assertFails(resolve(host), 'name-not-resolved')
  advance(4_000)
  const slow = resolve('slow.test')
  const next = resolve('next.test')
  await sleep(100)
  const endedMs = performance.now()
  release(GOOD)
  await slow
  assert.deepEqual(queries.slice(2), ['slow.test'])
  await next
  assert.ok(performance.now() - endedMs > 80, `rested ${performance.now() - endedMs} ms`)
})

test('at most a thousand names wait, and the next is refused at once', async () => {
  const { promise: held, resolve: release } = heldResult()
  const hosts = Array.from({ length: 1_001 }, (_, nth) => `n${nth}.test`)
  const { resolve } = createResolver(Object.fromEntries(hosts.map((host) => [host, [held]])))
  const work = hosts.slice(0, -1).map((host) => resolve(host))
  const last = hosts.at(-1) ?? assert.fail()
  const error = await assertFails(resolve(last), 'name-not-resolved')
  assert.match(error.message, /too many names/)
  release(GOOD)
  await Promise.all(work)
  assert.equal((await resolve(last))[0]?.address, '127.0.0.1')
})
