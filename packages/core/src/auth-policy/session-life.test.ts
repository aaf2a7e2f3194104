import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DEFAULT_AUTH_POLICY } from './auth-policy-settings.ts'
import { sessionEnd, sessionIdleMs } from './session-life.ts'

const { session: UNSET } = DEFAULT_AUTH_POLICY
const FACTS = { createdAt: 1_000, tokenExpiresAt: 50_000 }
const ENDLESS = { expiresAt: null }

test('a session ends at the earliest of policy, token and identity', () => {
  assert.equal(sessionEnd({ session: UNSET }, FACTS, ENDLESS), Infinity)
  assert.equal(sessionEnd({ session: { ...UNSET, maxMinutes: 2 } }, FACTS, ENDLESS), 121_000)
  const withToken = { session: { ...UNSET, maxMinutes: 2, endWithToken: true } }
  assert.equal(sessionEnd(withToken, FACTS, ENDLESS), 50_000)
  assert.equal(sessionEnd(withToken, { ...FACTS, tokenExpiresAt: null }, ENDLESS), 121_000)
  assert.equal(sessionEnd(withToken, FACTS, { expiresAt: 40_000 }), 40_000)
})

test('the idle time of a policy never exceeds that of the installation', () => {
  assert.equal(sessionIdleMs({ session: UNSET }, 90_000), 90_000)
  assert.equal(sessionIdleMs({ session: { ...UNSET, idleMinutes: 1 } }, 90_000), 60_000)
  assert.equal(sessionIdleMs({ session: { ...UNSET, idleMinutes: 2 } }, 90_000), 90_000)
})
