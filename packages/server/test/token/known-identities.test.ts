import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { newRuleBudget, RuleBudget } from '@countersign/core'
import { findSigner } from '../../src/store/reads/signer-reads.ts'
import { KnownIdentities } from '../../src/token/known-identities.ts'
import { KnownPolicies } from '../../src/token/known-policies.ts'
import { findLoginRefusal, loginRefusalText } from '../../src/token/login-refusals.ts'
import { createPolicy } from '../http/auth-policies.fixture.ts'
import { buildApp } from '../http/build-app.ts'
import { create } from '../http/ext-jwt-signers.fixture.ts'
import { createIdentity, IDENTITIES } from '../http/identities.fixture.ts'

async function setUp(t: TestContext, acceptRule: string) {
  const app = await buildApp(t)
  const signer = (await findSigner(app.store.db, await create(app))) ?? assert.fail()
  const id = await createIdentity(app, { authPolicyId: await createPolicy(app, { acceptRule }) })
  const find = async (identities: KnownIdentities, level: number, budget = newRuleBudget()) => {
    let reads = 0
    const claims = {
      get level() {
        reads++
        return level
      },
    }
    const loginClaims = { acr: null, amr: null, authenticatedAt: null }
    const subject = { claim: id, loginClaims, claims, request: undefined }
    const attempt = await identities.find(signer, subject, app.clock.now(), budget)
    const refusal = findLoginRefusal(attempt)
    return { refusal, reads, attempt }
  }
  return { app, id, find, policies: new KnownPolicies(app.store) }
}

test('Z-17 the rule of a policy is evaluated once for an attempt, whether the identity is cached or not', async (t) => {
  const { app, find, policies } = await setUp(t, 'claims.level == 1')
  const identities = new KnownIdentities(app.store, policies)
  for (const [level, refusal] of [
    [2, 'rule-refused'],
    [1, undefined],
    [1, undefined],
    [2, 'rule-refused'],
  ] as const) {
    const found = await find(identities, level)
    assert.deepEqual([found.refusal, found.reads], [refusal, 1])
  }
})

test('Z-17 the rule of a policy refuses when others have spent the budget, and says so', async (t) => {
  const { app, find, policies } = await setUp(t, 'claims.level == 1')
  const identities = new KnownIdentities(app.store, policies)
  const { refusal, attempt } = await find(identities, 1, new RuleBudget(1))
  assert.equal(refusal, 'rule-error')
  assert.match(loginRefusalText(attempt), /take too long together for these claims$/)
  assert.equal((await find(identities, 1)).refusal, undefined)
})

test('Z-18 an identity that has changed since it was cached is judged again', async (t) => {
  const { app, id, find, policies } = await setUp(t, 'claims.level == 1 || "ops" in identity.attributes')
  const store = { ...app.store, db: app.store.db, onChange: () => {} }
  const identities = new KnownIdentities(store, policies)
  assert.equal((await find(identities, 1)).refusal, undefined)
  assert.equal((await find(identities, 2)).refusal, 'rule-refused')
  const changed = await app.admin('PATCH', `${IDENTITIES}/${id}`, { roleAttributes: ['ops'] })
  assert.equal(changed.status, 200, changed.text)
  assert.equal((await find(identities, 2)).refusal, undefined)
})
