import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createControllerStage } from '@countersign/testkit'
import { createCrashRecord, runCrashRound, startAndCheck } from './crash-round.ts'

const ROUNDS = 3
const PASSWORD = 'the password of the killed controller'
const SINKS = '/edge/management/v1/event-sinks'

test('S-02 after kill -9 under concurrent writes every acknowledged signer is stored, and a replaced one is old or new', async (t) => {
  const stage = createControllerStage(t)
  const record = createCrashRecord()
  for (let round = 0; round < ROUNDS; round++) await runCrashRound(stage, record)
  const controller = await startAndCheck(stage, record)
  assert.ok(record.created.size >= ROUNDS)
  assert.equal(record.replaced.size, 2)
  assert.equal((await controller.stop()).code, 0)
})

test('Z-01 a controller that is killed between the commit and the delivery of an event delivers it after the restart', async (t) => {
  const received = new Map<string, number>()
  let isUp = false
  const receiver = createServer((request, response) => {
    request.resume()
    request.on('end', () => {
      const id = String(request.headers['webhook-id'])
      received.set(id, (received.get(id) ?? 0) + 1)
      // The first deliveries arrive, but are not acknowledged.
      response.writeHead(isUp ? 200 : 503).end()
    })
  })
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
  t.after(() => receiver.close())
  const { port } = receiver.address() as AddressInfo
  const env = {
    COUNTERSIGN_ADMIN_PASSWORD: PASSWORD,
    COUNTERSIGN_JWKS_ALLOW_LOOPBACK: 'true',
    COUNTERSIGN_JWKS_ALLOW_HTTP: '127.0.0.1',
    COUNTERSIGN_JWKS_ALLOWED_PORTS: String(port),
  }
  const stage = createControllerStage(t)
  const first = await stage.start({ env })
  const session = await first.logIn(PASSWORD)
  const body = { name: 'siem', kind: 'webhook', url: `http://127.0.0.1:${port}/in` }
  const created = await first.request('POST', SINKS, { session, body })
  assert.equal(created.status, 201, created.text)
  for (let login = 0; login < 3; login++) await first.logIn(PASSWORD)
  await first.kill9()
  const tried = [...received.keys()]
  isUp = true
  const second = await stage.start({ env })
  const next = await second.logIn(PASSWORD)
  const sink = async () =>
    (await second.request('GET', `${SINKS}/${created.json.data.id}`, { session: next })).json.data
  // The lease of the killed process ends after 15 seconds.
  const deadline = Date.now() + 90_000
  while (((await sink()).position < 7 || (await sink()).behind > 0) && Date.now() < deadline) await sleep(250)
  const { position, behind, dropped } = await sink()
  assert.ok(position >= 9 && behind === 0 && dropped === 0, JSON.stringify({ position, behind, dropped }))
  // The sink, four logins with two events each, and heads of the audit record.
  assert.ok(received.size >= 9, String(received.size))
  assert.ok(
    tried.every((id) => (received.get(id) ?? 0) >= 2),
    'repeats have the same id',
  )
  assert.equal((await second.stop()).code, 0)
})
