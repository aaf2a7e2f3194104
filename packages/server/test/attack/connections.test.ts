import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { test } from 'node:test'
import { openRawHttps, type RawConnection } from '@countersign/testkit'
import { serveRoutes } from './serve-routes.ts'
import { startTarget, type Target } from './target.ts'

const PROXY = '127.0.0.1'
const LOGIN = '/edge/client/v1/authenticate?method=password'
const V1 = (address: string) => Buffer.from(`PROXY TCP4 ${address} 198.51.100.1 1234 1280\r\n`)
const V2 = (address: string) =>
  Buffer.concat([
    Buffer.from('\r\n\r\n\0\r\nQUIT\n\x21\x11\0\x0c', 'latin1'),
    Buffer.from([...address.split('.').map(Number), 198, 51, 100, 1, 4, 210, 5, 0]),
  ])
const LOCAL = Buffer.from('\r\n\r\n\0\r\nQUIT\n\x20\0\0\0', 'latin1')

/** Opens a connection as a proxy does: the header first, in one or several pieces, then TLS. */
async function openThroughProxy({ port }: Target, pieces: readonly Buffer[]): Promise<RawConnection> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  await once(socket, 'connect')
  for (const piece of pieces) {
    socket.write(piece)
    await new Promise(setImmediate)
  }
  return openRawHttps({ port, socket })
}

async function guess(connection: RawConnection, headers: readonly string[] = []): Promise<number> {
  const body = JSON.stringify({ username: 'unknown', password: 'wrong' })
  const lines = ['Host: localhost', 'Content-Type: application/json', `Content-Length: ${body.length}`, ...headers]
  connection.send(`POST ${LOGIN} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n${body}`)
  const { status } = await connection.readResponse()
  connection.close()
  return status
}

const limits = { passwordBurst: 2, passwordPerMinute: 1, accountBurst: 0 }

test('R-19 clients behind a proxy of the PROXY protocol are limited one by one', async (t) => {
  const target = await startTarget(t, { settings: { limits, http: { proxyProtocol: [PROXY] } } })
  for (const [version, header] of [V1, V2].entries()) {
    const from = async (address: string) => guess(await openThroughProxy(target, [header(address)]))
    const [guessing, other] = [`192.0.2.1${version}`, `192.0.2.2${version}`]
    assert.deepEqual([await from(guessing), await from(guessing), await from(guessing)], [401, 401, 429])
    assert.equal(await from(other), 401)
  }
  const bytes = [...V2('192.0.2.3')].map((byte) => Buffer.from([byte]))
  assert.equal(await guess(await openThroughProxy(target, bytes)), 401, 'a header in single bytes')
  assert.equal(await guess(await openThroughProxy(target, [LOCAL])), 401, 'a connection of the proxy itself')
  const forged = ['X-Forwarded-For: 192.0.2.99']
  const statuses: number[] = []
  for (let nth = 0; nth < 3; nth++)
    statuses.push(await guess(await openThroughProxy(target, [V1('192.0.2.4')]), forged))
  assert.deepEqual(statuses, [401, 401, 429], 'the header of a client has no effect')
})

test('R-19 a request knows the addresses of both ends of its connection', async (t) => {
  const { port, get } = await serveRoutes(t, {
    '/ends': async ({ source: { localAddr, remoteAddr }, localPort }) => {
      return { status: 200, json: { localAddr, remoteAddr, localPort } }
    },
  })
  const { localAddr, localPort, remoteAddr } = JSON.parse((await get('/ends')).body)
  assert.deepEqual([localAddr, localPort], [`127.0.0.1:${port}`, port])
  assert.match(remoteAddr, /^127\.0\.0\.1:\d+$/)
})

test('R-19 a PROXY header is required from the configured proxies, and accepted from no others', async (t) => {
  const behindProxy = await startTarget(t, { settings: { http: { proxyProtocol: [PROXY] } } })
  await assert.rejects(behindProxy.open())
  await assert.rejects(openThroughProxy(behindProxy, [Buffer.from('PROXY TCP4 x y 1 2\r\n')]))
  const accepted = await openThroughProxy(behindProxy, [V1('192.0.2.1')])
  accepted.close()

  const open = await startTarget(t, { settings: { limits, http: { proxyProtocol: ['192.0.2.1'] } } })
  await assert.rejects(openThroughProxy(open, [V1('192.0.2.1')]))
  assert.equal(await guess(await open.open()), 401)
})

