import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pino } from 'pino'
import { AccountUses } from '../../src/hosted/account-uses.ts'
import { reportUnusedAccounts } from '../../src/hosted/unused-accounts.ts'
import { createFakeTime, until } from '../keyset/fake-time.ts'
import { ACCOUNTS, SELF, setUpFederated } from './federated.fixture.ts'
import { setUpHosted } from './hosted.fixture.ts'

const MINUTE = 60_000
const DAY = 86_400_000
const NETWORKS = '/core/v3/networks'

test('Y-07 at expiresAt an account of either kind is refused, and its sessions end', async (t) => {
  const { app, createRecord, createFederated, createProvider, createAccount, token, jobToken, call } =
    await setUpFederated(t)
  const federated = await createFederated(await createRecord())
  const client = await createAccount(await createProvider('cognito'), 'machine-1')
  const { _embedded } = (await call('GET', NETWORKS, jobToken())).json
  const bearers = { [federated]: jobToken, [client]: () => token('cognito', 'machine-1') }
  for (const [id, bearer] of Object.entries(bearers)) {
    const at = app.clock.now() + 5 * MINUTE
    const path = `${NETWORKS}/${_embedded.networkList[0].id}/exchange`
    const session = (await call('POST', path, bearer(), { type: 'session' })).json.value
    const patched = await app.admin('PATCH', `${ACCOUNTS}/${id}`, { expiresAt: new Date(at).toISOString() })
    assert.equal(patched.json.expiresAt, new Date(at).toISOString())
    const put = await app.admin('PUT', `${ACCOUNTS}/${id}`, patched.json)
    assert.deepEqual([put.status, put.json.expiresAt], [200, patched.json.expiresAt], put.text)
    const statusOf = async () => [
      (await call('GET', SELF, bearer())).status,
      (await app.call('GET', '/edge/management/v1/current-identity', undefined, { session })).status,
    ]
    assert.deepEqual(await statusOf(), [200, 200])
    app.clock.advance(at - app.clock.now() - MINUTE)
    assert.deepEqual(await statusOf(), [200, 200])
    app.clock.advance(MINUTE)
    assert.deepEqual(await statusOf(), [401, 401])
    const { db } = app.store
    const expired = db.selectFrom('api_accounts').select('id').where('id', '=', id).where('has_expired', '=', true)
    await until(async () => (await expired.executeTakeFirst()) !== undefined)
    const sessions = db.selectFrom('api_sessions').select('id').where('identity_id', '=', `api-account:${id}`)
    assert.deepEqual(await sessions.execute(), [])
    // A later write: the caches have followed the earlier one.
    assert.equal((await app.admin('PATCH', `${ACCOUNTS}/${id}`, { description: 'expired' })).status, 200)
    app.clock.advance(-2 * MINUTE)
    assert.deepEqual(await statusOf(), [401, 401], 'a clock that goes back gives no access')
    const extended = await app.admin('PATCH', `${ACCOUNTS}/${id}`, { expiresAt: null })
    assert.deepEqual([extended.status, extended.json.expiresAt], [200, null])
    assert.deepEqual(await statusOf(), [200, 401])
  }
})

test('Y-07 an account shows its last use, which changes neither its version nor other accounts', async (t) => {
  const { app, createProvider, createAccount, token, call } = await setUpHosted(t)
  const provider = await createProvider('cognito')
  const id = await createAccount(provider, 'machine-1')
  const idle = await createAccount(provider, 'machine-2', { name: 'idle' })
  const read = async (of: string) => (await app.admin('GET', `${ACCOUNTS}/${of}`)).json
  const before = await read(id)
  assert.deepEqual([before.lastUsedAt, before.lastUsedFrom], [null, null])
  const usedAt = async (at: number) => {
    assert.equal((await call('GET', SELF, token('cognito', 'machine-1'))).status, 200)
    await until(async () => Date.parse((await read(id)).lastUsedAt ?? '') >= at)
  }
  const first = app.clock.now()
  await usedAt(first)
  assert.equal((await read(id)).lastUsedFrom, '127.0.0.1')
  app.clock.advance(MINUTE)
  await usedAt(first + MINUTE)
  assert.ok(Date.parse((await read(id)).lastUsedAt) <= app.clock.now())
  assert.deepEqual((await read(id)).updatedAt, before.updatedAt)
  assert.equal((await read(idle)).lastUsedAt, null)
  assert.equal((await call('GET', SELF, `${token('cognito', 'machine-2')}x`)).status, 401)
  assert.equal((await read(idle)).lastUsedAt, null, 'a refused token is no use')
  const sent = await app.admin('PUT', `${ACCOUNTS}/${id}`, await read(id))
  assert.equal(sent.status, 200, sent.text)
})

