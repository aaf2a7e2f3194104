import assert from 'node:assert/strict'
import { type KeyObject, X509Certificate } from 'node:crypto'
import { test } from 'node:test'
import { createTestKeyPair, makeTestAuthority, makeTestCertificate, type TestCertificate } from '@countersign/testkit'
import { buildExtension } from './build-extensions.ts'
import * as der from './der-writer.ts'
import {
  type CheckedSignatures,
  findCertificatePath,
  readAuthorityCertificate,
  readIntermediates,
  type SignatureBudget,
} from './find-certificate-path.ts'
import { OID } from './object-identifiers.ts'
import { parseCertificate } from './parse-certificate.ts'

const NOW = Date.parse('2026-06-01T00:00:00Z')
const PAST = { notBefore: new Date('2020-01-01T00:00:00Z'), notAfter: new Date('2021-01-01T00:00:00Z') }

function pathOf(
  leaf: TestCertificate,
  sent: readonly TestCertificate[],
  root: TestCertificate,
  budget: SignatureBudget = { left: 16, slowLeft: 16 },
  checked?: CheckedSignatures,
): number | undefined {
  const ca = readAuthorityCertificate(root.der)
  const intermediates = readIntermediates(sent.map(({ der }) => der))
  const search = { now: NOW, budget, ...(checked && { checked }) }
  return ca && findCertificatePath(parseCertificate(leaf.der), intermediates, ca, search)?.length
}

test('J-20 J-21 a path leads from the leaf to the CA, over the certificates that were sent in any order', () => {
  const root = makeTestAuthority({ commonName: 'root' })
  const one = makeTestAuthority({ commonName: 'one', issuer: root })
  const two = makeTestAuthority({ commonName: 'two', issuer: one })
  const leaf = makeTestCertificate({ commonName: 'leaf', issuer: two })
  assert.equal(pathOf(makeTestCertificate({ issuer: root }), [], root), 0)
  assert.equal(pathOf(leaf, [two, one], root), 2)
  assert.equal(pathOf(leaf, [one, two], root), 2)
  assert.equal(pathOf(leaf, [two, one, root], root), 2, 'the CA itself may be sent too')
  assert.equal(pathOf(leaf, [root, one, two], root), 2)
  assert.equal(pathOf(leaf, [two], root), undefined, 'one is missing')
  assert.equal(pathOf(leaf, [], root), undefined)
  assert.equal(pathOf(leaf, [two, one], makeTestAuthority({ commonName: 'root' })), undefined, 'another key')
  assert.equal(pathOf(leaf, [makeTestAuthority({ commonName: 'two' }), one], root), undefined, 'a filler of that name')
})

test('J-21 only current CAs that may sign for clients stand in a path', () => {
  const root = makeTestAuthority({ commonName: 'root' })
  const below = (options: Parameters<typeof makeTestAuthority>[0]) => {
    const between = makeTestAuthority({ commonName: 'between', issuer: root, ...options })
    return pathOf(makeTestCertificate({ issuer: between }), [between], root)
  }
  assert.equal(below({}), 1)
  assert.equal(below({ isCa: false }), undefined)
  assert.equal(below({ keyUsage: 'digitalSignature' }), undefined)
  assert.equal(below({ keyUsage: 'keyCertSign' }), 1)
  assert.equal(below({ usage: 'serverAuth' }), undefined)
  assert.equal(below({ usage: 'clientAuth' }), 1)
  assert.equal(below(PAST), undefined)
  assert.equal(below({ nameConstraints: 'critical' }), undefined)
  assert.equal(below({ nameConstraints: 'not critical' }), undefined)
  assert.equal(below({ kind: 'rsa1024' }), undefined)
  assert.equal(below({ hash: 'sha1' }), undefined)
  assert.equal(below({ kind: 'rsa2048' }), 1)
  assert.equal(below({ kind: 'ed25519' }), 1)
  const expired = makeTestAuthority({ commonName: 'old', ...PAST })
  assert.equal(pathOf(makeTestCertificate({ issuer: expired }), [], expired), undefined)
})

