import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { MAX_RULE_COST, newRuleBudget, RuleBudget } from '@countersign/core'
import { findSigner } from '../../src/store/reads/signer-reads.ts'
import { KnownIdentities } from '../../src/token/known-identities.ts'
import { KnownPolicies } from '../../src/token/known-policies.ts'
import { findLoginRefusal, loginRefusalText } from '../../src/token/login-refusals.ts'
import { ALL_RULES, policyRuleInTurn } from '../../src/token/rule-turns.ts'
import { createPolicy } from '../http/auth-policies.fixture.ts'
import { buildApp } from '../http/build-app.ts'
import { create } from '../http/ext-jwt-signers.fixture.ts'
import { createIdentity, IDENTITIES } from '../http/identities.fixture.ts'

async function setUp(t: TestContext, acceptRule: string) {
  const app = await buildApp(t)
  const signer = (await findSigner(app.store.db, await create(app))) ?? assert.fail()
  const authPolicyId = await createPolicy(app, { acceptRule })
  const id = await createIdentity(app, { authPolicyId })
  const find = async (identities: KnownIdentities, level: number, budget = newRuleBudget(), address?: string) => {
    let reads = 0
    const claims = {
      get level() {
        reads++
        return level
      },
    }
    const loginClaims = { acr: null, amr: null, authenticatedAt: null }
    const request = address === undefined ? undefined : { method: 'POST', address }
    const subject = { claim: id, loginClaims, claims, request }
    const attempt = await identities.find(signer, subject, app.clock.now(), budget)
    const refusal = findLoginRefusal(attempt)
    return { refusal, reads, attempt }
  }
  return { app, id, find, authPolicyId, policies: new KnownPolicies(app.store) }
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

test('Z-17 many logins from one network leave those of the same identity from another their turns', async (t) => {
  const { app, find, authPolicyId, policies } = await setUp(t, 'claims.level == 1')
  const identities = new KnownIdentities(app.store, policies)
  const logIn = (address: string) => find(identities, 1, newRuleBudget(), address)
  assert.equal((await logIn('192.0.2.1')).refusal, undefined)

  const policy = { id: authPolicyId, acceptRule: 'true' }
  const held = Promise.withResolvers<void>()
  void policyRuleInTurn(policy, 'expensive', () => ALL_RULES.spend(MAX_RULE_COST))
  void policyRuleInTurn(policy, 'holder', () => held.promise)
  // One has its turn, and 250 of a network wait.
  const logins = [...Array.from({ length: 252 }, () => '192.0.2.2'), '192.0.2.1'].map(logIn)
  held.resolve()
  const results = await Promise.allSettled(logins)
  assert.equal(results.filter(({ status }) => status === 'rejected').length, 1)
  assert.equal(results.at(-1)?.status, 'fulfilled')
})
