import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as oidc from 'openid-client'
import { buildApp, type TestApp } from '../http/build-app.ts'
import { makeUser } from '../http/one-time-codes.fixture.ts'
import { ISSUER, OidcClient, REDIRECT_URI } from './oidc.fixture.ts'

/** Sends the requests of openid-client into the controller. */
function fetchFrom(app: TestApp): oidc.CustomFetch {
  return async (url, { method, headers, body }) => {
    const { host, pathname, search } = new URL(url)
    const given = body === undefined || body === null ? {} : { raw: String(body) }
    const options = { headers: { ...headers, host }, ...given }
    const reply = await app.call(method ?? 'GET', pathname + search, undefined, options)
    return new Response(reply.text, { status: reply.status, headers: reply.headers as Record<string, string> })
  }
}

test('openid-client discovers the provider, logs in with PKCE, refreshes, reads the user, revokes and logs out', async (t) => {
  const app = await buildApp(t)
  const user = await makeUser(app)
  const client = new OidcClient(app)
  const config = await oidc.discovery(new URL(ISSUER), 'openziti', undefined, oidc.None(), {
    [oidc.customFetch]: fetchFrom(app),
  })
  oidc.enableNonRepudiationChecks(config)
  const pkceCodeVerifier = oidc.randomPKCECodeVerifier()
  const expectedState = oidc.randomState()
  const expectedNonce = oidc.randomNonce()
  const url = oidc.buildAuthorizationUrl(config, {
    redirect_uri: REDIRECT_URI,
    scope: 'openid offline_access',
    code_challenge: await oidc.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: 'S256',
    state: expectedState,
    nonce: expectedNonce,
  })
  const page = await client.call('GET', url.pathname + url.search)
  const id = new URL(page.headers.location ?? '', ISSUER).searchParams.get('authRequestID') ?? ''
  const { username, password } = user
  const accepted = await client.call('POST', '/oidc/login/username', { form: { id, username, password } })
  const callback = new URL(accepted.headers.location ?? '')
  const end = await client.call('GET', callback.pathname + callback.search)
  const tokens = await oidc.authorizationCodeGrant(config, new URL(end.headers.location ?? ''), {
    pkceCodeVerifier,
    expectedState,
    expectedNonce,
  })
  assert.equal(tokens.claims()?.sub, user.id)
  assert.equal((await client.get(tokens.access_token)).status, 200)
  const info = await oidc.fetchUserInfo(config, tokens.access_token, user.id)
  assert.equal(info.sub, user.id)
  const refreshed = await oidc.refreshTokenGrant(config, tokens.refresh_token ?? '')
  assert.equal((await client.get(refreshed.access_token)).status, 200)
  await oidc.tokenRevocation(config, refreshed.access_token)
  assert.equal((await client.get(refreshed.access_token)).status, 401)
  const logout = oidc.buildEndSessionUrl(config, {
    id_token_hint: tokens.id_token ?? '',
    post_logout_redirect_uri: 'openziti://auth/logout',
  })
  const ended = await client.call('GET', logout.pathname + logout.search)
  assert.equal(ended.headers.location, 'openziti://auth/logout')
  await assert.rejects(oidc.refreshTokenGrant(config, refreshed.refresh_token ?? ''), { error: 'invalid_grant' })
})
