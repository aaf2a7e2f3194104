import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  findPolicyRefusal,
  NO_SIGNER,
  policyClaims,
  policyRefusalText,
  readsIdentity,
  sessionClaims,
} from './policy-rule.ts'

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

test('a rule depends on the identity by its name and attributes, which can change', () => {
  for (const acceptRule of [
    '"a" in identity.attributes',
    'identity.name == "a"',
    '[identity].exists(i, i.name == "a")',
  ])
    assert.equal(readsIdentity({ acceptRule }), true, acceptRule)
  assert.equal(readsIdentity({ acceptRule: 'a rule that is not valid' }), true)
  for (const acceptRule of [null, 'identity.id == "a"', 'claims.identity == "a"'])
    assert.equal(readsIdentity({ acceptRule }), false, String(acceptRule))
})

test('a session keeps the claims that the rule reads', () => {
  const keptBy = (acceptRule: string | null) => policyClaims({ acceptRule }, FACTS.claims)
  assert.equal(keptBy(null), null)
  assert.equal(keptBy('a rule of a later release'), null)
  const kept = keptBy('claims.level > 1 && has(claims.missing)')
  assert.deepEqual([{ ...kept?.claims }, kept?.knownClaims], [{ level: 2 }, ['level', 'missing']])
  assert.deepEqual(keptBy('request.method == "GET"')?.knownClaims, [])
  assert.deepEqual(keptBy('claims.exists(name, name == "x")'), { claims: FACTS.claims })
})

test('Z-19 a claim that a session does not keep counts as unknown, not as absent', () => {
  const kept = policyClaims({ acceptRule: 'claims.level > 1' }, FACTS.claims)
  const refusalOf = (acceptRule: string, signerId: string | null = 'idp', of = kept) =>
    findPolicyRefusal({ acceptRule }, { ...FACTS, ...sessionClaims(signerId, of) })
  assert.equal(refusalOf('claims.level > 1'), undefined)
  assert.equal(refusalOf('!has(claims.email)'), 'rule-error')
  assert.equal(refusalOf('!("email" in claims)'), 'rule-error')
  assert.equal(refusalOf('claims.all(name, name != "email")'), 'rule-error')
  assert.equal(refusalOf('request.method == "GET"'), undefined)
  assert.equal(refusalOf('!has(claims.email)', 'idp', null), 'rule-error')
  assert.equal(refusalOf('!has(claims.email)', null, null), undefined, 'a login without a token')
  const facts = { ...FACTS, ...sessionClaims('idp', kept) }
  assert.match(policyRefusalText({ acceptRule: '!has(claims.email)' }, facts), /not kept/)
})

test('the text of a refusal has the part and its values', () => {
  assert.match(policyRefusalText({ acceptRule: 'claims.level > 2' }, FACTS), /is false .*claims\.level is 2/)
  assert.match(policyRefusalText({ acceptRule: 'a rule of a later release' }, FACTS), /not valid/)
})
