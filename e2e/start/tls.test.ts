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

const LIMIT_MS = 30_000
/** Old versions need weak ciphers, which a client of today refuses by itself. */
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
  await untilTrue(async () => (await readCommonName(controller)) === 'second', 'the second certificate')
  await checkProtocols(t, controller)

  writeFileSync(files.cert, 'this is no certificate')
  await untilTrue(() => errorsIn(controller).length > 0, 'the error about the broken file')
  // Two more looks at the same broken file: it is reported once.
  await new Promise((resolve) => setTimeout(resolve, 2_500))
  assert.equal(errorsIn(controller).length, 1, controller.stderr())
  assert.ok(errorsIn(controller)[0]?.includes(files.cert), controller.stderr())
  assert.equal(await readCommonName(controller), 'second')

  writeLeaf(files, first)
  await untilTrue(async () => (await readCommonName(controller)) === 'first', 'the mended certificate')
  assert.equal((await controller.stop()).code, 0)
})

/** TLS 1.2 and up, HTTP/1.1 only, and a client certificate is welcome but never needed nor believed. */
async function checkProtocols(t: TestContext, controller: ReadyController): Promise<void> {
  const shake = async (options: ConnectionOptions) => {
    const { port } = new URL(controller.ready.baseUrl)
    return shakeHands({ port: Number(port), ca: readFileSync(controller.ready.caFile), ...options })
  }
  const only = (version: SecureVersion) => ({ minVersion: version, maxVersion: version, ...OLD_CIPHERS })
  for (const version of ['TLSv1.2', 'TLSv1.3'] as const) assert.equal((await shake(only(version))).protocol, version)
  await assert.rejects(shake(only('TLSv1.1')), { code: 'ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION' })
  assert.equal((await shakeWithOldServer(t, only('TLSv1.1'))).protocol, 'TLSv1.1', 'the client could have')

  const offers = await shake({ ALPNProtocols: ['h2', 'http/1.1'] })
  assert.equal(offers.alpn, 'http/1.1')
  const foreign = makeTestCertificate({ commonName: 'a stranger' })
  for (const client of [{}, { cert: foreign.pem, key: privatePem(foreign) }]) {
    assert.match((await shake(client)).answer, /^HTTP\/1\.1 200 /)
  }
}

/** Connects, asks for the version and gives what was agreed on. */
async function shakeHands(
  options: ConnectionOptions,
): Promise<{ protocol: string | null; alpn: unknown; answer: string }> {
  const socket = connect({ host: '127.0.0.1', ...options })
  try {
    await once(socket, 'secureConnect')
    socket.write('GET /version HTTP/1.1\r\nHost: localhost\r\n\r\n')
    const [answer] = await once(socket, 'data')
    return { protocol: socket.getProtocol(), alpn: socket.alpnProtocol, answer: String(answer) }
  } finally {
    socket.destroy()
  }
}

async function shakeWithOldServer(t: TestContext, options: ConnectionOptions) {
  const self = makeTestCertificate({ commonName: 'localhost' })
  const server = createServer({ cert: self.pem, key: privatePem(self), minVersion: 'TLSv1', ...OLD_CIPHERS })
  server.on('secureConnection', (socket: TLSSocket) => socket.once('data', () => socket.end('hello')))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  const address = server.address()
  assert.ok(address && typeof address === 'object')
  return shakeHands({ port: address.port, rejectUnauthorized: false, ...options })
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

/** Lines of the log at the level of errors. */
function errorsIn(controller: ReadyController): string[] {
  return controller
    .stderr()
    .split('\n')
    .filter((line) => line.startsWith('{') && JSON.parse(line).level >= 50)
}

function makeLeaf(issuer: TestCertificate, commonName: string): TestCertificate {
  return makeTestCertificate({ commonName, issuer, extensions: [LOOPBACK_NAME] })
}

/** Each file is replaced in one step, as the tools that renew certificates do; the key first. */
function writeLeaf(files: { cert: string; key: string }, leaf: TestCertificate): void {
  writeFileSync(`${files.key}.new`, privatePem(leaf), { mode: 0o600 })
  renameSync(`${files.key}.new`, files.key)
  writeFileSync(`${files.cert}.new`, leaf.pem)
  renameSync(`${files.cert}.new`, files.cert)
}

function privatePem({ privateKey }: TestCertificate): string {
  return privateKey.export({ format: 'pem', type: 'pkcs8' }).toString()
}

async function untilTrue(look: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const deadline = Date.now() + LIMIT_MS
  while (!(await look())) {
    assert.ok(Date.now() < deadline, `waited in vain for ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}
