import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseParameters } from '../text/parse-parameters.ts'
import { OAuthError } from './oauth-error.ts'
import { narrowScopes } from './scopes.ts'
import { readTokenRequest, tokenTypeOf } from './token-request.ts'

const EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange'

const read = (members: Record<string, string>, authorization?: string) =>
  readTokenRequest(parseParameters(new URLSearchParams(members).toString(), 'form'), authorization)

const errorOf = (members: Record<string, string>, authorization?: string): string => {
  try {
    read(members, authorization)
  } catch (error) {
    if (error instanceof OAuthError) return `${error.error}: ${error.description}`
    throw error
  }
  return assert.fail(JSON.stringify(members))
}

const basic = (text: string): string => `Basic ${Buffer.from(text).toString('base64')}`

test('the three grants are read, empty members as absent', () => {
  assert.deepEqual(
    read({ grant_type: 'authorization_code', client_id: 'openziti', code: 'c', code_verifier: 'v', csr_pem: '' }),
    {
      grant: 'authorization_code',
      untrustedCode: 'c',
      codeVerifier: 'v',
      redirectUri: undefined,
      clientId: 'openziti',
      csrPem: undefined,
    },
  )
  assert.deepEqual(read({ grant_type: 'refresh_token', refresh_token: 'r', scope: '' }, basic('native:')), {
    grant: 'refresh_token',
    untrustedToken: 'r',
    scope: undefined,
    clientId: 'native',
    csrPem: undefined,
  })
  const exchange = {
    grant_type: EXCHANGE,
    client_id: 'native',
    subject_token: 't',
    subject_token_type: tokenTypeOf('refresh_token'),
    requested_token_type: '',
    audience: 'openziti',
    scope: 'openid',
    csr_pem: 'csr',
  }
  assert.deepEqual(read(exchange), {
    grant: 'exchange',
    untrustedToken: 't',
    subject: 'refresh_token',
    requested: undefined,
    audience: 'openziti',
    scope: 'openid',
    clientId: 'native',
    csrPem: 'csr',
  })
})

test('what a grant needs is required, and the client is named once and without a secret', () => {
  const code = { grant_type: 'authorization_code', client_id: 'openziti', code: 'c', code_verifier: 'v' }
  const exchange = { grant_type: EXCHANGE, client_id: 'openziti', subject_token: 't' }
  const typed = { ...exchange, subject_token_type: tokenTypeOf('access_token') }
  for (const [members, error, authorization] of [
    [{}, 'invalid_request: grant_type missing'],
    [{ grant_type: 'password' }, 'unsupported_grant_type: password not supported'],
    [{ grant_type: 'urn:ietf:params:oauth:grant-type:device_code' }, 'unauthorized_client: grant_type not allowed'],
    [{ ...code, code: '' }, 'invalid_request: code missing'],
    [{ ...code, code_verifier: '' }, 'invalid_request: code_verifier required'],
    [{ ...code, client_id: '' }, 'invalid_request: client_id or client_assertion must be provided'],
    [{ ...code, client_id: 'x' }, 'invalid_client: client not found'],
    [code, 'invalid_client: the client has no secret', basic('openziti:secret:more')],
    [code, 'invalid_request: client_id and the Authorization header name different clients', basic('native:')],
    [{ ...code, grant_type: 'refresh_token' }, 'invalid_request: refresh_token missing'],
    [{ ...exchange, subject_token: '' }, 'invalid_request: subject_token missing'],
    [exchange, 'invalid_request: subject_token_type missing'],
    [{ ...exchange, subject_token_type: 'x' }, 'invalid_request: subject_token_type is not supported'],
    [
      { ...exchange, subject_token_type: tokenTypeOf('id_token') },
      'invalid_request: exchanging id_token for any token type is not supported',
    ],
    [{ ...typed, audience: 'x' }, 'invalid_target: invalid audience requested'],
  ] as const) {
    assert.equal(errorOf(members as unknown as Record<string, string>, authorization), error)
  }
})

test('a parameter is given once', () => {
  const form = 'grant_type=refresh_token&client_id=native&refresh_token=a'
  assert.equal(readTokenRequest(parseParameters(form, 'form'), undefined).grant, 'refresh_token')
  for (const name of ['refresh_token', 'client_id', 'grant_type', 'scope', 'subject_token']) {
    const twice = parseParameters(`${form}&${name}=a&${name}=b`, 'form')
    assert.throws(() => readTokenRequest(twice, undefined), { error: 'invalid_request' }, name)
  }
})

test('scopes of a refresh can only shrink', () => {
  const granted = ['openid', 'offline_access']
  assert.deepEqual(narrowScopes(granted, undefined), granted)
  assert.deepEqual(narrowScopes(granted, ' openid openid'), ['openid'])
  assert.throws(() => narrowScopes(granted, 'openid email'), { error: 'invalid_scope' })
})
