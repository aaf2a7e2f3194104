import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { inspect } from 'node:util'
import {
  type AccessToken,
  CountersignError,
  Credentials,
  HostedClient,
  TokenSource,
  type TokenSourceOptions,
} from '@countersign/sdk'
import { type LocalResponse, type SeenRequest, startServer } from './local-server.ts'

const PASSWORD = 'a-very-secret-password'
const LIFETIME = 1000

const account = (authenticationUrl: string) =>
  new Credentials({ clientId: 'ci', password: PASSWORD, authenticationUrl })
const basic = (id: string, password: string) => `Basic ${Buffer.from(`${id}:${password}`).toString('base64')}`

/** A provider that numbers its tokens. */
async function startProvider(t: TestContext, respond?: (request: SeenRequest, count: number) => LocalResponse) {
  return startServer(
    t,
    respond ??
      ((_, count) => ({ json: { access_token: `token-${count}`, expires_in: LIFETIME, token_type: 'Bearer' } })),
  )
}

async function requestOnce(t: TestContext, path: string, options: Omit<TokenSourceOptions, 'credentials'>) {
  const provider = await startProvider(t)
  const source = new TokenSource({ credentials: account(provider.url + path), ...options })
  assert.equal(await source.getToken(), 'token-1')
  const [request] = provider.seen
  assert.ok(request)
  return { ...request, url: provider.url }
}

test('S2-5.4 S2-5.5 a user pool gets Basic and a form, at the unchanged address, with a scope only if one is given', async (t) => {
  const bare = await requestOnce(t, '/oauth2/token', { provider: 'cognito' })
  assert.deepEqual([bare.method, bare.path, bare.body], ['POST', '/oauth2/token', 'grant_type=client_credentials'])
  assert.equal(bare.headers.authorization, basic('ci', PASSWORD))
  assert.equal(bare.headers['content-type'], 'application/x-www-form-urlencoded')
  const scope = 'https://gateway.example//ignore-scope'
  const scoped = await requestOnce(t, '/oauth2/token', { provider: 'cognito', scope })
  assert.deepEqual(Object.fromEntries(new URLSearchParams(scoped.body)), { grant_type: 'client_credentials', scope })
})

test('S2-5.4 S2-5.5 D49 a hosted platform gets JSON, an empty path becomes /oauth/token, the audience ends in one slash', async (t) => {
  for (const hostedUrl of ['https://api.example', 'https://api.example/']) {
    const request = await requestOnce(t, '', { provider: 'auth0', hostedUrl })
    assert.equal(request.path, '/oauth/token')
    assert.equal(request.headers['content-type'], 'application/json')
    assert.deepEqual(JSON.parse(request.body), {
      client_id: 'ci',
      client_secret: PASSWORD,
      audience: 'https://api.example/',
      grant_type: 'client_credentials',
    })
  }
  const elsewhere = await requestOnce(t, '/custom/token', { provider: 'auth0', hostedUrl: 'https://api.example' })
  assert.equal(elsewhere.path, '/custom/token')
})

test('D49 the base address of the hosted API is never guessed', async (t) => {
  const provider = await startProvider(t)
  const source = new TokenSource({ credentials: account(provider.url), provider: 'auth0' })
  await assert.rejects(source.getToken(), { code: 'BAD_CREDENTIALS' })
  assert.deepEqual(provider.seen, [])
})

test('S2-5.4 the provider is guessed from the address, and can be overridden', () => {
  const guesses = {
    'https://netfoundry-production-x.auth.us-east-1.amazoncognito.com/oauth2/token': 'cognito',
    'https://acme.eu.auth0.com/oauth/token': 'auth0',
    'https://login.microsoftonline.com/1111/oauth2/v2.0/token': 'entra',
    'https://acme.okta.com/oauth2/default/v1/token': 'okta',
    'https://id.example/realms/acme/protocol/openid-connect/token': 'keycloak',
    'https://login.acme.example/oauth/token': 'auth0',
    'https://acme.eu.auth0.com.evil.example/': 'oidc',
  }
  for (const [url, provider] of Object.entries(guesses)) assert.equal(account(url).provider, provider, url)
  const own = { clientId: 'ci', authenticationUrl: 'https://login.acme.example/', provider: 'auth0' } as const
  assert.equal(new Credentials(own).provider, 'auth0')
})

