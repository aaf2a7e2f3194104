import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError } from '../app-error.ts'
import { checkClientIdClaim, clientIdClaimsOf, findClientId } from './client-id-claims.ts'

const OTHER = { kind: 'oidc', issuer: 'https://idp.example', clientIdClaim: null } as const
const RECORDS = {
  cognito: { ...OTHER, kind: 'cognito', issuer: 'https://cognito-idp.us-east-1.amazonaws.com/us-east-1_EXAMPLE' },
  auth0: { ...OTHER, kind: 'auth0', issuer: 'https://acme.us.auth0.com/' },
  okta: { ...OTHER, issuer: 'https://acme.okta.com/oauth2/aus1' },
  entra: { ...OTHER, issuer: 'https://login.microsoftonline.com/11111111-2222-3333-4444-555555555555/v2.0' },
  keycloak: { ...OTHER, issuer: 'https://sso.example.com/realms/acme' },
  other: OTHER,
} as const

test('the claim of the client id is that of the record, else those of its kind', () => {
  assert.deepEqual(clientIdClaimsOf(OTHER), ['azp', 'client_id'])
  assert.deepEqual(clientIdClaimsOf({ ...OTHER, clientIdClaim: 'client_id' }), ['client_id'])
  assert.equal(findClientId(OTHER, { client_id: 'b' }), 'b')
  assert.equal(findClientId(OTHER, { azp: 'a', client_id: 'b' }), 'a')
  assert.equal(findClientId({ ...OTHER, clientIdClaim: 'client_id' }, { azp: 'a', client_id: 'b' }), 'b')
  assert.equal(findClientId(OTHER, { azp: 7, sub: 's' }), undefined)
  assert.equal(findClientId({ ...OTHER, clientIdClaim: '/~' }, { azp: 'a' }), undefined)
})

const BY_SUBJECT = { ...OTHER, clientIdClaim: 'sub' } as const

/** Tokens of machines at issuers of no known product, whose `sub` names the machine. */
const NAMED_BY_SUBJECT = {
  'GitHub Actions': { sub: 'repo:acme/app:ref:refs/heads/main', actor: 'alice', repository: 'acme/app' },
  Kubernetes: { sub: 'system:serviceaccount:default:ci', 'kubernetes.io': { namespace: 'default' } },
  'a service account of Google': { sub: '117', azp: '117', email: 'ci@acme.iam.gserviceaccount.com' },
  'Auth0 at a custom domain': { sub: 'machine@clients', azp: 'machine', gty: 'client-credentials' },
  'RFC 9068': { sub: 'machine', client_id: 'machine' },
}

for (const [what, claims] of Object.entries(NAMED_BY_SUBJECT)) {
  test(`N-13 sub is the client id in a token of ${what}`, () => {
    for (const clientIdClaim of ['sub', '/sub']) {
      assert.equal(findClientId({ ...BY_SUBJECT, clientIdClaim }, claims), claims.sub)
    }
  })
}

test('N-13 sub is no client id in a token that names another client', () => {
  for (const claims of [{ azp: 'a' }, { client_id: 'a' }, { azp: 'owner', client_id: 'a' }, { azp: 7 }]) {
    assert.equal(findClientId(BY_SUBJECT, { ...claims, sub: 'owner' }), undefined, JSON.stringify(claims))
  }
  assert.equal(findClientId(BY_SUBJECT, { azp: 'owner', client_id: 'owner', sub: 'owner' }), 'owner')
  assert.equal(findClientId(OTHER, { azp: 'a', sub: 'owner' }), 'a')
})

const ALLOWED: Readonly<Record<keyof typeof RECORDS, readonly string[]>> = {
  cognito: ['client_id'],
  auth0: ['azp', 'client_id'],
  okta: ['cid'],
  entra: ['azp'],
  keycloak: ['azp', 'client_id', 'clientId'],
  other: ['azp', 'client_id', 'sub'],
}

test('N-13 the claim of the client id is from the list of its kind of provider', () => {
  const names = new Set([...Object.values(ALLOWED).flat(), 'aud', 'token_use', 'scope', 'tid', 'pool', 'realm'])
  for (const [kind, record] of Object.entries(RECORDS) as [keyof typeof RECORDS, typeof OTHER][]) {
    checkClientIdClaim(record)
    for (const name of names) {
      for (const clientIdClaim of [name, `/${name}`]) {
        const check = () => checkClientIdClaim({ ...record, clientIdClaim })
        if (ALLOWED[kind].includes(name)) check()
        else assert.throws(check, AppError, `${kind} ${clientIdClaim}`)
      }
    }
    for (const clientIdClaim of ['/azp/0', '/realm_access/roles/0', '/~', 'https://acme.example/azp']) {
      assert.throws(() => checkClientIdClaim({ ...record, clientIdClaim }), AppError, clientIdClaim)
    }
  }
})
