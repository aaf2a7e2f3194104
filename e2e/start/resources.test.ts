import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { Agent } from 'node:https'
import { connect, type Socket } from 'node:net'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createControllerStage, type ReadyController } from '@countersign/testkit'
import { OWN_SESSION, until } from '../workers/worker-clients.ts'
import { buildSignerBody, CLIENT_SIGNERS, SIGNERS } from './signer-body.ts'

/** File size limit of the controller in units of 512 bytes, which stands for a full disk. */
const FILE_BLOCKS = 4096
const OPEN_FILES = 90
const TAGS = Object.fromEntries(Array.from({ length: 7 }, (_, number) => [`tag-${number}`, 'x'.repeat(2_000)]))

test('S-04 on a full disk writes get 503, reads and sessions work, no acknowledged write is lost, and it recovers without a restart', async (t) => {
  const controller = await createControllerStage(t).start({ before: `ulimit -S -f ${FILE_BLOCKS}` })
  const session = await controller.logIn()
  const acknowledged: string[] = []
  const write = async () => {
    const name = `signer-${acknowledged.length}`
    const body = { ...buildSignerBody(name), enabled: false, tags: TAGS }
    const response = await controller.request('POST', SIGNERS, { session, body })
    if (response.status === 201) acknowledged.push(name)
    return response
  }
  let refused = await write()
  while (refused.status === 201) refused = await write()
  assert.equal(refused.status, 503, refused.text)
  assert.equal(refused.json.error.code, 'STORE_UNAVAILABLE')
  assert.ok(refused.headers['retry-after'])
  assert.ok(acknowledged.length > 5)
  assert.equal((await controller.request('GET', OWN_SESSION, { session })).status, 200)
  assert.equal((await controller.request('GET', CLIENT_SIGNERS)).status, 200)
  assert.equal((await listNames(controller, session)).length, acknowledged.length)

  const raised = spawnSync('prlimit', ['--pid', String(controller.pid), '--fsize=unlimited'], { encoding: 'utf8' })
  assert.equal(raised.status, 0, raised.stderr)
  await until(async () => (await write()).status === 201, 'a write that succeeds')
  assert.deepEqual((await listNames(controller, session)).toSorted(), acknowledged.toSorted())
  assert.equal((await controller.stop()).code, 0, controller.stderr())
})

test('S-17 without free file descriptors new connections wait or are closed, open ones work, and it recovers without a restart', async (t) => {
  const controller = await createControllerStage(t).start({ before: `ulimit -n ${OPEN_FILES}` })
  const session = await controller.logIn()
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  t.after(() => agent.destroy())
  const useSession = async () => (await controller.request('GET', OWN_SESSION, { session, agent })).status
  assert.equal(await useSession(), 200)
  const port = Number(new URL(controller.ready.baseUrl).port)
  const sockets: Socket[] = []
  t.after(() => {
    for (const socket of sockets) socket.destroy()
  })
  for (let count = 0; count < 2 * OPEN_FILES; count++) {
    sockets.push(connect(port, '127.0.0.1').on('error', () => {}))
  }
  await sleep(500)
  for (let n = 0; n < 5; n++) assert.equal(await useSession(), 200, 'an open connection')
  const body = buildSignerBody('meanwhile')
  assert.equal((await controller.request('POST', SIGNERS, { session, body, agent })).status, 201)
  const closed = () => sockets.filter((socket) => socket.destroyed || socket.readyState !== 'open').length
  await until(() => closed() > 0, 'the first refused connection')
  for (const socket of sockets) socket.destroy()
  await until(async () => {
    const response = await controller.request('GET', CLIENT_SIGNERS).catch(() => undefined)
    return response?.status === 200
  }, 'a new connection that works')
  assert.equal((await controller.stop()).code, 0, controller.stderr())
})

async function listNames(controller: ReadyController, session: string): Promise<string[]> {
  const { status, json, text } = await controller.request('GET', `${SIGNERS}?limit=500`, { session })
  assert.equal(status, 200, text)
  return json.data.map(({ name }: { name: string }) => name)
}
