import assert from 'node:assert/strict'
import { ChildProcess, fork } from 'node:child_process'
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
import { batchFrom, fileRecipient } from './sender.fixture.ts'

type Environment = Readonly<Record<string, string>>

const BEGIN_WITHIN_MS = 5_000
const POLL_MS = 20
const END_MS = 10_000
/** All that a recipient was to have. */
const allSentTo = (position: number) => ({ after: position, ahead: [], isNoticeSent: false, hasSent: true })

function setUp(t: TestContext, times: { idleMs?: number; hungMs?: number } = {}, variables: Environment = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-sender-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const env = {
    ...variables,
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
  filter: null,
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
  const batch = batchFrom(1, 20)
  const sent = await Promise.all([
    sender.send(fileRecipient(), batch, BEGIN_WITHIN_MS),
    sender.send(webhook(receiver.url), batch, BEGIN_WITHIN_MS),
  ])
  assert.notEqual(sender.pid, process.pid)
  assert.ok(isRunning(sender.pid))
  assert.deepEqual(sent, [allSentTo(20), allSentTo(20)])
  assert.deepEqual([linesOf('kept').length, receiver.received.length], [20, 20])
  assert.ok(receiver.received.every(({ headers }) => /^v1,/.test(String(headers['webhook-signature']))))
  assert.doesNotMatch(logged.join(), /whsec_/)
})

/** The processes that are started from now on, and what is sent to them. */
function watchProcesses(t: TestContext) {
  const children: ChildProcess[] = []
  const messages: unknown[] = []
  const prototype = ChildProcess.prototype as unknown as { spawn(this: ChildProcess, options: object): number }
  const { spawn } = prototype
  t.mock.method(prototype, 'spawn', function spawnAndListen(this: ChildProcess, options: object) {
    const result = spawn.call(this, options)
    children.push(this)
    const { send } = this
    t.mock.method(this, 'send', (message: never, ...rest: never[]) => {
      messages.push(message)
      return send.call(this, message, ...rest)
    })
    return result
  })
  return { children, messages }
}

test('Z-01 the process has no key or password but those of the recipient', async (t) => {
  const { messages } = watchProcesses(t)
  const secrets = {
    COUNTERSIGN_SEALING_KEY: '5a'.repeat(32),
    COUNTERSIGN_DATABASE: 'postgres://controller:the-password-of-the-database@db.example/countersign',
    COUNTERSIGN_ADMIN_PASSWORD: 'the-password-of-the-administrator',
  }
  for (const [name, value] of Object.entries(secrets)) {
    process.env[name] = value
    t.after(() => delete process.env[name])
  }
  const { sender, folder } = setUp(t, {}, secrets)
  const file = join(folder, 'variables')
  writeFileSync(file, 'COUNTERSIGN_SEALING_KEY=any')
  const { execArgv } = process
  process.execArgv = [...execArgv, '--no-warnings', `--env-file=${file}`, '--env-file-if-exists', file]
  t.after(() => {
    process.execArgv = execArgv
  })
  assert.deepEqual(await sender.send(fileRecipient(), batchFrom(1, 1), BEGIN_WITHIN_MS), allSentTo(1))
  const options = readFileSync(`/proc/${sender.pid}/cmdline`, 'latin1')
  assert.match(options, /--no-warnings/)
  assert.doesNotMatch(options, /env-file|variables/)
  const environment = readFileSync(`/proc/${sender.pid}/environ`, 'latin1')
  const given = environment + JSON.stringify(messages)
  assert.match(given, /PATH=/)
  assert.match(given, /id-of-file/)
  for (const secret of Object.values(secrets)) assert.ok(!given.includes(secret))
  assert.doesNotMatch(given, /COUNTERSIGN_/)
})

