import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeToken, instantOfClaim } from './decode-token.ts'

const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
const HEADER = { alg: 'RS256', kid: 'k' }
const CLAIMS = { sub: 'Zoë ✔', groups: ['a'], exp: 1_800_000_000 }

test('a token is decoded as it is, whatever its signature', () => {
  const token = `${part(HEADER)}.${part(CLAIMS)}.not a signature`
  for (const text of [token, `  ${token}\n`, `Bearer ${token}`]) {
    assert.deepEqual(decodeToken(text), { header: HEADER, claims: CLAIMS })
  }
})

test('what is no token is not decoded', () => {
  for (const text of [
    '',
    'opaque',
    part(HEADER),
    `${part(HEADER)}.${part(CLAIMS)}`,
    `${part(HEADER)}.${part([])}.x`,
    `${part(HEADER)}.${part(null)}.x`,
    `${part(HEADER)}.%%%.x`,
    `${part(HEADER)}.${Buffer.from([0x22, 0xff, 0x22]).toString('base64url')}.x`,
    `a.${part(CLAIMS)}.x`,
    `${part(HEADER)}.a.b.c.d`,
  ]) {
    assert.equal(decodeToken(text), undefined, text)
  }
})

test('claims with times are shown as such', () => {
  assert.equal(instantOfClaim('exp', 1_800_000_000), '2027-01-15T08:00:00.000Z')
  assert.equal(instantOfClaim('exp', 'soon'), undefined)
  assert.equal(instantOfClaim('exp', 1e300), undefined)
  assert.equal(instantOfClaim('age', 1_800_000_000), undefined)
})