test('J-21 path lengths limit the CAs below', () => {
  const root = makeTestAuthority({ commonName: 'root', pathLength: 0 })
  const between = makeTestAuthority({ commonName: 'between', issuer: root })
  assert.equal(pathOf(makeTestCertificate({ issuer: root }), [], root), 0)
  assert.equal(pathOf(makeTestCertificate({ issuer: between }), [between], root), undefined)
  const longer = makeTestAuthority({ commonName: 'root', pathLength: 1 })
  const next = makeTestAuthority({ commonName: 'next', issuer: longer })
  assert.equal(pathOf(makeTestCertificate({ issuer: next }), [next], longer), 1)
  const last = makeTestAuthority({ commonName: 'last', issuer: next })
  assert.equal(pathOf(makeTestCertificate({ issuer: last }), [next, last], longer), undefined, 'one above allows one')
  const top = makeTestAuthority({ commonName: 'top', pathLength: 2 })
  const below = (pathLength: number) => {
    const upper = makeTestAuthority({ commonName: 'upper', issuer: top, pathLength })
    const lower = makeTestAuthority({ commonName: 'lower', issuer: upper, pathLength: 5 })
    return pathOf(makeTestCertificate({ issuer: lower }), [lower, upper], top)
  }
  assert.equal(below(1), 2)
  assert.equal(below(0), undefined)
})

test('J-21 J-23 malformed constraints, empty usages and oversized certificates make no CA', () => {
  const authority = (...extensions: Buffer[]) => readAuthorityCertificate(makeTestCertificate({ extensions }).der)
  const constraints = (...more: Buffer[]) =>
    buildExtension(OID.basicConstraints, der.sequence(der.boolean(true), ...more), true)
  const usages = (...ids: string[]) => buildExtension(OID.extendedKeyUsage, der.sequence(...ids.map(der.oid)))
  assert.ok(authority(constraints()))
  assert.ok(authority(constraints(der.integer(300))))
  assert.equal(authority(constraints(der.element(2, Buffer.from([0xff])))), undefined, 'a negative path length')
  assert.equal(authority(constraints(der.integer(1), der.integer(1))), undefined)
  assert.ok(authority(constraints(), usages(OID.clientAuth)))
  assert.equal(authority(constraints(), usages()), undefined, 'no usage at all')
  const filler = (bytes: number) => buildExtension('1.3.6.1.4.1.99999.1', Buffer.alloc(bytes))
  assert.throws(
    () => readAuthorityCertificate(undefined as never),
    TypeError,
    'a mistake in the code is no bad certificate',
  )
  assert.ok(authority(constraints(), filler(15_000)))
  assert.equal(authority(constraints(), filler(16_384)), undefined)
})

test('J-21 the keys of certificates that the CA has not issued verify nothing', (t) => {
  const root = makeTestAuthority({ commonName: 'root' })
  const loop = { commonName: 'loop', kind: 'ec521' } as const
  const forger = makeTestAuthority({ commonName: 'root', kind: 'ec521' })
  const forged = makeTestAuthority({ ...loop, issuer: forger })
  const fillers = Array.from({ length: 7 }, () => makeTestAuthority({ ...loop, issuer: forged }))
  const verify = t.mock.method(X509Certificate.prototype, 'verify')
  const keys = () => verify.mock.calls.map(({ arguments: [key] }) => exportKey(key))
  const rootKey = exportKey(root.publicKey)
  assert.equal(pathOf(makeTestCertificate({ issuer: forged }), [...fillers, forged], root), undefined)
  assert.deepEqual(keys(), [rootKey], 'one check, with the key of the CA')
  verify.mock.resetCalls()
  const issued = makeTestAuthority({ ...loop, issuer: root })
  assert.equal(pathOf(makeTestCertificate({ issuer: issued }), [...fillers, issued], root), 1)
  assert.deepEqual(keys(), [rootKey, exportKey(issued.publicKey)])
})

