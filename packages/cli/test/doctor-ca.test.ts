import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { test } from 'node:test'
import { makeTestAuthority } from '@countersign/testkit'
import { describeCa } from '../src/doctor/check-ca.ts'
import { runCaptured } from './captured-run.ts'

test('doctor names the intermediates of the CA, and warns before it ends', () => {
  const root = new X509Certificate(makeTestAuthority().pem)
  const end = root.validToDate.getTime()
  const early = describeCa([root], end - 100 * 86_400_000)
  assert.deepEqual([early.ok, early.hint], [true, undefined])
  assert.match(early.says, /^the root is valid until \d{4}-\d\d-\d\d$/)
  const late = describeCa([root], end - 10 * 86_400_000)
  assert.ok(late.ok && late.hint !== undefined)
  assert.equal(describeCa([root], end + 1000).ok, false)
})

test('doctor --backup checks a folder without a controller', async () => {
  const { exitCode, stdout } = await runCaptured(['doctor', '--backup', '/no/such/folder'])
  assert.equal(exitCode, 1)
  assert.match(stdout, /✘ dump: there is no database\.sql/)
})
