import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readSessionClaims } from './session-claims.ts'

const NONE = { subject: null, providerSessionId: null, acr: null, amr: null, authenticatedAt: null }

test('the claims of a login at the provider are read from a token', () => {
  assert.deepEqual(
    readSessionClaims({ sub: 'ann', sid: 's-1', acr: 'gold', amr: ['pwd', 'otp'], auth_time: 1_900_000_000 }),
    {
      subject: 'ann',
      providerSessionId: 's-1',
      acr: 'gold',
      amr: ['pwd', 'otp'],
      authenticatedAt: 1_900_000_000_000,
    },
  )
  assert.deepEqual(readSessionClaims({ amr: 'pwd' }), { ...NONE, amr: ['pwd'] })
  assert.deepEqual(readSessionClaims({}), NONE)
})

test('B-07 control characters, which no database column holds, make a claim unusable', () => {
  for (const text of ['a\0b', 'a\nb', 'a\u009fb', '', ' ']) {
    assert.deepEqual(readSessionClaims({ sub: text, sid: text, acr: text, amr: [text] }), NONE, JSON.stringify(text))
    assert.deepEqual(readSessionClaims({ amr: ['pwd', text] }), { ...NONE, amr: ['pwd'] }, JSON.stringify(text))
  }
  const text = 'a b é'
  assert.deepEqual(readSessionClaims({ sub: text, sid: text, acr: text }), {
    ...NONE,
    subject: text,
    providerSessionId: text,
    acr: text,
  })
})

test('C-03 auth_time with a fraction is rounded down to a millisecond', () => {
  const ms = (authTime: number) => readSessionClaims({ auth_time: authTime }).authenticatedAt
  assert.deepEqual([ms(1_900_000_000.1239), ms(1_900_000_000.5), ms(-1)], [1_900_000_000_123, 1_900_000_000_500, -1000])
})

test('claims of another type or of more than 512 characters are not used', () => {
  assert.deepEqual(readSessionClaims({ sub: 7, sid: ['s'], acr: ['gold'], amr: [1], auth_time: '1900000000' }), NONE)
  assert.deepEqual(readSessionClaims({ sub: null, sid: {}, amr: {}, auth_time: 1e300 }), NONE)
  const [longest, tooLong] = ['a'.repeat(512), 'a'.repeat(513)]
  assert.deepEqual(readSessionClaims({ sub: longest, sid: tooLong, amr: [longest] }), {
    ...NONE,
    subject: longest,
    amr: [longest],
  })
  assert.deepEqual(readSessionClaims({ amr: [tooLong] }), NONE)
})
