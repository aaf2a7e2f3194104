import assert from 'node:assert/strict'
import { existsSync, writeFileSync } from 'node:fs'
import { Agent } from 'node:https'
import { connect } from 'node:net'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import { createControllerStage, openRawHttps, type ReadyController } from '@countersign/testkit'
import { until } from '../workers/worker-clients.ts'
import { buildSignerBody, SIGNERS } from './signer-body.ts'

const LOGIN = '/edge/management/v1/authenticate?method=password'
/** Well below the eight seconds after which the controller closes the remaining connections. */
const PROMPT_MS = 5_000
const LIMIT_MS = 30_000

// Concurrent, since one of them mostly waits.
describe('stopping a controller', { concurrency: true }, () => {
  it('S-14 SIGTERM under load completes requests in flight, refuses new ones, exits with 0 and leaves no partial write', async (t) => {
    const stage = createControllerStage(t)
    const controller = await stage.start()
    const { port } = new URL(controller.ready.baseUrl)
    const session = await controller.logIn()
    const load = startCreating(controller, session)
    await until(() => load.acknowledged.length >= 10, 'the first creates')

    // The 100 proves that the login is in progress; its body is sent after the signal to stop.
    const inFlight = await openRawHttps({ port: Number(port) })
    t.after(() => inFlight.close())
    const body = JSON.stringify({ username: 'admin', password: controller.ready.admin.password })
    const headers = ['Host: localhost', 'Content-Type: application/json', 'Expect: 100-continue']
    inFlight.send(`POST ${LOGIN} HTTP/1.1\r\n${headers.join('\r\n')}\r\nContent-Length: ${body.length}\r\n\r\n`)
    assert.equal((await inFlight.readResponse(LIMIT_MS)).status, 100)
    controller.child.kill('SIGTERM')
    await untilRefused(Number(port))
    inFlight.send(body)
    const response = await inFlight.readResponse(LIMIT_MS)
    assert.equal(response.status, 200, response.body)
    assert.ok(response.headers['zt-session'])

    const respondedAt = performance.now()
    assert.deepEqual(await controller.exited, { code: 0, signal: null }, controller.stderr())
    const tookMs = performance.now() - respondedAt
    assert.ok(tookMs < PROMPT_MS, `the stop waited ${tookMs} ms for idle connections`)
    await load.ended

    const file = join(controller.dataDir, 'countersign.db')
    assert.equal(existsSync(`${file}-wal`), false, 'the database was closed')
    const database = new DatabaseSync(file, { readOnly: true })
    t.after(() => database.close())
    assert.equal(database.prepare('pragma integrity_check').get()?.integrity_check, 'ok')
    const ids = new Set(
      database
        .prepare('select id from ext_jwt_signers')
        .all()
        .map(({ id }) => String(id)),
    )
    assert.deepEqual(
      load.acknowledged.filter((id) => !ids.has(id)),
      [],
    )
    const logged = database.prepare("select count(*) as n from change_log where entity = 'externalJwtSigners'").get()
    assert.equal(logged?.n, ids.size, 'each signer has its entry in the change log')
  })

  it('a client that never finishes its request is disconnected in time for a graceful stop', async (t) => {
    const stage = createControllerStage(t)
    const controller = await stage.start({ env: { COUNTERSIGN_HTTP_REQUEST_TIMEOUT_SECONDS: '60' } })
    const stuck = await openRawHttps({ port: Number(new URL(controller.ready.baseUrl).port) })
    t.after(() => stuck.close())
    const headers = ['Host: localhost', 'Content-Type: application/json', 'Expect: 100-continue', 'Content-Length: 100']
    stuck.send(`POST ${LOGIN} HTTP/1.1\r\n${headers.join('\r\n')}\r\n\r\n`)
    assert.equal((await stuck.readResponse(LIMIT_MS)).status, 100)
    assert.deepEqual(await controller.stop(), { code: 0, signal: null }, controller.stderr())
    assert.equal(controller.stderr().includes('error:'), false, controller.stderr())
  })

  it('a controller that can no longer write reports it and exits with a failure', async (t) => {
    const stage = createControllerStage(t)
    // Exits the writer thread, as a fault in it would.
    const [preload, signal] = [join(stage.folder, 'fault.mjs'), join(stage.folder, 'now')]
    writeFileSync(
      preload,
      `import { existsSync } from 'node:fs'
    import { isMainThread } from 'node:worker_threads'
    if (!isMainThread) setInterval(() => existsSync(${JSON.stringify(signal)}) && process.exit(7), 50).unref()`,
    )
    const controller = await stage.start({ env: { NODE_OPTIONS: `--import=${preload}` } })
    writeFileSync(signal, '')
    const { code } = await controller.exited
    assert.equal(code, 1, controller.stderr())
    assert.equal(controller.stderr().match(/^error: /gm)?.length, 1, controller.stderr())
  })
})

/** Starts eight clients that create signers on kept-alive connections until they get no response. */
function startCreating(controller: ReadyController, session: string) {
  const acknowledged: string[] = []
  const agent = new Agent({ keepAlive: true })
  const runClient = async (client: number): Promise<void> => {
    for (let n = 0; ; n++) {
      const body = buildSignerBody(`load-${client}-${n}`)
      const response = await controller.request('POST', SIGNERS, { session, body, agent }).catch(() => undefined)
      if (!response) return
      assert.equal(response.status, 201, response.text)
      acknowledged.push(response.json.data.id)
    }
  }
  const ended = Promise.all(Array.from({ length: 8 }, (_, client) => runClient(client))).finally(() => agent.destroy())
  ended.catch(() => {})
  return { acknowledged, ended }
}

async function untilRefused(port: number): Promise<void> {
  await until(async () => (await findConnectError(port)) === 'ECONNREFUSED', 'new connections to be refused')
}

function findConnectError(port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => {
      socket.destroy()
      resolve(undefined)
    })
    socket.once('error', (error: NodeJS.ErrnoException) => resolve(error.code))
  })
}
