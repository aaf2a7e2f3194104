import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeTestAuthority, makeTestCertificate } from '@countersign/testkit'
import { AppError } from '../app-error.ts'
import { formatPem } from '../certificate/pem.ts'
import { firstCertificate, nameDigest, readCaCertificate } from './ca-certificate.ts'

function reasonOf(pem: string): string | undefined {
  try {
    readCaCertificate(pem, [])
    return undefined
  } catch (error) {
    assert.ok(error instanceof AppError && error.publicCause && 'field' in error.publicCause)
    const { field, reason, value } = error.publicCause
    assert.deepEqual([error.code, field, value], ['COULD_NOT_VALIDATE', 'certPem', ''])
    return reason
  }
}

test('W-83 the reasons for a refused certificate are those of existing controllers', () => {
  const good = makeTestAuthority().pem
  const junk = formatPem('CERTIFICATE', Buffer.from([1, 2, 3]))
  const reasons: readonly (readonly [pem: string, reason: string | undefined])[] = [
    [good, undefined],
    [`before\n${good}`, undefined],
    [good.replaceAll('\n', '\r\n'), undefined],
    ['', 'at least one leaf certificate must be supplied'],
    [' \n', 'at least one leaf certificate must be supplied'],
    ['no PEM', 'could not parse block #1'],
    [`${good}after`, 'could not parse block #1'],
    [good.replace('-----END', '-----STOP'), 'could not parse block #1'],
    [good.replace('-----END', '-----STOP') + good, 'could not parse block #1'],
    [formatPem('PRIVATE KEY', Buffer.alloc(8)), 'block #1 is not a certificate'],
    [good + formatPem('PRIVATE KEY', Buffer.alloc(8)), 'block #2 is not a certificate'],
    [junk, 'could not parse block #1 as an x509 certificate'],
    [good + junk, 'could not parse block #2 as an x509 certificate'],
    [makeTestCertificate().pem, 'certificate is not a CA'],
    [makeTestAuthority({ isCa: false }).pem, 'certificate is not a CA'],
    [good + makeTestCertificate().pem, undefined],
  ]
  for (const [pem, reason] of reasons) assert.equal(reasonOf(pem), reason)
})

test('W-83 only the first certificate counts, and its subject finds it', () => {
  const [first, second] = [makeTestAuthority({ commonName: 'one' }), makeTestAuthority({ commonName: 'two' })]
  const pem = `${first.pem}between\n${second.pem}`
  assert.ok(firstCertificate(pem).equals(first.der))
  assert.equal(readCaCertificate(pem, [second.der]).subjectDigest, nameDigest(Buffer.from(first.subject)))
  assert.throws(() => firstCertificate('none'), TypeError)
  const sameKey = makeTestAuthority({ commonName: 'other', keyPair: first })
  assert.throws(() => readCaCertificate(pem, [sameKey.der]), { code: 'COULD_NOT_VALIDATE' }, 'our own CA')
})
