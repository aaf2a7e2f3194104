import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { test } from 'node:test'
import { createIssuer, issueCertificate, issueSelfSigned } from './issue-certificate.ts'
import { findDateFault, findLeafFault, readLeafCertificate } from './leaf-certificate.ts'
import { createSigner } from './sign-certificate.ts'

const now = new Date('2026-06-01T00:00:00Z')
const keys = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const request = { subject: { commonName: 'one' }, publicKey: keys.publicKey, altNames: [] }

async function makeRoot() {
  const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const sign = createSigner(pair.privateKey)
  const root = await issueSelfSigned(
    { profile: 'rootCa', subject: { commonName: 'root' }, publicKey: pair.publicKey, altNames: [] },
    sign,
    now,
  )
  return { root, issuer: createIssuer(root, sign) }
}

test('J-21 a leaf is valid only under the authority that signed it, not under one with the same name', async () => {
  const [ours, twin] = [await makeRoot(), await makeRoot()]
  const leaf = readLeafCertificate(await issueCertificate({ profile: 'client', ...request }, ours.issuer, now))
  assert.ok(leaf)
  assert.equal(findLeafFault(leaf, [ours.root]), undefined)
  assert.equal(findLeafFault(leaf, [twin.root, ours.root]), undefined)
  assert.equal(findLeafFault(leaf, [twin.root]), 'certificate-foreign')
  assert.equal(findLeafFault(leaf, []), 'certificate-foreign')
})

test('a leaf with any changed byte is refused', async () => {
  const { root, issuer } = await makeRoot()
  const der = await issueCertificate({ profile: 'client', ...request }, issuer, now)
  for (let at = 0; at < der.length; at += 1) {
    const changed = Buffer.from(der)
    changed[at] = (changed[at] ?? 0) ^ 0x01
    const leaf = readLeafCertificate(changed)
    if (leaf) assert.equal(findLeafFault(leaf, [root]), 'certificate-foreign', `byte ${at}`)
  }
})

test('the certificate of a server or of a CA cannot log in', async () => {
  const { root, issuer } = await makeRoot()
  for (const profile of ['tlsServer', 'intermediateCa'] as const) {
    const leaf = readLeafCertificate(await issueCertificate({ profile, ...request }, issuer, now))
    assert.equal(leaf && findLeafFault(leaf, [root]), 'certificate-not-for-clients', profile)
  }
  const leaf = readLeafCertificate(root)
  assert.equal(leaf && findLeafFault(leaf, [root]), 'certificate-not-for-clients')
})

test('an expired certificate can be allowed, one that is not yet valid cannot', async () => {
  const { issuer } = await makeRoot()
  const leaf = readLeafCertificate(await issueCertificate({ profile: 'client', ...request }, issuer, now))
  assert.ok(leaf)
  const [from, to] = [leaf.parsed.notBefore.getTime(), leaf.parsed.notAfter.getTime()]
  assert.equal(findDateFault(leaf, from, false), undefined)
  assert.equal(findDateFault(leaf, to, false), undefined)
  assert.equal(findDateFault(leaf, to + 1, false), 'certificate-expired')
  assert.equal(findDateFault(leaf, to + 1, true), undefined)
  assert.equal(findDateFault(leaf, from - 1, true), 'certificate-not-yet-valid')
})

test('returns undefined for bytes that are not a certificate', () => {
  for (const bytes of ['', '30', '3000', '0500', 'ff'.repeat(100)]) {
    assert.equal(readLeafCertificate(Buffer.from(bytes, 'hex')), undefined, bytes)
  }
})

test('an error that is not about the bytes is not hidden', () => {
  assert.throws(() => readLeafCertificate(undefined as never), TypeError)
  assert.equal(readLeafCertificate(Buffer.alloc(0)), undefined)
})

test('returns undefined for an extended key usage or basic constraint that is not a sequence, and for extensions in place of a unique id', async () => {
  const { issuer } = await makeRoot()
  const der = await issueCertificate({ profile: 'client', ...request }, issuer, now)
  assert.equal(readLeafCertificate(der)?.isForClients, true)
  const hex = der.toString('hex')
  const changed = [
    hex.replace('0603551d25040c30', '0603551d25040c31'),
    hex.replace('0603551d25040c30', '0603551d25040cb0'),
    hex.replace('0603551d130101ff04023000', '0603551d130101ff04023100'),
    hex.replace(/a3(..30..300c0603551d13)/, '81$1'),
  ]
  for (const text of changed) {
    assert.notEqual(text, hex)
    assert.equal(readLeafCertificate(Buffer.from(text, 'hex')), undefined, text)
  }
})
