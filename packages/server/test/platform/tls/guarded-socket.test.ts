import assert from 'node:assert/strict'
import { AsyncLocalStorage } from 'node:async_hooks'
import { createCipheriv, createHmac } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, connect as connectTcp, createServer, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { type ConnectionOptions, connect, createServer as createTlsServer } from 'node:tls'
import { makeTestCertificate } from '@countersign/testkit'
import { GuardedSocket } from '../../../src/platform/tls/guarded-socket.ts'
import { HandshakeGuard } from '../../../src/platform/tls/handshake-guard.ts'
import { pemOf } from '../../attack/slow-certificates.ts'

const own = makeTestCertificate()
const client = makeTestCertificate()
const explicit = makeTestCertificate({ kind: 'ecExplicit' })
const clientTls = { cert: client.pem, key: pemOf(client.privateKey) }

/** A server that says "hello" and the number of certificates of its client. */
async function startGuardedServer(t: TestContext) {
  const refusals: string[] = []
  const current = new AsyncLocalStorage<GuardedSocket>()
  const server = createTlsServer(
    { cert: own.pem, key: pemOf(own.privateKey), requestCert: true, rejectUnauthorized: false },
    (socket) => {
      const name = socket.getPeerX509Certificate() ? 'certificate' : 'stranger'
      let length = 0
      socket.on('error', () => {})
      socket.on('data', (bytes) => {
        length += bytes.length
      })
      socket.on('end', () => socket.end(`hello ${name}${length > 0 ? `, ${length} bytes` : ''}`))
    },
  )
  server.on('keylog', (line: Buffer) => current.getStore()?.noteSecret(line))
  server.prependListener('secureConnection', () => current.getStore()?.noteEnd())
  server.on('tlsClientError', () => {})
  const front = createServer((socket) => {
    const guard = new HandshakeGuard('client')
    const guarded = new GuardedSocket(socket, guard, ({ message }) => refusals.push(message))
    current.run(guarded, () => server.emit('connection', guarded))
  })
  front.listen(0, '127.0.0.1')
  await once(front, 'listening')
  t.after(() => front.close())
  const { port } = front.address() as AddressInfo
  return { port, refusals }
}

/** All that the server says. */
async function talk(
  port: number,
  { said = '', ...options }: ConnectionOptions & { readonly said?: string } = {},
): Promise<{ text: string; session: Buffer | undefined }> {
  const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false, ...options })
  let session: Buffer | undefined
  let text = ''
  socket.on('session', (ticket) => {
    session = ticket
  })
  socket.on('data', (bytes) => {
    text += bytes
  })
  socket.end(said)
  await once(socket, 'close')
  return { text, session }
}

/** In TLS 1.3 a client does not wait for the server, so that its handshake succeeds. */
async function assertCut(port: number, options: ConnectionOptions): Promise<void> {
  const { text } = await talk(port, options).catch(() => ({ text: '' }))
  assert.equal(text, '')
}

const HANDSHAKES: readonly (readonly [title: string, ConnectionOptions])[] = [
  ['TLS 1.2', { maxVersion: 'TLSv1.2' }],
  ['TLS 1.3 with AES-128', { minVersion: 'TLSv1.3', ciphers: 'TLS_AES_128_GCM_SHA256' }],
  ['TLS 1.3 with AES-256', { minVersion: 'TLSv1.3', ciphers: 'TLS_AES_256_GCM_SHA384' }],
  ['TLS 1.3 with ChaCha20', { minVersion: 'TLSv1.3', ciphers: 'TLS_CHACHA20_POLY1305_SHA256' }],
  // The server prefers another group than the one that the client guesses.
  ['TLS 1.3 with a second first message', { minVersion: 'TLSv1.3', ecdhCurve: 'P-521:P-256' }],
]

for (const [title, options] of HANDSHAKES) {
  test(`M-28 a client is served by ${title}, with and without a certificate, and with a resumed session`, async (t) => {
    const { port, refusals } = await startGuardedServer(t)
    assert.equal((await talk(port, options)).text, 'hello stranger')
    const { text, session } = await talk(port, { ...options, ...clientTls })
    assert.equal(text, 'hello certificate')
    assert.equal((await talk(port, { ...options, ...clientTls, session })).text, 'hello certificate')
    // More than a guard holds: what a client sends right after its last message waits for the server.
    const said = 'x'.repeat(300_000)
    assert.equal((await talk(port, { ...options, ...clientTls, said })).text, 'hello certificate, 300000 bytes')
    assert.deepEqual(refusals, [])
  })

  test(`M-28 one certificate with a curve of its own, or too many, end a connection by ${title}`, async (t) => {
    const { port, refusals } = await startGuardedServer(t)
    const { key, cert } = clientTls
    for (const others of [explicit.pem, cert.repeat(16)]) {
      await assertCut(port, { ...options, key, cert: cert + others })
    }
    assert.deepEqual(refusals, ['a certificate has a key that is not used in TLS', 'there are too many certificates'])
    assert.equal((await talk(port, { ...options, key, cert: cert.repeat(16) })).text, 'hello certificate')
  })
}

