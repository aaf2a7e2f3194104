import assert from 'node:assert/strict'
import { test } from 'node:test'
import { buildApp } from './build-app.ts'
import { MFA, makeUser, SELF, startTotp, statusAndCode } from './one-time-codes.fixture.ts'
import { makeSecondSigner, makeStrictPolicy } from './second-token.fixture.ts'

test('E-01 with a password alone, one-time codes cannot be verified for an identity that needs a second token', async (t) => {
  const app = await buildApp(t)
  const second = await makeSecondSigner(app)
  const authPolicyId = await makeStrictPolicy(app, second.id)
  const user = await makeUser(app, { externalId: 'ann@idp.example', authPolicyId })
  const headers = { authorization: `Bearer ${second.token('ann@idp.example')}` }
  const thief = await user.logIn()
  const device = await startTotp(app, thief)
  const verify = (code: string, call: { session: string; headers?: Record<string, string> }) =>
    app.call('POST', `${MFA}/verify`, { code }, call)
  assert.equal(statusAndCode(await verify(device.wrongCode(), { session: thief })), '400 MFA_INVALID_TOKEN')
  const refused = await verify(device.code(), { session: thief })
  assert.equal(statusAndCode(refused), '401 UNAUTHORIZED')
  assert.equal(refused.headers['www-authenticate'], second.challenge('missing'))
  const own = await app.call('GET', SELF, undefined, { session: user.session, headers })
  assert.equal(own.status, 200, 'the owner is not locked out')
  assert.equal(statusAndCode(await verify(device.code(), { session: thief, headers })), '200')
})
