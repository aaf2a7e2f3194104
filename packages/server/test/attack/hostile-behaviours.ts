import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { openRawHttps } from '@countersign/testkit'
import { type Credentials, http, VERSION, withBody } from './hostile-requests.ts'

/** An attack of several steps. It asserts a response only where the response matters. */
export interface HostileBehaviour {
  readonly row: string
  readonly title: string
  run(port: number, credentials: Credentials): Promise<void>
}

const LOGIN = '/edge/client/v1/authenticate?method=password'
const SIGNERS = '/edge/management/v1/external-jwt-signers'
const settle = () => new Promise<void>((resolve) => setImmediate(resolve))

/** Sends the bytes and closes the connection as soon as they are sent. */
async function sendAndCut(port: number, bytes: string): Promise<void> {
  const { socket, close } = await openRawHttps({ port })
  await new Promise<void>((resolve) => socket.write(bytes, () => resolve()))
  close()
  await settle()
}

export const HOSTILE_BEHAVIOURS: readonly HostileBehaviour[] = [
  {
    row: 'O-03',
    title: 'disconnects in the middle of a body',
    run: (port) =>
      sendAndCut(port, http(`POST ${LOGIN}`, ['Content-Type: application/json', 'Content-Length: 500'], '{"a')),
  },
  {
    row: 'O-03',
    title: 'disconnects in the middle of a chunk',
    run: (port, { session }) =>
      sendAndCut(port, http(`POST ${SIGNERS}`, [`zt-session: ${session}`, 'Transfer-Encoding: chunked'], 'ff\r\n{"a')),
  },
  {
    row: 'O-03',
    title: 'disconnects in the middle of the headers',
    run: (port) => sendAndCut(port, `GET ${VERSION} HTTP/1.1\r\nHost: loc`),
  },
  {
    row: 'O-03',
    title: 'disconnects in the middle of the TLS handshake',
    run: async (port) => {
      const socket = connect({ port, host: '127.0.0.1' })
      await once(socket, 'connect')
      socket.write(Buffer.from('1603010200010001fc0303', 'hex'))
      await settle()
      socket.destroy()
    },
  },
  {
    row: 'M-23',
    title: 'does not use TLS',
    run: async (port) => {
      const socket = connect({ port, host: '127.0.0.1' })
      socket.on('error', () => {})
      socket.write(`GET ${VERSION} HTTP/1.1\r\nHost: localhost\r\n\r\n`)
      // The only possible response is a TLS alert.
      socket.on('data', (data: Buffer) => assert.equal(data[0], 0x15))
      await once(socket, 'close')
    },
  },
  {
    row: 'O-03',
    title: 'disconnects before the response',
    run: (port, { session }) => sendAndCut(port, http(`GET ${SIGNERS}?limit=-1`, [`zt-session: ${session}`])),
  },
  {
    row: 'O-03',
    title: 'disconnects in the middle of the response',
    run: async (port, { session }) => {
      const { socket, send, close } = await openRawHttps({ port })
      send(http(`GET ${SIGNERS}?limit=-1`, [`zt-session: ${session}`]))
      await once(socket, 'data')
      close()
    },
  },
  {
    row: 'M-02',
    title: 'sends endless chunks',
    run: async (port) => {
      const connection = await openRawHttps({ port })
      connection.send(http(`POST ${LOGIN}`, ['Transfer-Encoding: chunked']))
      for (let chunk = 0; chunk < 20; chunk += 1) connection.send(`2000\r\n${'x'.repeat(0x2000)}\r\n`)
      assert.equal((await connection.readResponse()).status, 413)
      connection.close()
    },
  },
  {
    row: 'M-08',
    title: 'sends garbage after a good request',
    run: async (port) => {
      const connection = await openRawHttps({ port })
      connection.send(`${http(`GET ${VERSION}`)}\x00\x01garbage\r\n\r\n`)
      // The good request gets its own response, never the refusal of what follows.
      assert.equal((await connection.readResponse()).status, 200)
      await connection.untilClosed()
    },
  },
  {
    row: 'M-08',
    title: 'hides a second request in the body of the first',
    run: async (port) => {
      const connection = await openRawHttps({ port })
      connection.send(withBody(`POST ${LOGIN}`, http(`GET ${VERSION}`)))
      assert.equal((await connection.readResponse()).status, 400)
      connection.send(http('GET /nowhere'))
      assert.equal((await connection.readResponse()).status, 404)
      connection.close()
    },
  },
  {
    row: 'M-24',
    title: 'asks for a WebSocket and sends frames of one byte',
    run: async (port) => {
      const connection = await openRawHttps({ port })
      const upgrade = ['Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13']
      connection.send(http(`GET ${VERSION}`, [...upgrade, 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==']))
      for (let frame = 0; frame < 1000; frame += 1) connection.send(Buffer.from([0x00, 0x81, 0, 0, 0, 0, 0x61]))
      const { status, headers } = await connection.readResponse()
      assert.deepEqual([status, headers.connection], [200, 'close'])
      await connection.untilClosed()
    },
  },
]
