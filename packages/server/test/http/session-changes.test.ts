import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pruneChangeLog } from '../../src/operations/upkeep/prune-change-log.ts'
import { SYSTEM_ACTOR } from '../../src/store/actor.ts'
import { OidcClient } from '../oidc/oidc.fixture.ts'
import { buildApp, type TestApp } from './build-app.ts'

const SESSION = '/edge/client/v1/current-api-session'
const MINUTE_MS = 60_000

/** How many entries of a kind the change log has, and how many of those that are kept. */
async function countChanges({ store }: TestApp, entity: string, action: string) {
  const entries = await store.db.selectFrom('change_log').select(['entity', 'action']).execute()
  const ended = entries.filter((entry) => entry.entity === entity && entry.action === action)
  const others = entries.filter((entry) => !['apiSessions', 'revocations'].includes(entry.entity))
  return { ended: ended.length, others: others.length }
}

const prune = ({ store, clock }: TestApp) =>
  store.run(pruneChangeLog, {}, { actorId: SYSTEM_ACTOR.id, now: clock.now() })

test('R-25 of sessions that are opened and ended without pause, the change log is empty after ten minutes', async (t) => {
  const app = await buildApp(t)
  const left = () => countChanges(app, 'apiSessions', 'deleted')
  const before = await left()
  for (let logins = 0; logins < 5; logins++) {
    const { session } = await app.makeIdentity()
    assert.equal((await app.call('DELETE', SESSION, undefined, { session })).status, 200)
  }
  const after = await left()
  assert.equal(after.ended, before.ended + 5)
  app.clock.advance(9 * MINUTE_MS)
  await prune(app)
  assert.deepEqual(await left(), after)
  app.clock.advance(2 * MINUTE_MS)
  await prune(app)
  assert.deepEqual(await left(), { ended: 0, others: after.others })
})

test('R-25 of tokens that are revoked without pause, the change log is empty after ten minutes, and they stay revoked', async (t) => {
  const app = await buildApp(t)
  const client = new OidcClient(app)
  const left = () => countChanges(app, 'revocations', 'updated')
  const token = (await client.logIn()).access_token
  const kept = (await client.logIn()).access_token
  const reply = await client.call('POST', '/oidc/revoke', { form: { client_id: client.clientId, token } })
  assert.equal(reply.status, 200)
  const after = await left()
  assert.equal(after.ended, 1)
  app.clock.advance(9 * MINUTE_MS)
  await prune(app)
  assert.deepEqual(await left(), after)
  app.clock.advance(2 * MINUTE_MS)
  await prune(app)
  assert.deepEqual(await left(), { ended: 0, others: after.others })
  assert.equal((await client.get(token)).status, 401)
  assert.equal((await client.get(kept)).status, 200)
})
