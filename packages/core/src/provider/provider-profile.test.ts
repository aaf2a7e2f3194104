import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ProviderKind } from '@countersign/contract'
import { mintKey, mintKeySet, mintToken } from '@countersign/testkit'
import type { JsonValue } from '../json/json-value.ts'
import { readKeySet } from '../key/key-set.ts'
import { buildVerifySigner } from '../token/verify-signer.ts'
import { verifyToken } from '../token/verify-token.ts'
import { isOktaOrganizationServer, productOfIssuer } from './provider-product.ts'
import { providerProfile } from './provider-profile.ts'

const KEY = mintKey('P-256')
const { keys } = readKeySet(mintKeySet(KEY) as JsonValue)
const NOW = Date.parse('2026-06-01T12:00:00Z')
const TIMES = { iat: NOW / 1000, exp: NOW / 1000 + 3600 }
const GATEWAY = 'https://gateway.example.net/'
const TENANT = '11111111-2222-3333-4444-555555555555'

interface Kind {
  readonly kind: ProviderKind
  readonly issuer: string
  readonly audience: string | null
  readonly claims: Readonly<Record<string, unknown>>
  readonly client: string
}

/** A machine's token of each provider, as in hosted-api.md 3.4. */
const KINDS: Readonly<Record<string, Kind>> = {
  cognito: {
    kind: 'cognito',
    issuer: 'https://cognito-idp.us-east-1.amazonaws.com/us-east-1_EXAMPLE',
    audience: null,
    client: '6exampleclientid0000000000',
    claims: {
      sub: '6exampleclientid0000000000',
      client_id: '6exampleclientid0000000000',
      token_use: 'access',
      scope: 'https://gateway.production.netfoundry.io//ignore-scope',
      version: 2,
    },
  },
  auth0: {
    kind: 'auth0',
    issuer: 'https://acme.us.auth0.com/',
    audience: GATEWAY,
    client: 'Qexampleclient',
    claims: { sub: 'Qexampleclient@clients', aud: GATEWAY, azp: 'Qexampleclient', gty: 'client-credentials' },
  },
  'auth0, RFC 9068': {
    kind: 'auth0',
    issuer: 'https://acme.us.auth0.com/',
    audience: GATEWAY,
    client: 'Qexampleclient',
    claims: {
      sub: 'Qexampleclient@clients',
      aud: [GATEWAY, 'https://acme.us.auth0.com/userinfo'],
      client_id: 'Qexampleclient',
    },
  },
  'entra v2': {
    kind: 'oidc',
    issuer: `https://login.microsoftonline.com/${TENANT}/v2.0`,
    audience: '99999999-8888-7777-6666-555555555555',
    client: 'aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee',
    claims: {
      ver: '2.0',
      tid: TENANT,
      aud: '99999999-8888-7777-6666-555555555555',
      azp: 'aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee',
      azpacr: '1',
      roles: ['Networks.Read'],
      sub: '0f0f0f0f-1111-2222-3333-444444444444',
    },
  },
  'entra v1': {
    kind: 'oidc',
    issuer: `https://sts.windows.net/${TENANT}/`,
    audience: 'api://network-api',
    client: 'aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee',
    claims: { aud: 'api://network-api', appid: 'aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee', appidacr: '1', sub: 'x' },
  },
  okta: {
    kind: 'oidc',
    issuer: 'https://acme.okta.com/oauth2/aus1example',
    audience: 'https://gateway.example.net',
    client: '0oa1example',
    claims: { aud: 'https://gateway.example.net', sub: '0oa1example', cid: '0oa1example', scp: ['networks'] },
  },
  keycloak: {
    kind: 'oidc',
    issuer: 'https://sso.example.com/realms/acme',
    audience: 'network-api',
    client: 'network-api-ci',
    claims: {
      typ: 'Bearer',
      azp: 'network-api-ci',
      client_id: 'network-api-ci',
      aud: ['network-api', 'account'],
      sub: 'b6cc7aa0-0000-4000-8000-e05c881fb6d4',
      preferred_username: 'service-account-network-api-ci',
    },
  },
}

async function verify({ kind, issuer, audience }: Kind, claims: Readonly<Record<string, unknown>>, header = {}) {
  const { clientIdClaims, rules } = providerProfile(kind, issuer)
  const claimsProperty = clientIdClaims.find((claim) => claims[claim] !== undefined) ?? clientIdClaims[0] ?? ''
  const signer = buildVerifySigner({ id: 'p', revision: 1, issuer, audience, claimsProperty, claimRules: rules })
  const token = mintToken({ key: KEY, alg: 'ES256', header, claims: { iss: issuer, ...TIMES, ...claims } })
  return verifyToken(token, signer, keys, NOW)
}

