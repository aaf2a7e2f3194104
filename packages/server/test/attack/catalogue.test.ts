import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { test } from 'node:test'
import { openRawHttps } from '@countersign/testkit'
import { startControllerProcess } from './controller-process.ts'
import { http } from './hostile-requests.ts'
import { runCatalogue } from './run-catalogue.ts'

const MIB = 1_048_576

test('O-20 the whole catalogue in random order leaves the same process, tables, files and memory', async (t) => {
  await runCatalogue({ rounds: 2, seed: randomInt(2 ** 31), log: (line) => t.diagnostic(line) })
})

test('M-03 many concurrent anonymous bodies of the maximum length are counted and not kept', async (t) => {
  const SENDERS = 100
  const controller = await startControllerProcess()
  t.after(() => controller.stop())
  const { port, memoryBytes } = controller
  const connections = await Promise.all(Array.from({ length: SENDERS }, () => openRawHttps({ port })))
  await Promise.all(
    connections.map(async ({ send, readResponse }) => {
      send(http('GET /version'))
      assert.equal((await readResponse()).status, 200)
    }),
  )
  const before = memoryBytes()
  let most = before
  const sampling = setInterval(() => {
    most = Math.max(most, memoryBytes())
  }, 5)
  // All but the last byte: every body has arrived, and none may be released yet.
  await Promise.all(
    connections.map(async ({ socket }) => {
      const head = http('POST /edge/management/v1/external-jwt-signers', [`Content-Length: ${MIB}`])
      await new Promise<void>((resolve) => socket.write(head + ' '.repeat(MIB - 1), () => resolve()))
    }),
  )
  for (const { send } of connections) send(' ')
  const statuses = await Promise.all(connections.map(async ({ readResponse }) => (await readResponse()).status))
  clearInterval(sampling)
  assert.deepEqual(new Set(statuses), new Set([401]))
  const grown = Math.max(most, memoryBytes()) - before
  t.diagnostic(`${SENDERS} bodies of 1 MiB: ${Math.round(grown / MIB)} MiB`)
  assert.ok(grown <= SENDERS * MIB * 1.5, `${Math.round(grown / MIB)} MiB`)
  for (const { close } of connections) close()
  controller.checkAlive()
})
