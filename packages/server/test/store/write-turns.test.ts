import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Clock } from '../../src/platform/clock.ts'
import { operation } from '../../src/store/operation.ts'
import type { OperationMeta } from '../../src/store/operation-meta.ts'
import type { Store } from '../../src/store/store.ts'
import { withWriteTurns } from '../../src/store/write-turns.ts'

const write = operation({ name: 'write', access: 'none', run: async () => {} })

/** A store whose writes end when the test says so. */
function setUp(dialect: Store['dialect'] = 'sqlite') {
  const begun: string[] = []
  const times: number[] = []
  const clock = { at: 1, now: () => clock.at }
  const ends: (() => void)[] = []
  const clocks: (Clock | undefined)[] = []
  const run = (_: unknown, { name }: { readonly name: string }, meta: OperationMeta) => {
    begun.push(name)
    times.push(meta.now)
    clocks.push(meta.clock)
    return new Promise<void>((resolve) => ends.push(resolve))
  }
  const store = withWriteTurns({ dialect, run } as unknown as Store, clock)
  const start = (name: string, organizationId?: string) =>
    store.run(write, { name }, { actorId: name, now: 1, ...(organizationId !== undefined && { organizationId }) })
  const startFor = (signerId: string, name: string, isLarge = true) =>
    store.run(write, { name }, { actorId: 'system', signerId, isLarge, now: 1 })
  const startAs = (actorId: string, name: string, isLarge = false) =>
    store.run(write, { name }, { actorId, isLarge, now: 1, credential: { sessionId: actorId, secondSigner: null } })
  const endAll = async () => {
    while (ends.length > 0) {
      for (const end of ends.splice(0)) end()
      await new Promise((resolve) => setImmediate(resolve))
    }
  }
  return { begun, times, clocks, clock, start, startAs, startFor, endAll }
}

test('F-14 a login does not wait for the writes of organizations, which have a few at a time and take turns', async () => {
  const { begun, start, endAll } = setUp()
  const all = ['a1', 'a2', 'a3', 'a4', 'a5'].map((name) => start(name, 'a'))
  all.push(start('b1', 'b'), start('c1', 'c'), start('d1', 'd'), start('login'))
  assert.deepEqual(begun, ['a1', 'a2', 'b1', 'c1', 'login'])
  await endAll()
  await Promise.all(all)
  assert.deepEqual(begun.slice(5), ['d1', 'a3', 'a4', 'a5'])
})

test('F-14 an organization with too many waiting writes is refused further ones, and others are not', async () => {
  const { start, endAll } = setUp()
  const all = Array.from({ length: 1_002 }, (_, nth) => start(`a${nth}`, 'a'))
  await assert.rejects(start('one more', 'a'), { code: 'SERVER_TOO_MANY_REQUESTS' })
  all.push(start('b', 'b'), start('login'))
  await endAll()
  await Promise.all(all)
})

test('D46 a write has the time at which its turn begins', async () => {
  const { times, clock, start, endAll } = setUp()
  const all = ['a1', 'a2', 'a3'].map((name) => start(name, 'a'))
  clock.at = 2
  await endAll()
  await Promise.all(all)
  assert.deepEqual(times, [1, 1, 2])
})

test('D35 a login does not wait for the writes of a session, which has a group of them at a time', async () => {
  const { begun, start, startAs, endAll } = setUp()
  const all = Array.from({ length: 100 }, (_, nth) => startAs('a', `a${nth}`))
  all.push(startAs('b', 'b0'), start('login'))
  assert.deepEqual(begun.slice(-3), ['a31', 'b0', 'login'])
  assert.equal(begun.length, 34)
  await endAll()
  await Promise.all(all)
  assert.equal(begun.length, 102)
})

test('D46 sessions take no turns where the store has its own, which reads the time', async () => {
  const { begun, clocks, clock, start, startAs, endAll } = setUp('postgres')
  const all = Array.from({ length: 100 }, (_, nth) => startAs('a', `a${nth}`))
  assert.equal(begun.length, 100)
  assert.ok(clocks.every((passed) => passed === clock))
  all.push(start('login'))
  assert.equal(clocks.at(-1), undefined)
  await endAll()
  await Promise.all(all)
})

test('Z-17 saves that can take long run one at a time, in turns by caller', async () => {
  for (const dialect of ['sqlite', 'postgres'] as const) {
    const { begun, startAs, endAll } = setUp(dialect)
    const all = ['a1', 'a2', 'a3'].map((name) => startAs('a', name, true))
    all.push(startAs('b', 'b1', true), startAs('a', 'a4'))
    assert.deepEqual(begun, ['a1', 'a4'])
    await endAll()
    await Promise.all(all)
    assert.deepEqual(begun.slice(2), ['b1', 'a2', 'a3'])
  }
})

test('V-20 a signer has a few writes of users at a time, which share a commit', async () => {
  const { begun, start, startFor, endAll } = setUp()
  const all = Array.from({ length: 20 }, (_, nth) => startFor('a', `a${nth}`, false))
  all.push(startFor('b', 'b0', false), start('login'))
  assert.deepEqual(begun.slice(-3), ['a7', 'b0', 'login'])
  await endAll()
  await Promise.all(all)
})

test('V-20 a login does not wait for the large writes of SCIM, which each signer has one at a time', async () => {
  for (const dialect of ['sqlite', 'postgres'] as const) {
    const { begun, times, clock, start, startFor, endAll } = setUp(dialect)
    const all = ['a1', 'a2', 'a3'].map((name) => startFor('a', name))
    all.push(startFor('b', 'b1'), startFor('c', 'c1'), start('login'))
    assert.deepEqual(begun, ['a1', 'b1', 'login'])
    clock.at = 2
    await endAll()
    await Promise.all(all)
    assert.deepEqual(
      [begun.slice(3).toSorted(), times.slice(3)],
      [
        ['a2', 'a3', 'c1'],
        [2, 2, 2],
      ],
    )
  }
})
