import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { pino } from 'pino'
import type { Recipient } from '../../../src/events/sinks/recipient.ts'
import { OutboundError } from '../../../src/outbound/outbound-error.ts'
import { loadSettings } from '../../../src/platform/settings/index.ts'
import { createSender } from '../../../src/process/delivery/sender-handle.ts'
import { startReceiver, WEBHOOK_SECRET } from '../../http/event-sinks.fixture.ts'
import { eventsFrom, fileRecipient } from './sender.fixture.ts'

const BEGIN_WITHIN_MS = 5_000
const POLL_MS = 20

function setUp(t: TestContext, times: { idleMs?: number; hungMs?: number } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-sender-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const env = {
    COUNTERSIGN_JWKS_ALLOW_LOOPBACK: 'true',
    COUNTERSIGN_JWKS_ALLOW_HTTP: '127.0.0.1',
    COUNTERSIGN_JWKS_ALLOWED_PORTS: '1-65535',
  }
  const { settings } = loadSettings({ flags: {}, env })
  const logged: string[] = []
  const log = pino({}, { write: (line: string) => void logged.push(line) })
  const sender = createSender({ settings, folder, log, ...times })
  t.after(() => sender.stop())
  const linesOf = (name: string): string[] =>
    readFileSync(join(folder, `${name}.jsonl`), 'utf8')
      .trimEnd()
      .split('\n')
  return { sender, folder, logged, linesOf }
}

const webhook = (url: string): Recipient => ({
  id: 'id-of-webhook',
  name: 'siem',
  kind: 'webhook',
  url,
  format: 'json',
  secrets: [WEBHOOK_SECRET],
})

function isRunning(pid: number | undefined): boolean {
  // A process that has ended stays as a zombie where nothing waits for it.
  return existsSync(`/proc/${pid}`) && !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
}

async function untilEnded(pid: number | undefined): Promise<void> {
  while (isRunning(pid)) await sleep(POLL_MS)
}

test('Z-01 events are sent by a process of their own, which starts with the first ones', async (t) => {
  const receiver = await startReceiver(t)
  const { sender, linesOf, logged } = setUp(t)
  assert.equal(sender.pid, undefined)
  const events = eventsFrom(1, 20)
  const [toFile, toWebhook] = await Promise.all([
    sender.send(fileRecipient(), events, BEGIN_WITHIN_MS),
    sender.send(webhook(receiver.url), events, BEGIN_WITHIN_MS),
  ])
  assert.notEqual(sender.pid, process.pid)
  assert.ok(isRunning(sender.pid))
  assert.deepEqual([toFile, toWebhook.error], [{ sent: events }, undefined])
  assert.deepEqual(new Set(toWebhook.sent), new Set(events))
  assert.equal(linesOf('kept').length, events.length)
  assert.ok(receiver.received.every(({ headers }) => /^v1,/.test(String(headers['webhook-signature']))))
  assert.doesNotMatch(logged.join(), /whsec_/)
})

test('Z-01 what a receiver or the disk refuses is reported as within one process', async (t) => {
  const receiver = await startReceiver(t)
  const { sender, folder, linesOf } = setUp(t)
  const events = eventsFrom(1, 3)
  receiver.respond(({ json }) => (json.position === 2 ? 503 : 200))
  const refused = await sender.send(webhook(receiver.url), events.slice(1), BEGIN_WITHIN_MS)
  assert.ok(refused.error instanceof OutboundError)
  assert.equal(refused.error.status, 503)
  assert.ok(!refused.sent.includes(events[1] as never))
  receiver.respond(() => 200)
  assert.deepEqual(await sender.send(webhook(receiver.url), events.slice(1, 2), BEGIN_WITHIN_MS), { sent: [events[1]] })
  rmSync(folder, { recursive: true })
  writeFileSync(folder, 'in place of the folder')
  const unwritten = await sender.send(fileRecipient(), events, BEGIN_WITHIN_MS)
  assert.deepEqual([unwritten.sent, (unwritten.error as { code?: string }).code], [[], 'EEXIST'])
  rmSync(folder)
  assert.deepEqual(await sender.send(fileRecipient(), events, BEGIN_WITHIN_MS), { sent: events })
  assert.equal(linesOf('kept').length, 3)
})

test('Z-02 when the process is killed, its events count as unsent and the next ones have a new process', async (t) => {
  const receiver = await startReceiver(t)
  const { sender, logged } = setUp(t)
  const events = eventsFrom(1, 1)
  const { promise: isArrived, resolve: arrive } = Promise.withResolvers<void>()
  receiver.respond(() => {
    arrive()
    return new Promise<number>(() => {})
  })
  const sending = sender.send(webhook(receiver.url), events, BEGIN_WITHIN_MS)
  await isArrived
  const killed = sender.pid ?? 0
  process.kill(killed, 'SIGKILL')
  const { sent, error } = await sending
  assert.deepEqual([sent, (error as Error).message], [[], 'the process that sends events has ended'])
  assert.match(logged.join(), /has ended/)
  receiver.respond(() => 200)
  assert.deepEqual(await sender.send(webhook(receiver.url), events, BEGIN_WITHIN_MS), { sent: events })
  assert.notEqual(sender.pid, killed)
})

test('Z-02 a process that no longer responds is replaced', async (t) => {
  const { sender } = setUp(t, { hungMs: 100 })
  const events = eventsFrom(1, 1)
  assert.deepEqual(await sender.send(fileRecipient(), events, BEGIN_WITHIN_MS), { sent: events })
  const hung = sender.pid ?? 0
  process.kill(hung, 'SIGSTOP')
  assert.deepEqual((await sender.send(fileRecipient(), events, 0)).sent, [])
  await untilEnded(hung)
  assert.deepEqual(await sender.send(fileRecipient(), events, BEGIN_WITHIN_MS), { sent: events })
})

test('the process ends when there is nothing to send, and when it is stopped', async (t) => {
  const { sender, logged } = setUp(t, { idleMs: 50 })
  await sender.send(fileRecipient(), eventsFrom(1, 1), BEGIN_WITHIN_MS)
  const first = sender.pid
  await untilEnded(first)
  assert.equal(sender.pid, undefined)
  const lasting = setUp(t)
  await lasting.sender.send(fileRecipient(), eventsFrom(1, 1), BEGIN_WITHIN_MS)
  await sleep(200)
  const second = lasting.sender.pid
  assert.ok(isRunning(second))
  lasting.sender.stop()
  await untilEnded(second)
  assert.deepEqual([...logged, ...lasting.logged], [])
})

test('Z-02 the process ends with the controller, also when that is killed', async (t) => {
  const { folder } = setUp(t)
  const parent = fork(fileURLToPath(new URL('./parent.fixture.ts', import.meta.url)), [folder])
  t.after(() => parent.kill('SIGKILL'))
  const [pid] = (await once(parent, 'message')) as [number]
  assert.ok(isRunning(pid))
  parent.kill('SIGKILL')
  await untilEnded(pid)
})
