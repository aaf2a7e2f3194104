import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readJws } from './read-jws.ts'
import type { TokenPurpose } from './token-purpose.ts'
import { VerifiedTokenCache } from './verified-token-cache.ts'
import { KEYS, NOW, NOW_MS, SIGNER, signerWith, tokenWith } from './verify.fixture.ts'
import { verifyToken } from './verify-token.ts'

const LOGOUT = 'http://schemas.openid.net/event/backchannel-logout'
const DAY = 86_400

const logoutWith = (claims: Record<string, unknown> = {}, header: Record<string, unknown> = { typ: 'logout+jwt' }) =>
  tokenWith({ events: { [LOGOUT]: {} }, jti: '1', ...claims }, { header })

const eventWith = (claims: Record<string, unknown> = {}, header: Record<string, unknown> = { typ: 'secevent+jwt' }) =>
  tokenWith({ events: { 'https://event.example/a': {} }, jti: '1', exp: undefined, ...claims }, { header })

async function reasonOf(token: string, purpose: TokenPurpose, { signer = SIGNER, nowMs = NOW_MS } = {}) {
  const reading = readJws(token, undefined, purpose)
  return reading.ok ? (await verifyToken(reading.jws, signer, KEYS, nowMs)).reason : reading.reason
}

test('A-15 each purpose accepts its own tokens only', async () => {
  const tokens = { login: tokenWith(), logout: logoutWith(), 'security-event': eventWith() }
  const purposes = Object.keys(tokens) as TokenPurpose[]
  for (const purpose of purposes) {
    for (const [kind, token] of Object.entries(tokens)) {
      const reason = await reasonOf(token, purpose)
      assert.equal(reason === 'accepted', kind === purpose, `${kind} token for ${purpose}: ${reason}`)
    }
  }
})

test('A-15 a token with events never logs in, whatever its type', async () => {
  for (const typ of ['JWT', 'at+jwt', undefined]) {
    for (const events of [{ [LOGOUT]: {} }, {}]) {
      assert.equal(await reasonOf(logoutWith({ events }, { typ }), 'login'), 'type-not-accepted')
    }
    assert.equal(await reasonOf(logoutWith({ events: ['a claim of the provider'] }, { typ }), 'login'), 'accepted')
  }
})

test('V-02 a logout token needs its event, a subject or session, an id, and no nonce', async () => {
  const accepted = [{}, { sub: undefined, sid: 's' }, { sid: 's' }, { sub: 'x'.repeat(512) }]
  for (const claims of accepted) assert.equal(await reasonOf(logoutWith(claims), 'logout'), 'accepted')
  const refused = [
    { events: undefined },
    { events: { [LOGOUT]: null } },
    { events: { other: {} } },
    { nonce: '' },
    { sub: undefined },
    { sub: '' },
    { sub: 'x'.repeat(513) },
    { sid: 1 },
    { jti: undefined },
    { jti: '' },
  ]
  for (const claims of refused) {
    assert.equal(await reasonOf(logoutWith(claims), 'logout'), 'event-unusable', JSON.stringify(claims))
  }
  for (const typ of ['JWT', undefined, 'application/logout+jwt']) {
    assert.equal(await reasonOf(logoutWith({}, { typ }), 'logout'), 'accepted')
  }
  for (const typ of ['at+jwt', 'secevent+jwt', 1]) {
    assert.equal(await reasonOf(logoutWith({}, { typ }), 'logout'), 'type-not-accepted')
  }
})

test('a security event token needs its type, events and an id', async () => {
  assert.equal(await reasonOf(eventWith({ sub: undefined }), 'security-event'), 'accepted')
  for (const events of [undefined, {}, { a: 1 }, []]) {
    assert.equal(await reasonOf(eventWith({ events }), 'security-event'), 'event-unusable')
  }
  assert.equal(await reasonOf(eventWith({ jti: 1 }), 'security-event'), 'event-unusable')
  for (const typ of ['JWT', undefined]) {
    assert.equal(await reasonOf(eventWith({}, { typ }), 'security-event'), 'type-not-accepted')
  }
})

test('V-02 tokens that are used once need a time, and are accepted for a limited time', async () => {
  const signer = signerWith({ clockSkewSeconds: 10, maxTokenAgeSeconds: 5, requiredClaims: { hd: 'x' } })
  const end = NOW + 30 * DAY
  const times = { iat: NOW, exp: end }
  const at = (seconds: number) => ({ signer, nowMs: (NOW + seconds) * 1000 })
  assert.equal(await reasonOf(logoutWith(times), 'logout', at(DAY + 9)), 'accepted', 'no rules of logins')
  assert.equal(await reasonOf(logoutWith(times), 'logout', at(DAY + 10)), 'token-expired')
  assert.equal(await reasonOf(logoutWith({ iat: undefined }), 'logout'), 'issued-at-unusable')
  assert.equal(await reasonOf(logoutWith({ exp: undefined }), 'logout'), 'expiry-unusable')
  assert.equal(await reasonOf(logoutWith({ exp: NOW }), 'logout'), 'token-expired')
  const event = eventWith({ iat: NOW })
  assert.equal(await reasonOf(event, 'security-event', at(7 * DAY + 9)), 'accepted')
  assert.equal(await reasonOf(event, 'security-event', at(7 * DAY + 10)), 'token-expired')
  assert.equal(await reasonOf(eventWith({ iat: undefined }), 'security-event'), 'issued-at-unusable')
  assert.equal(await reasonOf(eventWith({ exp: NOW - 1 }), 'security-event'), 'token-expired')
})

test('verdicts on other tokens than those of logins are not cached', async () => {
  const cache = new VerifiedTokenCache()
  for (let each = 0; each < 3; each += 1) {
    const reading = readJws(logoutWith(), undefined, 'logout')
    assert.ok(reading.ok)
    assert.equal((await verifyToken(reading.jws, SIGNER, KEYS, NOW_MS, { cache })).reason, 'accepted')
  }
  assert.equal(cache.size, 0)
})