test('J-21 searches that share a budget verify no more signatures than it allows', () => {
  const root = makeTestAuthority({ commonName: 'root' })
  const other = makeTestAuthority({ commonName: 'root' })
  const between = makeTestAuthority({ commonName: 'between', issuer: root })
  const leaf = makeTestCertificate({ issuer: between })
  for (const [left, expected] of [
    [3, 1],
    [2, undefined],
  ] as const) {
    const budget = { left, slowLeft: 0 }
    assert.equal(pathOf(leaf, [between], other, budget), undefined)
    assert.equal(pathOf(leaf, [between], root, budget), expected)
    assert.equal(budget.left, 0)
  }
})

test('J-21 fewer signatures are verified with keys that are slow', () => {
  for (const [kind, isSlow] of [
    ['ec256', false],
    ['ed25519', false],
    ['rsa4096', false],
    ['ec384', true],
    ['ec521', true],
  ] as const) {
    const root = makeTestAuthority({ commonName: 'root', kind })
    const between = makeTestAuthority({ commonName: 'between', kind, issuer: root })
    const leaf = makeTestCertificate({ issuer: between })
    assert.equal(pathOf(leaf, [between], root, { left: 2, slowLeft: 2 }), 1, kind)
    assert.equal(pathOf(leaf, [between], root, { left: 2, slowLeft: 1 }), isSlow ? undefined : 1, kind)
  }
})

test('J-21 results of a connection are remembered, by certificate and key, and count as checks', (t) => {
  const root = makeTestAuthority({ commonName: 'root', kind: 'ec521' })
  const between = makeTestAuthority({ commonName: 'between', kind: 'ec521', issuer: root })
  const leaf = makeTestCertificate({ issuer: between })
  const forged = makeTestCertificate({ issuer: makeTestAuthority({ commonName: 'between', kind: 'ec521' }) })
  const verify = t.mock.method(X509Certificate.prototype, 'verify')
  const checked: CheckedSignatures = new Map()
  const find = (one: TestCertificate, ca: TestCertificate, checks = 2) =>
    pathOf(one, [between], ca, { left: checks, slowLeft: checks }, checked)
  for (let nth = 0; nth < 3; nth++) {
    assert.equal(find(leaf, root), 1)
    assert.equal(verify.mock.callCount(), 2)
  }
  for (let nth = 0; nth < 3; nth++) {
    assert.equal(find(forged, root), undefined)
    assert.equal(verify.mock.callCount(), 3)
  }
  assert.equal(find(leaf, root, 1), undefined)
  assert.equal(find(leaf, makeTestAuthority({ commonName: 'root', kind: 'ec521' })), undefined, 'another key')
  for (let nth = 0; nth < 100; nth++) checked.set(String(nth), true)
  const size = checked.size
  assert.equal(find(makeTestCertificate({ issuer: between }), root), 1)
  assert.equal(checked.size, size, 'the memory is bounded')
})

test('J-21 certificates that have all issued each other end the search', () => {
  const keyPair = createTestKeyPair('ec256')
  const root = makeTestAuthority({ commonName: 'loop', keyPair })
  const loop = () => makeTestAuthority({ commonName: 'loop', keyPair, issuer: root })
  const sent = Array.from({ length: 8 }, loop)
  const forged = makeTestCertificate({ issuer: makeTestAuthority({ commonName: 'loop' }) })
  const budget = { left: 16, slowLeft: 0 }
  assert.equal(pathOf(forged, sent, root, budget), undefined)
  assert.equal(budget.left, 0)
  const few = { left: 16, slowLeft: 0 }
  assert.equal(pathOf(forged, sent.slice(0, 2), root, few), undefined)
  assert.ok(few.left > 0, 'none twice in a path')
  assert.equal(pathOf(makeTestCertificate({ issuer: root }), sent, root), 0)
})

function exportKey(key: KeyObject): string {
  return key.export({ type: 'spki', format: 'pem' }).toString()
}
