import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createControllerStage, startPostgres } from '@countersign/testkit'
import { IDENTITIES, LOGIN, makePerson, OWN_SESSION, openConnections } from './worker-clients.ts'

const WORKERS = 2
const ROUNDS = 12

test('D13 I-04 on PostgreSQL too, after a disable on one worker the next request on any is refused', async (t) => {
  const postgres = await startPostgres()
  t.after(() => postgres.stop())
  const env = { COUNTERSIGN_DATABASE: await postgres.createDatabase(), COUNTERSIGN_SEALING_KEY: 'a5'.repeat(32) }
  const controller = await createControllerStage(t).start({ args: ['--workers', String(WORKERS)], env })
  const admin = await controller.logIn()
  const clients = openConnections(controller, 2 * WORKERS)
  t.after(() => {
    for (const client of clients) client.close()
  })
  const { id, credentials } = await makePerson(controller, admin, { name: 'person' })
  for (let round = 0; round < ROUNDS; round++) {
    const client = clients[round % clients.length] ?? assert.fail()
    const opened = await client.request('POST', LOGIN, { body: credentials })
    const session = String(opened.headers['zt-session'])
    const statusOnEach = () =>
      Promise.all(clients.map(async (each) => (await each.request('GET', OWN_SESSION, { session })).status))
    assert.deepEqual(await statusOnEach(), [200, 200, 200, 200], 'each worker has cached it')
    await client.request('POST', `${IDENTITIES}/${id}/disable`, { session: admin, body: { durationMinutes: 0 } })
    assert.deepEqual(await statusOnEach(), [401, 401, 401, 401], `round ${round}`)
    await client.request('POST', `${IDENTITIES}/${id}/enable`, { session: admin, body: {} })
  }
})
