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
  const start = (options: { maxBytes?: number; keepFiles?: number; path?: string } = {}) =>
    startEventFile({ events, clock, log, path, maxBytes: 100_000, keepFiles: 3, ...options })
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

async function until(isTrue: () => boolean): Promise<void> {
  for (let turns = 0; turns < 250 && !isTrue(); turns += 1) await sleep(20)
  assert.ok(isTrue())
}

describe('the file of events', () => {
  test('R-10 holds one line of JSON for each event, from the first on, and only its owner may read it', async (t) => {
    const { path, publish, start } = setUp(t)
    publish('before it was opened')
    const writer = await start()
    publish('a\nb\u001b[31m')
    await writer.stop()
    assert.deepEqual(messagesIn(readFileSync(path, 'utf8')), ['before it was opened', 'a\nb\u001b[31m'])
    assert.equal(statSync(path).mode & 0o777, 0o600)
  })

  test('is gone on with after a restart, and closed to others if it was open to them', async (t) => {
    const { path, publish, start } = setUp(t)
    writeFileSync(path, '{"message":"of an earlier start"}\n', { mode: 0o644 })
    chmodSync(path, 0o644)
    publish('of this one')
    await (await start()).stop()
    assert.deepEqual(messagesIn(readFileSync(path, 'utf8')), ['of an earlier start', 'of this one'])
    assert.equal(statSync(path).mode & 0o777, 0o600)
  })

  test('is put aside before it grows too long, and of those put aside the oldest goes', async (t) => {
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
      'nothing is missing in between',
    )
  })

  test('that is no file, such as a device, is neither put aside nor given another mode', async (t) => {
    const { publish, start } = setUp(t)
    const { mode } = statSync('/dev/null')
    const writer = await start({ path: '/dev/null', maxBytes: 4096 })
    for (let count = 0; count < 100; count += 1) publish('x'.repeat(1_000))
    await writer.stop()
    assert.ok(statSync('/dev/null').isCharacterDevice() && !existsSync('/dev/null.1'))
    assert.equal(statSync('/dev/null').mode, mode)
  })

  test('that cannot be opened stops the start, in words', async (t) => {
    const { dir, start } = setUp(t)
    await assert.rejects(start({ path: join(dir, 'no-such-directory', 'events') }), /cannot write events to .*no-such/)
  })

  test('that cannot be written any more harms nobody, is told once, and is gone on with later', async (t) => {
    const { dir, path, logged, events, publish, start } = setUp(t)
    const writer = await start({ maxBytes: 4096, keepFiles: 1 })
    publish('x'.repeat(3_000))
    await until(() => existsSync(path) && statSync(path).size > 3_000)
    // Putting the full file aside fails: its place is taken by a directory that is not empty.
    const inTheWay = `${path}.1`
    mkdirSync(join(inTheWay, 'x'), { recursive: true })
    for (let count = 0; count < 20; count += 1) publish(`${count} ${'x'.repeat(2_000)}`)
    await until(() => logged.some((line) => line.includes('cannot be written')))
    publish('the controller goes on')
    assert.ok(events.last > 20)
    rmSync(inTheWay, { recursive: true })
    await until(() => logged.some((line) => line.includes('can be written to their file again')))
    await writer.stop()
    assert.equal(logged.filter((line) => line.includes('cannot be written')).length, 1)
    assert.equal(messagesIn(readFileSync(path, 'utf8')).at(-1), 'the controller goes on')
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

  test('R-04 wait for whoever reads them, and say how many are missing when he is too slow', async (t) => {
    const { events, publish } = setUp(t)
    const taken: string[] = []
    let take = (): void => {}
    const output = new Writable({
      decodeStrings: false,
      write: (lines, _, done) => {
        taken.push(lines)
        take = done
      },
    })
    const writer = startEventOutput(events, clock, output)
    publish('first')
    await until(() => taken.length === 1)
    for (let count = 0; count < 10_000; count += 1) publish(`${count}`)
    await sleep(20)
    assert.equal(taken.length, 1, 'nothing is queued')
    take()
    await until(() => taken.length === 2)
    const [gap, next] = messagesIn(taken[1] ?? '')
    assert.equal(gap, `${10_000 - 4096} events are missing here`)
    assert.equal(next, `${10_000 - 4096}`)
    const stopped = writer.stop()
    take()
    await stopped
  })

  test('that nobody reads any more end nothing', async (t) => {
    const { events, publish } = setUp(t)
    const output = new Writable({ write: (_lines, _, done) => done(new Error('EPIPE')) })
    const writer = startEventOutput(events, clock, output)
    publish('one')
    await sleep(20)
    publish('two')
    await writer.stop()
  })
})
