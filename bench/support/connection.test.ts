import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { describe, it, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createServer } from 'node:tls'
import { makeTestCertificate } from '@countersign/testkit'
import { openConnection } from './connection.ts'
import { http } from './http.ts'
import { runLoad } from './load.ts'
import { startSteadyLoad } from './steady-load.ts'

/** A server that sends these pieces for each request, and hangs up after the last when told to. */
async function startServer(t: TestContext, pieces: readonly string[], hangsUp = false) {
  const { pem: cert, privateKey } = makeTestCertificate({ commonName: 'localhost' })
  const key = privateKey.export({ type: 'pkcs8', format: 'pem' })
  const server = createServer({ cert, key }, (socket) => {
    socket.on('error', () => {})
    socket.on('data', async () => {
      for (const piece of pieces) {
        socket.write(piece)
        await sleep(5)
      }
      if (hangsUp) socket.end()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  return { port: (server.address() as AddressInfo).port, ca: cert }
}

const REQUEST = http('GET', '/', {})
const OK = 'HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nabcd'

describe('a connection of the load generator', () => {
  it('reads an answer that comes in pieces, and the next one after it', async (t) => {
    const connection = await openConnection(
      await startServer(t, ['HTTP/1.1 200 OK\r\nContent-', 'Length: 4\r\n\r\nab', 'cd']),
    )
    for (let time = 0; time < 2; time++) {
      const { status, length, body } = await connection.ask(REQUEST)
      assert.equal(status, 200)
      assert.equal(body(), 'abcd')
      assert.equal(length, 42)
    }
    connection.close()
  })

  it('fails when the server hangs up before the answer is whole', async (t) => {
    const connection = await openConnection(await startServer(t, [OK.slice(0, -1)], true))
    await assert.rejects(connection.ask(REQUEST), /ended before the answer/)
  })

  it('sends no more requests than it may', async (t) => {
    const target = await startServer(t, [OK])
    let taken = 0
    const request = () => {
      taken++
      return REQUEST
    }
    const load = { ...target, connections: 4, seconds: 30, request, expectStatus: 200, maxRequests: 10 }
    assert.equal((await runLoad(load)).requests, 10)
    assert.equal(taken, 10)
    await assert.rejects(runLoad({ ...load, expectStatus: 204 }), /expected 204, got 200/)
  })

  it('goes on at a steady rate when the server hangs up, and counts what was not answered', async (t) => {
    const target = await startServer(t, ['HTTP/1.1 200 OK\r\n'], true)
    const statuses: number[] = []
    const onAnswer = (status: number) => void statuses.push(status)
    const load = await startSteadyLoad({ from: [target, target], perSecond: 50, request: () => REQUEST, onAnswer })
    while (statuses.length < 5) await sleep(10)
    await load.stop()
    assert.deepEqual([...new Set(statuses)], [0])
  })
})