for (const [name, kind] of Object.entries(KINDS)) {
  test(`P-01 P-05 P-06 D41 a machine's token of ${name} is accepted, and has the registered client id`, async () => {
    const verdict = await verify(kind, kind.claims)
    assert.equal(verdict.reason, 'accepted')
    assert.equal(verdict.accepted && verdict.token.identityClaim, kind.client)
  })
}

const SERVICE_ACCOUNTS: readonly [what: string, claims: Readonly<Record<string, unknown>>][] = [
  ['by client_id', { preferred_username: undefined }],
  ['of an older version', { client_id: undefined, clientId: 'network-api-ci' }],
  ['by its user name', { client_id: undefined }],
  ['whose client id has upper case', { azp: 'CI', client_id: 'CI', preferred_username: 'service-account-ci' }],
]

for (const [what, claims] of SERVICE_ACCOUNTS) {
  test(`P-08 accepts a service account of Keycloak ${what}`, async () => {
    const kind = KINDS.keycloak
    assert.ok(kind)
    assert.equal((await verify(kind, { ...kind.claims, ...claims })).reason, 'accepted')
  })
}

/** Other tokens that these providers sign with the same keys. */
const OTHERS: readonly [
  row: string,
  what: string,
  of: string,
  claims: Readonly<Record<string, unknown>>,
  reason: string,
][] = [
  [
    'P-02',
    'an ID token of a user pool',
    'cognito',
    { token_use: 'id', aud: '6exampleclientid0000000000' },
    'required-claim-unmet',
  ],
  [
    'P-02',
    'a token of a user pool that does not say its use',
    'cognito',
    { token_use: undefined },
    'required-claim-unmet',
  ],
  ['P-02', 'a person’s token of a user pool', 'cognito', { username: 'alice' }, 'required-claim-unmet'],
  ['P-02', 'a token of a user pool for a user', 'cognito', { sub: 'another' }, 'required-claim-unmet'],
  [
    'P-03',
    'a token of another user pool',
    'cognito',
    { iss: 'https://cognito-idp.us-east-1.amazonaws.com/us-east-1_OTHER' },
    'issuer-mismatch',
  ],
  ['P-05', 'an issuer without its slash', 'auth0', { iss: 'https://acme.us.auth0.com' }, 'issuer-mismatch'],
  [
    'P-05',
    'a person’s token of the hosted platform',
    'auth0',
    { sub: 'auth0|5f7c8ec7c33c6c004bbafe82' },
    'required-claim-unmet',
  ],
  ['P-05', 'another grant of the hosted platform', 'auth0', { gty: 'password' }, 'required-claim-unmet'],
  [
    'P-05',
    'another audience of the hosted platform',
    'auth0',
    { aud: 'https://acme.us.auth0.com/userinfo' },
    'audience-mismatch',
  ],
  [
    'P-06',
    'a version 1 issuer where version 2 is registered',
    'entra v2',
    { iss: `https://sts.windows.net/${TENANT}/` },
    'issuer-mismatch',
  ],
  [
    'P-06',
    'a version 2 issuer where version 1 is registered',
    'entra v1',
    { iss: `https://login.microsoftonline.com/${TENANT}/v2.0` },
    'issuer-mismatch',
  ],
  [
    'P-07',
    'a token of another tenant, signed by the shared key',
    'entra v2',
    { iss: 'https://login.microsoftonline.com/22222222-2222-3333-4444-555555555555/v2.0' },
    'issuer-mismatch',
  ],
  ['P-08', 'a person’s token of Entra', 'entra v2', { scp: 'Networks.Read' }, 'required-claim-unmet'],
  ['P-08', 'a token of Entra that says it is a person’s', 'entra v2', { idtyp: 'user' }, 'required-claim-unmet'],
  ['P-08', 'a person’s token of Okta', 'okta', { uid: '00u1example' }, 'required-claim-unmet'],
  ['P-08', 'a person’s token of Keycloak', 'keycloak', { preferred_username: 'alice' }, 'required-claim-unmet'],
  ['P-08', 'a token of Keycloak with a session', 'keycloak', { sid: 's' }, 'required-claim-unmet'],
  ['P-08', 'a token of Keycloak with a session state', 'keycloak', { session_state: 's' }, 'required-claim-unmet'],
  [
    'P-08',
    'a person of Keycloak whose name looks like a service account',
    'keycloak',
    { client_id: undefined, preferred_username: 'service-account-mallory' },
    'required-claim-unmet',
  ],
  [
    'P-08',
    'a token of Keycloak without a name or client id',
    'keycloak',
    { client_id: undefined, preferred_username: undefined },
    'required-claim-unmet',
  ],
  ['P-08', 'a token of Keycloak for two clients', 'keycloak', { client_id: 'other' }, 'required-claim-unmet'],
  ['P-08', 'a token of Keycloak without azp', 'keycloak', { azp: undefined }, 'required-claim-unmet'],
  ['P-02', 'an ID token of Keycloak', 'keycloak', { typ: 'ID' }, 'required-claim-unmet'],
  ['P-02', 'an ID token of any provider', 'keycloak', { at_hash: 'x' }, 'required-claim-unmet'],
  ['P-05', 'Keycloak without an audience mapper', 'keycloak', { aud: 'account' }, 'audience-mismatch'],
]

