import assert from 'node:assert/strict'
import { test } from 'node:test'
import { endsSessions, type TokenRules } from './ends-sessions.ts'

const RULES: TokenRules = {
  issuer: 'https://idp.example',
  audience: 'overlay',
  additionalAudiences: ['second'],
  claimsProperty: 'sub',
  useExternalId: true,
  requiredClaims: { dept: ['it', 'ops'], '/a~1b': 'x' },
  acceptRule: null,
  maxTokenAgeSeconds: 600,
  requirePossession: 'none',
  oneUse: false,
  jwksEndpoint: 'https://idp.example/jwks',
  jwksCaPem: 'PEM',
  kid: null,
  certificate: null,
  certificates: [],
  jwks: null,
  pushedKeys: null,
  pinnedKeyThumbprints: [],
}

const CERTIFIED: TokenRules = { ...RULES, jwksEndpoint: null, jwksCaPem: null, certificate: { fingerprint: 'f1' } }

test('I-15 sessions end when a token could be refused or name another identity', () => {
  const changes: readonly Partial<TokenRules>[] = [
    { issuer: 'https://other.example' },
    { audience: 'other' },
    { additionalAudiences: [] },
    { claimsProperty: '/email' },
    { useExternalId: false },
    { requirePossession: 'any' },
    { requirePossession: 'dpop' },
    { oneUse: true },
    { requiredClaims: { dept: ['it'], '/a~1b': 'x' } },
    { requiredClaims: { ...RULES.requiredClaims, group: 'staff' } },
    { requiredClaims: { ...RULES.requiredClaims, '/dept': ['ops'] } },
    { requiredClaims: { ...RULES.requiredClaims, dept: { glob: 'i*' } } },
    { maxTokenAgeSeconds: 599 },
    { jwksEndpoint: 'https://idp.example/other' },
    { jwksCaPem: 'OTHER' },
    { jwksCaPem: null },
    { certificate: { fingerprint: 'f1' } },
  ]
  for (const change of changes) assert.ok(endsSessions(RULES, { ...RULES, ...change }), JSON.stringify(change))
  const unlimited = { ...RULES, requiredClaims: null, maxTokenAgeSeconds: null }
  assert.ok(endsSessions(unlimited, { ...unlimited, requiredClaims: { dept: 'it' } }))
  const patterned = { ...RULES, requiredClaims: { ref: { glob: 'refs/heads/*' } } }
  for (const ref of [{ glob: 'refs/heads/m*' }, 'refs/heads/main']) {
    assert.ok(endsSessions(patterned, { ...patterned, requiredClaims: { ref } }))
  }
  assert.throws(() => endsSessions(RULES, { ...RULES, requiredClaims: { dept: [] } }), TypeError)
  assert.ok(endsSessions(unlimited, { ...unlimited, maxTokenAgeSeconds: 600 }))
  assert.ok(endsSessions(CERTIFIED, { ...CERTIFIED, certificate: { fingerprint: 'f2' } }))
  assert.ok(endsSessions(CERTIFIED, { ...CERTIFIED, certificate: null }))
  assert.ok(endsSessions(CERTIFIED, { ...CERTIFIED, kid: 'k1' }))
})

test('I-15 no session ends when every token is accepted as before', () => {
  const changes: readonly Partial<TokenRules>[] = [
    {},
    { audience: 'second', additionalAudiences: ['overlay', 'third'] },
    { claimsProperty: '/sub' },
    { requiredClaims: null },
    { requiredClaims: { 'a/b': ['x'], '/dept': ['ops', 'hr', 'it'] } },
    { requiredClaims: { dept: { glob: '*' }, '/a~1b': { glob: '?' } } },
    { maxTokenAgeSeconds: 601 },
    { maxTokenAgeSeconds: null },
    { kid: 'of no certificate' },
  ]
  for (const change of changes) assert.ok(!endsSessions(RULES, { ...RULES, ...change }), JSON.stringify(change))
  const patterned = { ...RULES, requiredClaims: { ref: { glob: 'refs/heads/*' } } }
  assert.ok(!endsSessions(patterned, { ...patterned, requiredClaims: { '/ref': { glob: 'refs/heads/*' } } }))
  assert.ok(!endsSessions({ ...RULES, jwksCaPem: null }, RULES), 'a CA in addition')
  assert.ok(!endsSessions(CERTIFIED, { ...CERTIFIED, kid: 'f1' }), 'the default, named')
})

test('C-26 sessions end when another proof of possession is required, and stay when less is', () => {
  const kinds = ['none', 'any', 'dpop', 'mtls'] as const
  const ends = kinds.flatMap((from) =>
    kinds
      .filter((to) => endsSessions({ ...RULES, requirePossession: from }, { ...RULES, requirePossession: to }))
      .map((to) => `${from} ${to}`),
  )
  assert.deepEqual(ends, ['none any', 'none dpop', 'none mtls', 'any dpop', 'any mtls', 'dpop mtls', 'mtls dpop'])
  assert.equal(endsSessions({ ...RULES, oneUse: true }, RULES), false)
})
