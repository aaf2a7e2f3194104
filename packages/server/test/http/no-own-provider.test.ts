import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mintKey } from '@countersign/testkit'
import { summarize } from './ext-jwt-signers.fixture.ts'
import { OWN_SESSION } from './identities.fixture.ts'
import { logInWithToken, setUpProvider } from './provider.fixture.ts'

/** The paths in existing controllers. */
const PROVIDER_PATHS = [
  '/.well-known/openid-configuration',
  '/oidc',
  '/oidc/.well-known/openid-configuration',
  '/oidc/keys',
  '/oidc/authorize',
  '/oidc/authorize/callback?id=x',
  '/oidc/oauth/token',
  '/oidc/oauth/introspect',
  '/oidc/userinfo',
  '/oidc/revoke',
  '/oidc/end_session',
  '/oidc/device_authorization',
  '/oidc/login/password',
  '/oidc/login/username',
  '/oidc/login/cert',
  '/oidc/login/ext-jwt',
  '/oidc/login/totp',
  '/oidc/login/totp/enroll',
  '/oidc/login/totp/enroll/verify',
  '/oidc/login/auth-queries?id=x',
]

test('W-64 W-73 W-74 the controller is not an OpenID provider, and its version document says so', async (t) => {
  const { app } = await setUpProvider(t)
  for (const base of ['', '/edge/client/v1', '/edge/management/v1']) {
    const { data } = (await app.call('GET', `${base}/version`)).json
    assert.deepEqual(data.capabilities, [], 'clients then use the authenticate endpoints')
    assert.equal('edge-oidc' in data.apiVersions, false)
  }
  for (const path of PROVIDER_PATHS) {
    for (const [method, body] of [
      ['GET', undefined],
      ['POST', {}],
    ] as const) {
      const reply = await app.call(method, path, body)
      assert.equal(summarize(reply), '404 NOT_FOUND', `${method} ${path}`)
      assert.equal(typeof reply.json.meta, 'object', 'in the usual error envelope')
    }
  }
})

test('W-63 a bearer token is never a session; a login exchanges it for one', async (t) => {
  const { app, token, createSigner, createIdentity } = await setUpProvider(t)
  await createSigner()
  await createIdentity()
  const past = Math.floor(app.clock.now() / 1000) - 600
  const tokens = {
    good: token(),
    'like those of existing controllers': token({ z_t: 'a', z_asid: 'x', iss: 'https://127.0.0.1:1280/oidc' }),
    malformed: 'not.a.token',
    expired: token({ exp: past }),
    'with an invalid signature': token({}, mintKey('RSA', 'other')),
  }
  for (const [name, bearer] of Object.entries(tokens)) {
    const reply = await app.call('GET', OWN_SESSION, undefined, { headers: { authorization: `Bearer ${bearer}` } })
    assert.equal(summarize(reply), '401 UNAUTHORIZED', name)
  }
  const session = (await logInWithToken(app, tokens.good)).json.data.token
  assert.equal((await app.call('GET', OWN_SESSION, undefined, { session })).status, 200)
})
