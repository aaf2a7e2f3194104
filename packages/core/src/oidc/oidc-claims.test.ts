import assert from 'node:assert/strict'
import { test } from 'node:test'
import { idTokenClaims, type OidcSubject, readSessionTokenClaims, sessionTokenClaims } from './oidc-claims.ts'

const SUBJECT: OidcSubject = {
  sessionId: 'session',
  clientId: 'openziti',
  identity: { id: 'identity', name: 'name', isAdmin: false, externalId: null },
  scopes: ['openid'],
  amr: ['password'],
  authenticatedAt: 1_000_999,
  authenticatorId: 'authenticator',
  configTypes: [],
  ipAddress: '192.0.2.1',
  sdkInfo: null,
  envInfo: null,
  fingerprints: null,
  boundKey: null,
  loginFingerprint: undefined,
  allowsExpiredCertificates: false,
  certificate: { isExtendable: false, isExtendRequested: false, isKeyRollRequested: false, isChainImproper: false },
}
const ISSUE = { issuer: 'https://a.example/oidc', clientId: 'native', now: 2_000_999, expiresAt: 3_000_999 } as const

test('optional claims are present only when they say something', () => {
  const plain = sessionTokenClaims('access', SUBJECT, { ...ISSUE, jti: 'jti' })
  for (const name of ['z_ia', 'z_eid', 'z_ct', 'z_acf', 'z_cae']) assert.equal(name in plain, false, name)
  assert.deepEqual(
    [plain.z_cfs, plain.z_sdk, plain.z_env, plain.iat, plain.exp, plain.auth_time],
    [null, null, null, 2000, 3000, 1000],
  )
  const full = sessionTokenClaims(
    'refresh',
    {
      ...SUBJECT,
      identity: { ...SUBJECT.identity, isAdmin: true, externalId: 'external' },
      configTypes: ['all'],
      fingerprints: ['f'],
      loginFingerprint: 'f',
      allowsExpiredCertificates: true,
      sdkInfo: { type: 'x' },
      envInfo: { os: 'y' },
    },
    { ...ISSUE, jti: 'jti' },
  )
  const { z_t, z_ia, z_eid, z_ct, z_cfs, z_acf, z_cae, z_sdk, z_env } = full
  assert.deepEqual(
    { z_t, z_ia, z_eid, z_ct, z_cfs, z_acf, z_cae, z_sdk, z_env },
    {
      z_t: 'r',
      z_ia: true,
      z_eid: 'external',
      z_ct: ['all'],
      z_cfs: ['f'],
      z_acf: 'f',
      z_cae: true,
      z_sdk: { type: 'x' },
      z_env: { os: 'y' },
    },
  )
})

test('an id token names its session and, with the first code, nonce and code', () => {
  const parts = { accessToken: 'jHkWEdUXMU1BwAsC4vtUsZwnNvTIxEl0z9K3vx5KF0Y' }
  const later = idTokenClaims(SUBJECT, ISSUE, parts)
  // The example of OpenID Connect Core, appendix A.3.
  assert.equal(later.at_hash, '77QmUPtjPfzWtF2AnpK9RQ')
  assert.deepEqual(
    [later.sid, later.azp, later.nonce, later.c_hash, later.z_ia],
    ['session', 'native', undefined, undefined, false],
  )
  const external = { ...SUBJECT, identity: { ...SUBJECT.identity, externalId: 'external' } }
  const first = idTokenClaims(external, ISSUE, {
    ...parts,
    nonce: 'n',
    code: 'Qcb0Orv1zh30vL1MPRsbm-diHiMwcLyZvn1arpZv-Jxf_11jnpEX3Tgfvk',
  })
  assert.deepEqual([first.nonce, first.c_hash, first.z_eid], ['n', 'LDktKdoQak3Pk0cnXxCltA', 'external'])
})

test('the claims of a session token are read back, and other claims are not one', () => {
  const bound = { ...SUBJECT, fingerprints: ['f', 'g'], loginFingerprint: 'f' }
  const claims = sessionTokenClaims('access', bound, { ...ISSUE, jti: 'jti' })
  assert.deepEqual(readSessionTokenClaims(claims), {
    sessionId: 'session',
    jti: 'jti',
    clientId: 'native',
    scopes: ['openid'],
    issuedAt: 2_000_000,
    expiresAt: 3_000_000,
    fingerprints: ['f', 'g'],
    loginFingerprint: 'f',
  })
  assert.equal(readSessionTokenClaims({ ...claims, z_acf: 1 })?.loginFingerprint, undefined)
  for (const broken of [{ z_asid: 1 }, { jti: null }, { client_id: 'x' }, { iat: 'x' }, { exp: 'x' }]) {
    assert.equal(readSessionTokenClaims({ ...claims, ...broken }), undefined, JSON.stringify(broken))
  }
  assert.deepEqual(readSessionTokenClaims({ ...claims, scopes: 'x' })?.scopes, [])
})
