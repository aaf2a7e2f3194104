import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError } from '../app-error.ts'
import {
  type Administration,
  administrationSecret,
  checkAdministration,
  nextAdministration,
  readAdministration,
  registrationUrlOf,
} from './administration.ts'
import { administrationAddress, isIssuersAdministration, secretDestination } from './administration-address.ts'
import { patchedProvider, providerFromBody, replacedProvider } from './provider-settings.ts'

const KEYCLOAK: Administration = { kind: 'keycloak', url: 'https://sso.example', realm: 'acme', clientId: 'admin' }
const REGISTRATION: Administration = { kind: 'rfc7591', registrationUrl: 'https://idp.example/register' }
const OTHER: Administration = { kind: 'rfc7591', registrationUrl: 'https://other.example/register' }

function refusedField(work: () => void): string {
  try {
    work()
  } catch (error) {
    assert.ok(error instanceof AppError)
    const cause = error.publicCause
    return cause && 'field' in cause ? `${cause.field}` : error.code
  }
  return 'accepted'
}

test('D65 a secret and what says whether it is set are no part of the stored form', () => {
  const body = { ...KEYCLOAK, clientSecret: 'secret', clientSecretSet: true, scope: ' ' }
  assert.deepEqual(readAdministration(body), KEYCLOAK)
  assert.equal(administrationSecret('keycloak'), 'clientSecret')
  assert.equal(administrationSecret('manual'), undefined)
})

test('registrationUrl is another spelling of an administration by RFC 7591', () => {
  const { registrationUrl } = REGISTRATION
  assert.deepEqual(nextAdministration(null, { registrationUrl }), REGISTRATION)
  assert.deepEqual(nextAdministration(KEYCLOAK, { registrationUrl }), REGISTRATION)
  assert.equal(nextAdministration(REGISTRATION, { registrationUrl: '' }), null)
  assert.equal(nextAdministration(KEYCLOAK, { registrationUrl: '' }), KEYCLOAK)
  assert.equal(nextAdministration(KEYCLOAK, {}), KEYCLOAK)
  assert.equal(nextAdministration(KEYCLOAK, { administration: null }), null)
  assert.equal(registrationUrlOf(KEYCLOAK), null)
  assert.equal(registrationUrlOf({ kind: 'rfc7591' }), null)
})

test('D53 of both spellings, the one that differs from what was read is meant', () => {
  const { registrationUrl } = REGISTRATION
  assert.deepEqual(nextAdministration(REGISTRATION, { administration: REGISTRATION, registrationUrl }), REGISTRATION)
  assert.deepEqual(nextAdministration(REGISTRATION, { administration: KEYCLOAK, registrationUrl }), KEYCLOAK)
  assert.deepEqual(
    nextAdministration(REGISTRATION, { administration: REGISTRATION, registrationUrl: OTHER.registrationUrl }),
    OTHER,
  )
  const both = { administration: KEYCLOAK, registrationUrl: OTHER.registrationUrl }
  assert.equal(
    refusedField(() => nextAdministration(REGISTRATION, both)),
    'administration',
  )
})

test('each kind requires its members and refuses those of others', () => {
  const accepted: Administration[] = [
    KEYCLOAK,
    { ...KEYCLOAK, realm: 'a..b' },
    { ...KEYCLOAK, url: 'https://sso.example/' },
    REGISTRATION,
    { kind: 'manual' },
    { kind: 'cognito', accessKeyId: 'AKIA', scope: 'a/b', url: 'https://vpce.example' },
    { kind: 'auth0', clientId: 'c', managementAudience: 'https://acme.us.auth0.com/api/v2/' },
    { kind: 'entra', clientId: 'c' },
  ]
  for (const one of accepted)
    assert.equal(
      refusedField(() => checkAdministration(one)),
      'accepted',
      one.kind,
    )
  for (const [bad, field] of [
    [{ ...KEYCLOAK, realm: undefined }, 'administration.realm'],
    [{ ...KEYCLOAK, realm: 'a/b' }, 'administration.realm'],
    [{ ...KEYCLOAK, realm: '.' }, 'administration.realm'],
    [{ ...KEYCLOAK, realm: '..' }, 'administration.realm'],
    [{ ...KEYCLOAK, url: 'sso.example' }, 'administration.url'],
    [{ ...KEYCLOAK, url: 'https://sso.example?a=b' }, 'administration.url'],
    [{ ...KEYCLOAK, url: 'https://sso.example#a' }, 'administration.url'],
    [{ ...KEYCLOAK, url: 'https://sso.example/?' }, 'administration.url'],
    [{ ...KEYCLOAK, url: 'https://sso.example/#' }, 'administration.url'],
    [{ ...KEYCLOAK, scope: 'a' }, 'administration.scope'],
    [{ ...KEYCLOAK, clientId: 'a\u200b' }, 'administration.clientId'],
    [{ kind: 'manual', clientId: 'c' }, 'administration.clientId'],
    [{ kind: 'rfc7591' }, 'administration.registrationUrl'],
  ] as const) {
    assert.equal(
      refusedField(() => checkAdministration(bad as Administration)),
      field,
    )
  }
})