test('S2-5.9 D43 a token is used for 80 % of its lifetime, and then renewed', async (t) => {
  const provider = await startProvider(t)
  let now = Date.now()
  const credentials = account(`${provider.url}/oauth2/token`)
  const source = new TokenSource({ credentials, provider: 'cognito', now: () => now })
  assert.equal(await source.getToken(), 'token-1')
  now += LIFETIME * 800 - 1
  assert.equal(await source.getToken(), 'token-1')
  now += 1
  assert.equal(await source.getToken(), 'token-2')
  assert.equal(provider.seen.length, 2)
})

test('S2-5.9 D43 concurrent callers share one request, and none of them can abort it for the others', async (t) => {
  const provider = await startProvider(t)
  const source = new TokenSource({ credentials: account(`${provider.url}/oauth2/token`), provider: 'cognito' })
  const aborted = new AbortController()
  const first = source.getToken({ signal: aborted.signal })
  const others = Array.from({ length: 20 }, () => source.getToken())
  aborted.abort(new Error('no time'))
  await assert.rejects(first, /no time/)
  assert.deepEqual([...new Set(await Promise.all(others))], ['token-1'])
  assert.equal(provider.seen.length, 1)
})

test('S2-5.6 S2-5.9 D43 a refused token is renewed once for all callers; a second refusal is reported', async (t) => {
  const provider = await startProvider(t)
  const refused = new Set(['Bearer token-1'])
  const api = await startServer(t, ({ headers }) =>
    refused.has(String(headers.authorization))
      ? { status: 401, json: { errors: ['no'], status: { code: 401, label: 'UNAUTHORIZED' }, traceId: 'abc' } }
      : { json: { id: headers.authorization } },
  )
  const credentials = new TokenSource({ credentials: account(`${provider.url}/oauth2/token`), provider: 'cognito' })
  const client = new HostedClient({ baseUrl: api.url, credentials })
  const identities = await Promise.all([client.self(), client.self(), client.self()])
  assert.deepEqual(
    identities.map(({ id }) => id),
    Array(3).fill('Bearer token-2'),
  )
  assert.equal(provider.seen.length, 2)
  refused.add('Bearer token-2').add('Bearer token-3')
  api.seen.length = 0
  await assert.rejects(client.self(), { code: 'UNAUTHORIZED', status: 401, requestId: 'abc' })
  assert.deepEqual(
    api.seen.map(({ headers }) => headers.authorization),
    ['Bearer token-2', 'Bearer token-3'],
  )
})

test('a store keeps tokens beyond the process, and a failing store costs only a request', async (t) => {
  const provider = await startProvider(t)
  const stored = new Map<string, AccessToken>()
  const store = {
    load: async (key: object) => stored.get(JSON.stringify(key)),
    save: async (key: object, token: AccessToken) => void stored.set(JSON.stringify(key), token),
  }
  const options = { credentials: account(`${provider.url}/oauth2/token`), provider: 'cognito' } as const
  assert.equal(await new TokenSource({ ...options, store }).getToken(), 'token-1')
  assert.equal(await new TokenSource({ ...options, store }).getToken(), 'token-1')
  assert.equal(await new TokenSource({ ...options, store, scope: 'other' }).getToken(), 'token-2')
  const broken = { load: () => Promise.reject(new Error('disk')), save: () => Promise.reject(new Error('disk')) }
  assert.equal(await new TokenSource({ ...options, store: broken }).getToken(), 'token-3')
  const renewing = new TokenSource({ ...options, store })
  assert.equal(await renewing.getToken(), 'token-1')
  assert.equal(await renewing.renew('token-1'), 'token-4')
})

