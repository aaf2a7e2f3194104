import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { Credentials, TokenSource } from '@countersign/sdk'
import { type SeenRequest, startServer } from './local-server.ts'

const WELL_KNOWN = '/.well-known/openid-configuration'

/** Discovery documents as the products publish them, at a custom domain. */
const DOCUMENTS = [
  {
    product: 'auth0',
    token: '/oauth/token',
    at: '',
    members: (url: string) => ({ issuer: `${url}/`, jwks_uri: `${url}/.well-known/jwks.json` }),
  },
  {
    product: 'cognito',
    token: '/oauth2/token',
    at: '',
    members: (url: string) => ({ issuer: `${url}/us-east-1_Example`, jwks_uri: `${url}/keys` }),
  },
  {
    product: 'entra',
    token: '/11111111/oauth2/v2.0/token',
    at: '/11111111/v2.0',
    members: (url: string) => ({ issuer: `${url}/11111111/v2.0`, tenant_region_scope: 'EU', msgraph_host: 'x' }),
  },
  {
    product: 'okta',
    token: '/oauth2/default/v1/token',
    at: '/oauth2/default',
    members: (url: string) => ({ issuer: `${url}/oauth2/default`, jwks_uri: `${url}/oauth2/default/v1/keys` }),
  },
  {
    product: 'keycloak',
    token: '/auth/realms/acme/protocol/openid-connect/token',
    at: '/auth/realms/acme',
    members: (url: string) => ({ issuer: `${url}/auth/realms/acme` }),
  },
  {
    product: 'oidc',
    token: '/oauth/token',
    at: '',
    members: (url: string) => ({ issuer: url, jwks_uri: `${url}/jwks` }),
  },
]

/** How each product expects the request. */
const FORMS: Readonly<Record<string, (request: SeenRequest) => boolean>> = {
  auth0: ({ headers }) => headers['content-type'] === 'application/json',
  // The pair is not form-encoded.
  cognito: ({ headers }) => headers.authorization === `Basic ${btoa('c:p+w')}`,
  entra: ({ body }) => new URLSearchParams(body).get('client_secret') === 'p+w',
}
const withBasic = ({ headers }: SeenRequest) => headers.authorization === `Basic ${btoa('c:p%2Bw')}`

const request = (authenticationUrl: string) =>
  new TokenSource({
    credentials: new Credentials({ clientId: 'c', password: 'p+w', authenticationUrl }),
    hostedUrl: 'https://api.example',
  }).getToken()

for (const { product, token, at, members } of DOCUMENTS) {
  test(`S2-5.4 ${product} is recognised by its discovery document on a custom domain, by endpoint and by base address`, async (t) => {
    const provider = await startServer(t, ({ method, path }) => {
      if (path === at + WELL_KNOWN) return { json: { ...members(provider.url), token_endpoint: provider.url + token } }
      return method === 'POST' && path === token ? { json: { access_token: 'good' } } : { status: 404 }
    })
    for (const address of [token, at]) {
      assert.equal(await request(provider.url + address), 'good')
      const sent = provider.seen.at(-1)
      assert.ok(sent && (FORMS[product] ?? withBasic)(sent), `${address}: ${JSON.stringify(sent)}`)
    }
  })
}

test('a discovery document of another provider on the same host is not used', async (t) => {
  const provider = await startServer(t, ({ method, path }) => {
    if (path === WELL_KNOWN) return { json: { issuer: provider.url, token_endpoint: `${provider.url}/token` } }
    return method === 'POST' && path === '/oauth/token' ? { json: { access_token: 'good' } } : { status: 404 }
  })
  assert.equal(await request(`${provider.url}/oauth/token`), 'good')
  const sent = provider.seen.at(-1)
  assert.ok(sent && FORMS.auth0?.(sent), 'guessed from the address')
})

/** A provider without a document, which understands only what `accepts` says. */
function startStrict(t: TestContext, accepts: (request: SeenRequest) => boolean) {
  return startServer(t, (seen) => {
    if (seen.method !== 'POST') return { status: 404 }
    return accepts(seen) ? { json: { access_token: 'good' } } : { status: 400, json: { error: 'invalid_request' } }
  })
}

test('a wrong guess is followed by the other forms of requests', async (t) => {
  const provider = await startStrict(t, withBasic)
  assert.equal(await request(`${provider.url}/oauth/token`), 'good')
  assert.equal(provider.seen.filter(({ method }) => method === 'POST').length, 2)
})

test('when no form is understood, the error says which providers were tried', async (t) => {
  const provider = await startStrict(t, () => false)
  await assert.rejects(request(`${provider.url}/oauth/token`), (error: Error & { code: string; hint: string }) => {
    assert.equal(error.code, 'TOKEN_REFUSED')
    assert.match(error.message, /asked as auth0, guessed from the address, then as oidc and cognito/)
    assert.match(error.hint, /set provider in the credentials file/)
    return true
  })
})

test('a refused client is not tried again in other forms, but the guess is reported', async (t) => {
  const provider = await startServer(t, ({ method }) =>
    method === 'POST' ? { status: 401, json: { error: 'invalid_client' } } : { status: 404 },
  )
  const refused = { code: 'TOKEN_REFUSED', status: 401, message: /asked as oidc, guessed from the address\)/ }
  await assert.rejects(request(`${provider.url}/token`), refused)
  assert.equal(provider.seen.filter(({ method }) => method === 'POST').length, 1)
})
