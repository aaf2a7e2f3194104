import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import fastify from 'fastify'
import { pino } from 'pino'
import { sendResponse } from '../../src/http/pipeline/send-response.ts'

const PIECE = 65_536

/** Starts a server that responds to each call with the text. */
async function serve(t: TestContext, text: string) {
  const app = fastify()
  const sockets: Socket[] = []
  app.server.on('connection', (socket) => sockets.push(socket))
  app.get('/', (_, reply) => sendResponse({ status: 200, text }, reply, pino({ enabled: false })))
  await app.listen({ port: 0, host: '127.0.0.1' })
  t.after(() => app.close())
  const { port } = app.server.address() as { port: number }
  return { port, sockets }
}

test('a response arrives unchanged, whatever its length', async (t) => {
  const texts = [1, PIECE - 1, PIECE, PIECE + 1, 2 * PIECE, 1_000_000].flatMap((length) => [
    'abcdefg'.repeat(length).slice(0, length),
    // A surrogate pair split between two chunks would be lost.
    `a${'😀é'.repeat(length)}`.slice(0, length + 1),
  ])
  for (const text of texts) {
    const { port } = await serve(t, text.toWellFormed())
    const response = await fetch(`http://127.0.0.1:${port}/`)
    assert.equal(response.headers.get('content-length'), String(Buffer.byteLength(text.toWellFormed())))
    assert.ok((await response.text()) === text.toWellFormed(), `${text.length} characters`)
  }
})

test('one chunk is buffered for a client that does not read, not the whole response, and the client gets all of it later', async (t) => {
  const text = 'x'.repeat(32 * 1_048_576)
  const { port, sockets } = await serve(t, text)
  const client = connect(port, '127.0.0.1')
  client.pause()
  client.write('GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n')
  await once(client, 'connect')
  await sleep(300)
  const [socket] = sockets
  assert.ok(socket && socket.writableLength <= 2 * PIECE, `${socket?.writableLength} bytes are kept`)
  let read = 0
  client.on('data', (chunk: Buffer) => {
    read += chunk.length
  })
  client.resume()
  await once(client, 'end')
  assert.ok(read > text.length && read < text.length + 1_000, `${read} bytes were read`)
})
