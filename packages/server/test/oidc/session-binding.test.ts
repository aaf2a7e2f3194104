import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pino } from 'pino'
import { createAttemptLimits } from '../../src/limits/attempt-limits.ts'
import { TooManyRequests } from '../../src/limits/too-many-requests.ts'
import { issueBinding } from '../../src/oidc/session-binding.ts'
import { loadSettings } from '../../src/platform/settings/index.ts'

test('R-21 J-24 an identity gets certificates for sessions of the OpenID provider a limited number of times, whatever the session', async () => {
  let now = 1_700_000_000_000
  let issued = 0
  const clock = { now: () => now }
  const { settings } = loadSettings({ flags: {}, env: {} })
  const parts = {
    clock,
    limits: createAttemptLimits({ settings, clock, log: pino({ level: 'silent' }) }),
    clientCertificates: {
      issueForSession: async () => {
        issued++
        return { chainPem: '', caPem: '', fingerprint: String(issued) } as never
      },
    },
  }
  const issue = (id: string, session: number) => {
    const live = { id: String(session), identity: { id }, endsAt: now + 1_000 } as never
    return issueBinding(parts, 'csr', live, { amr: [], authenticatedAt: now } as never)
  }
  for (let session = 0; session < 1_000; session++) await issue('one', session)
  await assert.rejects(issue('one', 1_000), TooManyRequests)
  assert.equal(issued, 1_000)
  await issue('other', 1_001)
  now += 20_000
  await issue('one', 1_002)
})
