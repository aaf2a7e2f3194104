import 'reflect-metadata'
import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { X509Certificate } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { before, describe, it, type TestContext } from 'node:test'
import { connect, createServer } from 'node:tls'
import { buildExtension, der, formatPem, OID } from '@countersign/core'
import { buildForbiddenExtensions, makeTestCertificate, makeTestCsr, type TestKeyKind } from '@countersign/testkit'
import * as peculiar from '@peculiar/x509'
import { createClientCertificates, type IssuedCertificate } from '../../../src/platform/keys/client-certificates.ts'
import { createDataDir } from './key-material.fixture.ts'
import { createTestAuthority, type TestAuthority } from './test-authority.ts'

const KINDS: readonly TestKeyKind[] = ['rsa2048', 'ec256', 'ec384', 'ec521', 'ed25519']
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const hasOpenssl = spawnSync('openssl', ['version']).status === 0

/** Only on machines with openssl; Node's TLS and an independent library verify everywhere. */
const withOpenssl: typeof it | (() => void) = hasOpenssl ? it : () => {}

let authority: TestAuthority

const createCertificates = (now = Date.now(), clientDays = 365) =>
  createClientCertificates({ keys: () => authority, clock: { now: () => now }, clientDays })

describe('issued client certificates, verified by other software', () => {
  before(async () => {
    authority = await createTestAuthority()
  })

  withOpenssl('are verified by openssl with their chain, for every key', async (t) => {
    const dir = await createDataDir(t)
    const [root = '', intermediate = ''] = authority.authorities.map((bytes) => formatPem('CERTIFICATE', bytes))
    const write = async (name: string, text: string) => {
      await writeFile(join(dir, name), text)
      return join(dir, name)
    }
    const [rootFile, intermediateFile] = [await write('root.pem', root), await write('ca.pem', intermediate)]
    const verify = (file: string, ...more: string[]) =>
      spawnSync('openssl', ['verify', '-x509_strict', '-purpose', 'sslclient', '-CAfile', rootFile, ...more, file])
    for (const kind of KINDS) {
      const { chainPem } = await createCertificates().issue(makeTestCsr({ kind }).pem, 'id1')
      const file = await write(`${kind}.pem`, chainPem)
      const { status, stderr } = verify(file, '-untrusted', intermediateFile)
      assert.equal(status, 0, `${kind}: ${stderr}`)
      assert.notEqual(verify(file, '-untrusted', rootFile).status, 0)
      assert.notEqual(verify(file, '-untrusted', intermediateFile, '-purpose', 'sslserver').status, 0)
    }
  })

  withOpenssl('show in openssl what the controller decided, whatever was requested', async () => {
    for (const kind of ['rsa2048', 'ec256'] as const) {
      const extensions = buildForbiddenExtensions('spiffe://countersign-test/identity/other')
      const { certPem } = await createCertificates().issue(makeTestCsr({ kind, extensions }).pem, 'id1')
      const text = execFileSync('openssl', ['x509', '-noout', '-text'], { input: certPem, encoding: 'utf8' })
      assert.match(text, /Version: 3 /)
      assert.match(text, /Subject: CN ?= ?id1\n/)
      assert.match(text, /Basic Constraints: critical\s+CA:FALSE\n/)
      const usage = kind === 'rsa2048' ? 'Digital Signature, Key Encipherment' : 'Digital Signature'
      assert.match(text, new RegExp(`X509v3 Key Usage: critical\\s+${usage}\\n`))
      assert.match(text, /Extended Key Usage: *\n\s+TLS Web Client Authentication\n/)
      assert.match(text, /Alternative Name: *\n\s+URI:spiffe:\/\/countersign-test\/identity\/id1\n/)
      assert.equal(text.match(/X509v3 /g)?.length, 7, 'the heading and six extensions')
    }
  })

  it('are accepted in a TLS connection, which needs one', async (t) => {
    const port = await startTlsServer(t)
    for (const kind of KINDS) {
      const { pem, privateKey } = makeTestCsr({ kind })
      const { chainPem } = await createCertificates().issue(pem, 'id1')
      const key = privateKey.export({ format: 'pem', type: 'pkcs8' })
      assert.equal(await greet(port, { cert: chainPem, key }), 'CN=id1', kind)
    }
    const self = makeTestCertificate({ commonName: 'id1' })
    const key = self.privateKey.export({ format: 'pem', type: 'pkcs8' })
    await assert.rejects(greet(port, { cert: self.pem, key }))
    await assert.rejects(greet(port, {}))
  })

  it('J-02 have a subject chosen by the controller, whatever the request names', async () => {
    const name = (id: string, value: Uint8Array) => der.setOf(der.sequence(der.oid(id), value))
    const common = (text: string) => name(OID.commonName, der.utf8String(text))
    const subjects = [
      der.sequence(common('admin')),
      der.sequence(name(OID.organization, der.utf8String('system:masters')), common('admin')),
      der.sequence(...Array.from({ length: 200 }, (_, index) => common(`n${index}`))),
      der.sequence(common('admin\0.example.test')),
      der.sequence(name('1.2.840.113549.1.9.1', der.element(0x16, Buffer.from('admin@example.test')))),
      der.sequence(),
      der.sequence(common('x'.repeat(5000))),
    ]
    for (const rawSubject of subjects) {
      const leaf = await issueLeaf({ rawSubject })
      assert.equal(leaf.subject, 'CN=id1')
      assert.equal(leaf.subjectAltName, 'URI:spiffe://countersign-test/identity/id1')
    }
  })

  it('J-03 copy no alternative name of the request', async () => {
    const names = [
      der.implicitTag(2, Buffer.from('controller.example.test')),
      der.implicitTag(7, Buffer.from([127, 0, 0, 1])),
      der.implicitTag(6, Buffer.from('spiffe://countersign-test/identity/other')),
      der.implicitTag(1, Buffer.from('admin@example.test')),
      der.explicitTag(0, der.oid('1.3.6.1.4.1.311.20.2.3'), der.explicitTag(0, der.utf8String('admin'))),
    ]
    const many = Array.from({ length: 1000 }, (_, index) => der.implicitTag(2, Buffer.from(`host-${index}`)))
    for (const list of [...names.map((one) => [one]), names, many]) {
      const leaf = await issueLeaf({ extensions: [buildExtension(OID.subjectAltName, der.sequence(...list))] })
      assert.equal(leaf.subjectAltName, 'URI:spiffe://countersign-test/identity/id1')
    }
  })

  it('J-04 have the same extensions as without any in the request', async () => {
    const forbidden = await issue({ extensions: buildForbiddenExtensions('spiffe://countersign-test/identity/other') })
    const plain = await issue({})
    const [first, second] = [forbidden, plain].map(({ certPem }) => describeExtensions(certPem))
    assert.deepEqual(first, second)
    assert.deepEqual(first, {
      [OID.basicConstraints]: { critical: true, value: '3000' },
      [OID.keyUsage]: { critical: true, value: '03020780' },
      [OID.extendedKeyUsage]: { critical: false, value: '300a06082b06010505070302' },
      [OID.subjectAltName]: {
        critical: false,
        value: der.sequence(der.implicitTag(6, Buffer.from('spiffe://countersign-test/identity/id1'))).toString('hex'),
      },
    })
  })

  it('J-15 begin before now and end with the policy or the CA, also when the clock has gone back', async () => {
    const now = Math.floor(Date.now() / 1000) * 1000
    const back = await createCertificates(now - HOUR_MS, 30).issue(makeTestCsr().pem, 'id1')
    assert.ok(back.notBefore <= now - HOUR_MS)
    assert.equal(back.notAfter, now - HOUR_MS + 30 * DAY_MS)
    const caEnd = authority.issuer.facts.notAfter.getTime()
    const long = await createCertificates(now, 3650).issue(makeTestCsr().pem, 'id1')
    assert.equal(long.notAfter, caEnd)
    const leaf = new X509Certificate(long.certPem)
    assert.deepEqual([leaf.validFromDate.getTime(), leaf.validToDate.getTime()], [long.notBefore, long.notAfter])
  })

  it('J-16 have unique serials of 16 octets', async () => {
    const serials = new Set<string>()
    for (let round = 0; round < 50; round++) serials.add((await issueLeaf({})).serialNumber)
    assert.equal(serials.size, 50)
    for (const serial of serials) assert.match(serial, /^[4-7][0-9A-F]{31}$/)
  })
})