test('D64 a PUT keeps an administration that it does not name, and takes a registration from the discovery document', () => {
  const body = { name: 'n', kind: 'oidc', issuer: 'https://idp.example', audience: 'a' } as const
  const discovered = { jwksUri: 'https://idp.example/keys', registrationUrl: 'https://idp.example/register' }
  const current = { ...providerFromBody(body, discovered), administration: KEYCLOAK }
  assert.deepEqual(replacedProvider(current, body, discovered).administration, KEYCLOAK)
  assert.deepEqual(
    replacedProvider({ ...current, administration: OTHER }, body, discovered).administration,
    REGISTRATION,
  )
  assert.equal(replacedProvider({ ...current, administration: OTHER }, body).administration, null)
  assert.equal(replacedProvider(current, { ...body, administration: null }, discovered).administration, null)
  assert.equal(patchedProvider(current, {}), current)
  assert.deepEqual(patchedProvider(current, { administration: REGISTRATION }).administration, REGISTRATION)
  assert.deepEqual(providerFromBody({ ...body, administration: KEYCLOAK }, discovered).administration, KEYCLOAK)
})

const POOL = 'https://cognito-idp.us-east-1.amazonaws.com/us-east-1_EXAMPLE'
const TENANT = 'https://login.microsoftonline.com/11111111-2222-3333-4444-555555555555/v2.0'
const record = (issuer: string, administration: Administration | null) => ({ issuer, administration, tokenUrl: null })

test('the address of the administration follows the issuer, or is given', () => {
  const cases: readonly [string, Administration | null, string | null][] = [
    ['https://idp.example', REGISTRATION, 'https://idp.example/register'],
    ['https://idp.example', { kind: 'rfc7591' }, null],
    ['https://sso.example/realms/acme', { ...KEYCLOAK, url: 'https://sso.example/' }, 'https://sso.example'],
    ['https://sso.example/realms/acme', { kind: 'keycloak' }, ''],
    ['https://acme.us.auth0.com/', { kind: 'auth0' }, 'https://acme.us.auth0.com'],
    [POOL, { kind: 'cognito' }, 'https://cognito-idp.us-east-1.amazonaws.com'],
    [POOL, { kind: 'cognito', url: 'https://vpce.example/' }, 'https://vpce.example'],
    [TENANT, { kind: 'entra' }, 'https://graph.microsoft.com'],
    ['https://idp.example', { kind: 'entra' }, null],
    ['not a URL', { kind: 'entra' }, null],
    ['https://idp.example', { kind: 'manual' }, null],
    ['https://idp.example', null, null],
  ]
  for (const [issuer, administration, expected] of cases) {
    assert.equal(administrationAddress(record(issuer, administration)), expected)
  }
})

test('D65 the secret has another destination when its address, realm, pool or token endpoint changes', () => {
  const issuer = 'https://sso.example/realms/acme'
  const base = record(issuer, KEYCLOAK)
  const same = { ...base, administration: { ...KEYCLOAK, clientId: 'other' } }
  assert.equal(secretDestination(same), secretDestination(base))
  for (const changed of [
    { ...base, administration: { ...KEYCLOAK, url: 'https://other.example' } },
    { ...base, administration: { ...KEYCLOAK, realm: 'other' } },
    { ...base, administration: null },
  ]) {
    assert.notEqual(secretDestination(changed), secretDestination(base))
  }
  const cognito = record(POOL, { kind: 'cognito', accessKeyId: 'A' })
  assert.notEqual(secretDestination({ ...cognito, issuer: `${POOL}2` }), secretDestination(cognito))
  const otherKey = { ...cognito, administration: { kind: 'cognito', accessKeyId: 'B' } } as const
  assert.equal(secretDestination(otherKey), secretDestination(cognito))
  const entra = { ...record(TENANT, { kind: 'entra', clientId: 'c' }), tokenUrl: 'https://login.example/token' }
  assert.notEqual(secretDestination({ ...entra, tokenUrl: 'https://other.example/token' }), secretDestination(entra))
})

test('P-11 only the administration of the issuer itself can name clients for other organizations', () => {
  const own: readonly [string, Administration][] = [
    ['https://sso.example/realms/acme', KEYCLOAK],
    ['https://acme.us.auth0.com/', { kind: 'auth0', clientId: 'c' }],
    [POOL, { kind: 'cognito', accessKeyId: 'A' }],
    [POOL, { kind: 'cognito', accessKeyId: 'A', url: `${new URL(POOL).origin}/` }],
    [TENANT, { kind: 'entra', clientId: 'c' }],
  ]
  for (const [issuer, administration] of own) {
    assert.equal(isIssuersAdministration(record(issuer, administration)), true, administration.kind)
  }
  const foreign: readonly [string, Administration][] = [
    ['https://sso.example/realms/other', KEYCLOAK],
    ['https://sso.example/realms/acme', { ...KEYCLOAK, url: 'https://evil.example' }],
    [POOL, { kind: 'cognito', accessKeyId: 'A', url: 'https://evil.example' }],
    [POOL, { kind: 'cognito', accessKeyId: 'A', url: `${new URL(POOL).origin}/evil` }],
    ['https://idp.example/us-east-1_EXAMPLE', { kind: 'cognito', accessKeyId: 'A' }],
    ['https://idp.example/acme', { kind: 'cognito', accessKeyId: 'A', url: 'https://idp.example/evil' }],
    ['http://127.0.0.1:9000/us-east-1_EXAMPLE', { kind: 'cognito', accessKeyId: 'A' }],
    [TENANT, { kind: 'entra', clientId: 'c', url: 'https://evil.example' }],
    ['https://idp.example', { kind: 'entra', clientId: 'c' }],
    ['https://idp.example', { kind: 'manual' }],
  ]
  for (const [issuer, administration] of foreign) {
    assert.equal(isIssuersAdministration(record(issuer, administration)), false, administration.kind)
  }
})
