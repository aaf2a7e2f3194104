import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { BrowserLogin, DeviceLogin, type LoginSigner } from '@countersign/sdk'
import { type SeenRequest, startServer } from './local-server.ts'

const REDIRECT = 'http://127.0.0.1:7777/callback'
const jwt = (claims: object) => `e.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.s`

interface Shape {
  readonly nonce?: string
  readonly tokens?: object
  readonly namesIssuer?: boolean
  readonly pending?: number
  readonly refusal?: string
  /** The number of token requests whose connection is closed. */
  readonly disconnects?: number
}

/** A minimal provider for logins. Its ID tokens carry `state.nonce`. */
async function startProvider(t: TestContext, shape: Shape = {}) {
  let polls = 0
  const state = { nonce: shape.nonce }
  const provider = await startServer(t, ({ path }) => {
    if (path === '/.well-known/openid-configuration') {
      return {
        json: {
          issuer: provider.url,
          authorization_endpoint: `${provider.url}/auth?fixed=1`,
          token_endpoint: `${provider.url}/token`,
          device_authorization_endpoint: `${provider.url}/device`,
          authorization_response_iss_parameter_supported: shape.namesIssuer ?? false,
        },
      }
    }
    if (path === '/device') {
      const codes = { device_code: 'dc', user_code: 'ABCD', verification_uri: `${provider.url}/go`, interval: 0.01 }
      return { json: codes }
    }
    if (polls < (shape.disconnects ?? 0)) {
      polls++
      return (response) => void response.destroy()
    }
    if (polls++ < (shape.pending ?? 0)) return { status: 400, json: { error: 'authorization_pending' } }
    if (shape.refusal) return { status: 400, json: { error: shape.refusal } }
    const id_token = jwt({ sub: 'alice', nonce: state.nonce })
    return { json: { access_token: 'access', id_token, refresh_token: 'refresh', expires_in: 60, ...shape.tokens } }
  })
  const signer = (changes: Partial<LoginSigner> = {}): LoginSigner => ({
    name: 'acme',
    openIdConfigurationUrl: `${provider.url}/.well-known/openid-configuration`,
    externalAuthUrl: null,
    clientId: 'desktop',
    scopes: 'openid email',
    audience: 'edge',
    targetToken: 'ACCESS',
    ...changes,
  })
  return { provider, signer, state }
}

const formOf = (request: SeenRequest | undefined) => Object.fromEntries(new URLSearchParams(request?.body))

/** Starts a login. `back` builds the callback of the browser. */
async function startLogin(t: TestContext, shape: Shape = {}, changes: Partial<LoginSigner> = {}) {
  const { provider, signer, state } = await startProvider(t, shape)
  const login = await BrowserLogin.start({ signer: signer(changes), redirectUri: REDIRECT })
  state.nonce ??= login.pending.nonce
  const back = (parameters: Record<string, string> = {}) => {
    return `${REDIRECT}?${new URLSearchParams({ code: 'c0de', state: login.pending.state, ...parameters })}`
  }
  return { provider, login, back }
}

test('a login sends state, nonce and challenge, and exchanges its code with the verifier', async (t) => {
  const { provider, login, back } = await startLogin(t)
  const parameters = Object.fromEntries(new URL(login.url).searchParams)
  const { state, nonce, codeVerifier } = login.pending
  assert.deepEqual(parameters, {
    fixed: '1',
    response_type: 'code',
    client_id: 'desktop',
    redirect_uri: REDIRECT,
    scope: 'openid email',
    state,
    nonce,
    code_challenge: createHash('sha256').update(codeVerifier).digest('base64url'),
    code_challenge_method: 'S256',
  })
  assert.equal(new Set([state, nonce, codeVerifier]).size, 3)
  assert.ok([state, nonce, codeVerifier].every((text) => text.length >= 43))
  const { token, refreshToken } = await login.finish(back())
  assert.deepEqual([token, refreshToken], ['access', 'refresh'])
  assert.deepEqual(formOf(provider.seen.at(-1)), {
    client_id: 'desktop',
    grant_type: 'authorization_code',
    code: 'c0de',
    redirect_uri: REDIRECT,
    code_verifier: codeVerifier,
  })
  assert.equal((await login.refresh('refresh')).token, 'access')
  assert.deepEqual(formOf(provider.seen.at(-1)), {
    client_id: 'desktop',
    grant_type: 'refresh_token',
    refresh_token: 'refresh',
  })
})

test('targetToken selects the token', async (t) => {
  const access = await startLogin(t, {}, { targetToken: 'ACCESS' })
  assert.equal((await access.login.finish(access.back())).token, 'access')
  const id = await startLogin(t, {}, { targetToken: 'ID' })
  const tokens = await id.login.finish(id.back())
  assert.equal(tokens.token, tokens.idToken)
  const none = await startLogin(t, { tokens: { id_token: undefined } }, { targetToken: 'ID' })
  await assert.rejects(none.login.finish(none.back()), { code: 'TOKEN_REFUSED' })
})

test('scopes can be a string, a list or null, and always include openid', async (t) => {
  const { signer } = await startProvider(t)
  const cases = [
    ['openid email', 'openid email'],
    [['email', 'groups'], 'openid email groups'],
    [null, 'openid'],
  ] as const
  for (const [scopes, expected] of cases) {
    const login = await BrowserLogin.start({ signer: signer({ scopes }), redirectUri: REDIRECT })
    assert.equal(new URL(login.url).searchParams.get('scope'), expected)
  }
})