async function issue(options: Parameters<typeof makeTestCsr>[0]): Promise<IssuedCertificate> {
  return createCertificates().issue(makeTestCsr(options).pem, 'id1')
}

async function issueLeaf(options: Parameters<typeof makeTestCsr>[0]): Promise<X509Certificate> {
  return new X509Certificate((await issue(options)).certPem)
}

/** The extensions as an independent library reads them, without the identifiers derived from the key. */
function describeExtensions(certPem: string) {
  const { extensions } = new peculiar.X509Certificate(certPem)
  const keyIds = ['2.5.29.14', '2.5.29.35']
  return Object.fromEntries(
    extensions
      .filter(({ type }) => !keyIds.includes(type))
      .map(({ type, critical, value }) => [type, { critical, value: Buffer.from(value).toString('hex') }]),
  )
}

/** A server that requires a certificate of the CA, and responds with its subject. */
async function startTlsServer(t: TestContext): Promise<number> {
  const own = makeTestCertificate({ commonName: 'localhost' })
  const server = createServer({
    cert: own.pem,
    key: own.privateKey.export({ format: 'pem', type: 'pkcs8' }),
    ca: authority.caBundlePem,
    requestCert: true,
    rejectUnauthorized: true,
  })
  server.on('secureConnection', (socket) => {
    socket.on('error', () => {})
    socket.end(socket.getPeerX509Certificate()?.subject ?? 'no certificate')
  })
  server.on('tlsClientError', () => {})
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => server.close())
  return (server.address() as { port: number }).port
}

/** Returns the server's response. Rejects when the handshake fails. */
async function greet(port: number, credentials: { cert?: string; key?: string | Buffer }): Promise<string> {
  const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false, ...credentials })
  let text = ''
  for await (const chunk of socket) text += chunk
  if (text === '') throw new Error('the server sent nothing')
  return text
}
