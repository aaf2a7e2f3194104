import assert from 'node:assert/strict'
import { createReadStream, writeFileSync } from 'node:fs'
import { Agent } from 'node:https'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { describe, it, type TestContext } from 'node:test'
import { createControllerStage, type ReadyController } from '@countersign/testkit'

/** Their log lines, which have the path, are more than the pipe and the controller's buffer hold. */
const REQUESTS = 4_000
/** As many as the buffer holds, but not the pipe. */
const KEPT_REQUESTS = 800
/** Makes the controller throw an exception that is not caught. */
const CRASH = 'SIGUSR2'
const LONG_PATH = `/${'x'.repeat(250)}`
const RESPONSE_LIMIT_MS = 40_000
const STOP_LIMIT_MS = 9_000

interface LogLine {
  readonly msg: string
  readonly dropped?: number
}

describe('a controller whose log is not read', { timeout: 240_000 }, () => {
  for (const workers of [1, 2]) {
    it(`S-19 responds, says how many lines it dropped, and stops, with ${workers} workers`, async (t) => {
      const controller = await startUnread(t, workers)
      await flood(controller, REQUESTS)
      await controller.logIn()

      const log = readLog(controller)
      t.after(() => log.close())
      const { dropped } = await within(
        RESPONSE_LIMIT_MS,
        log.find(({ dropped }) => dropped !== undefined),
      )
      assert.ok(dropped !== undefined && dropped > 0 && dropped < REQUESTS, `${dropped} lines were dropped`)
      // Logged again once the reader is back.
      const before = log.count()
      await flood(controller, 16)
      await within(
        RESPONSE_LIMIT_MS,
        log.find(() => log.count() >= before + 16),
      )
      assert.deepEqual(await within(STOP_LIMIT_MS, controller.stop()), { code: 0, signal: null })
    })

    it(`S-19 stops while nothing reads, with ${workers} workers`, async (t) => {
      const controller = await startUnread(t, workers)
      await flood(controller, REQUESTS)
      assert.deepEqual(await within(STOP_LIMIT_MS, controller.stop()), { code: 0, signal: null })
    })
  }

  for (const [ending, signal] of [
    ['a stop', 'SIGTERM'],
    ['an uncaught exception', CRASH],
  ] as const) {
    it(`S-19 writes what is left when its reader comes back during ${ending}`, async (t) => {
      const controller = await startUnread(t, 1)
      await flood(controller, KEPT_REQUESTS)
      controller.child.kill(signal)
      const log = readLog(controller)
      t.after(() => log.close())
      const { code } = await within(STOP_LIMIT_MS, controller.exited)
      assert.equal(code === 0, signal === 'SIGTERM')
      await within(
        RESPONSE_LIMIT_MS,
        log.find(() => log.count() >= KEPT_REQUESTS),
      )
    })
  }
})

/** Starts a controller whose stderr is a named pipe that the process itself keeps open, so that it fills up. */
function startUnread(t: TestContext, workers: number): Promise<ReadyController> {
  const stage = createControllerStage(t)
  const preload = join(stage.folder, 'crash.mjs')
  writeFileSync(preload, `process.on('${CRASH}', () => { throw new Error('a planted fault') })`)
  return stage.start({
    env: { NODE_OPTIONS: `--import=${preload}` },
    before: 'mkfifo log; exec 2<>log',
    args: ['--log-level', 'debug', '--workers', String(workers)],
  })
}

/** Sends requests that are each logged. Fails when they have no response in time. */
async function flood(controller: ReadyController, requests: number): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 8 })
  const runClient = async (): Promise<void> => {
    for (let n = 0; n < requests / 8; n++) {
      const { status } = await controller.request('GET', LONG_PATH, { agent })
      assert.equal(status, 404)
    }
  }
  await within(RESPONSE_LIMIT_MS, Promise.all(Array.from({ length: 8 }, runClient))).finally(() => agent.destroy())
}

function readLog(controller: ReadyController) {
  const lines: LogLine[] = []
  const stream = createReadStream(join(controller.dataDir, '..', 'log'))
  let onLine = (): void => {}
  createInterface(stream).on('line', (line) => {
    // Other lines are messages of the command.
    if (line.startsWith('{')) lines.push(JSON.parse(line))
    onLine()
  })
  return {
    count: () => lines.length,
    find: (matches: (line: LogLine) => boolean): Promise<LogLine> =>
      new Promise((resolve) => {
        onLine = () => {
          const found = lines.find(matches)
          if (found) resolve(found)
        }
        onLine()
      }),
    close: () => stream.destroy(),
  }
}

function within<T>(ms: number, work: Promise<T>): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error(`not done after ${ms} ms`)), ms)
  return Promise.race([work, late]).finally(() => clearTimeout(timer))
}
