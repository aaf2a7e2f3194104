import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeTestAuthority } from '@countersign/testkit'
import { pino } from 'pino'
import { followClientCas, pickNamedCas } from '../../src/process/follow-client-cas.ts'
import { buildApp } from '../http/build-app.ts'
import { CAS, makeCa } from '../http/cas.fixture.ts'

test('W-93 a handshake names CAs up to 16 KiB, and none with a name of more than 1 KiB', () => {
  const named = (length: number) => makeTestAuthority({ commonName: 'x'.repeat(length) })
  const [long, short] = [named(1_100), named(900)]
  assert.deepEqual(pickNamedCas([long.pem, short.pem + long.pem]), [short.pem])
  assert.equal(pickNamedCas(Array.from({ length: 40 }, () => short.pem)).length, 17)
  assert.equal(pickNamedCas([...Array.from({ length: 17 }, () => short.pem), named(10).pem]).length, 18)
  assert.equal(pickNamedCas(Array.from({ length: 300 }, () => named(1).pem)).length, 200)
})

test('W-93 changes of CAs in a loop are read together, and those that change no certificate are not named again', async (t) => {
  const app = await buildApp(t)
  const { id } = await makeCa(app)
  const named: number[] = []
  const log = pino({ enabled: false })
  const refresh = followClientCas({ store: app.store, log, apply: (pems) => void named.push(pems.length) })
  await refresh()
  const reads = t.mock.method(app.store.db, 'selectFrom')
  const change = (body: object) => app.admin('PATCH', `${CAS}/${id}`, body)
  for (let nth = 0; nth < 20; nth++) assert.equal((await change({ tags: { nth } })).status, 200)
  await refresh()
  assert.deepEqual(named, [1])
  const loads = () => reads.mock.calls.filter(({ arguments: [table] }) => table === 'cas').length
  const before = loads()
  await Promise.all(Array.from({ length: 50 }, () => refresh()))
  assert.ok(loads() - before <= 2, `${loads() - before} reads`)
  assert.equal(
    (await change({ isAuthEnabled: false, isAutoCaEnrollmentEnabled: false, isOttCaEnrollmentEnabled: false })).status,
    200,
  )
  await refresh()
  assert.deepEqual(named, [1, 0])
})
