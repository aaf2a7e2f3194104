import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseParameters } from '../text/parse-parameters.ts'
import { readAuthorizeRequest } from './authorize-request.ts'
import { OAuthError } from './oauth-error.ts'

const REDIRECT_URI = 'http://localhost:8080/auth/callback'
const REGISTERED = ['http://localhost:*/auth/callback']
const CHALLENGE = 'QXlCoKQIWchT6aoUfan3RMcq-itNbiiOKRnpkXJAPuM'
const GOOD = {
  client_id: 'openziti',
  response_type: 'code',
  scope: 'openid offline_access other openid',
  state: 'S',
  nonce: 'N',
  code_challenge: CHALLENGE,
  code_challenge_method: 'S256',
  redirect_uri: REDIRECT_URI,
}

const read = (members: Record<string, string | undefined> = {}) => {
  const given = Object.entries({ ...GOOD, ...members }).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  )
  return readAuthorizeRequest(parseParameters(new URLSearchParams(given).toString(), 'query'), REGISTERED)
}

const refusalOf = (members: Record<string, string | undefined>): OAuthError => {
  try {
    read(members)
  } catch (error) {
    if (error instanceof OAuthError) return error
    throw error
  }
  return assert.fail(JSON.stringify(members))
}

test('a complete request is read, with the known scopes once each', () => {
  assert.deepEqual(read({ method: 'cert', configTypes: 'all' }), {
    clientId: 'openziti',
    redirectUri: REDIRECT_URI,
    scopes: ['openid', 'offline_access'],
    codeChallenge: CHALLENGE,
    state: 'S',
    nonce: 'N',
    configTypes: ['all'],
    method: 'cert',
    idTokenHint: undefined,
    isSilent: false,
  })
  assert.equal(read({ prompt: 'none' }).isSilent, true)
  assert.equal(read({ method: 'other' }).method, undefined)
  assert.equal(read({ id_token_hint: 'h' }).idTokenHint, 'h')
})

test('errors about the client and its redirect URI are not sent to that URI', () => {
  for (const members of [
    { client_id: undefined },
    { client_id: 'other' },
    { redirect_uri: undefined },
    { redirect_uri: 'https://evil.example/' },
    { nonce: 'x'.repeat(513) },
  ]) {
    assert.equal(refusalOf(members).redirect, undefined, JSON.stringify(members))
  }
})

test('other errors are sent to the client, with its state', () => {
  for (const [members, error] of [
    [{ response_type: undefined }, 'invalid_request'],
    [{ response_type: 'token' }, 'unauthorized_client'],
    [{ scope: undefined }, 'invalid_request'],
    [{ request: 'x' }, 'invalid_request'],
    [{ code_challenge: undefined }, 'invalid_request'],
    [{ code_challenge: 'x' }, 'invalid_request'],
    [{ code_challenge_method: 'plain' }, 'invalid_request'],
  ] as const) {
    const refusal = refusalOf(members)
    assert.equal(refusal.error, error, JSON.stringify(members))
    assert.deepEqual(refusal.redirect, { redirectUri: REDIRECT_URI, state: 'S' })
  }
})

test('a parameter that decides about the login is given once', () => {
  const query = `${new URLSearchParams(GOOD)}&redirect_uri=x`
  assert.throws(() => readAuthorizeRequest(parseParameters(query, 'query'), REGISTERED), OAuthError)
})
