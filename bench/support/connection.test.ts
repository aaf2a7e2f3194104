import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { describe, it, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createServer } from 'node:tls'
import { makeTestCertificate } from '@countersign/testkit'
import { buildRequest } from './build-request.ts'
import { openConnection } from './connection.ts'
import { runLoad } from './load.ts'
import { startSteadyLoad } from './steady-load.ts'

/** Starts a server that sends these pieces for each request, and closes the connection after the last if `closes`. */
async function startServer(t: TestContext, pieces: readonly string[], closes = false) {
  const { pem: cert, privateKey } = makeTestCertificate({ commonName: 'localhost' })
  const key = privateKey.export({ type: 'pkcs8', format: 'pem' })
  const server = createServer({ cert, key }, (socket) => {
    socket.on('error', () => {})
    socket.on('data', async () => {
      for (const piece of pieces) {
        socket.write(piece)
        await sleep(5)
      }
      if (closes) socket.end()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  return { port: (server.address() as AddressInfo).port, ca: cert }
}

const REQUEST = buildRequest('GET', '/', {})
const OK = 'HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nabcd'

describe('load generator connection', () => {
  it('reads a response that arrives in pieces, and the next one', async (t) => {
    const connection = await openConnection(
      await startServer(t, ['HTTP/1.1 200 OK\r\nContent-', 'Length: 4\r\n\r\nab', 'cd']),
    )
    for (let time = 0; time < 2; time++) {
      const { status, length, body } = await connection.send(REQUEST)
      assert.equal(status, 200)
      assert.equal(body(), 'abcd')
      assert.equal(length, 42)
    }
    connection.close()
  })

  it('rejects when the server closes the connection before the response is complete', async (t) => {
    const connection = await openConnection(await startServer(t, [OK.slice(0, -1)], true))
    await assert.rejects(connection.send(REQUEST), /ended before the response/)
  })

  it('sends at most maxRequests requests', async (t) => {
    const address = await startServer(t, [OK])
    let created = 0
    const request = () => {
      created++
      return REQUEST
    }
    const load = { ...address, connections: 4, seconds: 30, request, expectStatus: 200, maxRequests: 10 }
    assert.equal((await runLoad(load)).requests, 10)
    assert.equal(created, 10)
    await assert.rejects(runLoad({ ...load, expectStatus: 204 }), /expected 204, got 200/)
  })

  it('continues at a constant rate when the server closes connections, and reports requests without a response as status 0', async (t) => {
    const address = await startServer(t, ['HTTP/1.1 200 OK\r\n'], true)
    const statuses: number[] = []
    const onResponse = (status: number) => void statuses.push(status)
    const load = await startSteadyLoad({ from: [address, address], perSecond: 50, request: () => REQUEST, onResponse })
    while (statuses.length < 5) await sleep(10)
    await load.stop()
    assert.deepEqual([...new Set(statuses)], [0])
  })
})
