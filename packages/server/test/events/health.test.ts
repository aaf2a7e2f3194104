import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createHealth } from '../../src/events/health.ts'
import type { Call } from '../../src/http/pipeline/call.ts'
import { healthCheckRoutes } from '../../src/http/shared/health-checks.ts'
import { buildApp } from '../http/build-app.ts'
import { DATABASES, openTestStore, stopPostgres } from '../store/open-test-stores.ts'

after(stopPostgres)

const clock = { now: Date.now }

test('the health check needs no login, has the form of existing controllers, and shows nothing else', async (t) => {
  const app = await buildApp(t)
  for (const path of ['/health-checks/v1', '/health-checks/v1/', '/health-checks/v1/readiness']) {
    const reply = await app.call('GET', path)
    assert.equal(reply.status, 200, path)
    const [check] = reply.json.data.checks
    assert.deepEqual(reply.json, {
      data: { healthy: true, checks: [{ ...check, id: 'store.read', healthy: true }] },
      meta: {},
    })
    assert.deepEqual(Object.keys(check), ['id', 'healthy', 'lastCheckDuration', 'lastCheckTime'])
    assert.match(check.lastCheckDuration, /^[0-9]+ms$/)
    assert.ok(Math.abs(Date.parse(check.lastCheckTime) - app.clock.now()) < 60_000)
  }
  const alive = await app.call('GET', '/health-checks/v1/liveness')
  assert.deepEqual([alive.status, alive.json.data], [200, { healthy: true, checks: [] }])
  const { apiVersions } = (await app.call('GET', '/version')).json.data
  assert.ok(!('health-checks' in apiVersions), 'existing controllers do not list it')
})

for (const database of DATABASES) {
  test(`a controller whose store does not respond is not ready, but alive, on ${database}`, async (t) => {
    const store = await openTestStore(t, database)
    const health = createHealth({ store, clock })
    const [ready, alive] = healthCheckRoutes({ health })
    assert.equal((await ready?.handle({} as Call))?.status, 200)
    await store.db.destroy()
    const later = createHealth({ store, clock })
    const [notReady] = healthCheckRoutes({ health: later })
    const response = await notReady?.handle({} as Call)
    assert.equal(response?.status, 503)
    assert.match(JSON.stringify(response?.json), /^\{"data":\{"healthy":false,/)
    assert.equal((await alive?.handle({} as Call))?.status, 200)
  })
}

test('a stopping controller is not ready', async (t) => {
  const store = await openTestStore(t, 'sqlite')
  const health = createHealth({ store, clock })
  assert.ok((await health.readiness()).every(({ healthy }) => healthy))
  health.stop()
  assert.ok((await health.readiness()).some(({ healthy }) => !healthy))
})

test('many concurrent health checks cause one query', async (t) => {
  const store = await openTestStore(t, 'sqlite')
  const health = createHealth({ store, clock })
  const results = await Promise.all(Array.from({ length: 100 }, () => health.readiness()))
  assert.equal(new Set(results.map(([check]) => check)).size, 1)
})
