import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { statSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { createControllerStage } from '@countersign/testkit'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const LAUNCHER = fileURLToPath(new URL('../../tools/run.js', import.meta.url))
const INSTALLED = fileURLToPath(new URL('../../node_modules/.package-lock.json', import.meta.url))

test('npm start forwards flags, output and signals, and does not reinstall packages', async (t) => {
  const stage = createControllerStage(t)
  const before = statSync(INSTALLED).mtimeMs
  const controller = await stage.start({ command: [process.execPath, LAUNCHER, 'start'] })
  assert.equal(statSync(INSTALLED).mtimeMs, before)
  assert.equal((await controller.request('GET', '/version')).status, 200)
  assert.equal(controller.pid, controller.child.pid, 'the controller has replaced the launcher')
  assert.doesNotMatch(controller.stderr(), /warning/i)
  assert.equal(controller.stdout(), `${JSON.stringify(controller.ready)}\n`)
  assert.deepEqual(await controller.stop(), { code: 0, signal: null })
  await assert.rejects(controller.request('GET', '/version'), { code: 'ECONNREFUSED' })
})

test('the controller is the only process that npm start leaves below npm, and stops when npm is killed', async (t) => {
  const stage = createControllerStage(t)
  const controller = await stage.start({ command: ['npm', '--silent', '--prefix', ROOT, 'start', '--'] })
  const parent = execFileSync('ps', ['-o', 'ppid=', '-p', String(controller.pid)], { encoding: 'utf8' })
  assert.equal(Number(parent), controller.child.pid)
  controller.child.kill('SIGKILL')
  await controller.exited
  await assert.rejects(controller.request('GET', '/version'), { code: 'ECONNREFUSED' })
})

const argumentsOf = (pid: number): string =>
  execFileSync('ps', ['-o', 'args=', '-p', String(pid)], { encoding: 'utf8' })

test('the controller runs with its heap options, in the started process, unless the operator sets others', async (t) => {
  const stage = createControllerStage(t)
  const plain = await stage.start()
  assert.equal(plain.pid, plain.child.pid)
  assert.match(
    argumentsOf(plain.pid),
    / --max-semi-space-size=16 --heap-growing-percent=150 --no-memory-reducer --expose-gc /,
  )
  assert.doesNotMatch(plain.stderr(), /warning/i)
  assert.deepEqual(await plain.stop(), { code: 0, signal: null })

  const chosen = await stage.start({ nodeOptions: ['--max-semi-space-size=24'] })
  assert.match(argumentsOf(chosen.pid), / --max-semi-space-size=24 /)
  assert.doesNotMatch(argumentsOf(chosen.pid), /=16/)
  await chosen.stop()
})

/** The new space of the main thread, in MiB. */
async function newSpaceOf(metricsUrl: string): Promise<number> {
  const text = await (await fetch(metricsUrl)).text()
  const [, bytes] = /^countersign_nodejs_heap_space_size_total_bytes\{space="new"[^}]*\} (\d+)$/m.exec(text) ?? []
  return Number(bytes) / 2 ** 20
}

test('memory used only for the start is released before the first request', async (t) => {
  const stage = createControllerStage(t)
  const plain = await stage.start()
  assert.ok((await newSpaceOf(plain.ready.metricsUrl)) < 8)
  await plain.stop()

  const withoutCollector = await stage.start({ nodeOptions: ['--no-expose-gc'] })
  assert.ok((await newSpaceOf(withoutCollector.ready.metricsUrl)) >= 8)
  await withoutCollector.stop()
})
