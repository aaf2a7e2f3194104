import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, test } from 'node:test'
import { openRawHttps, type RawConnection } from '@countersign/testkit'
import { keptText } from '../../src/http/pipeline/send-response.ts'
import { http } from './hostile-requests.ts'
import { serveRoutes } from './serve-routes.ts'
import { sharedTarget, startTarget } from './target.ts'

/** Well over the limits of one and two seconds and the second between the server's checks. */
const CLOSED_WITHIN_MS = 9_000
const LOGIN = '/edge/client/v1/authenticate?method=password'

const target = sharedTarget({
  settings: { http: { headersTimeoutSeconds: 1, requestTimeoutSeconds: 2, keepAliveSeconds: 1 } },
})

/** Sends a byte every 100 ms until the server responds. */
async function drip(connection: RawConnection, byte: string) {
  const dripping = setInterval(() => connection.send(byte), 100)
  try {
    return await connection.readResponse(CLOSED_WITHIN_MS)
  } finally {
    clearInterval(dripping)
  }
}

describe('a slow client', { concurrency: true }, () => {
  test('M-06 that drips the headers gets a 408 and is disconnected', async () => {
    await target().unharmed(async () => {
      const connection = await target().open()
      connection.send('GET /version HTTP/1.1\r\nHost: localhost\r\nX-Test: ')
      const { status, json } = await drip(connection, 'a')
      assert.deepEqual([status, json.error.code], [408, 'REQUEST_TIMEOUT'])
      await connection.untilClosed(CLOSED_WITHIN_MS)
    })
  })

  test('M-06 that drips the body gets a 408 and is disconnected, before the handler runs', async () => {
    await target().unharmed(async () => {
      const connection = await target().open()
      connection.send(http(`POST ${LOGIN}`, ['Content-Type: application/json', 'Content-Length: 1000']))
      const { status, json } = await drip(connection, ' ')
      assert.deepEqual([status, json.error.code], [408, 'REQUEST_TIMEOUT'])
      await connection.untilClosed(CLOSED_WITHIN_MS)
    })
  })

  test('M-06 that stays within the limits is served', async () => {
    const connection = await target().open()
    for (const piece of ['GET /ver', 'sion HTTP/1.1\r\nHo', 'st: localhost\r\n', '\r\n']) {
      connection.send(piece)
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
    assert.equal((await connection.readResponse()).status, 200)
    connection.close()
  })

  test('M-06 that never begins is disconnected: without TLS, without a request, after a request', async () => {
    const silent = connect({ port: target().port, host: '127.0.0.1' }).resume()
    silent.on('error', () => {})
    const silentClosed = once(silent, 'close', { signal: AbortSignal.timeout(CLOSED_WITHIN_MS) })
    const idle = await target().open()
    const kept = await target().open()
    kept.send(http('GET /version'))
    assert.equal((await kept.readResponse()).status, 200)
    assert.equal((await idle.readResponse(CLOSED_WITHIN_MS)).status, 408)
    await Promise.all([silentClosed, idle.untilClosed(CLOSED_WITHIN_MS), kept.untilClosed(CLOSED_WITHIN_MS)])
  })
})

test('M-06 idle connections are limited in number; when they are closed, others are served', async (t) => {
  const MAX = 10
  const crowded = await startTarget(t, { settings: { http: { maxConnections: MAX, headersTimeoutSeconds: 1 } } })
  const idle = await Promise.all(Array.from({ length: MAX }, () => crowded.open()))
  for (let extra = 0; extra < 20; extra += 1) await assert.rejects(crowded.open())
  await Promise.all(idle.map((connection) => connection.untilClosed(CLOSED_WITHIN_MS)))
  // The controller notices a little later that they are closed.
  const deadline = performance.now() + CLOSED_WITHIN_MS
  let status: number | undefined
  while (status === undefined && performance.now() < deadline)
    status = await crowded.request(http('GET /version')).then(
      (response) => response.status,
      () => undefined,
    )
  assert.equal(status, 200)
})

/** Longer than the buffers of a connection, and one character that is not ASCII. */
const LONG = JSON.stringify(`é${'x'.repeat(16 * 1_048_576)}`)

test('M-06 a kept text is not copied for each client that reads it slowly', async (t) => {
  const kept = keptText(LONG)
  let served = 0
  const serve = () => {
    served += 1
    return { status: 200, text: kept }
  }
  const routes = await serveRoutes(t, { '/kept': serve })
  const before = process.memoryUsage().arrayBuffers
  const slow = await Promise.all(Array.from({ length: 10 }, () => openRawHttps({ port: routes.port })))
  for (const connection of slow) {
    connection.socket.pause()
    connection.send(http('GET /kept'))
  }
  while (served < slow.length) await new Promise(setImmediate)
  await routes.get('/unknown')
  const grownMiB = (process.memoryUsage().arrayBuffers - before) / 1_048_576
  assert.ok(grownMiB < 80, `${grownMiB} MiB for 10 clients`)
  for (const connection of slow) connection.close()
})

test('a kept text arrives whole, with the length in bytes', async (t) => {
  const long = JSON.stringify('é'.repeat(100_000))
  const routes = await serveRoutes(t, { '/kept': () => ({ status: 200, text: keptText(long) }) })
  const { json, headers } = await routes.get('/kept')
  assert.deepEqual([JSON.stringify(json), headers['content-length']], [long, String(Buffer.byteLength(long))])
})
