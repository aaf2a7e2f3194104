import assert from 'node:assert/strict'
import { test } from 'node:test'
import { KnownAccounts } from '../../src/hosted/known-accounts.ts'
import type { Store } from '../../src/store/store.ts'
import { setUpFederated } from './federated.fixture.ts'

type ChangeListener = Parameters<Store['onChange']>[0]

const CHANGES = 10

test('F-14 the federated accounts of an organization are read once at a time, however often they change meanwhile', async (t) => {
  const { app, createRecord, createFederated } = await setUpFederated(t)
  const provider = await createRecord()
  const first = await createFederated(provider)
  const organizationId = (await app.admin('GET', '/identity/v1/organization')).json.id
  const listeners: ChangeListener[] = []
  const [begun, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  let readings = 0
  const db = app.store.db.withPlugin({
    transformQuery: ({ node }) => node,
    transformResult: async ({ result }) => {
      readings++
      begun.resolve()
      await held.promise
      return result
    },
  })
  const onChange = (listener: ChangeListener) => listeners.push(listener)
  const known = new KnownAccounts({ db, onChange } as unknown as Store, app.clock)
  const change = () => {
    for (const listener of listeners) listener([{ entity: 'apiAccounts', id: first, action: 'updated' }])
  }

  const outdated = known.federatedOf(organizationId)
  await begun.promise
  const later = Array.from({ length: CHANGES }, () => {
    change()
    return known.federatedOf(organizationId)
  })
  held.resolve()
  const [current, ...others] = await Promise.all(later)
  assert.ok(current)
  assert.ok(current.byId.has(first))
  for (const other of others) assert.equal(other, current)
  assert.notEqual((await outdated).reading, current.reading)
  assert.equal(readings, 2)

  const second = await createFederated(provider, { name: 'second', conditions: { repository: 'acme/web' } })
  assert.equal(await known.federatedOf(organizationId), current, 'not reported yet')
  change()
  assert.deepEqual(new Set((await known.federatedOf(organizationId)).byId.keys()), new Set([first, second]))
  assert.equal(readings, 3)
})
