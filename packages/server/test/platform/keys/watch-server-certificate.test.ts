import assert from 'node:assert/strict'
import { chmod, mkdir, readFile, rename, rm, utimes, writeFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { connect, createServer, type Server } from 'node:tls'
import { buildExtension, der, OID } from '@countersign/core'
import { makeTestCertificate, type TestCertificate, type TestKeyPair } from '@countersign/testkit'
import type { ConfiguredFiles } from '../../../src/platform/keys/configured-certificate.ts'
import {
  type KeyMaterial,
  type KeyMaterialOptions,
  loadKeyMaterial,
} from '../../../src/platform/keys/load-key-material.ts'
import { type CertificateWatch, watchServerCertificate } from '../../../src/platform/keys/watch-server-certificate.ts'
import { StartupError } from '../../../src/platform/startup-error.ts'
import { createKeyOptions, createMovableClock, DAY_MS } from './key-material.fixture.ts'

/** Longer than any test: the tests call `check` themselves. */
const NEVER_MS = 2 ** 30

describe('watchServerCertificate with a certificate of the controller’s own CA', () => {
  it('renews the certificate of a running server before it expires', async (t) => {
    // Starts 300 days ago, so that a real client accepts both the old certificate and the new one.
    const clock = createMovableClock(new Date(Date.now() - 300 * DAY_MS))
    const options = await createKeyOptions(t, clock)
    const current = await loadKeyMaterial(options)
    const server = await startTlsServer(t, current)
    const { watch, changes, warnings } = startWatch(t, options, current, (material) =>
      server.setSecureContext(material.tls),
    )
    await watch.check()
    assert.equal(changes.length, 0)
    assert.equal(await fingerprintSeenBy(server, current.caFile), current.serverFingerprint)
    clock.moveDays(300)
    await watch.check()
    assert.equal(changes.length, 1)
    assert.notEqual(changes[0]?.serverFingerprint, current.serverFingerprint)
    assert.equal(changes[0]?.caBundlePem, current.caBundlePem)
    assert.equal(await fingerprintSeenBy(server, current.caFile), changes[0]?.serverFingerprint)
    assert.deepEqual(warnings, [])
  })

  it('checks periodically', async (t) => {
    const clock = createMovableClock()
    const options = await createKeyOptions(t, clock)
    const current = await loadKeyMaterial(options)
    clock.moveDays(300)
    const changed = await new Promise<KeyMaterial>((resolve, reject) => {
      const deadline = setTimeout(reject, 20_000, new Error('the certificate was not renewed'))
      const watch = watchServerCertificate({
        ...options,
        current,
        onChange: resolve,
        onWarning: (message) => reject(new Error(message)),
        renewalCheckMs: 5,
      })
      t.after(() => {
        watch.stop()
        clearTimeout(deadline)
      })
    })
    assert.notEqual(changed.serverFingerprint, current.serverFingerprint)
  })

  it('reports a failed renewal once, creates no new CA, and continues when the cause is removed', async (t) => {
    const clock = createMovableClock()
    const options = await createKeyOptions(t, clock)
    const current = await loadKeyMaterial(options)
    const { watch, changes, warnings } = startWatch(t, options, current)
    clock.moveDays(300)
    await rename(options.dir, `${options.dir}.away`)
    await watch.check()
    await watch.check()
    assert.equal(warnings.length, 1)
    assert.match(warnings[0] ?? '', /keys cannot be used \(ENOENT\)/)
    assert.deepEqual(changes, [])
    await rename(`${options.dir}.away`, options.dir)
    await watch.check()
    assert.equal(changes.length, 1)
    assert.equal(warnings.length, 1)
  })

  it('calls no listener after it was stopped', async (t) => {
    const clock = createMovableClock()
    const options = await createKeyOptions(t, clock)
    const current = await loadKeyMaterial(options)
    const { watch, changes, warnings } = startWatch(t, options, current)
    clock.moveDays(300)
    const checking = watch.check()
    watch.stop()
    await checking
    await watch.check()
    assert.deepEqual([changes, warnings], [[], []])
  })
})

describe('loadKeyMaterial with configured files', () => {
  it('uses the configured certificate and its CA, and keeps the own CA for issuing', async (t) => {
    const { options, files, ca, leaf } = await configure(t)
    const material = await loadKeyMaterial(options)
    assert.equal(material.tls.cert, leaf.pem)
    assert.equal(material.caFile, files.caFile)
    assert.equal(material.caBundlePem, ca.pem)
    assert.notEqual(material.clientCaPem, ca.pem)
    assert.ok(material.issuer)
    assert.deepEqual(material.warnings, [])
    const server = await startTlsServer(t, material)
    assert.equal(await fingerprintSeenBy(server, files.caFile), material.serverFingerprint)
  })

  it('never passes on a private key in the CA file or in the certificate file', async (t) => {
    const { options, files, ca, leaf } = await configure(t)
    await writeFile(files.caFile, `# our CA\n${privatePem(ca)}${ca.pem}`)
    await writeFile(files.certFile, `${privatePem(leaf)}${leaf.pem}`)
    const material = await loadKeyMaterial(options)
    assert.equal(material.caBundlePem, ca.pem)
    assert.equal(material.tls.cert, leaf.pem)
  })

  it('accepts a chain with an intermediate under a root that alone is trusted', async (t) => {
    const { options, files, ca } = await configure(t)
    const intermediate = makeTestCertificate({ commonName: 'intermediate', issuer: ca, extensions: CA_EXTENSIONS })
    const leaf = makeTestCertificate({ commonName: 'leaf', issuer: intermediate, extensions: [LOCAL_NAMES] })
    await writeServer(files, leaf)
    await assertStartupError(options, /cert\.pem was not issued under any certificate of .*ca\.pem/)
    await writeFile(files.certFile, leaf.pem + intermediate.pem)
    assert.equal((await loadKeyMaterial(options)).tls.cert, leaf.pem + intermediate.pem)
  })

  it('warns of a certificate that has expired or is not valid for a host', async (t) => {
    const { options, files, ca } = await configure(t)
    await writeServer(
      files,
      makeTestCertificate({ issuer: ca, notAfter: new Date('2021-01-01'), extensions: [LOCAL_NAMES] }),
    )
    assert.match((await loadKeyMaterial(options)).warnings.join(), /expired/)
    await writeServer(files, makeTestCertificate({ issuer: ca, extensions: [LOCAL_NAMES] }))
    const elsewhere = await loadKeyMaterial({ ...options, hosts: ['elsewhere.example.test'] })
    assert.match(elsewhere.warnings.join(), /is not valid for elsewhere\.example\.test/)
  })

  it('names the configured file that cannot be used', async (t) => {
    const { options, files, leaf } = await configure(t)
    const unrelated = makeTestCertificate({ commonName: 'unrelated' })
    const cases: [file: keyof ConfiguredFiles, content: string, message: RegExp][] = [
      ['certFile', 'junk', /cert\.pem holds no readable certificate/],
      ['certFile', unrelated.pem, /key\.pem does not belong to the first certificate of .*cert\.pem/],
      ['keyFile', privatePem(unrelated), /key\.pem does not belong/],
      ['keyFile', 'junk', /key\.pem holds no private key/],
      ['keyFile', encryptedPem(leaf), /without a passphrase/],
      ['caFile', unrelated.pem, /cert\.pem was not issued under any certificate of .*ca\.pem/],
      ['caFile', '', /ca\.pem holds no readable certificate/],
    ]
    for (const [file, content, message] of cases) {
      const good = await readFile(files[file], 'utf8')
      await writeFile(files[file], content)
      await assertStartupError(options, message)
      await writeFile(files[file], good)
      assert.ok(await loadKeyMaterial(options))
    }
    await chmod(files.keyFile, 0o644)
    await assertStartupError(options, /key\.pem can be read by others/)
    await rm(files.keyFile)
    await assertStartupError(options, /key\.pem does not exist/)
  })

  it('refuses a certificate that OpenSSL does not accept for TLS', async (t) => {
    const { options, files, ca } = await configure(t)
    await writeServer(files, makeTestCertificate({ kind: 'rsa1024', issuer: ca, extensions: [LOCAL_NAMES] }))
    await assertStartupError(options, /cannot be used for TLS/)
    await writeServer(files, makeTestCertificate({ kind: 'rsa2048', issuer: ca, extensions: [LOCAL_NAMES] }))
    assert.ok(await loadKeyMaterial(options))
  })
})

describe('watchServerCertificate with configured files', () => {
  it('follows the files of a running server', async (t) => {
    const { options, files, ca } = await configure(t)
    const current = await loadKeyMaterial(options)
    const server = await startTlsServer(t, current)
    const { watch, changes, warnings } = startWatch(t, options, current, (material) =>
      server.setSecureContext(material.tls),
    )
    await watch.check()
    assert.equal(changes.length, 0)
    await writeServer(files, makeTestCertificate({ issuer: ca, extensions: [LOCAL_NAMES] }))
    await watch.check()
    assert.equal(changes.length, 1)
    assert.equal(await fingerprintSeenBy(server, files.caFile), changes[0]?.serverFingerprint)
    await watch.check()
    assert.equal(changes.length, 1, 'the same files again change nothing')
    assert.deepEqual(warnings, [])
  })

  it('follows a new CA file too', async (t) => {
    const { options, files, ca } = await configure(t)
    const { watch, changes } = startWatch(t, options, await loadKeyMaterial(options))
    const second = makeTestCertificate({ commonName: 'second CA', extensions: CA_EXTENSIONS })
    await writeFile(files.caFile, ca.pem + second.pem)
    await watch.check()
    assert.equal(changes[0]?.caBundlePem, ca.pem + second.pem)
  })

  it('keeps the old certificate while a new file is broken, and warns once', async (t) => {
    const { options, files, ca } = await configure(t)
    const { watch, changes, warnings } = startWatch(t, options, await loadKeyMaterial(options))
    await watch.check()
    await writeFile(files.certFile, 'broken')
    for (let times = 0; times < 4; times++) await watch.check()
    assert.deepEqual(changes, [])
    assert.equal(warnings.length, 1)
    assert.match(warnings[0] ?? '', /cert\.pem holds no readable certificate/)
    await writeServer(files, makeTestCertificate({ issuer: ca, extensions: [LOCAL_NAMES] }))
    await watch.check()
    assert.equal(changes.length, 1)
    assert.equal(warnings.length, 1)
  })

  it('does not warn of a certificate whose key follows a moment later', async (t) => {
    const { options, files, ca } = await configure(t)
    const { watch, changes, warnings } = startWatch(t, options, await loadKeyMaterial(options))
    const next = makeTestCertificate({ issuer: ca, extensions: [LOCAL_NAMES] })
    await writeFile(files.certFile, next.pem)
    await watch.check()
    await writeFile(files.keyFile, privatePem(next))
    await watch.check()
    assert.deepEqual(warnings, [])
    assert.equal(changes[0]?.tls.cert, next.pem)
  })

  it('notices a changed file of the same size by its time', async (t) => {
    const { options, files, leaf } = await configure(t)
    const { watch, warnings } = startWatch(t, options, await loadKeyMaterial(options))
    await watch.check()
    await writeFile(files.certFile, 'x'.repeat(leaf.pem.length))
    await utimes(files.certFile, new Date(), new Date('2031-01-01'))
    await watch.check()
    await watch.check()
    assert.equal(warnings.length, 1)
  })
})

const CA_EXTENSIONS = [
  buildExtension(OID.basicConstraints, Buffer.from('30030101ff', 'hex'), true),
  buildExtension(OID.keyUsage, Buffer.from('03020106', 'hex'), true),
]
const LOCAL_NAMES = buildExtension(
  OID.subjectAltName,
  der.sequence(
    ...['localhost', 'ctrl.example.test'].map((name) => der.implicitTag(2, Buffer.from(name))),
    der.implicitTag(7, Buffer.from([127, 0, 0, 1])),
    der.implicitTag(7, Buffer.from(`${'00'.repeat(15)}01`, 'hex')),
  ),
)

async function configure(t: TestContext) {
  const own = await createKeyOptions(t, createMovableClock(new Date()))
  const folder = join(own.dir, '..', 'configured')
  await mkdir(folder)
  const files = {
    certFile: join(folder, 'cert.pem'),
    keyFile: join(folder, 'key.pem'),
    caFile: join(folder, 'ca.pem'),
  }
  const ca = makeTestCertificate({ commonName: 'configured CA', extensions: CA_EXTENSIONS })
  const leaf = makeTestCertificate({ commonName: 'configured leaf', issuer: ca, extensions: [LOCAL_NAMES] })
  await writeFile(files.caFile, ca.pem)
  await writeServer(files, leaf)
  const options: KeyMaterialOptions = { ...own, configured: files }
  return { options, files, ca, leaf }
}

async function writeServer(files: ConfiguredFiles, leaf: TestCertificate): Promise<void> {
  await writeFile(files.certFile, leaf.pem)
  await writeFile(files.keyFile, privatePem(leaf), { mode: 0o600 })
}

function privatePem({ privateKey }: TestKeyPair): string {
  return privateKey.export({ format: 'pem', type: 'pkcs8' }).toString()
}

function encryptedPem({ privateKey }: TestKeyPair): string {
  const encryption = { cipher: 'aes-256-cbc', passphrase: 'only for this test' }
  return privateKey.export({ format: 'pem', type: 'pkcs8', ...encryption }).toString()
}

function startWatch(
  t: TestContext,
  options: KeyMaterialOptions,
  current: KeyMaterial,
  onChange?: (material: KeyMaterial) => void,
): { watch: CertificateWatch; changes: KeyMaterial[]; warnings: string[] } {
  const changes: KeyMaterial[] = []
  const warnings: string[] = []
  const watch = watchServerCertificate({
    ...options,
    current,
    renewalCheckMs: NEVER_MS,
    filePollMs: NEVER_MS,
    onChange: (material) => {
      changes.push(material)
      onChange?.(material)
    },
    onWarning: (message) => warnings.push(message),
  })
  t.after(() => watch.stop())
  return { watch, changes, warnings }
}

async function startTlsServer(t: TestContext, { tls }: KeyMaterial): Promise<Server> {
  const server = createServer({ ...tls, minVersion: 'TLSv1.2' }, (socket) => socket.end())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => server.close())
  return server
}

/** Connects as a client that trusts only the CA file and verifies the host. */
async function fingerprintSeenBy(server: Server, caFile: string): Promise<string> {
  const { port } = server.address() as AddressInfo
  const ca = await readFile(caFile)
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port, ca }, () => {
      resolve(socket.getPeerCertificate().fingerprint.replaceAll(':', '').toLowerCase())
      socket.end()
    })
    socket.on('error', reject)
  })
}

async function assertStartupError(options: KeyMaterialOptions, message: RegExp): Promise<void> {
  await assert.rejects(loadKeyMaterial(options), (error) => {
    assert.ok(error instanceof StartupError, String(error))
    assert.match(error.message, message)
    return true
  })
}
