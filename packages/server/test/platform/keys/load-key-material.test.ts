import 'reflect-metadata'
import assert from 'node:assert/strict'
import { createHash, createPrivateKey, X509Certificate } from 'node:crypto'
import { chmod, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { getTestKeyPair } from '@countersign/testkit'
import * as peculiar from '@peculiar/x509'
import { type KeyMaterialOptions, loadKeyMaterial } from '../../../src/platform/keys/load-key-material.ts'
import { StartupError } from '../../../src/platform/startup-error.ts'
import { createKeyOptions, createMovableClock, DAY_MS, START } from './key-material.fixture.ts'

const PRIVATE_FILES = ['intermediate.key', 'root.key', 'server.key']
const PUBLIC_FILES = ['ca.pem', 'intermediate.crt', 'server.crt']

describe('loadKeyMaterial', () => {
  it('creates a root, an intermediate and a server certificate on the first start', async (t) => {
    const options = await createKeyOptions(t)
    const material = await loadKeyMaterial(options)
    const [leaf, intermediate, ...others] = certificatesIn(material.tls.cert)
    const [root, trusted] = certificatesIn(material.caBundlePem)
    assert.ok(leaf && intermediate && root && trusted && others.length === 0)
    assert.equal(trusted.fingerprint256, intermediate.fingerprint256)
    assert.ok(leaf.verify(intermediate.publicKey) && intermediate.verify(root.publicKey) && root.verify(root.publicKey))
    assert.ok(
      [leaf, intermediate, root].every(({ publicKey }) => publicKey.asymmetricKeyDetails?.namedCurve === 'prime256v1'),
    )
    assert.equal(await readFile(material.caFile, 'utf8'), material.caBundlePem)
    assert.equal(material.serverFingerprint, createHash('sha1').update(leaf.raw).digest('hex'))
    assert.equal(material.serverNotAfter.getTime(), START.getTime() + 365 * DAY_MS)
    assert.equal(root.validToDate.getTime(), START.getTime() + 3650 * DAY_MS)
    assert.ok(intermediate.validToDate < root.validToDate)
    assert.deepEqual(material.warnings, [])
    assert.ok(material.issuer)
  })

  it('puts the hosts, this machine and a SPIFFE name of the trust domain into the server certificate', async (t) => {
    const options = await createKeyOptions(t)
    const material = await loadKeyMaterial({
      ...options,
      hosts: ['Ctrl.Example.Test', '10.1.2.3', '[2001:db8::1]', '::'],
    })
    assert.equal(
      certificatesIn(material.tls.cert)[0]?.subjectAltName,
      'DNS:ctrl.example.test, IP Address:10.1.2.3, IP Address:2001:DB8:0:0:0:0:0:1, DNS:localhost, ' +
        `IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1, URI:spiffe://${material.trustDomain}/controller`,
    )
    assert.match(material.trustDomain, /^countersign-[0-9a-f]{16}$/)
  })

  it('J-19 keeps private keys readable by their owner only, in a private directory', async (t) => {
    const { dir, ...rest } = await createKeyOptions(t)
    await loadKeyMaterial({ dir, ...rest })
    assert.equal(await modeOf(dir), 0o700)
    assert.deepEqual((await readdir(dir)).toSorted(), [...PRIVATE_FILES, ...PUBLIC_FILES].toSorted())
    for (const file of PRIVATE_FILES) assert.equal(await modeOf(join(dir, file)), 0o600, file)
    for (const file of PUBLIC_FILES) {
      assert.ok(!(await readFile(join(dir, file), 'utf8')).includes('PRIVATE'), file)
    }
  })

  it('returns the CA as certs-only PKCS#7 in lines of 64 characters', async (t) => {
    const material = await loadKeyMaterial(await createKeyOptions(t))
    const lines = material.caPkcs7Base64.split('\n')
    assert.equal(lines.pop(), '')
    assert.ok(lines.slice(0, -1).every((line) => line.length === 64))
    const found = new peculiar.X509Certificates(Buffer.from(material.caPkcs7Base64, 'base64'))
    assert.deepEqual(
      Array.from(found, ({ rawData }) => Buffer.from(rawData).toString('hex')),
      certificatesIn(material.caBundlePem).map(({ raw }) => raw.toString('hex')),
    )
  })

  it('loads the same material on later starts', async (t) => {
    const options = await createKeyOptions(t)
    const first = await loadKeyMaterial(options)
    const { issuer: _first, ...before } = first
    const { issuer: _second, ...after } = await loadKeyMaterial(options)
    assert.deepEqual(after, before)
  })

  it('issues a new server certificate for the same key when the current one lacks a host', async (t) => {
    const options = await createKeyOptions(t)
    const first = await loadKeyMaterial(options)
    const second = await loadKeyMaterial({ ...options, hosts: [...options.hosts, '10.9.8.7'] })
    assert.notEqual(second.serverFingerprint, first.serverFingerprint)
    assert.equal(second.tls.key, first.tls.key)
    assert.equal(second.caBundlePem, first.caBundlePem)
    const third = await loadKeyMaterial(options)
    assert.equal(third.serverFingerprint, second.serverFingerprint, 'an extra host is no reason')
  })

  it('issues a new server certificate in the last third of its lifetime, and not before', async (t) => {
    const clock = createMovableClock()
    const options = await createKeyOptions(t, clock)
    const first = await loadKeyMaterial(options)
    clock.moveDays(243)
    assert.equal((await loadKeyMaterial(options)).serverFingerprint, first.serverFingerprint)
    clock.moveDays(1)
    const second = await loadKeyMaterial(options)
    assert.notEqual(second.serverFingerprint, first.serverFingerprint)
    assert.equal(second.serverNotAfter.getTime(), clock.now().getTime() + 365 * DAY_MS)
    clock.moveDays(1000)
    assert.equal((await loadKeyMaterial(options)).serverNotAfter.getTime(), clock.now().getTime() + 365 * DAY_MS)
  })

  it('J-15 issues again when the clock went back, and never beyond the end of the CA', async (t) => {
    const clock = createMovableClock()
    const options = await createKeyOptions(t, clock)
    const first = await loadKeyMaterial(options)
    clock.moveDays(-1 / 24)
    const second = await loadKeyMaterial(options)
    assert.notEqual(second.serverFingerprint, first.serverFingerprint)
    assert.ok((certificatesIn(second.tls.cert)[0]?.validFromDate ?? START) <= clock.now())
    clock.moveDays(3600)
    const [leaf, intermediate] = certificatesIn((await loadKeyMaterial(options)).tls.cert)
    assert.equal(leaf?.validTo, intermediate?.validTo)
    clock.moveDays(60)
    await assertStartupError(options, /ca\.pem has expired/)
  })

  it('J-19 refuses to start with a private key that others can read', async (t) => {
    const options = await createKeyOptions(t)
    await loadKeyMaterial(options)
    for (const file of PRIVATE_FILES) {
      for (const mode of [0o644, 0o640, 0o604]) {
        await chmod(join(options.dir, file), mode)
        await assertStartupError(options, new RegExp(`${file.replace('.', '\\.')} can be read by others`))
      }
      await chmod(join(options.dir, file), 0o600)
    }
    assert.ok(await loadKeyMaterial(options))
  })

  it('J-19 refuses to start with a key directory that is open to others', async (t) => {
    const options = await createKeyOptions(t)
    await loadKeyMaterial(options)
    await chmod(options.dir, 0o750)
    await assertStartupError(options, /keys is accessible to users other than its owner/)
    await chmod(options.dir, 0o700)
    assert.ok(await loadKeyMaterial(options))
  })

  it('J-19 starts without the CA’s key, and warns that nothing can be issued', async (t) => {
    const clock = createMovableClock()
    const options = await createKeyOptions(t, clock)
    const first = await loadKeyMaterial(options)
    await rm(join(options.dir, 'root.key'))
    assert.deepEqual((await loadKeyMaterial(options)).warnings, [], 'the root key may be stored elsewhere')
    await rm(join(options.dir, 'intermediate.key'))
    const second = await loadKeyMaterial(options)
    assert.equal(second.issuer, undefined)
    assert.equal(second.serverFingerprint, first.serverFingerprint)
    assert.match(second.warnings.join(), /intermediate\.key is missing/)
    clock.moveDays(400)
    await assertStartupError(options, /intermediate\.key of the CA is missing/)
  })

  it('names the file that is unreadable or does not match', async (t) => {
    const otherKey = getTestKeyPair('ec256').privateKey.export({ format: 'pem', type: 'pkcs8' }).toString()
    const other = await createKeyOptions(t)
    await loadKeyMaterial(other)
    const otherCa = await readFile(join(other.dir, 'ca.pem'), 'utf8')
    const cases: [file: string, content: string, message: RegExp][] = [
      ['root.key', otherKey, /root\.key does not belong/],
      ['intermediate.key', otherKey, /intermediate\.key does not belong/],
      ['server.key', otherKey, /server\.key does not belong to the first certificate of .*server\.crt/],
      ['server.key', 'junk', /server\.key holds no private key/],
      ['intermediate.key', '', /intermediate\.key holds no private key/],
      ['server.crt', 'junk', /server\.crt holds no readable certificate/],
      [
        'ca.pem',
        '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n',
        /ca\.pem holds no readable certificate/,
      ],
      ['ca.pem', otherCa, /intermediate\.crt is not the intermediate/],
      ['ca.pem', certificatesIn(otherCa)[0]?.toString() ?? '', /ca\.pem must hold/],
      ['ca.pem', 'x'.repeat(1024 * 1024 + 1), /ca\.pem is larger than 1 MiB/],
    ]
    const options = await createKeyOptions(t)
    await loadKeyMaterial(options)
    for (const [file, content, message] of cases) {
      const path = join(options.dir, file)
      const good = await readFile(path, 'utf8')
      await writeFile(path, content)
      await assertStartupError(options, message)
      await writeFile(path, good)
      assert.ok(await loadKeyMaterial(options), `${file} is valid again`)
    }
    await rm(join(options.dir, 'server.key'))
    await mkdir(join(options.dir, 'server.key'), { mode: 0o700 })
    await assertStartupError(options, /server\.key cannot be read \(EISDIR\)/)
  })

  it('never replaces a CA that is partly lost', async (t) => {
    const options = await createKeyOptions(t)
    await loadKeyMaterial(options)
    await rename(join(options.dir, 'ca.pem'), join(options.dir, 'lost'))
    await assertStartupError(options, /ca\.pem is missing/)
    await rename(join(options.dir, 'lost'), join(options.dir, 'ca.pem'))
    assert.ok(await loadKeyMaterial(options))
  })

  it('creates a lost server certificate or key again', async (t) => {
    const options = await createKeyOptions(t)
    const first = await loadKeyMaterial(options)
    await rm(join(options.dir, 'server.crt'))
    const second = await loadKeyMaterial(options)
    assert.notEqual(second.serverFingerprint, first.serverFingerprint)
    assert.equal(second.tls.key, first.tls.key)
    await rm(join(options.dir, 'server.key'))
    const third = await loadKeyMaterial(options)
    assert.notEqual(third.tls.key, second.tls.key)
    assert.ok(certificatesIn(third.tls.cert)[0]?.checkPrivateKey(createPrivateKey(third.tls.key)))
  })

  it('starts over after a crash during the first start, and accepts an empty directory', async (t) => {
    const options = await createKeyOptions(t)
    await mkdir(`${options.dir}.new`)
    await writeFile(join(`${options.dir}.new`, 'root.key'), 'half a key')
    await mkdir(options.dir)
    assert.ok(await loadKeyMaterial(options))
    assert.equal(await modeOf(options.dir), 0o700)
    await assert.rejects(stat(`${options.dir}.new`))
  })

  it('refuses a host that fits into no certificate, and a path that is not a directory', async (t) => {
    const options = await createKeyOptions(t)
    await assertStartupError({ ...options, hosts: ['no host'] }, /'no host' is neither/)
    await assertStartupError({ ...options, dir: join(options.dir, 'root.key') }, /cannot be used \(ENOTDIR\)/)
    assert.ok(await loadKeyMaterial(options))
  })
})

async function assertStartupError(options: KeyMaterialOptions, message: RegExp): Promise<void> {
  await assert.rejects(loadKeyMaterial(options), (error) => {
    assert.ok(error instanceof StartupError, String(error))
    assert.match(error.message, message)
    return true
  })
}

function certificatesIn(pem: string): X509Certificate[] {
  return pem
    .split(/(?<=-----END CERTIFICATE-----\n)/)
    .filter(Boolean)
    .map((block) => new X509Certificate(block))
}

async function modeOf(path: string): Promise<number> {
  return (await stat(path)).mode & 0o777
}
