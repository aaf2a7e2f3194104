import assert from 'node:assert/strict'
import { test } from 'node:test'
import { insideQuotes, jsonTemplate } from '../../src/http/pipeline/json-template.ts'
import { type CurrentSession, currentSessionView } from '../../src/http/shared/api-session-view.ts'
import { newSessionText } from '../../src/http/shared/new-session-text.ts'
import type { MissingFactor } from '../../src/login/second-factor.ts'
import { NAUGHTY_STRINGS } from './naughty-strings.fixture.ts'

const AT = Date.UTC(2026, 10, 16, 9, 14, 8, 7)
const PLAIN: CurrentSession = {
  id: '0Vb1kq9RfW3sT5uX7yZ2aB',
  identity: { id: 'p.Q-r_S', name: 'device', authPolicyId: 'default', verifiedTotpId: null },
  authenticatorId: 'extJwt.7KpJa9pXRsYq8Z3sNzV1Qd',
  certificate: undefined,
  ipAddress: '::1',
  configTypes: [],
  createdAt: AT,
  updatedAt: AT,
  lastActivityAt: AT,
  expiresAt: AT + 1_800_000,
  passedTotpId: null,
}

/** Compares the template's text with the view. */
function check(session: CurrentSession, missing: readonly MissingFactor[] = [], now = AT): void {
  const data = currentSessionView(session, 'a-token', { now, missing })
  const text = newSessionText({ session, token: 'a-token', now, missing })
  assert.equal(text, `${JSON.stringify({ data, meta: {} })}\n`)
}

test('the response to a login equals the view of its session, whatever the identity’s name', () => {
  check(PLAIN)
  for (const name of [...NAUGHTY_STRINGS, 'half \ud83d', '\udc00', '"', '\n', '$1 $& NAME TOKEN SESSION 31536000']) {
    check({ ...PLAIN, identity: { ...PLAIN.identity, name } })
  }
})

test('the response to an unusual login is complete too', () => {
  const kinds: CurrentSession[] = [
    { ...PLAIN, configTypes: ['all'] },
    { ...PLAIN, identity: { ...PLAIN.identity, verifiedTotpId: 'codes' } },
    { ...PLAIN, identity: { ...PLAIN.identity, verifiedTotpId: 'codes' }, passedTotpId: 'codes' },
    { ...PLAIN, certificate: { isExtendRequested: true, isKeyRollRequested: true, isChainImproper: true } },
    { ...PLAIN, lastActivityAt: AT + 1 },
    { ...PLAIN, updatedAt: AT + 1 },
  ]
  for (const session of kinds) check(session)
  check(PLAIN, [{ kind: 'totp', isEnrolled: true }])
  check(PLAIN, [], AT + 60_000)
  check(PLAIN, [], AT + 3_600_000)
})

test('a JSON template requires every placeholder in its sample', () => {
  const write = jsonTemplate('{"a":"ONE","b":2000,"c":"ONE and TWO"}', ['ONE', '2000', 'TWO'])
  assert.equal(write([insideQuotes('"'), '7', insideQuotes('\\')]), '{"a":"\\"","b":7,"c":"\\" and \\\\"}')
  assert.throws(() => jsonTemplate('{"a":"ONE"}', ['ONE', 'TWO']), /does not contain TWO/)
})
