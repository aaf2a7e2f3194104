import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ALL_CLAIMS, claimReferences, pickClaims, policyReferences } from './kept-claims.ts'

const NEEDED = ['iss', 'aud', 'sub', 'exp', 'nbf', 'iat', 'acr', 'amr', 'auth_time', 'cnf']

const signer = {
  claimsProperty: '/sub',
  requiredClaims: null,
  enrollAttributeClaimsSelector: null,
  enrollNameClaimsSelector: '/sub',
  acceptRule: null,
  attributeRules: [],
}

test('a signer refers to what its selectors and required claims name, by the root claim', () => {
  assert.deepEqual([...claimReferences(signer).names], NEEDED)
  const { names: more } = claimReferences({
    ...signer,
    claimsProperty: 'email',
    requiredClaims: { '/realm/roles': 'a', hd: { glob: '*' } },
    enrollAttributeClaimsSelector: '/groups/0',
    enrollNameClaimsSelector: 'https://acme.example/name',
  })
  const added = ['email', 'https://acme.example/name', 'groups', 'realm', 'hd']
  assert.deepEqual([...more], [...NEEDED, ...added])
  const unusable = { ...signer, claimsProperty: '~', requiredClaims: { '~': 'x' } }
  assert.deepEqual([...claimReferences(unusable).names], NEEDED)
})

test('only own claims with these names are picked, null among them', () => {
  const claims = { sub: 'a', email: null, groups: ['x'], secret: 'no' }
  const picked = pickClaims(claims, ['sub', 'email', 'groups', 'absent', 'constructor', 'toString'])
  assert.deepEqual({ ...picked }, { sub: 'a', email: null, groups: ['x'] })
})

test('rules refer to the claims that they read, all of them when names are computed', () => {
  const refer = (acceptRule: string, attributeRules: readonly string[] = []) =>
    claimReferences({ ...signer, acceptRule, attributeRules })
  const read = refer('claims.repository.startsWith("acme/")', ['[claims.team.name]'])
  assert.deepEqual([[...read.names].slice(NEEDED.length), read.readsMore], [['repository', 'team'], false])
  assert.ok(refer('claims.all(name, claims[name] != "x")').names.has(ALL_CLAIMS))
  assert.equal(refer('inCidr(request.address, "10.0.0.0/8")').readsMore, true)
  for (const rule of ['header.typ == "JWT"', '"typ" in header', 'header["typ"] == claims.typ'])
    assert.equal(refer(rule).readsMore, true, rule)
  for (const rule of ['claims.header == "x"', 'claims.groups.exists(header, header == "x")', 'claims.a == "header"'])
    assert.equal(refer(rule).readsMore, false, rule)
  assert.deepEqual({ ...pickClaims({ sub: 'a', any: 1 }, ['sub', ALL_CLAIMS]) }, { sub: 'a', any: 1 })
})

test('the rule of a policy refers to the claims that it reads', () => {
  const refer = (acceptRule: string | null) => {
    const { names, readsMore } = policyReferences({ acceptRule })
    return [[...names], readsMore]
  }
  assert.deepEqual(refer(null), [[], false])
  assert.deepEqual(refer('claims.team == "a" && claims.level > 1'), [['team', 'level'], false])
  assert.deepEqual(refer('request.method == "GET"'), [[], true])
  assert.deepEqual(refer('claims.all(name, claims[name] != "x")'), [[ALL_CLAIMS], false])
})
