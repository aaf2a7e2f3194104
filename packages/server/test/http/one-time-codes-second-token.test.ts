import assert from 'node:assert/strict'
import { test } from 'node:test'
import { buildApp } from './build-app.ts'
import { MFA, makeUser, SELF } from './one-time-codes.fixture.ts'
import { makeSecondSigner, makeStrictPolicy } from './second-token.fixture.ts'

test('E-01 with a password alone, one-time codes cannot be set up for an identity that needs a second token', async (t) => {
  const app = await buildApp(t)
  const second = await makeSecondSigner(app)
  const authPolicyId = await makeStrictPolicy(app, second.id)
  const user = await makeUser(app, { externalId: 'ann@idp.example', authPolicyId })
  const headers = { authorization: `Bearer ${second.token('ann@idp.example')}` }
  const thief = await user.logIn()
  for (const [method, path, body] of [
    ['POST', MFA, undefined],
    ['POST', `${MFA}/verify`, { code: '123456' }],
  ] as const) {
    assert.equal((await app.call(method, path, body, { session: thief })).status, 401, path)
  }
  assert.equal((await app.call('GET', SELF, undefined, { session: user.session, headers })).status, 200)
  const started = await app.call('POST', MFA, undefined, { session: user.session, headers })
  assert.equal(started.status, 201, started.text)
})
