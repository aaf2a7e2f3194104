import assert from 'node:assert/strict'
import { existsSync, writeFileSync } from 'node:fs'
import { Agent } from 'node:https'
import { connect } from 'node:net'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import { createControllerStage, openRawHttps, type ReadyController } from '@countersign/testkit'
import { buildSignerBody, SIGNERS } from './signer-body.ts'

const LOGIN = '/edge/management/v1/authenticate?method=password'
/** Well before the moment, eight seconds after the signal, at which the controller cuts the connections that are left. */
const PROMPT_MS = 5_000
const LIMIT_MS = 30_000

// Side by side, since one of them mostly waits.
describe('a controller that ends', { concurrency: true }, () => {
  it('S-14 SIGTERM under load answers what is in flight, refuses what is new, exits with 0 and leaves no half write', async (t) => {
    const stage = createControllerStage(t)
    const controller = await stage.start()
    const { port } = new URL(controller.ready.baseUrl)
    const session = await controller.logIn()
    const load = startCreating(controller, session)
    await untilTrue(() => load.acknowledged.length >= 10, 'the first creates')

    // The 100 is proof that the login is under way; its body follows when the controller has long been told to stop.
    const inFlight = await openRawHttps({ port: Number(port) })
    t.after(() => inFlight.close())
    const body = JSON.stringify({ username: 'admin', password: controller.ready.admin.password })
    const headers = ['Host: localhost', 'Content-Type: application/json', 'Expect: 100-continue']
    inFlight.send(`POST ${LOGIN} HTTP/1.1\r\n${headers.join('\r\n')}\r\nContent-Length: ${body.length}\r\n\r\n`)
    assert.equal((await inFlight.readAnswer(LIMIT_MS)).status, 100)
    controller.child.kill('SIGTERM')
    await untilRefused(Number(port))
    inFlight.send(body)
    const answer = await inFlight.readAnswer(LIMIT_MS)
    assert.equal(answer.status, 200, answer.body)
    assert.ok(answer.headers['zt-session'])

    const answeredAt = performance.now()
    assert.deepEqual(await controller.exited, { code: 0, signal: null }, controller.stderr())
    const tookMs = performance.now() - answeredAt
    assert.ok(tookMs < PROMPT_MS, `the stop waited ${tookMs} ms for connections that had nothing to say`)
    await load.ended

    const file = join(controller.dataDir, 'countersign.db')
    assert.equal(existsSync(`${file}-wal`), false, 'the database was closed, not left')
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
    assert.equal(logged?.n, ids.size, 'each signer came with its entry in the change log')
  })

  it('a client that never finishes its request is cut off in time for an orderly stop', async (t) => {
    const stage = createControllerStage(t)
    const controller = await stage.start({ env: { COUNTERSIGN_HTTP_REQUEST_TIMEOUT_SECONDS: '60' } })
    const stuck = await openRawHttps({ port: Number(new URL(controller.ready.baseUrl).port) })
    t.after(() => stuck.close())
    const headers = ['Host: localhost', 'Content-Type: application/json', 'Expect: 100-continue', 'Content-Length: 100']
    stuck.send(`POST ${LOGIN} HTTP/1.1\r\n${headers.join('\r\n')}\r\n\r\n`)
    assert.equal((await stuck.readAnswer(LIMIT_MS)).status, 100)
    assert.deepEqual(await controller.stop(), { code: 0, signal: null }, controller.stderr())
    assert.equal(controller.stderr().includes('error:'), false, controller.stderr())
  })

  it('a controller that cannot write any more says so and ends with a failure', async (t) => {
    const stage = createControllerStage(t)
    // Ends the thread that writes, as a fault in it would.
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

/** Eight clients that create signers one after the other, on connections they keep, until they are no longer answered. */
function startCreating(controller: ReadyController, session: string) {
  const acknowledged: string[] = []
  const agent = new Agent({ keepAlive: true })
  const one = async (client: number): Promise<void> => {
    for (let n = 0; ; n++) {
      const body = buildSignerBody(`load-${client}-${n}`)
      const answer = await controller.request('POST', SIGNERS, { session, body, agent }).catch(() => undefined)
      if (!answer) return
      assert.equal(answer.status, 201, answer.text)
      acknowledged.push(answer.json.data.id)
    }
  }
  const ended = Promise.all(Array.from({ length: 8 }, (_, client) => one(client))).finally(() => agent.destroy())
  ended.catch(() => {})
  return { acknowledged, ended }
}

async function untilRefused(port: number): Promise<void> {
  await untilTrue(async () => (await findConnectError(port)) === 'ECONNREFUSED', 'new connections to be refused')
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

async function untilTrue(look: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const deadline = Date.now() + LIMIT_MS
  while (!(await look())) {
    assert.ok(Date.now() < deadline, `waited in vain for ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}
