import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createFakeDns } from '@countersign/testkit'
import { createHostResolver } from '../../src/outbound/resolve-host.ts'
import { assertFails } from './fetch.fixture.ts'

const NEVER = new AbortController().signal
const GOOD = ['127.0.0.1']
const DEAD = new Error('getaddrinfo EAI_AGAIN')

// The timers of the resolver do not keep a process running.
const running = setInterval(() => {}, 60_000)
after(() => clearInterval(running))

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
  return {
    resolve: (host: string, signal = NEVER, owner?: string) => resolveHost(host, { signal, owner }),
    queries,
    advance,
  }
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

/** `count` names that do not resolve before `held` does. */
function createHeldNames(count: number, held: Promise<readonly string[]>) {
  const names = Array.from({ length: count }, (_, nth) => `held-${nth}.test`)
  return { names, script: Object.fromEntries(names.map((host) => [host, [held]])) }
}

test('S-11 at most 32 names of one owner wait, and the names of others are looked up', async () => {
  const { promise: held, resolve: release } = heldResult()
  const { names, script } = createHeldNames(1_000, held)
  const { resolve } = createResolver({ ...script, 'idp.test': [GOOD], 'own.test': [GOOD] })
  const sent = await Promise.all(
    names.map(async (host) => {
      const work = resolve(host, NEVER, 'tenant').then(
        () => 'resolved',
        ({ message }: Error) => message,
      )
      return { work, early: await Promise.race([work, sleep(50)]) }
    }),
  )
  const isRefused = ({ early }: { early: unknown }) => early === 'too many names are being looked up'
  assert.equal(sent.filter(isRefused).length, 1_000 - 32)
  assert.equal((await resolve('idp.test', NEVER, 'other'))[0]?.address, '127.0.0.1')
  await assertFails(resolve('own.test', NEVER, 'tenant'), 'name-not-resolved')
  release(GOOD)
  await Promise.all(sent.map(({ work }) => work))
  assert.equal((await resolve('own.test', NEVER, 'tenant'))[0]?.address, '127.0.0.1')
})

test('S-11 a name leaves its place when all its callers have given up, also while it waits for a lookup', async () => {
  const { promise: held, resolve: release } = heldResult()
  const { names, script } = createHeldNames(32, held)
  const { resolve, queries } = createResolver({ ...script, 'next.test': [GOOD], 'held-1.test': [GOOD] })
  const givingUp = new AbortController()
  const work = names.map((host, nth) => resolve(host, nth === 0 ? NEVER : givingUp.signal, 'tenant'))
  await assertFails(resolve('next.test', NEVER, 'tenant'), 'name-not-resolved')
  givingUp.abort()
  for (const given of work.slice(1)) await assertFails(given, 'name-not-resolved')
  const next = [resolve('next.test', NEVER, 'tenant'), resolve('held-1.test', NEVER, 'tenant')]
  release(GOOD)
  await Promise.all([work[0], ...next])
  assert.deepEqual(queries, ['held-0.test', 'next.test', 'held-1.test'])
})

test('S-11 two owners do not delay a third by more than one lookup, even when its last lookup failed', async () => {
  for (const script of [{ 'idp.test': [GOOD] }, { 'idp.test': [DEAD, GOOD] }]) {
    const { promise: first, resolve: releaseFirst } = heldResult()
    const { promise: others, resolve: releaseOthers } = heldResult()
    const names = ['1', '2', '3'].flatMap((nth) => [`x${nth}.test`, `y${nth}.test`])
    const held = Object.fromEntries(names.map((host) => [host, [host === 'x1.test' ? first : others]]))
    const { resolve, queries, advance } = createResolver({ ...held, ...script })
    if (script['idp.test'].includes(DEAD)) await assertFails(resolve('idp.test', NEVER, 'third'), 'name-not-resolved')
    advance(4_000)
    const before = queries.length
    const work = names.map((host) => resolve(host, NEVER, host.slice(0, 1)))
    const wanted = resolve('idp.test', NEVER, 'third')
    releaseFirst(GOOD)
    assert.equal((await Promise.race([wanted, sleep(1_000)]))?.[0]?.address, '127.0.0.1')
    assert.deepEqual(queries.slice(before, before + 3), ['x1.test', 'y1.test', 'idp.test'])
    releaseOthers(GOOD)
    await Promise.all(work)
  }
})

test('S-11 new names of one owner leave capacity for others, however many do not resolve', async () => {
  const { promise: held, resolve: release } = heldResult()
  const slow = Array.from({ length: 20 }, (_, nth) => `slow-${nth}.test`)
  const script = Object.fromEntries(slow.map((host) => [host, [held]]))
  const { resolve, queries } = createResolver({ ...script, 'idp.test': [GOOD] })
  const work = slow.map((host) => resolve(host, NEVER, 'tenant'))
  const wanted = Array.from({ length: 4 }, () => resolve('idp.test', NEVER, 'other'))
  const asked = resolve('idp.test', NEVER, 'tenant')
  await sleep(10)
  assert.deepEqual(queries, ['slow-0.test', 'idp.test'])
  for (const addresses of await Promise.all(wanted)) assert.equal(addresses[0]?.address, '127.0.0.1')
  release(GOOD)
  await Promise.all([...work, asked])
  assert.equal(queries.length, slow.length + 2, 'all resolve in turn')
})

test('S-11 a name that waits behind the lookups of one owner does not wait for another', async () => {
  const { promise: held, resolve: release } = heldResult()
  const { resolve } = createResolver({ 'slow.test': [held], 'idp.test': [GOOD] })
  const slow = resolve('slow.test', NEVER, 'tenant')
  const behind = resolve('idp.test', NEVER, 'tenant')
  assert.equal((await resolve('idp.test', NEVER, 'other'))[0]?.address, '127.0.0.1')
  release(GOOD)
  await Promise.all([slow, behind])
})

test('S-11 names of two owners are looked up at the same time', async () => {
  const { promise: held, resolve: release } = heldResult()
  const { resolve, queries } = createResolver({ 'a.test': [held], 'b.test': [held] })
  const work = [resolve('a.test', NEVER, 'one'), resolve('b.test', NEVER, 'two')]
  await sleep(10)
  assert.deepEqual(queries, ['a.test', 'b.test'])
  release(GOOD)
  await Promise.all(work)
})
