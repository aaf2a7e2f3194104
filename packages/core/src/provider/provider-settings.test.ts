import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { IdentityProviderWrite } from '@countersign/contract/organization'
import { AppError } from '../app-error.ts'
import { type ProviderSettings, patchedProvider, providerFromBody, validateProvider } from './provider-settings.ts'

const BODY: IdentityProviderWrite = { name: 'n', kind: 'oidc', issuer: 'https://idp.example' }
const DISCOVERED = {
  discoveryUrl: 'https://idp.example/.well-known/openid-configuration',
  jwksUri: 'https://idp.example/keys',
  tokenUrl: 'https://idp.example/token',
  registrationUrl: 'https://idp.example/register',
}
const PROVIDER = providerFromBody({ ...BODY, audience: 'a' }, DISCOVERED)

const POOL = 'https://cognito-idp.us-east-1.amazonaws.com/us-east-1_EXAMPLE'

/** The code of the refusal and the field it names. */
function refusalOf(members: Partial<ProviderSettings>): string {
  try {
    validateProvider({ ...PROVIDER, ...members })
  } catch (error) {
    assert.ok(error instanceof AppError)
    const cause = error.publicCause
    return cause && 'field' in cause ? `${error.code} ${cause.field}` : error.code
  }
  return 'accepted'
}

test('the discovery document completes a body; members of the body take precedence', () => {
  const usual = { audience: null, clientIdClaim: null, requiredScope: null, enabled: true }
  const { registrationUrl, ...links } = DISCOVERED
  const byDiscovery = { kind: 'rfc7591', registrationUrl }
  assert.deepEqual(providerFromBody(BODY, DISCOVERED), { ...BODY, ...usual, ...links, administration: byDiscovery })
  const own = {
    discoveryUrl: 'https://a/d',
    jwksUri: 'https://a/k',
    tokenUrl: 'https://a/t',
  }
  const given = { ...BODY, ...own, registrationUrl: 'https://a/r' }
  const administration = { kind: 'rfc7591', registrationUrl: 'https://a/r' }
  assert.deepEqual(providerFromBody(given, DISCOVERED), { ...BODY, ...usual, ...own, administration })
})

test('without a discovery document the URLs stay unset', () => {
  const { discoveryUrl, jwksUri, tokenUrl, administration } = providerFromBody(BODY)
  assert.deepEqual([discoveryUrl, jwksUri, tokenUrl, administration], [null, '', null, null])
})

test('a PATCH changes the given members; a blank jwksUri changes nothing', () => {
  assert.deepEqual(patchedProvider(PROVIDER, {}), PROVIDER)
  assert.deepEqual(patchedProvider(PROVIDER, { name: 'm', audience: '', jwksUri: '' }), {
    ...PROVIDER,
    name: 'm',
    audience: null,
  })
})

test('each member is validated', () => {
  for (const [bad, field, good] of [
    [{ name: '' }, 'name', { name: 'm' }],
    [{ name: 'a\u200b' }, 'name', { name: 'ab' }],
    [{ issuer: '' }, 'issuer', { issuer: 'https://other.example' }],
    [{ requiredScope: '\u0000' }, 'requiredScope', { requiredScope: 'scope' }],
    [{ jwksUri: '' }, 'jwksUri', { jwksUri: 'https://idp.example/others' }],
    [{ clientIdClaim: '/~' }, 'clientIdClaim', { clientIdClaim: '/~0' }],
  ] as const) {
    assert.equal(refusalOf(bad), `COULD_NOT_VALIDATE ${field}`)
    assert.equal(refusalOf(good), 'accepted')
  }
})

test('the organization server of Okta is refused, a custom authorization server is not', () => {
  assert.equal(refusalOf({ issuer: 'https://acme.okta.com' }), 'COULD_NOT_VALIDATE issuer')
  assert.equal(refusalOf({ issuer: 'https://acme.okta.com/oauth2/default' }), 'accepted')
})

test('an audience is required, except for Cognito, whose access tokens have none', () => {
  assert.equal(refusalOf({ audience: null }), 'COULD_NOT_VALIDATE audience')
  assert.equal(refusalOf({ audience: null, kind: 'cognito', issuer: POOL }), 'accepted')
})

test('N-13 an administration of the kind cognito is only for user pools', () => {
  const administration = { kind: 'cognito', accessKeyId: 'A' } as const
  const refused = 'COULD_NOT_VALIDATE administration.kind'
  assert.equal(refusalOf({ administration, issuer: 'https://idp.example/us-east-1_EXAMPLE' }), refused)
  assert.equal(refusalOf({ administration, issuer: POOL }), 'accepted')
  assert.equal(refusalOf({ administration, issuer: 'http://127.0.0.1:1281/us-east-1_Local' }), 'accepted')
})

test('P-03 a record of kind cognito, which has no audience, is only for user pools', () => {
  const pools = [
    POOL,
    'https://cognito-idp-fips.us-gov-west-1.amazonaws.com/us-gov-west-1_a1B2c3',
    'https://cognito-idp.cn-north-1.amazonaws.com.cn/cn-north-1_a1B2c3',
    'http://127.0.0.1:1281/us-east-1_Local',
    'http://localhost:1281/us-east-1_Local',
  ]
  for (const issuer of pools) assert.equal(refusalOf({ kind: 'cognito', issuer }), 'accepted', issuer)
  const others = [
    'https://idp.example',
    'https://sso.example.com/realms/acme',
    'https://cognito-idp.us-east-1.amazonaws.com.evil.example/us-east-1_EXAMPLE',
    'https://cognito-idp.us-east-1.amazonaws.com/us-west-2_EXAMPLE',
    'https://cognito-idp.us-east-1.amazonaws.com/us-east-1_EXAMPLE/',
    'https://cognito-idp.us-east-1.amazonaws.com:8443/us-east-1_EXAMPLE',
    'https://cognito-idp.us-east-1.amazonaws.com/us-east-1_EXAMPLE?x',
    'https://Cognito-Idp.us-east-1.amazonaws.com/us-east-1_EXAMPLE',
    'https://cognito-idp.us-east-1.amazonaws.com',
    'http://cognito-idp.us-east-1.amazonaws.com/us-east-1_EXAMPLE',
    'us-east-1_EXAMPLE',
  ]
  for (const issuer of others) {
    assert.equal(refusalOf({ kind: 'cognito', issuer }), 'COULD_NOT_VALIDATE issuer', issuer)
  }
  assert.equal(refusalOf({ issuer: 'https://sso.example.com/realms/acme' }), 'accepted')
})