test('M-27 one address can hold a limited number of connections, others are served', async (t) => {
  const MAX = 5
  const http = { maxConnectionsPerAddress: MAX, proxyProtocol: [PROXY] }
  const target = await startTarget(t, { settings: { http } })
  const open = (address: string) => openThroughProxy(target, [V1(address)])
  const held: RawConnection[] = []
  for (let nth = 0; nth < MAX; nth++) held.push(await open('192.0.2.1'))
  for (let nth = 0; nth < MAX; nth++) await assert.rejects(open('192.0.2.1'))
  assert.equal(await guess(await open('192.0.2.2')), 401)

  const [first] = held
  first?.close()
  await untilServed(async () => guess(await open('192.0.2.1')))
  for (const connection of held) connection.close()
})

test('M-27 the limit per address holds without a proxy, and not for a proxy that is trusted for X-Forwarded-For', async (t) => {
  const MAX = 5
  for (const trustedProxies of [[], [PROXY]]) {
    const target = await startTarget(t, { settings: { http: { maxConnectionsPerAddress: MAX, trustedProxies } } })
    const held = await Promise.all(Array.from({ length: MAX }, () => target.open()))
    const further = target.open()
    if (trustedProxies.length === 0) await assert.rejects(further)
    else held.push(await further)
    for (const connection of held) connection.close()
  }
})

const V1_6 = (address: string) => Buffer.from(`PROXY TCP6 ${address} 2001:db8::1 1234 1280\r\n`)
const CROWDED = { maxConnections: 40, maxConnectionsPerAddress: 10, proxyProtocol: [PROXY] }

test('M-27 the /64 networks of one /48 share a quarter of all connections, another /48 has its own', async (t) => {
  const target = await startTarget(t, { settings: { http: CROWDED } })
  const open = (site: number, network: number) => openThroughProxy(target, [V1_6(`2001:db8:${site}:${network}::1`)])
  const held: RawConnection[] = []
  for (const site of [1, 2]) {
    for (let network = 0; network < 10; network++) held.push(await open(site, network))
    await assert.rejects(open(site, 10))
  }
  for (const connection of held) connection.close()
})

const PARTIAL_LOGIN = `POST ${LOGIN} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 10\r\n\r\n{`

for (const [state, bytes] of Object.entries({ idle: '', busy: PARTIAL_LOGIN })) {
  test(`M-27 few addresses that hold all connections, ${state}, do not keep other clients out`, async (t) => {
    const target = await startTarget(t, { settings: { http: CROWDED } })
    const open = (address: string) => openThroughProxy(target, [V1(address)])
    const held: RawConnection[] = []
    for (let nth = 0; nth < 40; nth++) held.push(await open(`192.0.2.${nth % 4}`))
    for (const { socket } of held) await new Promise((sent) => socket.write(bytes, sent))
    for (let client = 0; client < 20; client++) {
      const other = await open(`198.51.100.${client}`)
      held.push(other)
      other.send('GET /version HTTP/1.1\r\nHost: localhost\r\n\r\n')
      assert.equal((await other.readResponse()).status, 200)
    }
    assert.equal(held.filter(({ socket }) => socket.closed).length, 20, 'one connection is closed for each client')
    for (const connection of held) connection.close()
  })
}

test('M-27 a full controller closes idle connections before those with a request, and none for its largest holder', async (t) => {
  const target = await startTarget(t, { settings: { http: CROWDED } })
  const open = (address: string) => openThroughProxy(target, [V1(address)])
  const held: RawConnection[] = []
  for (let nth = 0; nth < 40; nth++) held.push(await open(`192.0.2.${nth % 4}`))
  const [first] = held
  await new Promise((sent) => first?.socket.write(PARTIAL_LOGIN, sent))
  for (let nth = 0; nth < 3; nth++) await assert.rejects(open('192.0.2.1'))
  for (let client = 0; client < 36; client++) held.push(await open(`198.51.100.${client}`))
  first?.send('"":""   }')
  assert.ok((await first?.readResponse())?.status, 'the request in progress is answered')
  for (const connection of held) connection.close()
})

/** The controller notices a closed connection a little later. */
async function untilServed(attempt: () => Promise<number>): Promise<void> {
  const deadline = performance.now() + 10_000
  for (;;) {
    const status = await attempt().catch(() => undefined)
    if (status !== undefined) return assert.equal(status, 401)
    assert.ok(performance.now() < deadline, 'a closed connection makes room')
  }
}
