import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JsonObject, JsonValue } from '../json/json-value.ts'
import { accountNamesOf, readSecurityEvents, subjectIssuers, tokensOfSubject } from './security-event.ts'

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
    { format: 'complex', device: issSub },
    { format: 'complex', user: { format: 'complex', user: issSub } },
    { subject_type: 'oauth-token', sub: 'a', iss: ISS },
    { subject_type: 1, iss: ISS, sub: 'a' },
    { format: 'email', subject_type: 'iss-sub', iss: ISS, sub: 'a' },
  ]
  for (const subject of unusable) assert.equal(subjectOf(subject), undefined, JSON.stringify(subject))
})

test('V-08 subjects are read in the forms of Okta, Google RISC and CAEP', () => {
  const read = (subject: JsonValue, rest: JsonObject = {}) =>
    readSecurityEvents({ events: { e: { subject } }, ...rest })?.[0]?.subject
  assert.deepEqual(read(issSub), issSub)
  assert.deepEqual(read({ subject_type: 'iss-sub', iss: ISS, sub: 'alice' }), issSub, 'Google')
  assert.deepEqual(read({ user: issSub, device: { format: 'opaque', id: 'd' } }), issSub, 'Okta')
  const session = { format: 'opaque', id: 's' } as const
  assert.deepEqual(read({ format: 'complex', session, user: issSub }), issSub)
  assert.deepEqual(read({ format: 'complex', session, tenant: issSub }), session)
  assert.deepEqual(read({ format: 'complex', session, user: { format: 'phone_number' } }), session)
  assert.deepEqual(read({ subject_type: 'complex', user: { subject_type: 'iss-sub', iss: ISS, sub: 'alice' } }), issSub)
  assert.deepEqual(read(issSub, { sub_id: session }), session, 'sub_id counts before it')
  assert.deepEqual(readSecurityEvents({ events: { e: {} }, sub_id: { format: 'complex', user: issSub } }), [
    { name: 'e', subject: issSub },
  ])
})

test('a token has at most 16 events', () => {
  const events = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`e${index}`, {}]))
  assert.equal(readSecurityEvents({ events: events(16) })?.length, 16)
  assert.equal(readSecurityEvents({ events: events(17) }), undefined)
  assert.deepEqual(readSecurityEvents({}), [])
})

test('V-11 subjects are of the issuer of tokens, and of that of events where it is another', () => {
  const signals = { audience: 'a', actions: {} }
  assert.deepEqual(subjectIssuers({ issuer: ISS, sharedSignals: null }), [ISS])
  assert.deepEqual(subjectIssuers({ issuer: ISS, sharedSignals: signals }), [ISS])
  const issuers = subjectIssuers({ issuer: ISS, sharedSignals: { ...signals, issuer: 'https://ssf.example' } })
  assert.deepEqual(issuers, [ISS, 'https://ssf.example'])
  assert.deepEqual(tokensOfSubject({ ...issSub, iss: 'https://ssf.example' }, issuers), [{ sub: 'alice' }])
})

test('V-10 a subject names tokens and accounts of its issuer only', () => {
  assert.deepEqual(tokensOfSubject(issSub, [ISS]), [{ sub: 'alice' }])
  assert.deepEqual(tokensOfSubject(issSub, ['https://other.example']), [])
  assert.deepEqual(tokensOfSubject({ format: 'email', email: 'a' }, [ISS]), [{ identityClaim: 'a' }])
  const folded = [{ identityClaim: 'A@\u00c9' }, { identityClaim: 'a@\u00c9' }]
  assert.deepEqual(tokensOfSubject({ format: 'email', email: 'A@\u00c9' }, [ISS]), folded)
  assert.deepEqual(tokensOfSubject({ format: 'email', email: 'a' }, [ISS], ['A', 'B']), [
    { identityClaim: 'a' },
    { identityClaim: 'A' },
    { identityClaim: 'B' },
    { identityClaim: 'b' },
  ])
  assert.deepEqual(tokensOfSubject(issSub, [ISS], ['b']), [{ sub: 'alice' }])
  assert.deepEqual(tokensOfSubject({ format: 'opaque', id: 'a' }, [ISS]), [
    { sub: 'a' },
    { sid: 'a' },
    { identityClaim: 'a' },
  ])
  const bySub = { issuers: [ISS], isSubjectClaim: true }
  assert.deepEqual(accountNamesOf(issSub, bySub), { sub: 'alice', identityClaim: 'alice' })
  assert.deepEqual(accountNamesOf(issSub, { ...bySub, isSubjectClaim: false }), {
    sub: 'alice',
    identityClaim: undefined,
  })
  assert.deepEqual(accountNamesOf(issSub, { ...bySub, issuers: ['x'] }), { sub: undefined, identityClaim: undefined })
  assert.deepEqual(accountNamesOf({ format: 'email', email: 'a' }, bySub), { sub: undefined, identityClaim: 'a' })
  assert.deepEqual(accountNamesOf({ format: 'opaque', id: 'a' }, bySub), { sub: 'a', identityClaim: 'a' })
})
