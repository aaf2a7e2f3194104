import assert from 'node:assert/strict'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough, Writable } from 'node:stream'
import { describe, type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { pino } from 'pino'
import { startEventFile } from '../../src/events/event-file.ts'
import { createEventHub } from '../../src/events/event-hub.ts'
import { startEventOutput } from '../../src/events/event-output.ts'

const clock = { now: () => Date.UTC(2026, 4, 2) }

function setUp(t: TestContext) {
  const dir = mkdtempSync(join(tmpdir(), 'countersign-events-'))
  t.after(() => rmSync(dir, { recursive: true, force: true }))
  const events = createEventHub({ nodeId: 'node', clock })
  const logged: string[] = []
  const log = pino({}, { write: (line: string) => void logged.push(line) })
  const path = join(dir, 'events.jsonl')
  const start = async (options: { maxBytes?: number; keepFiles?: number; path?: string } = {}) => {
    const writer = await startEventFile({ events, clock, log, path, maxBytes: 100_000, keepFiles: 3, ...options })
    t.after(() => writer.stop())
    return writer
  }
  return { dir, path, events, logged, start, publish: (message: string) => publish(events, message) }
}

function publish(events: ReturnType<typeof createEventHub>, message: string): void {
  events.publish({ namespace: 'signerHealth', event_type: 'test', external_jwt_signer_id: 'signer', message })
}

const messagesIn = (text: string): string[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line).message)

async function until(holds: () => boolean): Promise<void> {
  for (let tries = 0; tries < 250 && !holds(); tries += 1) await sleep(20)
  assert.ok(holds())
}

describe('the event file', () => {
  test('R-10 contains one line of JSON for each event, from the first on, and only its owner can read it', async (t) => {
    const { path, publish, start } = setUp(t)
    publish('before it was opened')
    const writer = await start()
    publish('a\nb\u001b[31m')
    await writer.stop()
    assert.deepEqual(messagesIn(readFileSync(path, 'utf8')), ['before it was opened', 'a\nb\u001b[31m'])
    assert.equal(statSync(path).mode & 0o777, 0o600)
  })

  test('is continued after a restart, and its mode is corrected', async (t) => {
    const { path, publish, start } = setUp(t)
    writeFileSync(path, '{"message":"of an earlier start"}\n', { mode: 0o644 })
    chmodSync(path, 0o644)
    publish('of this one')
    await (await start()).stop()
    assert.deepEqual(messagesIn(readFileSync(path, 'utf8')), ['of an earlier start', 'of this one'])
    assert.equal(statSync(path).mode & 0o777, 0o600)
  })

  test('is rotated before it grows too large, and the oldest rotated file is deleted', async (t) => {
    const { dir, path, publish, start } = setUp(t)
    const writer = await start({ maxBytes: 4096, keepFiles: 2 })
    for (let count = 0; count < 200; count += 1) {
      publish(`${count} ${'x'.repeat(100)}`)
      if (count % 5 === 0) await sleep(2)
    }
    await writer.stop()
    assert.deepEqual(readdirSync(dir).toSorted(), ['events.jsonl', 'events.jsonl.1', 'events.jsonl.2'])
    for (const name of readdirSync(dir)) {
      assert.ok(statSync(join(dir, name)).size <= 4096, name)
      assert.equal(statSync(join(dir, name)).mode & 0o777, 0o600)
    }
    const kept = [`${path}.2`, `${path}.1`, path].flatMap((file) => messagesIn(readFileSync(file, 'utf8')))
    const numbers = kept.map((message) => Number.parseInt(message, 10))
    assert.equal(numbers.at(-1), 199)
    assert.deepEqual(
      numbers,
      numbers.map((_, index) => 200 - numbers.length + index),
      'no event is missing in between',
    )
  })

  test('is neither rotated nor given another mode when it is a device', async (t) => {
    const { publish, start } = setUp(t)
    const { mode } = statSync('/dev/null')
    const writer = await start({ path: '/dev/null', maxBytes: 4096 })
    for (let count = 0; count < 100; count += 1) publish('x'.repeat(1_000))
    await writer.stop()
    assert.ok(statSync('/dev/null').isCharacterDevice() && !existsSync('/dev/null.1'))
    assert.equal(statSync('/dev/null').mode, mode)
  })

  test('stops the start with an explanation when it cannot be opened', async (t) => {
    const { dir, start } = setUp(t)
    await assert.rejects(start({ path: join(dir, 'no-such-directory', 'events') }), /cannot write events to .*no-such/)
  })

  test('harms nothing when it cannot be written, logs one error, and is continued later', async (t) => {
    const { dir, path, logged, events, publish, start } = setUp(t)
    const writer = await start({ maxBytes: 4096, keepFiles: 1 })
    publish('x'.repeat(3_000))
    await until(() => existsSync(path) && statSync(path).size > 3_000)
    // Rotation fails, because the target is a directory that is not empty.
    const rotationTarget = `${path}.1`
    mkdirSync(join(rotationTarget, 'x'), { recursive: true })
    for (let count = 0; count < 20; count += 1) publish(`${count} ${'x'.repeat(2_000)}`)
    await until(() => logged.some((line) => line.includes('cannot write events to the file')))
    publish('the controller continues')
    assert.ok(events.last > 20)
    rmSync(rotationTarget, { recursive: true })
    await until(() => logged.some((line) => line.includes('events are written to the file again')))
    await writer.stop()
    assert.equal(logged.filter((line) => line.includes('cannot write events to the file')).length, 1)
    assert.equal(messagesIn(readFileSync(path, 'utf8')).at(-1), 'the controller continues')
    assert.ok(readdirSync(dir).length <= 2)
  })
})

describe('events on stdout', () => {
  test('are lines of JSON', async (t) => {
    const { events, publish } = setUp(t)
    const output = new PassThrough()
    publish('one')
    const writer = startEventOutput(events, clock, output)
    publish('two')
    await writer.stop()
    assert.deepEqual(messagesIn(String(output.read())), ['one', 'two'])
  })

  test('R-04 wait for a slow reader, and say how many are missing', async (t) => {
    const { events, publish } = setUp(t)
    const written: string[] = []
    let finishWrite = (): void => {}
    const output = new Writable({
      decodeStrings: false,
      write: (lines, _, done) => {
        written.push(lines)
        finishWrite = done
      },
    })
    const writer = startEventOutput(events, clock, output)
    publish('first')
    await until(() => written.length === 1)
    for (let count = 0; count < 10_000; count += 1) publish(`${count}`)
    await sleep(20)
    assert.equal(written.length, 1, 'nothing is queued')
    finishWrite()
    await until(() => written.length === 2)
    const [gap, next] = messagesIn(written[1] ?? '')
    assert.equal(gap, `${10_000 - 4096} events are missing here`)
    assert.equal(next, `${10_000 - 4096}`)
    const stopped = writer.stop()
    finishWrite()
    await stopped
  })

  test('end without harm when their reader is gone', async (t) => {
    const { events, publish } = setUp(t)
    const output = new Writable({ write: (_lines, _, done) => done(new Error('EPIPE')) })
    const writer = startEventOutput(events, clock, output)
    publish('one')
    await sleep(20)
    publish('two')
    await writer.stop()
  })
})
