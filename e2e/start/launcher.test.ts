import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { statSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { createControllerStage } from '@countersign/testkit'

const LAUNCHER = fileURLToPath(new URL('../../tools/run.js', import.meta.url))
const INSTALLED = fileURLToPath(new URL('../../node_modules/.package-lock.json', import.meta.url))

test('what npm start runs passes flags, output and signals on, and installs nothing that is there', async (t) => {
  const stage = createControllerStage(t)
  const before = statSync(INSTALLED).mtimeMs
  const controller = await stage.start({ command: [process.execPath, LAUNCHER, 'start'] })
  assert.equal(statSync(INSTALLED).mtimeMs, before)
  assert.equal((await controller.request('GET', '/version')).status, 200)
  assert.notEqual(controller.pid, controller.child.pid, 'the controller is a process below the launcher')
  assert.equal(controller.stdout(), `${JSON.stringify(controller.ready)}\n`)
  assert.deepEqual(await controller.stop(), { code: 0, signal: null })
  await assert.rejects(controller.request('GET', '/version'), { code: 'ECONNREFUSED' })
})

const argumentsOf = (pid: number): string =>
  execFileSync('ps', ['-o', 'args=', '-p', String(pid)], { encoding: 'utf8' })

test('the controller has its options of the heap, in the process that was started, unless the operator wants others', async (t) => {
  const stage = createControllerStage(t)
  const plain = await stage.start()
  assert.equal(plain.pid, plain.child.pid)
  assert.match(argumentsOf(plain.pid), / --max-semi-space-size=32 --no-memory-reducer /)
  assert.doesNotMatch(plain.stderr(), /warning/i)
  assert.deepEqual(await plain.stop(), { code: 0, signal: null })

  const chosen = await stage.start({ nodeOptions: ['--max-semi-space-size=24'] })
  assert.match(argumentsOf(chosen.pid), / --max-semi-space-size=24 /)
  assert.doesNotMatch(argumentsOf(chosen.pid), /=32|memory-reducer/)
  await chosen.stop()
})
