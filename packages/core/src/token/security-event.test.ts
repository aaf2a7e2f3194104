import assert from 'node:assert/strict'
import { test } from 'node:test'
import { accountNamesOf, readSecurityEvents, tokensOfSubject } from './security-event.ts'

const ISS = 'https://idp.example'
const URI = 'https://schemas.openid.net/secevent/caep/event-type/session-revoked'
const issSub = { format: 'iss_sub', iss: ISS, sub: 'alice' } as const

test('an event is named by the last segment of its URI, and its own subject counts first', () => {
  const read = (uri: string, payload = {}, rest = {}) =>
    readSecurityEvents({ events: { [uri]: payload }, ...rest })?.[0]
  assert.deepEqual(read(URI, { sub_id: issSub }), { name: 'session-revoked', subject: issSub })
  assert.deepEqual(read(`${URI}/?a#b`, {}, { sub_id: issSub }), { name: 'session-revoked', subject: issSub })
  const email = { format: 'email', email: 'a@b.example' } as const
  assert.deepEqual(read('x', { sub_id: email }, { sub_id: issSub }), { name: 'x', subject: email })
  assert.deepEqual(read('', {}), { name: '', subject: undefined })
  assert.equal(read(`a/${'b'.repeat(100)}`)?.name.length, 64)
})

test('V-09 only subjects of supported formats with usable names are read', () => {
  const subjectOf = (sub_id: unknown) => readSecurityEvents({ events: { e: {} }, sub_id } as never)?.[0]?.subject
  assert.deepEqual(subjectOf({ format: 'opaque', id: 'x', more: 1 }), { format: 'opaque', id: 'x' })
  const unusable = [
    undefined,
    'alice',
    {},
    { format: 'iss_sub', iss: ISS },
    { format: 'iss_sub', sub: 'a' },
    { format: 'email', email: '' },
    { format: 'email', email: 1 },
    { format: 'email', email: 'a\0' },
    { format: 'opaque', id: '\u007f' },
    { format: 'iss_sub', iss: ISS, sub: ' ' },
    { format: 'opaque', id: 'x'.repeat(513) },
    { format: 'phone_number', phone_number: '+1' },
    { format: 'complex', user: issSub },
  ]
  for (const subject of unusable) assert.equal(subjectOf(subject), undefined, JSON.stringify(subject))
})

test('a token has at most 16 events', () => {
  const events = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`e${index}`, {}]))
  assert.equal(readSecurityEvents({ events: events(16) })?.length, 16)
  assert.equal(readSecurityEvents({ events: events(17) }), undefined)
  assert.deepEqual(readSecurityEvents({}), [])
})

test('V-10 a subject names tokens and accounts of its issuer only', () => {
  assert.deepEqual(tokensOfSubject(issSub, ISS), [{ sub: 'alice' }])
  assert.deepEqual(tokensOfSubject(issSub, 'https://other.example'), [])
  assert.deepEqual(tokensOfSubject({ format: 'email', email: 'a' }, ISS), [{ identityClaim: 'a' }])
  assert.deepEqual(tokensOfSubject({ format: 'opaque', id: 'a' }, ISS), [
    { sub: 'a' },
    { sid: 'a' },
    { identityClaim: 'a' },
  ])
  const bySub = { issuer: ISS, isSubjectClaim: true }
  assert.deepEqual(accountNamesOf(issSub, bySub), { sub: 'alice', identityClaim: 'alice' })
  assert.deepEqual(accountNamesOf(issSub, { ...bySub, isSubjectClaim: false }), {
    sub: 'alice',
    identityClaim: undefined,
  })
  assert.deepEqual(accountNamesOf(issSub, { ...bySub, issuer: 'x' }), { sub: undefined, identityClaim: undefined })
  assert.deepEqual(accountNamesOf({ format: 'email', email: 'a' }, bySub), { sub: undefined, identityClaim: 'a' })
  assert.deepEqual(accountNamesOf({ format: 'opaque', id: 'a' }, bySub), { sub: 'a', identityClaim: 'a' })
})
