import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeTestCertificate } from '@countersign/testkit'
import { findCaBundleError } from './find-ca-bundle-error.ts'
import { formatPem } from './pem.ts'

const one = makeTestCertificate({ kind: 'ec256', commonName: 'one' })
const two = makeTestCertificate({ kind: 'ec256', commonName: 'two' })
/** Cut off in its signature. */
const cutOff = Buffer.from(one.der.subarray(0, -1))
cutOff.writeUInt16BE(cutOff.length - 4, 2)
const key = one.privateKey.export({ type: 'pkcs8', format: 'pem' })

test('accepts a bundle of one or several certificates', () => {
  assert.equal(findCaBundleError(one.pem), undefined)
  assert.equal(findCaBundleError(`${one.pem}\n${two.pem}`), undefined)
})

test('refuses anything else with a reason', () => {
  const broken = one.pem.replace(/[A-Za-z0-9+/]{20}/, 'AAAAAAAAAAAAAAAAAAAA')
  for (const pem of [
    '',
    'junk',
    `${one.pem}${key}`,
    String(key),
    broken,
    `${one.pem}${two.pem.slice(0, -20)}`,
    one.pem.repeat(11),
    makeTestCertificate({ kind: 'ecExplicit' }).pem,
    formatPem('CERTIFICATE', cutOff),
  ]) {
    assert.equal(typeof findCaBundleError(pem), 'string', pem.slice(0, 60))
  }
})
