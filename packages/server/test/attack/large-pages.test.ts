import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { get } from 'node:https'
import { text } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { newId } from '@countersign/core'
import { createIdentity } from '../../src/operations/identity/create-identity.ts'
import { startTarget, type Target } from './target.ts'

const IDENTITIES = '/edge/management/v1/identities'
const SESSION = '/edge/client/v1/current-api-session'
/** The page is larger than the buffers of the connection. */
const ROWS = 500
const tagsOf = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, nth) => [`t${nth}`, 'x'.repeat(2_000)]))
/** Until the buffers of the connection are full. */
const FILLED_MS = 500
const INFO = 30

test('M-15 tags and appData over 16 KiB are refused, and those of less are not', async (t) => {
  const { app } = await startTarget(t)
  for (const member of ['tags', 'appData']) {
    const create = (value: object) =>
      app.admin('POST', IDENTITIES, { name: member, type: 'Default', isAdmin: false, [member]: value })
    const refused = await create(tagsOf(9))
    assert.deepEqual([refused.status, refused.json.error.cause.field], [400, member], refused.text)
    assert.equal((await create(tagsOf(8))).status, 201)
  }
})

interface Full {
  readonly target: Target
  readonly names: readonly string[]
  readonly ids: readonly string[]
  /** Starts the list of these identities, and leaves its body unread. */
  begin(session: string, limit: number | 'none'): Promise<IncomingMessage>
}

async function fillTarget(t: TestContext): Promise<Full> {
  const target = await startTarget(t)
  const { app, port } = target
  const names = Array.from({ length: ROWS }, (_, nth) => `large-${String(nth).padStart(3, '0')}`)
  const ids = names.map(() => newId())
  const meta = { actorId: 'system', now: app.clock.now() }
  await Promise.all(
    names.map((name, nth) => {
      const body = { name, type: 'Default', isAdmin: false, tags: tagsOf(8), appData: tagsOf(8) } as const
      return app.store.run(createIdentity, { id: ids[nth] ?? '', body }, meta)
    }),
  )
  const filter = encodeURIComponent('name contains "large" sort by name')
  const begin = async (session: string, limit: number | 'none'): Promise<IncomingMessage> => {
    const path = `${IDENTITIES}?limit=${limit}&filter=${filter}`
    const headers = { 'zt-session': session }
    const options = { host: '127.0.0.1', port, path, headers, rejectUnauthorized: false, agent: false }
    const [response] = await once(get(options), 'response')
    return response
  }
  return { target, names, ids, begin }
}

const namesIn = async (response: IncomingMessage) =>
  JSON.parse(await text(response)).data.map(({ name }: { name: string }) => name)

test('M-15 a large page is not kept for a client that does not read it: its rows are read while they are sent', async (t) => {
  const { target, names, ids, begin } = await fillTarget(t)
  const { app } = target
  assert.deepEqual(await namesIn(await begin(app.adminSession, ROWS)), names)

  const slow = await begin(app.adminSession, ROWS)
  const [deleted, renamed] = [ids.at(-2), ids.at(-1)]
  assert.equal((await app.admin('DELETE', `${IDENTITIES}/${deleted}`)).status, 200)
  assert.equal((await app.admin('PATCH', `${IDENTITIES}/${renamed}`, { name: 'renamed' })).status, 200)
  assert.deepEqual(await namesIn(slow), [...names.slice(0, -2), 'renamed'])
})

for (const limit of [ROWS, 'none'] as const) {
  test(`N-01 who loses rights while a list with limit ${limit} is sent does not get the rest of it`, async (t) => {
    const { target, begin } = await fillTarget(t)
    const { app } = target
    const read = async (change: object) => {
      const caller = await app.makeIdentity({ isAdmin: true })
      const list = await begin(caller.session, limit)
      const changed = await app.admin('PATCH', `${IDENTITIES}/${caller.id}`, change)
      assert.equal(changed.status, 200, changed.text)
      return text(list)
    }
    assert.equal(JSON.parse(await read({ tags: { kept: true } })).data.length, ROWS)
    await assert.rejects(read({ isAdmin: false, permissions: ['identity.read'] }), { message: 'aborted' })
  })
}

test('N-01 the end of a list whose caller has lost rights, or has ended the session, is logged as information', async (t) => {
  const { target, begin } = await fillTarget(t)
  const { app } = target
  const ended = () => app.logged.filter((line) => line.includes('a response stream'))
  const kept = await begin(app.adminSession, ROWS)
  for (const end of [
    (id: string) => app.admin('PATCH', `${IDENTITIES}/${id}`, { isAdmin: false }),
    (_: string, session: string) => app.call('DELETE', SESSION, undefined, { session }),
  ]) {
    const before = ended().length
    const { id, session } = await app.makeIdentity({ isAdmin: true })
    const list = await begin(session, ROWS)
    // Unread, it ends while the server waits for the client.
    await sleep(FILLED_MS)
    assert.equal((await end(id, session)).status, 200)
    while (ended().length === before) await sleep(20)
    await assert.rejects(text(list), { message: 'aborted' })
  }
  assert.equal(JSON.parse(await text(kept)).data.length, ROWS)
  const lines = ended().map((line) => JSON.parse(line))
  assert.deepEqual(
    lines.map(({ level, code, msg }) => ({ level, code, msg })),
    Array(2).fill({ level: INFO, code: 'UNAUTHORIZED', msg: 'a response stream was refused' }),
  )
})
