import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { test } from 'node:test'
import { type ConnectionOptions, createSecureContext } from 'node:tls'
import { makeTestCertificate, openRawHttps } from '@countersign/testkit'
import { http, VERSION } from './hostile-requests.ts'
import { makeSlowChain, makeSlowCurves, pemOf } from './slow-certificates.ts'
import { startTarget, type Target } from './target.ts'

const PROXY = '127.0.0.1'
const SETTINGS = { http: { proxyProtocol: [PROXY] } }
/** The sizes of chains that are refused for their size, and that are not. */
const LONG = 75
const SHORT = 8

function open({ port }: Target): Socket {
  return connect({ port, host: PROXY }).on('error', () => {})
}

/** The status of a call on a new connection of a client with this address. */
async function callFrom(
  target: Target,
  address: string,
  options: ConnectionOptions = {},
  socket = open(target),
): Promise<number> {
  const { port } = target
  socket.write(`PROXY TCP4 ${address} 198.51.100.1 1234 1280\r\n`)
  const connection = await openRawHttps({ ...options, port, socket })
  try {
    connection.send(http(`GET ${VERSION}`))
    return (await connection.readResponse(20_000)).status
  } finally {
    connection.close()
  }
}

test('M-23 a long chain of client certificates ends the connection, a short one is served', async (t) => {
  const target = await startTarget(t, { settings: SETTINGS })
  for (const maxVersion of ['TLSv1.2', 'TLSv1.3'] as const) {
    assert.equal(await callFrom(target, '192.0.2.1', { ...makeSlowChain(SHORT), maxVersion }), 200)
    await assert.rejects(
      callFrom(target, `192.0.2.${maxVersion.length + Number(maxVersion.at(-1))}`, {
        ...makeSlowChain(LONG),
        maxVersion,
      }),
    )
  }
})

test('M-28 a stranger with small certificates that take half a second each does not stop the controller', async (t) => {
  const target = await startTarget(t, { settings: SETTINGS })
  const chain = makeSlowCurves(2)
  const { cert, key } = makeSlowChain(1)
  for (const maxVersion of ['TLSv1.2', 'TLSv1.3'] as const) {
    assert.equal(await callFrom(target, '192.0.2.1', { cert, key, maxVersion }), 200)
    // The client is in this process: it parses its own certificates first.
    const secureContext = createSecureContext(chain)
    const before = process.cpuUsage()
    await assert.rejects(callFrom(target, '192.0.2.2', { secureContext, maxVersion }))
    const cpuMs = process.cpuUsage(before).user / 1000
    assert.ok(cpuMs < 400, `${cpuMs} ms`)
  }
})

/** Asserts that the next connection of a network waits while another network is served. Its turn comes in the test of the limiter. */
async function assertWaits(target: Target, address: string, other: string): Promise<void> {
  const socket = open(target)
  let isServed = false
  const serve = async (): Promise<void> => {
    await callFrom(target, address, {}, socket)
    isServed = true
  }
  serve().catch(() => {})
  for (let nth = 0; nth < 3; nth++) assert.equal(await callFrom(target, other), 200)
  assert.ok(!isServed)
  socket.destroy()
}

test('M-28 a network with slow certificates waits before its next handshake, another one does not', async (t) => {
  const target = await startTarget(t, { settings: SETTINGS })
  const chain = makeSlowChain(LONG)
  await Promise.all([1, 2].map(() => assert.rejects(callFrom(target, '192.0.2.1', chain))))
  await assertWaits(target, '192.0.2.1', '192.0.2.2')
})

/** Connects a client of this chain and cuts the connection after so many bytes of it. */
async function cutAfter(target: Target, address: string, bytes: number): Promise<void> {
  const relay = createServer((client) => {
    const upstream = open(target)
    let passed = 0
    upstream.write(`PROXY TCP4 ${address} 198.51.100.1 1234 1280\r\n`)
    upstream.on('data', (chunk) => client.write(chunk)).on('close', () => client.destroy())
    client
      .on('error', () => {})
      .on('data', (chunk) => {
        passed += chunk.length
        upstream.write(chunk)
        if (passed > bytes) upstream.end()
      })
  })
  relay.listen(0, PROXY)
  await once(relay, 'listening')
  const { port } = relay.address() as AddressInfo
  // In TLS 1.3 a client does not wait for the server.
  await assert.rejects(openRawHttps({ ...makeSlowChain(LONG), port, maxVersion: 'TLSv1.2' }))
  relay.close()
}

test('M-28 handshakes that are cut off in their certificates are charged too', async (t) => {
  const target = await startTarget(t, { settings: SETTINGS })
  for (let nth = 0; nth < 2; nth++) await cutAfter(target, '192.0.2.1', 60_000)
  await assertWaits(target, '192.0.2.1', '192.0.2.2')
})

test('M-28 what is no handshake costs nothing, however long: neighbours do not wait for it', async (t) => {
  const target = await startTarget(t, { settings: SETTINGS })
  const record = Buffer.alloc(5 + 16_384)
  record.set([0x16, 3, 1, 0x40, 0])
  const first = Buffer.from(record)
  // The beginning of a ClientHello of 127 KiB.
  first.set([1, 1, 0xfc, 0], 5)
  for (let nth = 0; nth < 4; nth++) {
    const socket = open(target).resume()
    socket.write('PROXY TCP4 192.0.2.1 198.51.100.1 1234 1280\r\n')
    socket.end(Buffer.concat([first, ...Array.from({ length: 5 }, () => record)]))
    await new Promise((resolve) => socket.once('close', resolve))
  }
  assert.equal(await callFrom(target, '192.0.2.1'), 200)
})

test('M-28 a large body right behind the handshake does not count as certificates', async (t) => {
  const { port } = await startTarget(t)
  const { pem, privateKey } = makeTestCertificate({ kind: 'ec256' })
  for (let nth = 0; nth < 5; nth++) {
    const connection = await openRawHttps({ port, cert: pem, key: pemOf(privateKey) })
    const body = 'x'.repeat(200_000)
    connection.send(`POST ${VERSION} HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${body.length}\r\n\r\n${body}`)
    assert.equal((await connection.readResponse()).status, 405)
    connection.close()
  }
})

test('M-28 M-06 connections that send nothing keep no other of their address waiting', async (t) => {
  const target = await startTarget(t)
  const silent = Array.from({ length: 200 }, () => open(target))
  await Promise.all(silent.map((socket) => once(socket, 'connect')))
  const from = performance.now()
  for (let nth = 0; nth < 5; nth++) assert.equal((await target.request(http(`GET ${VERSION}`))).status, 200)
  assert.ok(performance.now() - from < 2_000)
  for (const socket of silent) socket.destroy()
})