test('Y-07 the newest of many uses is stored, with few writes', async (t) => {
  const { app, createProvider, createAccount } = await setUpHosted(t)
  const provider = await createProvider('cognito')
  const id = await createAccount(provider, 'machine-1')
  const time = createFakeTime({ start: app.clock.now() })
  let writes = 0
  const run = ((...args) => {
    writes++
    return app.store.run(...args)
  }) as typeof app.store.run
  const uses = new AccountUses({
    store: { run },
    clock: time.clock,
    scheduler: time.scheduler,
    log: pino({ enabled: false }),
  })
  const lastUseIs = (at: number, from: string) =>
    until(async () => {
      const { lastUsedAt, lastUsedFrom } = (await app.admin('GET', `${ACCOUNTS}/${id}`)).json
      return Date.parse(lastUsedAt) === at && lastUsedFrom === from
    })
  const start = time.clock.now()
  uses.note(id, '192.0.2.1')
  await time.advance(1_000)
  await lastUseIs(start, '192.0.2.1')
  await time.advance(19_000)
  uses.note(id, '198.51.100.7')
  const second = time.clock.now()
  await time.advance(30_000)
  await lastUseIs(second, '198.51.100.7')
  assert.equal(writes, 2)
  for (let call = 0; call < 600; call++) {
    uses.note(id, call % 2 === 0 ? '192.0.2.1' : '198.51.100.7')
    await time.advance(100)
  }
  assert.ok(writes <= 5, `${writes} writes`)
  uses.note(id, '192.0.2.9')
  const last = time.clock.now()
  await uses.flush()
  await lastUseIs(last, '192.0.2.9')
  assert.equal(time.pending, 0)
})

test('Y-07 unused accounts are reported once, and again after a use', async (t) => {
  const { app, createProvider, createAccount, token, call } = await setUpHosted(t)
  const provider = await createProvider('cognito')
  const id = await createAccount(provider, 'machine-1', { name: 'unused' })
  const off = await createAccount(provider, 'machine-2', { name: 'inactive' })
  assert.equal((await app.admin('PATCH', `${ACCOUNTS}/${off}`, { active: false })).status, 200)
  const report = async (days = 90): Promise<string[]> => {
    const found: string[] = []
    const publish = (event: object) => void found.push(String((event as { api_account_name: string }).api_account_name))
    await reportUnusedAccounts({ store: app.store, clock: app.clock, events: { publish } as never, days })
    return found
  }
  app.clock.advance(90 * DAY - 2 * MINUTE)
  assert.deepEqual(await report(), [])
  app.clock.advance(2 * MINUTE)
  assert.deepEqual(await report(0), [])
  assert.deepEqual(await report(), ['unused'])
  assert.deepEqual(await report(), [])
  assert.equal((await call('GET', SELF, token('cognito', 'machine-1'))).status, 200)
  const used = app.store.db.selectFrom('api_account_uses').select('used_at').where('account_id', '=', id)
  await until(async () => (await used.executeTakeFirst())?.used_at != null)
  assert.deepEqual(await report(), [])
  app.clock.advance(90 * DAY + MINUTE)
  assert.deepEqual(await report(), ['unused'])
})
