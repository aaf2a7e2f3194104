import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { test } from 'node:test'
import { CA } from '@countersign/contract/ca'
import { SIGNER } from '@countersign/contract/ext-jwt-signer'
import { isSecurityMember } from '@countersign/contract/resource'
import { makeTestCertificate } from '@countersign/testkit'
import { CAS, SIGNERS } from '../src/resources/kinds.ts'
import { buildTrustRows } from '../src/resources/trust-rows.ts'

const rowsOf = (kind: typeof SIGNERS, members: object) =>
  buildTrustRows(kind.trustMembers ?? [], { id: 'i', name: 'n', enabled: true, tags: { a: 1 }, ...members })

const DEFAULTS = Object.fromEntries(
  Object.entries(SIGNER.members).flatMap(([name, { notes }]) => ('default' in notes ? [[name, notes.default]] : [])),
)
const REQUIRED = { issuer: 'https://idp.example', audience: 'a' }
const AUTHORITY = makeTestCertificate({ kind: 'ec256', commonName: 'Keys CA' })

/** One value other than the default for each security member with a default. */
const OTHERS: Record<string, unknown> = {
  additionalAudiences: ['b', 'c'],
  jwksEndpoint: 'https://idp.example/keys',
  jwksCaPem: AUTHORITY.pem,
  certPem: AUTHORITY.pem,
  kid: 'k',
  fingerprint: 'ab',
  jwks: { keys: [{ kid: 'k' }] },
  certPems: [AUTHORITY.pem],
  pushedKeys: { maxAgeSeconds: 300 },
  jwksAuthorizationSet: true,
  pinnedKeyThumbprints: ['t'],
  requireKeyContinuity: true,
  claimsProperty: '/email',
  useExternalId: true,
  externalAuthUrl: 'https://one.example',
  openIdConfigurationUrl: 'https://two.example',
  clientId: 'client',
  scopes: ['openid'],
  targetToken: 'ID',
  enrollToCertEnabled: true,
  enrollToTokenEnabled: true,
  enrollAttributeClaimsSelector: '/groups',
  enrollAuthPolicyId: 'p1',
  enrollNameClaimsSelector: '/name',
  attributeSync: 'login',
  nameSync: true,
  provisionOnLogin: true,
  reprovisionAfterMinutes: 0,
  clockSkewSeconds: 60,
  maxTokenAgeSeconds: 5,
  requiredClaims: { repository_owner: 'acme' },
  sharedSignals: { audience: 's', jwksUri: 'https://signals.example/keys', actions: {} },
  scimIdentityAttribute: 'email',
  scimGroupAttributeTemplate: 'x-{id}',
  testCases: [{ name: 'a', claims: {}, expect: { outcome: 'refused' } }],
  acceptRule: 'true',
  attributeRules: ['["a"]'],
  requirePossession: 'any',
  oneUse: true,
}

test('D55 every member is a security member except those that the contract names', () => {
  for (const { members } of [SIGNER, CA]) {
    const excepted = [...(members.trust.notes.description ?? '').matchAll(/`(\w+)`/g)].map(([, name]) => name)
    assert.equal(excepted.length, 3)
    for (const name of [...Object.keys(members), 'anything new']) {
      assert.equal(isSecurityMember(name), !excepted.includes(name), name)
    }
  }
})

test('D55 of a signer every security member that differs from its default is shown, and no other', () => {
  assert.deepEqual(rowsOf(SIGNERS, { ...DEFAULTS, ...REQUIRED }), Object.entries(REQUIRED))
  const all = rowsOf(SIGNERS, { ...DEFAULTS, ...REQUIRED, ...OTHERS })
  const shown = new Map(all)
  assert.deepEqual([...shown.keys()].sort(), [...Object.keys(REQUIRED), ...Object.keys(OTHERS)].sort())
  assert.deepEqual(
    // The secret itself is never shown.
    Object.keys(DEFAULTS).filter((name) => !['tags', 'jwksAuthorization'].includes(name) && !shown.has(name)),
    [],
  )
  assert.equal(shown.get('externalAuthUrl'), 'https://one.example')
  assert.equal(shown.get('openIdConfigurationUrl'), 'https://two.example')
  assert.equal(shown.get('requiredClaims'), '{"repository_owner":"acme"}')
  assert.match(shown.get('sharedSignals') ?? '', /https:\/\/signals\.example\/keys/)
  assert.equal(shown.get('reprovisionAfterMinutes'), '0')
  assert.equal(shown.get('jwksCaPem'), `SHA-256 ${new X509Certificate(AUTHORITY.pem).fingerprint256} CN=Keys CA`)
})

test('D55 of a CA its fingerprint, whether it is verified, and every setting are shown', () => {
  const claim = { location: 'COMMON_NAME', matcher: 'ALL', parser: 'NONE', index: 0 }
  const members = {
    certPem: AUTHORITY.pem,
    fingerprint: 'ab',
    isVerified: false,
    verificationToken: 'v',
    isAuthEnabled: true,
    isAutoCaEnrollmentEnabled: false,
    isOttCaEnrollmentEnabled: false,
    identityRoles: [],
    identityNameFormat: '[caName]-[commonName]',
  }
  const names = (more: object) => rowsOf(CAS, { ...members, ...more }).map(([name]) => name)
  const flags = ['isAuthEnabled', 'isAutoCaEnrollmentEnabled', 'isOttCaEnrollmentEnabled']
  assert.deepEqual(names({}), ['certPem', 'fingerprint', 'isVerified', ...flags])
  const others = { identityRoles: ['x'], identityNameFormat: 'y', externalIdClaim: claim }
  assert.deepEqual(names(others), ['certPem', 'fingerprint', 'isVerified', ...flags, ...Object.keys(others)])
})

test('D55 a member cannot imitate further rows', () => {
  for (const blank of [' ', '\t', '\n', '\u00a0', '\u3000', '\u2800']) {
    const [[, text] = []] = rowsOf(SIGNERS, { issuer: `https://a${blank.repeat(80)}audience  honest` })
    assert.equal(text, 'https://a audience honest')
  }
  assert.deepEqual(rowsOf(SIGNERS, { jwksCaPem: 'no  certificate' }), [['jwksCaPem', 'no certificate']])
})