/** Passes what a client sends on in pieces. */
async function startRelay(t: TestContext, port: number, pieceBytes: number): Promise<number> {
  const relay = createServer({ allowHalfOpen: true }, (socket: Socket) => {
    const upstream = connectTcp({ port, host: '127.0.0.1', noDelay: true, allowHalfOpen: true })
    upstream
      .on('data', (bytes) => socket.write(bytes))
      .on('close', () => socket.destroy())
      .on('error', () => {})
    let last = Promise.resolve()
    socket
      .on('error', () => {})
      .on('end', () => void last.then(() => upstream.end()))
      .on('data', (bytes: Buffer) => {
        last = last.then(async () => {
          for (let at = 0; at < bytes.length; at += pieceBytes) {
            upstream.write(bytes.subarray(at, at + pieceBytes))
            await new Promise(setImmediate)
          }
        })
      })
  })
  relay.listen(0, '127.0.0.1')
  await once(relay, 'listening')
  t.after(() => relay.close())
  return (relay.address() as AddressInfo).port
}

for (const maxVersion of ['TLSv1.2', 'TLSv1.3'] as const) {
  test(`M-28 bytes may arrive in any pieces: ${maxVersion}`, async (t) => {
    const { port, refusals } = await startGuardedServer(t)
    for (const pieceBytes of [1, 7, 100]) {
      const relayed = await startRelay(t, port, pieceBytes)
      assert.equal((await talk(relayed, { ...clientTls, maxVersion })).text, 'hello certificate')
      const cert = clientTls.cert + explicit.pem
      await assertCut(relayed, { ...clientTls, cert, maxVersion })
    }
    assert.equal(refusals.length, 3)
  })
}

const hello = (length: number, ...content: number[]): Buffer => {
  const record = Buffer.alloc(5 + length)
  record.set([22, 3, 1, length >> 8, length & 255, ...content])
  return record
}

const change = Buffer.from([20, 3, 3, 0, 1, 1])

const HOSTILE: readonly (readonly [title: string, Buffer])[] = [
  ['a first message in the form of SSL 2', Buffer.from([0x80, 0x2e, 1, 3, 3, ...Buffer.alloc(43)])],
  ['a record that is too long', Buffer.from([22, 3, 1, 0x48, 0])],
  ['a message that is too long', hello(60, 1, 2, 0, 0)],
  ['very many records', Buffer.concat([hello(60, 1, 0, 40, 0), ...Array.from({ length: 256 }, () => hello(1))])],
  // OpenSSL passes over it, and certificates could follow.
  ['an empty change of the cipher', Buffer.concat([hello(60, 1, 0, 0, 56), Buffer.from([20, 3, 3, 0, 0])])],
  ['compressed certificates', hello(60, 25, 0, 0, 56)],
  ['a malformed list of certificates', hello(60, 11, 0, 0, 56, 0, 0, 99)],
  [
    'data without end before any secret',
    Buffer.concat([
      hello(60, 1, 0, 0, 56),
      ...Array.from({ length: 20 }, () => Buffer.concat([Buffer.from([23, 3, 3, 0x40, 0]), Buffer.alloc(0x4000)])),
    ]),
  ],
]

for (const [title, bytes] of HOSTILE) {
  test(`M-28 refuses ${title}`, () => {
    const guard = new HandshakeGuard('client')
    assert.throws(() => guard.receive(bytes), { name: 'RefusedCertificates' })
  })
}

test('M-28 lets a first message and text without TLS go on, which OpenSSL refuses itself', () => {
  for (const first of [hello(60, 1, 0, 0, 56), Buffer.concat([hello(60, 1, 0, 0, 56), change])]) {
    assert.deepEqual(new HandshakeGuard('client').receive(first), first)
  }
  const text = Buffer.from('GET / HTTP/1.1\r\n\r\n')
  assert.deepEqual(new HandshakeGuard('client').receive(text), text)
})

test('M-28 a server may begin with an alert, after which its messages are checked', () => {
  const alert = Buffer.from([21, 3, 3, 0, 2, 1, 112])
  const guard = new HandshakeGuard('server')
  assert.deepEqual(guard.receive(alert), alert)
  assert.throws(() => guard.receive(hello(60, 25, 0, 0, 56)), { name: 'RefusedCertificates' })
})