for (const [row, what, of, claims, reason] of OTHERS) {
  test(`${row} refuses ${what}, whatever kind the record says`, async () => {
    const usual = KINDS[of]
    assert.ok(usual)
    for (const kind of new Set<ProviderKind>([usual.kind, 'auth0', 'oidc'])) {
      assert.equal((await verify({ ...usual, kind }, usual.claims)).reason, 'accepted', kind)
      const verdict = await verify({ ...usual, kind }, { ...usual.claims, ...claims })
      assert.equal(verdict.reason, reason, kind)
    }
  })
}

test('P-09 a token with a nonce in its header is verified unchanged, so its signature is invalid', async () => {
  const kind = KINDS['entra v2']
  assert.ok(kind)
  const token = mintToken({
    key: KEY,
    alg: 'ES256',
    header: { nonce: 'hashed' },
    claims: { iss: kind.issuer, ...TIMES, ...kind.claims },
  })
  const signer = buildVerifySigner({
    id: 'p',
    revision: 1,
    issuer: kind.issuer,
    audience: kind.audience,
    claimsProperty: 'azp',
  })
  assert.equal((await verifyToken(token, signer, keys, NOW)).reason, 'accepted')
  // Such tokens are signed with the hash of the nonce, and sent with the nonce itself.
  const [header = '', ...rest] = token.split('.')
  const sent = { ...JSON.parse(Buffer.from(header, 'base64url').toString()), nonce: 'the nonce itself' }
  const graph = [Buffer.from(JSON.stringify(sent)).toString('base64url'), ...rest].join('.')
  assert.equal((await verifyToken(graph, signer, keys, NOW)).reason, 'signature-invalid')
})

test('a signer without audience needs claim rules', () => {
  const fields = { id: 'p', revision: 1, issuer: 'https://idp.example', audience: null }
  assert.throws(() => buildVerifySigner(fields), TypeError)
  assert.ok(buildVerifySigner({ ...fields, claimRules: providerProfile('cognito', '').rules }))
})

test('the kind of the record decides where the issuer does not show the product, and whether tokens have an audience', () => {
  const claimsOf = (kind: ProviderKind, issuer: string) => providerProfile(kind, issuer).clientIdClaims
  const user = { azp: 'app', sub: 'auth0|alice' }
  const accepts = (kind: ProviderKind) =>
    providerProfile(kind, 'https://login.acme.example/').rules.every((rule) => rule.holds(user))
  assert.deepEqual([accepts('auth0'), accepts('oidc')], [false, true])
  assert.deepEqual(claimsOf('cognito', 'http://127.0.0.1:1281/us-east-1_Local'), ['client_id'])
  const pool = 'https://cognito-idp.us-east-1.amazonaws.com/us-east-1_EXAMPLE'
  assert.deepEqual(claimsOf('oidc', pool), ['client_id'])
  assert.equal(providerProfile('cognito', pool).hasAudience, false)
  assert.equal(providerProfile('oidc', pool).hasAudience, true)
})

test('D41 the product is recognised by the suffix of the issuer in the record', () => {
  assert.equal(productOfIssuer('https://acme.okta.com/oauth2/default'), 'okta')
  assert.equal(productOfIssuer('https://acme.okta.com.evil.example/oauth2/default'), 'other')
  assert.equal(productOfIssuer('https://acme.us.auth0.com/'), 'auth0')
  assert.equal(productOfIssuer('https://acme.us.auth0.com.evil.example/'), 'other')
  assert.equal(productOfIssuer('https://cognito-idp.us-east-1.amazonaws.com/us-east-1_EXAMPLE'), 'cognito')
  assert.equal(productOfIssuer('http://127.0.0.1:1281/us-east-1_Local'), 'other')
  assert.equal(isOktaOrganizationServer('https://acme.okta.com'), true)
  assert.equal(isOktaOrganizationServer('https://acme.okta.com/oauth2/default'), false)
})
