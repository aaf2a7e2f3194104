import assert from 'node:assert/strict'
import { test } from 'node:test'
import { operation } from '../../src/store/operation.ts'
import type { Store } from '../../src/store/store.ts'
import { withTurnsOfOrganizations } from '../../src/store/turns-of-organizations.ts'

const write = operation({ name: 'write', access: 'none', run: async () => {} })

/** A store whose writes end when the test says so. */
function setUp() {
  const begun: string[] = []
  const times: number[] = []
  const clock = { at: 1, now: () => clock.at }
  const ends: (() => void)[] = []
  const run = (_: unknown, { name }: { readonly name: string }, { now }: { readonly now: number }) => {
    begun.push(name)
    times.push(now)
    return new Promise<void>((resolve) => ends.push(resolve))
  }
  const store = withTurnsOfOrganizations({ run } as unknown as Store, clock)
  const start = (name: string, organizationId?: string) =>
    store.run(write, { name }, { actorId: name, now: 1, ...(organizationId !== undefined && { organizationId }) })
  const endAll = async () => {
    while (ends.length > 0) {
      for (const end of ends.splice(0)) end()
      await new Promise((resolve) => setImmediate(resolve))
    }
  }
  return { begun, times, clock, start, endAll }
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
