import assert from 'node:assert/strict'
import { test } from 'node:test'
import { digestPassword, PASSWORD_COST, unmatchablePasswordDigest, verifyPassword } from './password-digest.ts'

const CHEAP = { logN: 4, r: 8, p: 1 }

test('a password verifies against its own digest and no other', async () => {
  const digest = await digestPassword('correct horse', CHEAP)
  assert.equal(await verifyPassword('correct horse', digest), true)
  assert.equal(await verifyPassword('correct horsf', digest), false)
  assert.equal(await verifyPassword('', digest), false)
})

test('R-13 a digest contains the cost and a new salt, and not the password', async () => {
  const [one, two] = await Promise.all([digestPassword('battery', CHEAP), digestPassword('battery', CHEAP)])
  assert.notEqual(one, two)
  assert.match(one, /^scrypt\$4\$8\$1\$/)
  assert.ok(!one.includes('battery'))
})

test('a digest with another cost still verifies, so the cost can be raised', async () => {
  const digest = await digestPassword('battery', { logN: 5, r: 8, p: 2 })
  assert.equal(await verifyPassword('battery', digest), true)
})

test('the unmatchable digest matches no password, and verifying it costs the same', async () => {
  const digest = unmatchablePasswordDigest(CHEAP)
  assert.match(digest, /^scrypt\$4\$8\$1\$/)
  assert.equal(await verifyPassword('', digest), false)
})

test('a malformed digest verifies nothing', async () => {
  const costs = ['x$8$1', '0$8$1', '63$8$1', '4$0$1', '4$8$0', '4.5$8$1', '-1$8$1', '4$8', '4$8$1$1', '4$$1', '1e1$8$1']
  const malformed = ['', 'plain', 'scrypt$4$8$1', 'md5$4$8$1$AA$AA', 'scrypt$4$8$1$$AA', 'scrypt$4$8$1$AA$']
  for (const digest of [...malformed, ...costs.map((cost) => `scrypt$${cost}$AA$AA`)]) {
    assert.equal(await verifyPassword('x', digest), false, digest)
  }
})

test('the cost is at least the OWASP minimum for scrypt', () => {
  assert.ok(PASSWORD_COST.logN >= 15 && PASSWORD_COST.r >= 8 && PASSWORD_COST.p >= 3)
})
