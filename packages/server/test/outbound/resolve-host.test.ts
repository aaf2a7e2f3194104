import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createFakeDns } from '@countersign/testkit'
import { createHostResolver } from '../../src/outbound/resolve-host.ts'
import { assertFails } from './fetch.fixture.ts'

const NEVER = new AbortController().signal
const GOOD = ['127.0.0.1']
const DEAD = new Error('getaddrinfo EAI_AGAIN')

/** An answer of the name service that a test gives when it likes. */
const heldAnswer = () => Promise.withResolvers<readonly string[]>()

/** A resolver whose time a test moves. */
function createResolver(script: Parameters<typeof createFakeDns>[0]) {
  const { lookup, queries } = createFakeDns(script)
  let elapsedMs = 0
  const resolveHost = createHostResolver(lookup, () => elapsedMs)
  const advance = (ms: number): void => {
    elapsedMs += ms
  }
  return { resolve: (host: string, signal = NEVER) => resolveHost(host, signal), queries, advance }
}

test('F-06 a name that is being looked up is asked for once, whoever waits for it, and the next one asks anew', async () => {
  const { promise: held, resolve: letGo } = heldAnswer()
  const { resolve, queries } = createResolver({ 'idp.test': [held, ['127.0.0.2']] })
  const work = Array.from({ length: 200 }, () => resolve('idp.test'))
  letGo(GOOD)
  for (const addresses of await Promise.all(work)) assert.equal(addresses[0]?.address, '127.0.0.1')
  assert.deepEqual(queries, ['idp.test'])
  assert.equal((await resolve('idp.test'))[0]?.address, '127.0.0.2')
})

test('a name is asked for as long as one of those who share it waits, and not when all have given up', async () => {
  const { promise: held, resolve: letGo } = heldAnswer()
  const hosts = ['a.test', 'b.test', 'left.test', 'wanted.test']
  const { resolve, queries } = createResolver(Object.fromEntries(hosts.map((host) => [host, [held]])))
  const givingUp = new AbortController()
  const running = [resolve('a.test'), resolve('b.test')]
  const left = [resolve('left.test', givingUp.signal), resolve('left.test', givingUp.signal)]
  const wanted = [resolve('wanted.test', givingUp.signal), resolve('wanted.test')]
  givingUp.abort()
  letGo(GOOD)
  for (const work of left) await assertFails(work, 'name-not-resolved')
  await Promise.all([...running, ...wanted])
  assert.deepEqual(queries, ['a.test', 'b.test', 'wanted.test'])
  assert.equal((await resolve('left.test'))[0]?.address, '127.0.0.1', 'that nobody waited is no failure')
})

test('F-08 a name that failed is answered at once for four seconds, and then asked for again', async () => {
  const { resolve, queries, advance } = createResolver({ 'idp.test': [DEAD, GOOD] })
  await assertFails(resolve('idp.test'), 'name-not-resolved')
  advance(3_999)
  await assertFails(resolve('idp.test'), 'name-not-resolved')
  assert.deepEqual(queries, ['idp.test'])
  advance(1)
  assert.equal((await resolve('idp.test'))[0]?.address, '127.0.0.1')
})

test('names that have failed leave a place to those that resolve, however many there are', async () => {
  const { promise: held, resolve: letGo } = heldAnswer()
  const dead = Array.from({ length: 20 }, (_, nth) => `dead-${nth}.test`)
  const script = Object.fromEntries(dead.map((host) => [host, [DEAD, held]]))
  const { resolve, queries, advance } = createResolver({ ...script, 'idp.test': [GOOD] })
  for (const host of dead) await assertFails(resolve(host), 'name-not-resolved')
  advance(4_000)
  const again = dead.map((host) => resolve(host))
  assert.equal((await resolve('idp.test'))[0]?.address, '127.0.0.1')
  assert.equal(queries.length, dead.length + 2, 'one of the dead ones is asked for')
  letGo(GOOD)
  await Promise.all(again)
  assert.deepEqual(queries.slice(-dead.length + 1), dead.slice(1), 'and each gets its turn')
})

test('names that have failed rest for as long as the last of them took', async () => {
  const { promise: held, resolve: letGo } = heldAnswer()
  const { resolve, queries, advance } = createResolver({ 'slow.test': [DEAD, held], 'next.test': [DEAD, GOOD] })
  for (const host of ['slow.test', 'next.test']) await assertFails(resolve(host), 'name-not-resolved')
  advance(4_000)
  const slow = resolve('slow.test')
  const next = resolve('next.test')
  await sleep(100)
  const endedMs = performance.now()
  letGo(GOOD)
  await slow
  assert.deepEqual(queries.slice(2), ['slow.test'])
  await next
  assert.ok(performance.now() - endedMs > 80, `rested ${performance.now() - endedMs} ms`)
})

test('no more than a thousand names wait, and the next is refused at once', async () => {
  const { promise: held, resolve: letGo } = heldAnswer()
  const hosts = Array.from({ length: 1_001 }, (_, nth) => `n${nth}.test`)
  const { resolve } = createResolver(Object.fromEntries(hosts.map((host) => [host, [held]])))
  const work = hosts.slice(0, -1).map((host) => resolve(host))
  const last = hosts.at(-1) ?? assert.fail()
  const error = await assertFails(resolve(last), 'name-not-resolved')
  assert.match(error.message, /too many names/)
  letGo(GOOD)
  await Promise.all(work)
  assert.equal((await resolve(last))[0]?.address, '127.0.0.1')
})
