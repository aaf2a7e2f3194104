import assert from 'node:assert/strict'
import { constants } from 'node:crypto'
import { once } from 'node:events'
import { connect as connectPlain } from 'node:net'
import { describe, test } from 'node:test'
import { type ConnectionOptions, connect } from 'node:tls'
import { makeTestCertificate, openRawHttps, renegotiate, type TestCertificate } from '@countersign/testkit'
import { http, VERSION } from './hostile-requests.ts'
import { SIGNERS, sharedTarget } from './target.ts'

const target = sharedTarget()

/** The negotiated protocols, or the error that ended the handshake. */
async function shakeHands(options: ConnectionOptions) {
  const socket = connect({ port: target().port, host: '127.0.0.1', rejectUnauthorized: false, ...options })
  socket.on('error', () => {})
  try {
    await once(socket, 'secureConnect')
    return { protocol: socket.getProtocol(), application: socket.alpnProtocol }
  } finally {
    socket.destroy()
  }
}

async function statusOf(options: ConnectionOptions, path: string): Promise<number> {
  const connection = await openRawHttps({ ...options, port: target().port })
  try {
    connection.send(http(`GET ${path}`))
    return (await connection.readResponse()).status
  } finally {
    connection.close()
  }
}

describe('the TLS listener', () => {
  test('M-22 does not offer HTTP/2, and uses HTTP/1.1 with clients that offer both', async () => {
    await target().unharmed(async () => {
      await assert.rejects(shakeHands({ ALPNProtocols: ['h2'] }), 'no common protocol, no connection')
      assert.equal((await shakeHands({ ALPNProtocols: ['h2', 'http/1.1'] })).application, 'http/1.1')
    })
  })

  test('M-23 refuses versions before 1.2 and accepts 1.2 and 1.3', async () => {
    const weak = { ciphers: 'ALL@SECLEVEL=0' }
    await target().unharmed(async () => {
      await assert.rejects(shakeHands({ minVersion: 'TLSv1', maxVersion: 'TLSv1', ...weak }))
      await assert.rejects(shakeHands({ minVersion: 'TLSv1.1', maxVersion: 'TLSv1.1', ...weak }))
    })
    for (const version of ['TLSv1.2', 'TLSv1.3'] as const) {
      assert.equal((await shakeHands({ minVersion: version, maxVersion: version })).protocol, version)
    }
  })

  test('M-23 an invalid server name in the handshake does no harm', async () => {
    await target().unharmed(async () => {
      for (const servername of ['..', 'a'.repeat(255), 'ünicode.example', '*.example.com', "'; drop table", '\u0001']) {
        await shakeHands({ servername }).catch(() => {})
      }
    })
  })

  test('M-23 garbage in place of a handshake ends the connection', async () => {
    await target().unharmed(async () => {
      for (const bytes of [
        '16030100050100000100',
        'ffffffffffffffffffff',
        '160301ffff01',
        '15030100020100',
        '00'.repeat(4096),
      ]) {
        const socket = connectPlain({ port: target().port, host: '127.0.0.1' }).resume()
        socket.on('error', () => {})
        socket.end(Buffer.from(bytes, 'hex'))
        await once(socket, 'close')
      }
    })
  })

  test('M-23 refuses to renegotiate', async () => {
    await target().unharmed(async () => {
      assert.equal(await renegotiate(target().port), 'ERR_SSL_NO_RENEGOTIATION')
    })
  })

  test('M-23 client certificates that are unknown give no rights, and many or huge ones are refused', async () => {
    const chainOf = (length: number): TestCertificate[] => {
      const root = makeTestCertificate({ kind: 'ec256', commonName: 'root' })
      const chain = [root]
      while (chain.length < length) {
        const [issuer = root] = chain
        chain.unshift(makeTestCertificate({ keyPair: root, issuer, commonName: `link ${chain.length}` }))
      }
      return chain
    }
    const asClient = (chain: readonly TestCertificate[]): ConnectionOptions => ({
      cert: chain.map(({ pem }) => pem).join('\n'),
      key: chain[0]?.privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
      secureOptions: constants.SSL_OP_NO_TICKET,
    })
    const huge = makeTestCertificate({ kind: 'ec256', commonName: 'huge', organization: 'x'.repeat(64 * 1024) })
    const alone = makeTestCertificate({ kind: 'ec256', commonName: 'alone' })
    await target().unharmed(async () => {
      assert.equal(await statusOf(asClient([alone]), VERSION), 200)
      for (const chain of [[alone], chainOf(8)]) assert.equal(await statusOf(asClient(chain), SIGNERS), 401)
      for (const chain of [chainOf(100), [huge]]) await assert.rejects(statusOf(asClient(chain), VERSION))
    })
  })
})
