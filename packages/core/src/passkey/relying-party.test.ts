import assert from 'node:assert/strict'
import { test } from 'node:test'
import { relyingPartyOf } from './relying-party.ts'

const rpIdOf = (origin: string, domain: string | null = null) => relyingPartyOf(origin, domain).rpId

test('a passkey is bound to the host name of the console, whatever the port', () => {
  const origin = 'https://controller.example.com:1280'
  assert.deepEqual(relyingPartyOf(origin, null), { origin, rpId: 'controller.example.com' })
  assert.equal(rpIdOf('https://localhost:1280'), 'localhost')
})

test('with a domain, the passkeys of all hosts below it are the same', () => {
  assert.equal(rpIdOf('https://one.example.com', 'example.com'), 'example.com')
  assert.equal(rpIdOf('https://two.example.com:1280', 'example.com'), 'example.com')
  assert.equal(rpIdOf('https://example.com', 'example.com'), 'example.com')
})

test('a host outside of the domain has no passkeys', () => {
  for (const host of ['https://example.org', 'https://notexample.com', 'https://example.com.evil.org']) {
    assert.throws(() => rpIdOf(host, 'example.com'), { code: 'PASSKEY_UNAVAILABLE' })
  }
})

test('an IP address has no passkeys, and the refusal says what to do', () => {
  for (const host of ['https://127.0.0.1:1280', 'https://[::1]:1280', 'https://192.0.2.7']) {
    assert.throws(() => rpIdOf(host), { code: 'PASSKEY_UNAVAILABLE', message: /host name/ })
  }
})
