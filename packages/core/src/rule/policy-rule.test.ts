import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findPolicyRefusal, NO_SIGNER, policyClaims, policyRefusalText } from './policy-rule.ts'

const FACTS = {
  claims: { level: 2, email: 'a@b' },
  signer: NO_SIGNER,
  identity: { id: 'i', name: 'alice', attributes: ['ops'] },
  request: { method: 'GET', address: '10.0.0.1' },
  nowMs: 0,
}

test('the rule of a policy sees the identity', () => {
  const refusalOf = (acceptRule: string | null) => findPolicyRefusal({ acceptRule }, FACTS)
  assert.equal(refusalOf(null), undefined)
  assert.equal(refusalOf('"ops" in identity.attributes && identity.name == "alice" && identity.id == "i"'), undefined)
  assert.equal(refusalOf('"dev" in identity.attributes'), 'rule-refused')
  assert.equal(refusalOf('claims.missing == 1'), 'rule-error')
  assert.equal(refusalOf('a rule of a later release'), 'rule-error')
})

test('a session keeps the claims that the rule reads', () => {
  const keptBy = (acceptRule: string | null) => policyClaims({ acceptRule }, FACTS.claims)
  assert.equal(keptBy(null), null)
  assert.equal(keptBy('a rule of a later release'), null)
  assert.deepEqual({ ...keptBy('claims.level > 1 && has(claims.missing)') }, { level: 2 })
  assert.deepEqual({ ...keptBy('request.method == "GET"') }, {})
  assert.deepEqual(keptBy('claims.exists(name, name == "x")'), FACTS.claims)
})

test('the text of a refusal has the part and its values', () => {
  assert.match(policyRefusalText({ acceptRule: 'claims.level > 2' }, FACTS), /is false .*claims\.level is 2/)
  assert.match(policyRefusalText({ acceptRule: 'a rule of a later release' }, FACTS), /not valid/)
})
