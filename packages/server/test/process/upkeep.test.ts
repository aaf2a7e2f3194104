import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pino } from 'pino'
import { startUpkeep } from '../../src/process/upkeep.ts'
import type { Store } from '../../src/store/store.ts'
import { until } from '../keyset/fake-time.ts'

test('F-14 upkeep deletes rows every minute while providers are slow to remove clients, and removes these once at a time', async (t) => {
  const store = { run: async () => false } as unknown as Store
  const [clock, log] = [{ now: () => 1 }, pino({ enabled: false })]
  const slow = Promise.withResolvers<void>()
  let [ended, removals] = [0, 0]
  t.mock.timers.enable({ apis: ['setInterval'] })
  const upkeep = startUpkeep({
    store,
    clock,
    log,
    revocationLists: { update: async () => {}, recordEarlier: async () => {} },
    endOldSessions: async () => void ended++,
    pruneEvents: async () => {},
    rotateKeys: async () => {},
    keepLoginsForDays: 30,
    reportUnusedAccounts: async () => {},
    workAtProviders: [
      () => {
        removals++
        return slow.promise
      },
    ],
  })
  for (const minute of [1, 2, 3]) {
    t.mock.timers.tick(60_000)
    await until(() => ended === minute)
    // The round ends after its last step.
    await new Promise((resolve) => setImmediate(resolve))
  }
  assert.equal(removals, 1)
  slow.resolve()
  await new Promise((resolve) => setImmediate(resolve))
  t.mock.timers.tick(60_000)
  await upkeep.stop()
  assert.deepEqual([ended, removals], [4, 2])
})
