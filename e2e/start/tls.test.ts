import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { type ConnectionOptions, connect, createServer, type SecureVersion, type TLSSocket } from 'node:tls'
import {
  createControllerStage,
  makeTestCertificate,
  type ReadyController,
  type TestCertificate,
} from '@countersign/testkit'
import { until } from '../workers/worker-clients.ts'

/** Old versions need weak ciphers, which a current client refuses by default. */
const OLD_CIPHERS = { ciphers: 'DEFAULT@SECLEVEL=0' }
/** The extensions `basicConstraints: CA` and `subjectAltName: 127.0.0.1`, encoded. */
const IS_CA = Buffer.from('300f0603551d130101ff040530030101ff', 'hex')
const LOOPBACK_NAME = Buffer.from('300f0603551d110408300687047f000001', 'hex')

test('the controller serves a configured certificate and follows its files without a restart', async (t) => {
  const stage = createControllerStage(t)
  const files = {
    cert: join(stage.folder, 'own.crt'),
    key: join(stage.folder, 'own.key'),
    ca: join(stage.folder, 'own-ca.crt'),
  }
  const ca = makeTestCertificate({ commonName: 'the operator’s CA', extensions: [IS_CA] })
  const [first, second] = [makeLeaf(ca, 'first'), makeLeaf(ca, 'second')]
  writeFileSync(files.ca, ca.pem)
  writeLeaf(files, first)
  const controller = await stage.start({
    env: {
      COUNTERSIGN_TLS_CERT_FILE: files.cert,
      COUNTERSIGN_TLS_KEY_FILE: files.key,
      COUNTERSIGN_TLS_CA_FILE: files.ca,
    },
  })
  assert.equal(controller.ready.caFile, files.ca)
  assert.equal(await readCommonName(controller), 'first')
  await checkProtocols(t, controller)

  writeLeaf(files, second)
  await until(async () => (await readCommonName(controller)) === 'second', 'the second certificate')
  await checkProtocols(t, controller)

  writeFileSync(files.cert, 'this is not a certificate')
  await until(() => errorsIn(controller).length > 0, 'the error about the broken file')
  // The broken file is checked twice more, but reported once.
  await new Promise((resolve) => setTimeout(resolve, 2_500))
  assert.equal(errorsIn(controller).length, 1, controller.stderr())
  assert.ok(errorsIn(controller)[0]?.includes(files.cert), controller.stderr())
  assert.equal(await readCommonName(controller), 'second')

  writeLeaf(files, first)
  await until(async () => (await readCommonName(controller)) === 'first', 'the repaired certificate')
  assert.equal((await controller.stop()).code, 0)
})

/** TLS 1.2 and later, HTTP/1.1 only, client certificates optional and not verified in the handshake. */
async function checkProtocols(t: TestContext, controller: ReadyController): Promise<void> {
  const connectTo = async (options: ConnectionOptions) => {
    const { port } = new URL(controller.ready.baseUrl)
    return handshake({ port: Number(port), ca: readFileSync(controller.ready.caFile), ...options })
  }
  const only = (version: SecureVersion) => ({ minVersion: version, maxVersion: version, ...OLD_CIPHERS })
  for (const version of ['TLSv1.2', 'TLSv1.3'] as const)
    assert.equal((await connectTo(only(version))).protocol, version)
  await assert.rejects(connectTo(only('TLSv1.1')), { code: 'ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION' })
  assert.equal((await handshakeWithOldServer(t, only('TLSv1.1'))).protocol, 'TLSv1.1', 'the client supports it')

  const offers = await connectTo({ ALPNProtocols: ['h2', 'http/1.1'] })
  assert.equal(offers.alpn, 'http/1.1')
  const foreign = makeTestCertificate({ commonName: 'unknown' })
  for (const client of [{}, { cert: foreign.pem, key: privatePem(foreign) }]) {
    assert.match((await connectTo(client)).response, /^HTTP\/1\.1 200 /)
  }
}

/** Connects and requests the version. Returns the negotiated protocols and the response. */
async function handshake(
  options: ConnectionOptions,
): Promise<{ protocol: string | null; alpn: unknown; response: string }> {
  const socket = connect({ host: '127.0.0.1', ...options })
  try {
    await once(socket, 'secureConnect')
    socket.write('GET /version HTTP/1.1\r\nHost: localhost\r\n\r\n')
    const [response] = await once(socket, 'data')
    return { protocol: socket.getProtocol(), alpn: socket.alpnProtocol, response: String(response) }
  } finally {
    socket.destroy()
  }
}

async function handshakeWithOldServer(t: TestContext, options: ConnectionOptions) {
  const self = makeTestCertificate({ commonName: 'localhost' })
  const server = createServer({ cert: self.pem, key: privatePem(self), minVersion: 'TLSv1', ...OLD_CIPHERS })
  server.on('secureConnection', (socket: TLSSocket) => socket.once('data', () => socket.end('hello')))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  const address = server.address()
  assert.ok(address && typeof address === 'object')
  return handshake({ port: address.port, rejectUnauthorized: false, ...options })
}

async function readCommonName({ ready }: ReadyController): Promise<string> {
  const socket = connect({
    host: '127.0.0.1',
    port: Number(new URL(ready.baseUrl).port),
    ca: readFileSync(ready.caFile),
  })
  await once(socket, 'secureConnect')
  const { CN } = socket.getPeerCertificate().subject
  socket.destroy()
  return String(CN)
}

/** Log lines at level error or above. */
function errorsIn(controller: ReadyController): string[] {
  return controller
    .stderr()
    .split('\n')
    .filter((line) => line.startsWith('{') && JSON.parse(line).level >= 50)
}

function makeLeaf(issuer: TestCertificate, commonName: string): TestCertificate {
  return makeTestCertificate({ commonName, issuer, extensions: [LOOPBACK_NAME] })
}

/** Replaces each file atomically, as tools that renew certificates do; the key first. */
function writeLeaf(files: { cert: string; key: string }, leaf: TestCertificate): void {
  writeFileSync(`${files.key}.new`, privatePem(leaf), { mode: 0o600 })
  renameSync(`${files.key}.new`, files.key)
  writeFileSync(`${files.cert}.new`, leaf.pem)
  renameSync(`${files.cert}.new`, files.cert)
}

function privatePem({ privateKey }: TestCertificate): string {
  return privateKey.export({ format: 'pem', type: 'pkcs8' }).toString()
}
