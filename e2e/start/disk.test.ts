import assert from 'node:assert/strict'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { createControllerStage, type ReadyController } from '@countersign/testkit'
import { OWN_SESSION, until } from '../workers/worker-clients.ts'
import { type BreakableDisk, makeFailingDisk, makeFullDisk } from './breakable-disk.ts'
import { buildSignerBody, CLIENT_SIGNERS, SIGNERS } from './signer-body.ts'

const SINKS = '/edge/management/v1/event-sinks'
const PASSWORD = 'the password of broken disks'

/** Starts a controller with all its files on the disk, and records the acknowledged writes. */
async function startOn(t: TestContext, disk: BreakableDisk) {
  const stage = createControllerStage(t)
  const eventFile = join(disk.folder, 'events.jsonl')
  const env = { COUNTERSIGN_ADMIN_PASSWORD: PASSWORD, COUNTERSIGN_EVENTS_FILE: eventFile }
  const dataDir = join(disk.folder, 'data')
  const start = () => stage.start({ dataDir, env })
  const controller = await start()
  const session = await controller.logIn(PASSWORD)
  const acknowledged: string[] = []
  let attempts = 0
  const write = async () => {
    const name = `signer-${attempts++}`
    const response = await controller.request('POST', SIGNERS, { session, body: buildSignerBody(name) })
    if (response.status === 201) acknowledged.push(name)
    return response
  }
  for (let count = 0; count < 3; count++) assert.equal((await write()).status, 201)
  return { stage, start, dataDir, env, eventFile, controller, session, acknowledged, write }
}

/** Writes and new sessions are refused with 503 and Retry-After; reads and existing sessions work. */
async function checkOnlyReads({ controller, session, acknowledged, write }: Awaited<ReturnType<typeof startOn>>) {
  await until(async () => (await write()).status === 503, 'a write that is refused')
  for (let count = 0; count < 3; count++) {
    const refused = await write()
    assert.deepEqual([refused.status, refused.json.error.code], [503, 'STORE_UNAVAILABLE'], refused.text)
    assert.ok(refused.headers['retry-after'])
  }
  await assert.rejects(controller.logIn(PASSWORD), /503/)
  assert.equal((await controller.request('GET', OWN_SESSION, { session })).status, 200)
  assert.equal((await controller.request('GET', CLIENT_SIGNERS)).status, 200)
  assert.deepEqual(await listNames(controller, session), acknowledged.toSorted())
}

test('S-04 Z-01 on a full disk only writes are refused, they succeed again when there is space, and sinks miss nothing', async (t) => {
  const disk = makeFullDisk(t)
  const started = await startOn(t, disk)
  const { controller, session, acknowledged, eventFile, dataDir, write } = started
  const sink = await controller.request('POST', SINKS, { session, body: { name: 'kept', kind: 'file' } })
  assert.equal(sink.status, 201, sink.text)
  const before = acknowledged.length
  for (let count = 0; count < 3; count++) assert.equal((await write()).status, 201)
  disk.break(controller)
  await checkOnlyReads(started)
  disk.repair(controller)
  await until(async () => (await write()).status === 201, 'a write that succeeds')
  assert.deepEqual(await listNames(controller, session), acknowledged.toSorted())
  const last = acknowledged.at(-1) ?? ''
  await until(() => readFileSync(eventFile, 'utf8').includes(`"${last}"`), 'events in the file again')
  const lines = readFileSync(eventFile, 'utf8').trimEnd().split('\n')
  for (const line of lines) assert.ok(JSON.parse(line), 'no line is truncated')
  const sinkFile = join(dataDir, 'events', 'kept.jsonl')
  const readSink = () => (existsSync(sinkFile) ? readFileSync(sinkFile, 'utf8').trimEnd().split('\n') : [])
  // A delivery that failed is tried again after some seconds.
  await until(() => readSink().some((line) => line.includes(`"${last}"`)), 'events in the sink')
  const delivered = new Map(readSink().map((line) => [JSON.parse(line).event_id, JSON.parse(line)]))
  const events = [...delivered.values()]
  const positions = events.map(({ position }) => position)
  assert.deepEqual(
    positions,
    positions.map((_, at) => at + 1),
    'each event once, but for repeats with the same id',
  )
  const created = events.filter(
    ({ entityType, eventType }) => entityType === 'externalJwtSigners' && eventType === 'created',
  )
  assert.deepEqual(
    created.map(({ finalState }) => finalState.name),
    acknowledged.slice(before),
  )
  assert.equal((await controller.stop()).code, 0, controller.stderr())
})

test('S-04 on a disk that turns read-only only writes are refused, and the next start on a repaired one has all data', async (t) => {
  const disk = makeFailingDisk(t)
  const started = await startOn(t, disk)
  const { controller, acknowledged, start, stage, dataDir, env } = started
  disk.break(controller)
  await checkOnlyReads(started)
  const refused = stage.launch({ dataDir, env })
  assert.equal((await refused.exited).code, 1)
  assert.match(refused.stderr(), /^error: .*(read-only|in use)/m)
  await controller.kill9()
  disk.repair(controller)
  const again = await start()
  assert.deepEqual(await listNames(again, await again.logIn(PASSWORD)), acknowledged.toSorted())
  const body = buildSignerBody('afterwards')
  const created = await again.request('POST', SIGNERS, { session: await again.logIn(PASSWORD), body })
  assert.equal(created.status, 201, created.text)
  assert.equal((await again.stop()).code, 0, again.stderr())
})

test('a damaged database is refused by file name and not changed, and the undamaged one works', async (t) => {
  const stage = createControllerStage(t)
  const env = { COUNTERSIGN_ADMIN_PASSWORD: PASSWORD }
  const first = await stage.start({ env })
  const session = await first.logIn(PASSWORD)
  for (let count = 0; count < 40; count++) {
    const body = buildSignerBody(`signer-${count}`)
    assert.equal((await first.request('POST', SIGNERS, { session, body })).status, 201)
  }
  assert.equal((await first.stop()).code, 0)
  const file = join(first.dataDir, 'countersign.db')
  const whole = readFileSync(file)
  const damaged = Buffer.from(whole)
  // Everything after the first page, which identifies the file as a database.
  for (let at = 4096; at < damaged.length; at++) damaged[at] = (at * 31) & 0xff
  writeFileSync(file, damaged)
  const broken = stage.launch({ env })
  assert.equal((await broken.exited).code, 1)
  assert.ok(broken.stderr().includes(file), broken.stderr())
  assert.deepEqual(readFileSync(file), damaged, 'not changed, so that data can be recovered')
  writeFileSync(file, whole)
  const restored = await stage.start({ env })
  assert.equal((await listNames(restored, await restored.logIn(PASSWORD))).length, 40)
})

async function listNames(controller: ReadyController, session: string): Promise<string[]> {
  const { status, json, text } = await controller.request('GET', `${SIGNERS}?limit=500`, { session })
  assert.equal(status, 200, text)
  return json.data.map(({ name }: { name: string }) => name).toSorted()
}
