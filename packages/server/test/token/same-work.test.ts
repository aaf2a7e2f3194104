import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newId, newRuleBudget } from '@countersign/core'
import { pino } from 'pino'
import { PasswordLogin } from '../../src/login/password-login.ts'
import { findSigner } from '../../src/store/reads/signer-reads.ts'
import { KnownIdentities } from '../../src/token/known-identities.ts'
import { KnownPolicies } from '../../src/token/known-policies.ts'
import { findLoginRefusal } from '../../src/token/login-refusals.ts'
import { createPolicy } from '../http/auth-policies.fixture.ts'
import { buildApp, TEST_PASSWORD_COST } from '../http/build-app.ts'
import { create } from '../http/ext-jwt-signers.fixture.ts'
import { createIdentity, createPassword, IDENTITIES } from '../http/identities.fixture.ts'
import { withoutLimits } from '../limits/without-limits.ts'
import { watchReads } from '../store/mock-reads.ts'

test('L-02 every refusal of a good token costs the same look-ups, cached before or not', async (t) => {
  const app = await buildApp(t)
  const signerId = await create(app)
  const otherId = await create(app)
  const forbids = await createPolicy(app, { extJwt: { allowed: false } })
  const others = await createPolicy(app, { extJwt: { allowedSigners: [otherId] } })
  const disabledId = await createIdentity(app, { attributes: ['a', 'b'] })
  await app.admin('POST', `${IDENTITIES}/${disabledId}/disable`, { durationMinutes: 0 })
  const groups = {
    'unknown-identity': newId(),
    disabled: disabledId,
    'not-allowed': await createIdentity(app, { authPolicyId: forbids }),
    'signer-not-allowed': await createIdentity(app, { authPolicyId: others }),
  }
  const signer = (await findSigner(app.store.db, signerId)) ?? assert.fail()
  const identities = new KnownIdentities(app.store, new KnownPolicies(app.store))
  const costs = new Set<string>()
  for (const claim of Object.values(groups))
    await identities.find(signer, subject(claim), app.clock.now(), newRuleBudget())
  for (let round = 0; round < 3; round++) {
    for (const [refusal, claim] of Object.entries(groups)) {
      const { result, statements } = await watchReads(app.store, async () =>
        identities.find(signer, subject(claim), app.clock.now(), newRuleBudget()),
      )
      assert.equal(findLoginRefusal(result), refusal)
      assert.ok(statements.length > 0)
      // A cached identity is found by the first statement, an unknown one by none: the order differs, the set does not.
      costs.add(JSON.stringify(statements.toSorted()))
    }
  }
  assert.equal(costs.size, 1, [...costs].join('\n'))
  const allowed = await createIdentity(app)
  await identities.find(signer, subject(allowed), app.clock.now(), newRuleBudget())
  const { result, statements } = await watchReads(app.store, async () =>
    identities.find(signer, subject(allowed), app.clock.now(), newRuleBudget()),
  )
  assert.deepEqual([findLoginRefusal(result), statements], [undefined, []], 'an accepted identity is cached')
})

/** A token that says nothing about the login at the identity provider. */
const subject = (claim: string) => ({
  claim,
  loginClaims: { acr: null, amr: null, authenticatedAt: null },
  claims: {},
  request: undefined,
})

test('L-02 every refused password costs the same look-ups and one comparison', async (t) => {
  const app = await buildApp(t, { hasWriterThread: true })
  const session = {
    idleMs: 60_000,
    maxMs: 60_000,
    maxPerIdentity: 10,
    events: { publish: () => {}, toRecord: () => undefined },
  }
  const login = new PasswordLogin({
    ...app,
    ...session,
    log: pino({ enabled: false }),
    passwordCost: TEST_PASSWORD_COST,
    limits: withoutLimits(app.clock),
  })
  const comparing = t.mock.method(login.passwords, 'isRight')
  const forbids = await createPolicy(app, { updb: { allowed: false } })
  const locks = await createPolicy(app, { updb: { maxAttempts: 100, lockoutDurationMinutes: 5 } })
  const disabledId = await createIdentity(app)
  await app.admin('POST', `${IDENTITIES}/${disabledId}/disable`, { durationMinutes: 0 })
  const wrong = { password: 'not-the-password' }
  const groups: readonly [string, { username: string; password: string }][] = [
    ['unknown-user', { username: 'unknown-user', ...wrong }],
    ['disabled', await createPassword(app, disabledId)],
    ['not-allowed', await createPassword(app, await createIdentity(app, { authPolicyId: forbids }))],
    ['wrong-password', { ...(await createPassword(app, await createIdentity(app))), ...wrong }],
    [
      'wrong-password',
      { ...(await createPassword(app, await createIdentity(app, { authPolicyId: locks }))), ...wrong },
    ],
  ]
  const costs = new Set<string>()
  for (const [reason, { username, password }] of groups) {
    comparing.mock.resetCalls()
    const { result, statements } = await watchReads(app.store, () =>
      login.logIn({ username, password }, { method: 'POST', address: '192.0.2.1' }),
    )
    assert.equal(result.loggedIn ? '' : result.reason, reason)
    assert.equal(comparing.mock.callCount(), 1)
    costs.add(JSON.stringify(statements))
  }
  assert.equal(costs.size, 1, [...costs].join('\n'))
})