test('M-28 after a change of the cipher only a short message goes on unread, and longer ones are read', () => {
  const guard = new HandshakeGuard('client')
  const finished = hello(40, 0xff)
  guard.receive(Buffer.concat([hello(60, 1, 0, 0, 56), change]))
  assert.deepEqual(guard.receive(finished), finished)
  const data = Buffer.from([23, 3, 3, 0, 1, 0])
  assert.equal(guard.receive(data).length, 0, 'waits for the end of the handshake')
  guard.noteEnd()
  assert.deepEqual(guard.receive(Buffer.alloc(0)), data)

  const repeated = new HandshakeGuard('client')
  const second = hello(604, 1, 0, 2, 88)
  repeated.receive(Buffer.concat([hello(60, 1, 0, 0, 56), change]))
  assert.deepEqual(repeated.receive(second), second, 'a repeated first message')

  // A server that passed over the change would read certificates here, also behind a short beginning.
  const certificates = hello(604, 11, 0, 2, 88, 0, 2, 85, 0, 2, 82)
  const [begin, rest] = [certificates.subarray(5, 205), certificates.subarray(205)]
  const split = Buffer.concat([hello(begin.length, ...begin), hello(rest.length, ...rest)])
  for (const hidden of [certificates, split]) {
    const deceived = new HandshakeGuard('client')
    deceived.receive(Buffer.concat([hello(60, 1, 0, 0, 56), change]))
    assert.throws(() => deceived.receive(hidden), { name: 'RefusedCertificates' })
  }
})

test('M-28 a record that the logged secret does not decrypt is refused', () => {
  const guard = new HandshakeGuard('client')
  guard.receive(hello(60, 1, 0, 0, 56))
  guard.noteSecret(`CLIENT_HANDSHAKE_TRAFFIC_SECRET 00 ${'ab'.repeat(32)}\n`)
  const record = Buffer.concat([Buffer.from([23, 3, 3, 0, 40]), Buffer.alloc(40)])
  assert.throws(() => guard.receive(record), /cannot be decrypted/)
})

const SECRET = Buffer.alloc(32, 0xab)

/** A record of TLS 1.3 under `SECRET`. */
function encrypt(cipher: 'aes-128-gcm' | 'chacha20-poly1305', sequence: number, content: Buffer): Buffer {
  const expand = (label: string, length: number): Buffer => {
    const name = `tls13 ${label}`
    const info = Buffer.from([0, length, name.length, ...Buffer.from(name), 0, 1])
    return createHmac('sha256', SECRET).update(info).digest().subarray(0, length)
  }
  const iv = expand('iv', 12)
  iv.writeUInt8(iv.readUInt8(11) ^ sequence, 11)
  const encryption = createCipheriv(cipher as 'aes-128-gcm', expand('key', cipher === 'aes-128-gcm' ? 16 : 32), iv, {
    authTagLength: 16,
  })
  const header = Buffer.from([23, 3, 3, 0, content.length + 16])
  encryption.setAAD(header)
  return Buffer.concat([header, encryption.update(content), encryption.final(), encryption.getAuthTag()])
}

const FINISHED = Buffer.from([20, 0, 0, 0, 22])

// With early data, OpenSSL passes over records that it cannot decrypt, and begins to count after them.

/** A guard that has read a ClientHello and knows the secret of the client. */
function guardWithSecret(): HandshakeGuard {
  const guard = new HandshakeGuard('client')
  guard.receive(hello(60, 1, 0, 0, 56))
  guard.noteSecret(`CLIENT_HANDSHAKE_TRAFFIC_SECRET 00 ${SECRET.toString('hex')}\n`)
  return guard
}

test('M-28 what follows a last message under another cipher waits until TLS has ended the handshake', () => {
  const guard = guardWithSecret()
  const end = encrypt('chacha20-poly1305', 0, FINISHED)
  const rest = encrypt('aes-128-gcm', 0, Buffer.from([11, 0, 0, 4, 0, 0, 0, 0, 22]))
  assert.deepEqual(guard.receive(Buffer.concat([end, rest])), end)
  assert.equal(guard.isWaiting, true)
  guard.noteEnd()
  assert.deepEqual(guard.receive(Buffer.alloc(0)), rest)
  assert.equal(guard.isWaiting, false)
})

test('M-28 a record that OpenSSL may pass over is refused: the two would count the next ones differently', () => {
  const alert = Buffer.from([1, 0, 21])
  for (const [title, records] of [
    ['without content', [encrypt('aes-128-gcm', 0, Buffer.alloc(0))]],
    ['under another cipher', [encrypt('chacha20-poly1305', 0, alert), encrypt('aes-128-gcm', 0, FINISHED)]],
  ] as const) {
    assert.throws(() => guardWithSecret().receive(Buffer.concat(records)), /cannot be decrypted/, title)
  }
  const records = Buffer.concat([encrypt('aes-128-gcm', 0, alert), encrypt('aes-128-gcm', 1, FINISHED)])
  assert.deepEqual(guardWithSecret().receive(records), records)
})
