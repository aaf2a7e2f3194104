import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { findLeafFault, findPemBlocks, readLeafCertificate } from '@countersign/core'
import { makeTestCsr } from '@countersign/testkit'
import { createClientCertificates } from '../../../src/platform/keys/client-certificates.ts'
import { type KeyMaterial, loadKeyMaterial } from '../../../src/platform/keys/load-key-material.ts'
import { StartupError } from '../../../src/platform/startup-error.ts'
import { createKeyOptions, START } from './key-material.fixture.ts'

const fingerprintsIn = (pem: string): string[] =>
  (findPemBlocks(pem, 'CERTIFICATE') ?? []).map((der) => new X509Certificate(der).fingerprint256)

/** Issues a certificate with one CA and verifies it with the authorities of another. */
async function verifyAcross(from: KeyMaterial, by: KeyMaterial) {
  const issuing = createClientCertificates({ keys: () => from, clock: { now: () => START.getTime() }, clientDays: 1 })
  const { certPem } = await issuing.issue(makeTestCsr().pem, 'alice')
  const leaf = readLeafCertificate(new X509Certificate(certPem).raw) ?? assert.fail()
  return findLeafFault(leaf, by.authorities) ?? 'accepted'
}

describe('a CA that replaces another', () => {
  it('is announced next to the current one, then active next to the former one, then alone', async (t) => {
    const [present, next] = [await createKeyOptions(t), await createKeyOptions(t)]
    const [old, newer] = [await loadKeyMaterial(present), await loadKeyMaterial(next)]
    assert.equal(await verifyAcross(newer, old), 'certificate-foreign')

    const furtherOf = ({ dir }: { dir: string }) => join(dir, 'further-cas.pem')
    await writeFile(furtherOf(present), newer.caBundlePem)
    const announcing = await loadKeyMaterial(present)
    assert.deepEqual(announcing.tls, old.tls, 'the server presents what clients trust already')
    assert.deepEqual(
      fingerprintsIn(announcing.caBundlePem),
      fingerprintsIn(old.caBundlePem + newer.caBundlePem),
      'new and renewing clients are given both',
    )
    assert.equal(await readFile(join(present.dir, 'ca.pem'), 'utf8'), old.caBundlePem)
    assert.deepEqual(
      [await verifyAcross(old, announcing), await verifyAcross(newer, announcing)],
      ['accepted', 'accepted'],
    )

    await writeFile(furtherOf(next), old.caBundlePem)
    const replacing = await loadKeyMaterial(next)
    assert.deepEqual(replacing.tls, newer.tls)
    assert.deepEqual(
      [await verifyAcross(old, replacing), await verifyAcross(newer, replacing)],
      ['accepted', 'accepted'],
    )
    const accepted = fingerprintsIn(replacing.clientCaPem)
    assert.deepEqual(accepted, [fingerprintsIn(newer.caBundlePem)[1], fingerprintsIn(old.caBundlePem)[1]], 'no roots')

    await rm(furtherOf(next))
    const alone = await loadKeyMaterial(next)
    assert.deepEqual(
      [await verifyAcross(old, alone), await verifyAcross(newer, alone)],
      ['certificate-foreign', 'accepted'],
    )
  })

  it('is not read from a file with anything but CAs in it', async (t) => {
    const options = await createKeyOptions(t)
    const material = await loadKeyMaterial(options)
    const file = join(options.dir, 'further-cas.pem')
    for (const text of ['', 'nonsense', material.tls.cert]) {
      await writeFile(file, text)
      await assert.rejects(loadKeyMaterial(options), (error) => {
        return error instanceof StartupError && error.message.includes(file)
      })
    }
    await writeFile(file, material.caBundlePem)
    assert.ok(await loadKeyMaterial(options))
  })
})
