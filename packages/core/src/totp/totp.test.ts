import assert from 'node:assert/strict'
import { test } from 'node:test'
import { base32 } from './base32.ts'
import { findRecoveryCode, newRecoveryCodes } from './recovery-codes.ts'
import { findTotpStep, isTotpCode, newTotpSecret, totpCode, totpProvisioningUrl, totpStep } from './totp.ts'

const SECRET = Buffer.from('12345678901234567890')
const STEP_MS = 30_000

test('the codes are the last six of the eight digits in RFC 6238, appendix B', () => {
  const vectors: readonly (readonly [number, string])[] = [
    [59, '94287082'],
    [1111111109, '07081804'],
    [1111111111, '14050471'],
    [1234567890, '89005924'],
    [2000000000, '69279037'],
    [20000000000, '65353130'],
  ]
  for (const [seconds, code] of vectors) assert.equal(totpCode(SECRET, totpStep(seconds * 1000)), code.slice(-6))
})

test('the codes are those of RFC 4226, appendix D', () => {
  const codes = '755224 287082 359152 969429 338314 254676 287922 162583 399871 520489'.split(' ')
  for (const [counter, code] of codes.entries()) assert.equal(totpCode(SECRET, counter), code)
})

test('R-07 a code is accepted one step early or late, and not two', () => {
  const now = 1_900_000_015_000
  const step = totpStep(now)
  const code = totpCode(SECRET, step)
  for (const offset of [-1, 0, 1]) assert.equal(findTotpStep(SECRET, code, now + offset * STEP_MS), step)
  for (const offset of [-3, -2, 2, 3]) assert.equal(findTotpStep(SECRET, code, now + offset * STEP_MS), undefined)
})

test('only six ASCII digits are a code', () => {
  const now = 59_000
  const code = totpCode(SECRET, totpStep(now))
  assert.equal(findTotpStep(SECRET, code, now), 1)
  for (const wrong of ['', code.slice(1), `${code}0`, ` ${code}`, `${code}\n`, '٠٨٧٢٨٠', 'abcdef', '94287082']) {
    assert.equal(findTotpStep(SECRET, wrong, now), undefined, wrong)
    assert.equal(isTotpCode(wrong), false)
  }
  const changed = code.slice(0, 5) + ((Number(code[5]) + 1) % 10)
  assert.equal(findTotpStep(SECRET, changed, now), undefined)
})

test('base32 is RFC 4648 without padding', () => {
  const vectors = {
    f: 'MY',
    fo: 'MZXQ',
    foo: 'MZXW6',
    foob: 'MZXW6YQ',
    fooba: 'MZXW6YTB',
    foobar: 'MZXW6YTBOI',
    '': '',
  }
  for (const [text, expected] of Object.entries(vectors)) assert.equal(base32(Buffer.from(text)), expected)
})

test('a secret has 160 bits, and its URL has everything that an authenticator app needs', () => {
  const secret = newTotpSecret()
  assert.equal(secret.length, 20)
  assert.notDeepEqual(newTotpSecret(), secret)
  const url = new URL(totpProvisioningUrl(SECRET, 'Ann & Bo/ü?secret=x'))
  assert.equal(url.protocol, 'otpauth:')
  assert.equal(url.searchParams.get('secret'), 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ')
  assert.equal(url.searchParams.get('issuer'), 'Countersign')
  assert.equal(decodeURIComponent(url.pathname).split(':')[1], 'Ann & Bo/ü?secret=x')
})

test('there are twenty different recovery codes, easy to read and never six digits', () => {
  for (let round = 0; round < 50; round++) {
    const codes = newRecoveryCodes()
    assert.equal(new Set(codes).size, 20)
    for (const code of codes) {
      assert.match(code, /^[2-9A-HJ-NP-Z]{6}$/)
      assert.match(code, /[A-Z]/)
    }
  }
})

test('a recovery code is found regardless of case, and other texts are not', () => {
  const codes = newRecoveryCodes()
  const seventh = codes[7] ?? ''
  assert.equal(findRecoveryCode(codes, seventh), 7)
  assert.equal(findRecoveryCode(codes, seventh.toLowerCase()), 7)
  for (const wrong of ['', seventh.slice(1), `${seventh}A`, 'ÄÖÜ', '!!!!!!']) {
    assert.equal(findRecoveryCode(codes, wrong), undefined)
  }
})