test('externalAuthUrl is used without openIdConfigurationUrl', async (t) => {
  const { provider, signer } = await startProvider(t)
  for (const externalAuthUrl of [provider.url, `${provider.url}/`]) {
    const options = { signer: signer({ openIdConfigurationUrl: null, externalAuthUrl }), redirectUri: REDIRECT }
    assert.ok((await BrowserLogin.start(options)).url.startsWith(`${provider.url}/auth`))
  }
  const nowhere = { signer: signer({ openIdConfigurationUrl: null }), redirectUri: REDIRECT }
  await assert.rejects(BrowserLogin.start(nowhere), { code: 'BAD_DISCOVERY' })
})

const INVALID_CALLBACKS = {
  'another state': { state: 'x' },
  'another issuer': { iss: 'https://mix-up.example' },
  'no code': { code: '' },
  'an error of the provider': { error: 'access_denied', error_description: 'not you' },
}

for (const [name, parameters] of Object.entries(INVALID_CALLBACKS)) {
  test(`a callback with ${name} is refused before the code is exchanged`, async (t) => {
    const { provider, login, back } = await startLogin(t)
    const before = provider.seen.length
    await assert.rejects(login.finish(back(parameters)), { code: 'LOGIN_REFUSED' })
    assert.equal(provider.seen.length, before)
    assert.equal((await login.finish(back({ iss: provider.url }))).token, 'access')
  })
}

test('iss is required when the provider advertises it', async (t) => {
  const { provider, login, back } = await startLogin(t, { namesIssuer: true })
  await assert.rejects(login.finish(back()), { code: 'LOGIN_REFUSED' })
  assert.equal((await login.finish(back({ iss: provider.url }))).token, 'access')
})

test('an ID token of another login is refused', async (t) => {
  const { login, back } = await startLogin(t, { nonce: 'another' })
  await assert.rejects(login.finish(back()), { code: 'LOGIN_REFUSED' })
})

test('a device login waits until the user has logged in', async (t) => {
  const { provider, signer } = await startProvider(t, { pending: 2 })
  const login = await DeviceLogin.start({ signer: signer() })
  assert.deepEqual([login.userCode, login.verificationUri], ['ABCD', `${provider.url}/go`])
  assert.equal((await login.finish()).token, 'access')
  const polls = provider.seen.filter(({ path }) => path === '/token')
  assert.equal(polls.length, 3)
  const grant_type = 'urn:ietf:params:oauth:grant-type:device_code'
  assert.deepEqual(formOf(polls[0]), { client_id: 'desktop', grant_type, device_code: 'dc' })
})

test('a device login survives a short outage of the provider', async (t) => {
  const { signer } = await startProvider(t, { disconnects: 3 })
  assert.equal((await (await DeviceLogin.start({ signer: signer() })).finish()).token, 'access')
})

test('a device login ends when it is declined, or with a signal', async (t) => {
  const denied = await startProvider(t, { refusal: 'access_denied' })
  const login = await DeviceLogin.start({ signer: denied.signer() })
  await assert.rejects(login.finish(), (error: Error & { code: string; provider: { error: string } }) => {
    assert.deepEqual([error.code, error.provider.error], ['LOGIN_REFUSED', 'access_denied'])
    return true
  })
  const late = await startProvider(t, { refusal: 'expired_token' })
  await assert.rejects((await DeviceLogin.start({ signer: late.signer() })).finish(), { code: 'LOGIN_REFUSED' })
  const wrong = await startProvider(t, { refusal: 'invalid_grant' })
  await assert.rejects((await DeviceLogin.start({ signer: wrong.signer() })).finish(), { code: 'TOKEN_REFUSED' })
  const endless = await startProvider(t, { pending: 1e9 })
  const stop = new AbortController()
  const waiting = (await DeviceLogin.start({ signer: endless.signer() })).finish({ signal: stop.signal })
  setTimeout(() => stop.abort(new Error('enough')), 100)
  await assert.rejects(waiting, /enough/)
})

test('Q-24 another machine cannot name a provider or its endpoints at http://localhost', async () => {
  const documents: Record<string, object> = {}
  const issue = (origin: string, endpoints: string) => {
    documents[`${origin}/.well-known/openid-configuration`] = {
      issuer: origin,
      authorization_endpoint: `${endpoints}/auth`,
      token_endpoint: `${endpoints}/token`,
    }
    return origin
  }
  const fetch = async (url: string | URL | Request) => Response.json(documents[String(url)])
  const start = (openIdConfigurationUrl: string, controllerUrl?: string) => {
    const signer = { openIdConfigurationUrl, clientId: 'c', scopes: '', targetToken: 'ID' } as const
    return BrowserLogin.start({ signer, controllerUrl, fetch, redirectUri: REDIRECT })
  }
  const [local, own, remote] = ['http://localhost:8080', 'http://127.0.0.1:9', 'https://idp.example']
  for (const [provider, endpoints, controllerUrl] of [
    [remote, own, undefined],
    [local, own, 'https://ctrl.example'],
  ] as const) {
    await assert.rejects(start(issue(provider, endpoints), controllerUrl), { code: 'UNSAFE_ADDRESS' })
  }
  for (const [provider, endpoints, controllerUrl] of [
    [remote, remote, 'https://ctrl.example'],
    [local, own, undefined],
    [local, own, 'https://localhost:1280'],
  ] as const) {
    assert.ok((await start(issue(provider, endpoints), controllerUrl)).url.startsWith(`${endpoints}/auth`))
  }
})
