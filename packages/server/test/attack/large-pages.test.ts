import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { get } from 'node:https'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { newId } from '@countersign/core'
import { createIdentity } from '../../src/operations/identity/create-identity.ts'
import { startTarget } from './target.ts'

const IDENTITIES = '/edge/management/v1/identities'
/** The page is larger than the buffers of the connection. */
const ROWS = 500
const tagsOf = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, nth) => [`t${nth}`, 'x'.repeat(2_000)]))
/** Longer than the text of a page is kept. */
const DROPPED_MS = 1_500

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

test('M-15 a large page is not kept for a client that does not read it: the rest is read again later', async (t) => {
  const target = await startTarget(t)
  const { app } = target
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
  const list = async (): Promise<IncomingMessage> => {
    const path = `${IDENTITIES}?limit=${ROWS}&filter=${filter}`
    const headers = { 'zt-session': app.adminSession }
    const options = { host: '127.0.0.1', port: target.port, path, headers, rejectUnauthorized: false, agent: false }
    const [response] = await once(get(options), 'response')
    return response
  }
  const namesIn = async (response: IncomingMessage) =>
    JSON.parse(await text(response)).data.map(({ name }: { name: string }) => name)

  assert.deepEqual(await namesIn(await list()), names)

  const slow = await list()
  await sleep(DROPPED_MS)
  const [deleted, renamed] = [ids.at(-2), ids.at(-1)]
  assert.equal((await app.admin('DELETE', `${IDENTITIES}/${deleted}`)).status, 200)
  assert.equal((await app.admin('PATCH', `${IDENTITIES}/${renamed}`, { name: 'renamed' })).status, 200)
  assert.deepEqual(await namesIn(slow), [...names.slice(0, -2), 'renamed'])
})
