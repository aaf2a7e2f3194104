import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pruneChangeLog } from '../../src/operations/upkeep/prune-change-log.ts'
import { SYSTEM_ACTOR } from '../../src/store/actor.ts'
import { buildApp } from './build-app.ts'

const SESSION = '/edge/client/v1/current-api-session'
const MINUTE_MS = 60_000

test('R-25 of sessions that are opened and ended without pause, the change log is empty after ten minutes', async (t) => {
  const app = await buildApp(t)
  const left = async () => {
    const entries = await app.store.db.selectFrom('change_log').select(['entity', 'action']).execute()
    const ended = entries.filter(({ entity, action }) => entity === 'apiSessions' && action === 'deleted')
    return { ended: ended.length, others: entries.filter(({ entity }) => entity !== 'apiSessions').length }
  }
  const prune = () => app.store.run(pruneChangeLog, {}, { actorId: SYSTEM_ACTOR.id, now: app.clock.now() })
  const before = await left()
  for (let logins = 0; logins < 5; logins++) {
    const { session } = await app.makeIdentity()
    assert.equal((await app.call('DELETE', SESSION, undefined, { session })).status, 200)
  }
  const after = await left()
  assert.equal(after.ended, before.ended + 5)
  app.clock.advance(9 * MINUTE_MS)
  await prune()
  assert.deepEqual(await left(), after)
  app.clock.advance(2 * MINUTE_MS)
  await prune()
  assert.deepEqual(await left(), { ended: 0, others: after.others })
})
