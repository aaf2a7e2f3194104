import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import fastify from 'fastify'
import { pino } from 'pino'
import { sendAnswer } from '../../src/http/pipeline/send-answer.ts'

const PIECE = 65_536

/** A server that answers each call with the text. */
async function serve(t: TestContext, text: string) {
  const app = fastify()
  const sockets: Socket[] = []
  app.server.on('connection', (socket) => sockets.push(socket))
  app.get('/', (_, reply) => sendAnswer({ status: 200, text }, reply, pino({ enabled: false })))
  await app.listen({ port: 0, host: '127.0.0.1' })
  t.after(() => app.close())
  const { port } = app.server.address() as { port: number }
  return { port, sockets }
}

test('an answer arrives as it is, however long it is', async (t) => {
  const texts = [1, PIECE - 1, PIECE, PIECE + 1, 2 * PIECE, 1_000_000].flatMap((length) => [
    'abcdefg'.repeat(length).slice(0, length),
    // Halves of a character that stand on both sides of an end would be lost.
    `a${'😀é'.repeat(length)}`.slice(0, length + 1),
  ])
  for (const text of texts) {
    const { port } = await serve(t, text.toWellFormed())
    const response = await fetch(`http://127.0.0.1:${port}/`)
    assert.equal(response.headers.get('content-length'), String(Buffer.byteLength(text.toWellFormed())))
    assert.ok((await response.text()) === text.toWellFormed(), `${text.length} characters`)
  }
})

test('a client that does not read is kept a piece, not the whole answer, and gets all of it when he reads', async (t) => {
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