test('D43 of several sources that share a store and a refused token one requests another', async (t) => {
  const provider = await startProvider(t)
  let stored: AccessToken | undefined
  let last: Promise<unknown> = Promise.resolve()
  const store = {
    load: async () => stored,
    save: async (_: object, token: AccessToken) => {
      stored = token
    },
    exclusively: <Result>(_: object, work: () => Promise<Result>): Promise<Result> => {
      const result = last.then(work)
      last = result.catch(() => {})
      return result
    },
  }
  const options = { credentials: account(`${provider.url}/oauth2/token`), provider: 'cognito', store } as const
  const sources = Array.from({ length: 3 }, () => new TokenSource(options))
  for (const source of sources) assert.equal(await source.getToken(), 'token-1')
  assert.deepEqual(await Promise.all(sources.map((source) => source.renew('token-1'))), Array(3).fill('token-2'))
  assert.equal(provider.seen.length, 2)
  // When that one is refused too, neither of them is returned.
  assert.equal(await sources[0]?.renew('token-2'), 'token-3')
})

const REFUSALS = [
  {
    name: 'a user pool',
    response: { status: 400, json: { error: 'invalid_client' } },
    expect: {
      status: 400,
      provider: { error: 'invalid_client', description: undefined, traceId: undefined },
      hint: 'the client id or the password is wrong, or was rotated',
    },
  },
  {
    name: 'Entra',
    response: {
      status: 401,
      json: {
        error: 'invalid_client',
        error_description: `AADSTS7000222: The secret ${PASSWORD} is expired.\r\nTrace ID: t-1`,
        trace_id: 't-1',
      },
    },
    expect: {
      status: 401,
      provider: {
        error: 'invalid_client',
        description: 'AADSTS7000222: The secret *** is expired.  Trace ID: t-1',
        traceId: 't-1',
      },
      hint: 'the client’s secret has expired: create another one',
    },
  },
  {
    name: 'Okta',
    response: { status: 401, json: { errorCode: 'invalid_client', errorSummary: 'No such client.', errorId: 'oae1' } },
    expect: { status: 401, provider: { error: 'invalid_client', description: 'No such client.', traceId: 'oae1' } },
  },
  {
    name: 'a provider that names a member of every object',
    response: { status: 400, json: { error: 'constructor' } },
    expect: { status: 400, hint: 'check the client and its configuration at the identity provider' },
  },
  {
    name: 'a page',
    response: { status: 500, text: '<html>' },
    expect: { status: 500, provider: { error: undefined, description: undefined, traceId: undefined } },
  },
  { name: 'a success without a token', response: { json: { token_type: 'Bearer' } }, expect: { status: 200 } },
]

for (const { name, response, expect } of REFUSALS) {
  test(`S2-5.5 a refusal by ${name} has the provider’s text, without the password, and is not retried`, async (t) => {
    const provider = await startProvider(t, () => response)
    const source = new TokenSource({ credentials: account(`${provider.url}/oauth2/token`), provider: 'cognito' })
    await assert.rejects(source.getToken(), (error) => {
      assert.ok(error instanceof CountersignError)
      const { status, provider: providerError, hint } = error
      const { status: code, ...rest } = expect
      assert.deepEqual([error.code, status], ['TOKEN_REFUSED', code])
      if ('provider' in rest) assert.deepEqual(providerError, rest.provider)
      if ('hint' in rest) assert.equal(hint, rest.hint)
      for (const text of [inspect(error, { depth: 9 }), JSON.stringify(error), String(error)])
        assert.equal(text.includes(PASSWORD), false)
      return true
    })
    assert.equal(provider.seen.length, 1)
  })
}

test('a password is sent only over https or to loopback', async () => {
  for (const url of ['http://id.example/oauth2/token', 'ftp://id.example/', 'https://a:b@id.example/', 'no address']) {
    const source = new TokenSource({ credentials: account(url), provider: 'cognito' })
    await assert.rejects(source.getToken(), { code: 'UNSAFE_ADDRESS' }, url)
  }
})
