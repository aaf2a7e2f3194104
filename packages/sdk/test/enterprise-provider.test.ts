import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { Credentials, type ProviderName, TokenSource, type TokenSourceOptions } from '@countersign/sdk'
import { jwtVerify } from 'jose'
import { startServer } from './local-server.ts'

const SECRET = 'p%ss+w:rd'
const DOCUMENT = '/tenant/.well-known/openid-configuration'

interface Shape {
  readonly methods?: readonly string[]
  readonly issuer?: string
}

/** A provider with a discovery document. Its requests are recorded in `seen`. */
async function startProvider(t: TestContext, { methods, issuer }: Shape = {}) {
  const provider = await startServer(t, ({ path }) =>
    path === DOCUMENT
      ? {
          json: {
            issuer: issuer ?? `${provider.url}/tenant`,
            token_endpoint: `${provider.url}/tenant/elsewhere`,
            ...(methods && { token_endpoint_auth_methods_supported: methods }),
          },
        }
      : { json: { access_token: 'good', expires_in: '3599' } },
  )
  return provider
}

const requestToken = async (authenticationUrl: string, options: Omit<TokenSourceOptions, 'credentials'> = {}) => {
  const credentials = new Credentials({ clientId: 'c i', password: SECRET, authenticationUrl })
  assert.equal(await new TokenSource({ credentials, ...options }).getToken(), 'good')
}

test('S2-5.4 S2-5.8 an enterprise provider’s discovery document names the token endpoint, found by issuer or by address', async (t) => {
  const provider = await startProvider(t)
  await requestToken(`${provider.url}/tenant`)
  await requestToken(provider.url, { issuer: `${provider.url}/tenant` })
  await requestToken(`${provider.url}${DOCUMENT}`)
  const paths = provider.seen.map(({ path }) => path)
  assert.deepEqual(paths, [DOCUMENT, '/tenant/elsewhere', DOCUMENT, '/tenant/elsewhere', DOCUMENT, '/tenant/elsewhere'])
})

test('S2-5.8 D49 an address that is a token endpoint is used unchanged', async (t) => {
  const provider = await startProvider(t)
  await requestToken(`${provider.url}/realms/acme/protocol/openid-connect/token`)
  const sent = provider.seen.filter(({ method }) => method === 'POST')
  assert.deepEqual(
    sent.map(({ path }) => path),
    ['/realms/acme/protocol/openid-connect/token'],
  )
})

test('S2-5.8 a discovery document that names another issuer is refused', async (t) => {
  const mismatched = await startProvider(t, { issuer: 'https://other.example' })
  await assert.rejects(requestToken(mismatched.url, { issuer: `${mismatched.url}/tenant` }), { code: 'BAD_DISCOVERY' })
  const matching = await startProvider(t)
  await requestToken(matching.url, { issuer: `${matching.url}/tenant` })
})

const SECRET_LOCATIONS: readonly {
  readonly provider?: ProviderName
  readonly methods?: readonly string[]
  readonly body: boolean
}[] = [
  { body: false },
  { methods: ['client_secret_post'], body: true },
  { methods: ['client_secret_basic', 'client_secret_post'], body: false },
  { provider: 'entra', body: true },
  { provider: 'okta', body: false },
  { provider: 'keycloak', body: false },
]

for (const { provider: name, methods, body } of SECRET_LOCATIONS) {
  test(`S2-5.8 the secret goes into the ${body ? 'body' : 'header'} for ${name ?? 'any provider'} with methods ${methods ?? 'not listed'}`, async (t) => {
    const provider = await startProvider(t, { ...(methods && { methods }) })
    const scope = 'api://network/.default'
    await requestToken(`${provider.url}/tenant`, { ...(name && { provider: name }), scope })
    const request = provider.seen[1]
    assert.ok(request)
    const form = Object.fromEntries(new URLSearchParams(request.body))
    const basic = `Basic ${Buffer.from('c+i:p%25ss%2Bw%3Ard').toString('base64')}`
    assert.equal(request.headers.authorization, body ? undefined : basic)
    const secret = body ? { client_id: 'c i', client_secret: SECRET } : {}
    assert.deepEqual(form, { grant_type: 'client_credentials', scope, ...secret })
  })
}

const KEYS = [
  { alg: 'ES256', kind: { name: 'ECDSA', namedCurve: 'P-256' } },
  {
    alg: 'RS256',
    kind: {
      name: 'RSASSA-PKCS1-v1_5',
      modulusLength: 2048,
      publicExponent: new Uint8Array([1, 0, 1]),
      hash: 'SHA-256',
    },
  },
  {
    alg: 'PS256',
    kind: { name: 'RSA-PSS', modulusLength: 2048, publicExponent: new Uint8Array([1, 0, 1]), hash: 'SHA-256' },
  },
] as const

for (const { alg, kind } of KEYS) {
  test(`S2-5.8 a key replaces the secret (private_key_jwt, ${alg})`, async (t) => {
    const provider = await startProvider(t)
    const pair = (await crypto.subtle.generateKey(kind, false, ['sign', 'verify'])) as {
      privateKey: never
      publicKey: never
    }
    await requestToken(`${provider.url}/tenant`, { clientKey: { key: pair.privateKey, keyId: 'k1' } })
    const request = provider.seen[1]
    assert.ok(request)
    const form = new URLSearchParams(request.body)
    assert.equal(form.has('client_secret') || request.headers.authorization !== undefined, false)
    assert.equal(form.get('client_assertion_type'), 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer')
    const { payload, protectedHeader } = await jwtVerify(form.get('client_assertion') ?? '', pair.publicKey, {
      audience: `${provider.url}/tenant/elsewhere`,
      issuer: 'c i',
      subject: 'c i',
    })
    assert.deepEqual(protectedHeader, { alg, typ: 'JWT', kid: 'k1' })
    assert.ok(payload.jti && payload.exp && payload.iat && payload.exp - payload.iat <= 60)
  })
}

test('S2-5.8 a key for another hash is refused before a token is requested', async (t) => {
  const provider = await startProvider(t)
  const kind = { name: 'RSA-PSS', modulusLength: 2048, publicExponent: new Uint8Array([1, 0, 1]), hash: 'SHA-512' }
  const { privateKey } = await crypto.subtle.generateKey(kind, false, ['sign', 'verify'])
  await assert.rejects(requestToken(`${provider.url}/x/token`, { clientKey: { key: privateKey } }), {
    code: 'BAD_CREDENTIALS',
  })
  assert.deepEqual(
    provider.seen.filter(({ method }) => method === 'POST'),
    [],
  )
})