test('Z-01 what a receiver or the disk refuses is reported as within one process', async (t) => {
  const receiver = await startReceiver(t)
  const { sender, folder, linesOf } = setUp(t)
  receiver.respond(({ json }) => (json.position === 2 ? 503 : 200))
  const { error, ...refused } = await sender.send(webhook(receiver.url), batchFrom(2, 2), BEGIN_WITHIN_MS)
  assert.ok(error instanceof OutboundError)
  assert.equal(error.status, 503)
  assert.equal(refused.after, 1)
  receiver.respond(() => 200)
  const again = await sender.send(webhook(receiver.url), { ...batchFrom(2, 2), ahead: refused.ahead }, BEGIN_WITHIN_MS)
  assert.deepEqual(again, allSentTo(3))
  const times = receiver.received.map(({ json }) => json.position).filter((position) => position === 3)
  assert.equal(times.length, 1, 'an event that was sent beside one that failed is not sent again')
  rmSync(folder, { recursive: true })
  writeFileSync(folder, 'in place of the folder')
  const unwritten = await sender.send(fileRecipient(), batchFrom(1, 3), BEGIN_WITHIN_MS)
  assert.deepEqual([unwritten.after, (unwritten.error as { code?: string }).code], [0, 'EEXIST'])
  rmSync(folder)
  assert.deepEqual(await sender.send(fileRecipient(), batchFrom(1, 3), BEGIN_WITHIN_MS), allSentTo(3))
  assert.equal(linesOf('kept').length, 3)
})

test('Z-02 when the process is killed, its events count as unsent and the next ones have a new process', async (t) => {
  const receiver = await startReceiver(t)
  const { sender, logged } = setUp(t)
  const { promise: isArrived, resolve: arrive } = Promise.withResolvers<void>()
  receiver.respond(() => {
    arrive()
    return new Promise<number>(() => {})
  })
  const sending = sender.send(webhook(receiver.url), { ...batchFrom(1, 1), ahead: [9] }, BEGIN_WITHIN_MS)
  await isArrived
  const killed = sender.pid ?? 0
  process.kill(killed, 'SIGKILL')
  const { error, ...sent } = await sending
  assert.deepEqual(sent, { after: 0, ahead: [9], isNoticeSent: false, hasSent: false })
  assert.equal((error as Error).message, 'the process that sends events has ended')
  assert.match(logged.join(), /has ended/)
  receiver.respond(() => 200)
  assert.deepEqual(await sender.send(webhook(receiver.url), batchFrom(1, 1), BEGIN_WITHIN_MS), allSentTo(1))
  assert.notEqual(sender.pid, killed)
})

test('Z-02 a process with an error is ended before another one is started', async (t) => {
  const { children } = watchProcesses(t)
  const { sender, logged } = setUp(t)
  assert.deepEqual(await sender.send(fileRecipient(), batchFrom(1, 1), BEGIN_WITHIN_MS), allSentTo(1))
  const [failed] = children
  assert.ok(failed && isRunning(failed.pid))
  failed.emit('error', new Error('a message could not be sent'))
  await once(failed, 'exit', { signal: AbortSignal.timeout(END_MS) })
  assert.match(logged.join(), /has ended/)
  assert.deepEqual(await sender.send(fileRecipient(), batchFrom(2, 1), BEGIN_WITHIN_MS), allSentTo(2))
  assert.notEqual(sender.pid, failed.pid)
})

test('Z-02 a batch whose time is over before its first message makes progress', async (t) => {
  const receiver = await startReceiver(t)
  const { sender } = setUp(t)
  const events = 100
  let after = 0
  for (let batches = 0; after < events && batches < events; batches++) {
    const sent = await sender.send(webhook(receiver.url), { ...batchFrom(1, events), after }, -1)
    assert.ok(sent.after < events || batches > 0, 'it begins no further message')
    after = sent.after
  }
  assert.equal(after, events)
  assert.deepEqual(await sender.send(webhook(receiver.url), batchFrom(1, events), BEGIN_WITHIN_MS), allSentTo(events))
})

test('Z-02 a process that no longer responds is replaced', async (t) => {
  const { sender } = setUp(t, { hungMs: 100 })
  assert.deepEqual(await sender.send(fileRecipient(), batchFrom(1, 1), BEGIN_WITHIN_MS), allSentTo(1))
  const hung = sender.pid ?? 0
  process.kill(hung, 'SIGSTOP')
  assert.equal((await sender.send(fileRecipient(), batchFrom(1, 1), 0)).hasSent, false)
  await untilEnded(hung)
  assert.deepEqual(await sender.send(fileRecipient(), batchFrom(1, 1), BEGIN_WITHIN_MS), allSentTo(1))
})

test('the process ends when there is nothing to send, and when it is stopped', async (t) => {
  const { sender, logged } = setUp(t, { idleMs: 50 })
  await sender.send(fileRecipient(), batchFrom(1, 1), BEGIN_WITHIN_MS)
  const first = sender.pid
  await untilEnded(first)
  assert.equal(sender.pid, undefined)
  const lasting = setUp(t)
  await lasting.sender.send(fileRecipient(), batchFrom(1, 1), BEGIN_WITHIN_MS)
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
