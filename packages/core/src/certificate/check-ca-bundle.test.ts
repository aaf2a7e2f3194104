import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeTestCertificate } from '@countersign/testkit'
import { caBundleProblem } from './check-ca-bundle.ts'

const one = makeTestCertificate({ kind: 'ec256', commonName: 'one' })
const two = makeTestCertificate({ kind: 'ec256', commonName: 'two' })
const key = one.privateKey.export({ type: 'pkcs8', format: 'pem' })

test('a bundle of one or several certificates is taken', () => {
  assert.equal(caBundleProblem(one.pem), undefined)
  assert.equal(caBundleProblem(`${one.pem}\n${two.pem}`), undefined)
})

test('anything else is refused in words', () => {
  const broken = one.pem.replace(/[A-Za-z0-9+/]{20}/, 'AAAAAAAAAAAAAAAAAAAA')
  for (const pem of ['', 'junk', `${one.pem}${key}`, String(key), broken, one.pem.repeat(11)]) {
    assert.equal(typeof caBundleProblem(pem), 'string', pem.slice(0, 60))
  }
})
