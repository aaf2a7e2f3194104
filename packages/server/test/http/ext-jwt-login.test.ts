import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { readKeySet } from '@countersign/core'
import { type MintKey, makeTestCertificate, mintKey, mintKeyFrom, mintKeySet, mintToken } from '@countersign/testkit'
import { buildApp, type TestApp } from './build-app.ts'

const ISSUER = 'https://idp.example'
const AUDIENCE = 'overlay'
const SIGNERS = '/edge/management/v1/ext-jwt-signers'
const OWN = '/edge/client/v1/current-identity'
const CHALLENGE =
  /^Bearer realm="openziti-primary-ext-jwt" error="(\w+)" error_description="[^"]+"(?: id="([^"]+)" issuer="([^"]+)")?$/

/** A controller whose signers fetch the current keys of `provider`. */
async function setUp(t: TestContext) {
  const key = mintKey('RSA')
  const provider = { keys: [key] as MintKey[], fetches: 0 }
  const app = await buildApp(t, {
    fetchJwks: async () => {
      provider.fetches++
      return { keySet: readKeySet(Buffer.from(JSON.stringify(mintKeySet(...provider.keys)))), freshForMs: undefined }
    },
  })
  const signer = (changes: Record<string, unknown> = {}) => ({
    name: 'idp',
    enabled: true,
    issuer: ISSUER,
    audience: AUDIENCE,
    jwksEndpoint: 'https://idp.example/jwks',
    useExternalId: true,
    ...changes,
  })
  const create = async (path: string, body: unknown): Promise<string> => {
    const reply = await app.admin('POST', path, body)
    assert.equal(reply.status, 201, reply.text)
    return reply.json.data.id
  }
  const seconds = Math.floor(app.clock.now() / 1000)
  const claims = { iss: ISSUER, aud: AUDIENCE, sub: 'alice@idp.example', exp: seconds + 600, iat: seconds }
  return {
    app,
    provider,
    key,
    claims,
    token: (changes: Record<string, unknown> = {}, with_: MintKey = key) =>
      mintToken({ key: with_, claims: { ...claims, ...changes } }),
    createSigner: (changes: Record<string, unknown> = {}) => create(SIGNERS, signer(changes)),
    createIdentity: (changes: Record<string, unknown> = {}) =>
      create('/edge/management/v1/identities', {
        name: 'alice',
        type: 'Default',
        isAdmin: false,
        externalId: 'alice@idp.example',
        ...changes,
      }),
  }
}

function logInWithToken(app: TestApp, token: string | undefined, api = 'client') {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
  return app.call('POST', `/edge/${api}/v1/authenticate?method=ext-jwt`, undefined, { headers })
}

async function assertRefused(app: TestApp, token: string | undefined, kind: string, signerId?: string): Promise<void> {
  const reply = await logInWithToken(app, token)
  assert.equal(reply.status, 401, reply.text)
  assert.equal(reply.json.error.code, 'UNAUTHORIZED')
  const [, error, id, issuer] = CHALLENGE.exec(reply.headers['www-authenticate'] ?? '') ?? []
  assert.deepEqual([error, id, issuer], [kind, signerId, signerId && ISSUER])
}

describe('login by JWT', () => {
  test('W-1 W-4 W-12 S1-1.1 S1-5.2.1 S1-5.2.3 S1-2.3.externalId a good token of a JWKS signer opens a session on both APIs, without a body', async (t) => {
    const { app, token, createSigner, createIdentity } = await setUp(t)
    const signerId = await createSigner()
    const identityId = await createIdentity()
    for (const api of ['client', 'management']) {
      const reply = await logInWithToken(app, token(), api)
      assert.equal(reply.status, 200, reply.text)
      assert.equal(reply.json.data.identityId, identityId)
      assert.equal(reply.json.data.authenticatorId, `extJwtId:${signerId}`)
      assert.equal(reply.headers['zt-session'], reply.json.data.token)
      const own = await app.call('GET', '/edge/client/v1/current-identity', undefined, {
        session: reply.json.data.token,
      })
      assert.equal(own.json.data.name, 'alice')
    }
  })

  test('W-21 I-04 a disabled identity is refused and its sessions end; enabled again it logs in', async (t) => {
    const { app, token, createSigner, createIdentity } = await setUp(t)
    await createSigner()
    const id = await createIdentity()
    const { token: session } = (await logInWithToken(app, token())).json.data
    await app.admin('POST', `/edge/management/v1/identities/${id}/disable`, { durationMinutes: 0 })
    assert.equal((await app.call('GET', '/edge/client/v1/current-identity', undefined, { session })).status, 401)
    assert.equal((await logInWithToken(app, token())).status, 401)
    await app.admin('POST', `/edge/management/v1/identities/${id}/enable`, {})
    assert.equal((await logInWithToken(app, token())).status, 200)
  })
})

test('W-2 W-3 F-04 a key that the provider adds works on its first use, an unknown one does not', async (t) => {
  const { app, provider, token, createSigner, createIdentity } = await setUp(t)
  const signerId = await createSigner()
  await createIdentity()
  assert.equal((await logInWithToken(app, token())).status, 200)
  const later = mintKey('P-256', 'later')
  provider.keys.push(later)
  assert.equal((await logInWithToken(app, token({}, later))).status, 200)
  await assertRefused(app, token({}, mintKey('P-256', 'never published')), 'invalid', signerId)
})

test('W-4 W-9 H-06 a certificate signer accepts tokens of its own key under its own kid', async (t) => {
  const { app, claims, createSigner, createIdentity } = await setUp(t)
  const certificate = makeTestCertificate({ kind: 'rsa2048', commonName: 'static' })
  const staticKey = mintKeyFrom(certificate.privateKey, 'RSA', 'static-1')
  const signerId = await createSigner({ jwksEndpoint: null, certPem: certificate.pem, kid: 'static-1' })
  await createIdentity()
  assert.equal((await logInWithToken(app, mintToken({ key: staticKey, claims }))).status, 200)
  const otherKid = mintKeyFrom(certificate.privateKey, 'RSA', 'static-2')
  await assertRefused(app, mintToken({ key: otherKid, claims }), 'invalid', signerId)
  await assertRefused(app, mintToken({ key: staticKey, claims, header: { kid: undefined } }), 'invalid', signerId)
  const foreign = mintKey('RSA', 'foreign')
  const forged = mintKeyFrom(foreign.privateKey, 'RSA', 'static-1')
  await assertRefused(app, mintToken({ key: forged, claims }), 'invalid', signerId)
})

test('D4 S1-5.1.5 without a kid the certificate’s fingerprint is the kid, and a rotated certificate takes effect at once', async (t) => {
  const { app, claims, createSigner, createIdentity } = await setUp(t)
  const [old, next] = [1, 2].map((n) => makeTestCertificate({ kind: 'ec256', commonName: `static ${n}` }))
  assert.ok(old && next)
  const id = await createSigner({ jwksEndpoint: null, certPem: old.pem, kid: '' })
  await createIdentity()
  const tokenOf = async (certificate: typeof old) => {
    const { fingerprint } = (await app.admin('GET', `${SIGNERS}/${id}`)).json.data
    return mintToken({ key: mintKeyFrom(certificate.privateKey, 'P-256', fingerprint), claims })
  }
  const oldToken = await tokenOf(old)
  assert.equal((await logInWithToken(app, oldToken)).status, 200)
  await app.admin('PATCH', `${SIGNERS}/${id}`, { certPem: next.pem })
  await assertRefused(app, oldToken, 'invalid', id)
  assert.equal((await logInWithToken(app, await tokenOf(next))).status, 200)
})

test('H-02 D11 a certificate verifies nothing outside its validity period', async (t) => {
  const { app, claims, createSigner, createIdentity } = await setUp(t)
  const now = app.clock.now()
  const certificate = makeTestCertificate({
    kind: 'ec256',
    commonName: 'short',
    notBefore: new Date(now - 60_000),
    notAfter: new Date(now + 60_000),
  })
  const signerId = await createSigner({ jwksEndpoint: null, certPem: certificate.pem, kid: 'short' })
  await createIdentity()
  const token = mintToken({ key: mintKeyFrom(certificate.privateKey, 'P-256', 'short'), claims })
  assert.equal((await logInWithToken(app, token)).status, 200)
  app.clock.advance(120_000)
  await assertRefused(app, token, 'invalid', signerId)
})

test('W-5 W-19 D-11 D13 a disabled signer accepts no token, a neighbour with the same keys does, and enabled it works again', async (t) => {
  const { app, token, createSigner, createIdentity } = await setUp(t)
  const id = await createSigner()
  await createSigner({ name: 'neighbour', audience: 'other' })
  await createIdentity()
  assert.equal((await logInWithToken(app, token())).status, 200)
  await app.admin('PATCH', `${SIGNERS}/${id}`, { enabled: false })
  assert.equal((await logInWithToken(app, token())).status, 401)
  assert.equal((await logInWithToken(app, token({ aud: 'other' }))).status, 200)
  await app.admin('PATCH', `${SIGNERS}/${id}`, { enabled: true })
  assert.equal((await logInWithToken(app, token())).status, 200)
  await app.admin('DELETE', `${SIGNERS}/${id}`)
  assert.equal((await logInWithToken(app, token())).status, 401)
})

test('I-02 D13 a session ends with its signer, and those of a neighbour continue', async (t) => {
  const { app, token, createSigner, createIdentity } = await setUp(t)
  const id = await createSigner()
  await createSigner({ name: 'neighbour', audience: 'other' })
  await createIdentity()
  const session = (await logInWithToken(app, token())).json.data.token
  const other = (await logInWithToken(app, token({ aud: 'other' }))).json.data.token
  const statuses = () =>
    Promise.all([session, other].map(async (own) => (await app.call('GET', OWN, undefined, { session: own })).status))
  assert.deepEqual(await statuses(), [200, 200])
  await app.admin('PATCH', `${SIGNERS}/${id}`, { name: 'renamed' })
  assert.deepEqual(await statuses(), [200, 200], 'other changes of the signer end no session')
  await app.admin('PATCH', `${SIGNERS}/${id}`, { enabled: false })
  assert.deepEqual(await statuses(), [401, 200])
  await app.admin('PATCH', `${SIGNERS}/${id}`, { enabled: true })
  assert.deepEqual(await statuses(), [200, 200])
  await app.admin('DELETE', `${SIGNERS}/${id}`)
  assert.deepEqual(await statuses(), [401, 200])
})

test('D-13 a changed issuer takes effect at once: the old one is unknown', async (t) => {
  const { app, token, createSigner, createIdentity } = await setUp(t)
  const id = await createSigner()
  await createIdentity()
  assert.equal((await logInWithToken(app, token())).status, 200)
  await app.admin('PATCH', `${SIGNERS}/${id}`, { issuer: 'https://moved.example' })
  await assertRefused(app, token(), 'missing')
  assert.equal((await logInWithToken(app, token({ iss: 'https://moved.example' }))).status, 200)
})

test('W-6 W-7 W-8 W-10 W-11 W-62 D16 S1-5.1.4 S1-5.1.6 refused tokens get the responses of the decision table', async (t) => {
  const { app, claims, key, token, createSigner, createIdentity } = await setUp(t)
  const signerId = await createSigner()
  await createIdentity()
  assert.equal((await logInWithToken(app, token())).status, 200)
  await assertRefused(app, undefined, 'missing')
  await assertRefused(app, 'garbage', 'missing')
  await assertRefused(app, 'a.b.c', 'missing')
  await assertRefused(app, token({ iss: 'https://other.example' }), 'missing')
  await assertRefused(app, token({ aud: 'elsewhere' }), 'invalid')
  await assertRefused(app, token({ aud: undefined }), 'invalid')
  await assertRefused(app, mintToken({ key, claims, header: { kid: undefined } }), 'invalid', signerId)
  await assertRefused(app, mintToken({ key, claims, header: { kid: 'unknown' } }), 'invalid', signerId)
  await assertRefused(app, token({ exp: claims.exp - 1200 }), 'expired', signerId)
  await assertRefused(app, token({ nbf: claims.exp }), 'invalid', signerId)
  await assertRefused(app, token({ sub: undefined }), 'invalid', signerId)
  const signed = token()
  const other = signed.at(-10) === 'A' ? 'B' : 'A'
  await assertRefused(app, signed.slice(0, -10) + other + signed.slice(-9), 'invalid', signerId)
})

test('W-13 W-14 W-20 W-54 L-01 S1-1.3 unknown, disabled and not allowed look alike, and no identity is created', async (t) => {
  const { app, token, createSigner, createIdentity } = await setUp(t)
  const signerId = await createSigner()
  const before = (await app.admin('GET', '/edge/management/v1/identities')).json.meta.pagination.totalCount
  const refusalResponse = async () => {
    const reply = await logInWithToken(app, token())
    const { requestId: _, ...error } = reply.json.error
    return { status: reply.status, error, challenge: reply.headers['www-authenticate'] }
  }
  const unknown = await refusalResponse()
  const after_ = (await app.admin('GET', '/edge/management/v1/identities')).json.meta.pagination.totalCount
  assert.equal(after_, before)
  const id = await createIdentity()
  assert.equal((await logInWithToken(app, token())).status, 200)
  await app.admin('POST', `/edge/management/v1/identities/${id}/disable`, { durationMinutes: 0 })
  assert.deepEqual(await refusalResponse(), unknown)
  await app.admin('POST', `/edge/management/v1/identities/${id}/enable`, {})
  const policy = (await app.admin('GET', '/edge/management/v1/auth-policies/default')).json.data
  const strict = {
    ...policy,
    name: 'strict',
    primary: { ...policy.primary, extJwt: { allowed: false, allowedSigners: [] } },
  }
  const policyId = (await app.admin('POST', '/edge/management/v1/auth-policies', strict)).json.data.id
  await app.admin('PATCH', `/edge/management/v1/identities/${id}`, { authPolicyId: policyId })
  assert.deepEqual(await refusalResponse(), unknown)
  await app.admin('PATCH', `/edge/management/v1/auth-policies/${policyId}`, { primary: { extJwt: { allowed: true } } })
  assert.equal((await logInWithToken(app, token())).status, 200)
  assert.equal(CHALLENGE.exec(unknown.challenge ?? '')?.[2], signerId)
})

test('W-15 C-14 S1-2.1.claimsProperty S1-2.3.id S1-5.1.3 the identity claim can be any claim, and matches the id when useExternalId is false', async (t) => {
  const { app, token, createSigner, createIdentity } = await setUp(t)
  await createSigner({ claimsProperty: '/person/email' })
  await createSigner({ name: 'by id', audience: 'by-id', useExternalId: false })
  const id = await createIdentity({ externalId: 'a@b.example' })
  assert.equal((await logInWithToken(app, token({ person: { email: 'a@b.example' } }))).status, 200)
  assert.equal((await logInWithToken(app, token({ person: { email: id } }))).status, 401, 'an id is not an externalId')
  assert.equal((await logInWithToken(app, token({ aud: 'by-id', sub: id }))).status, 200)
  assert.equal((await logInWithToken(app, token({ aud: 'by-id', sub: 'a@b.example' }))).status, 401)
})

test('W-18 D-10 two signers that share key and kid do not affect each other', async (t) => {
  const { app, token, createSigner, createIdentity } = await setUp(t)
  const one = await createSigner()
  const two = await createSigner({ name: 'two', issuer: 'https://two.example' })
  await createIdentity()
  for (let round = 0; round < 25; round++) {
    assert.equal((await logInWithToken(app, token())).json.data.authenticatorId, `extJwtId:${one}`)
    const other = await logInWithToken(app, token({ iss: 'https://two.example' }))
    assert.equal(other.json.data.authenticatorId, `extJwtId:${two}`)
  }
})

test('W-55 D-15 allowedSigners limits the signers that can log in', async (t) => {
  const { app, token, createSigner, createIdentity } = await setUp(t)
  const one = await createSigner()
  await createSigner({ name: 'two', audience: 'two' })
  await createIdentity()
  const path = '/edge/management/v1/auth-policies/default'
  await app.admin('PATCH', path, { primary: { extJwt: { allowedSigners: [one] } } })
  assert.equal((await logInWithToken(app, token())).status, 200)
  assert.equal((await logInWithToken(app, token({ aud: 'two' }))).status, 401)
  await app.admin('PATCH', path, { primary: { extJwt: { allowedSigners: [] } } })
  assert.equal((await logInWithToken(app, token({ aud: 'two' }))).status, 200, 'an empty list means all signers')
  await app.admin('PATCH', path, { primary: { extJwt: { allowedSigners: [one] } } })
  assert.equal((await app.admin('DELETE', `${SIGNERS}/${one}`)).status, 409, 'a signer in a list cannot be deleted')
})

test('D48 D55 N-03 a signer last written by a non-administrator cannot log in privileged identities, until an administrator writes it', async (t) => {
  const { app, token, createSigner, createIdentity } = await setUp(t)
  const id = await createSigner()
  await createIdentity({ permissions: ['identity.read'] })
  await createIdentity({ name: 'bob', externalId: 'bob@idp.example' })
  assert.equal((await logInWithToken(app, token())).status, 200)
  const { session } = await app.makeIdentity({ permissions: ['external-jwt-signer'] })
  await app.call('PATCH', `${SIGNERS}/${id}`, { clientId: 'touched' }, { session })
  assert.equal((await logInWithToken(app, token())).status, 401)
  assert.equal((await logInWithToken(app, token({ sub: 'bob@idp.example' }))).status, 200)
  await app.admin('PATCH', `${SIGNERS}/${id}`, { clientId: 'by the administrator' })
  assert.equal((await logInWithToken(app, token())).status, 200)
})

test('D48 N-03 a session by such a signer ends when its identity gains privileges, and not before', async (t) => {
  const { app, token, createIdentity } = await setUp(t)
  const manager = await app.makeIdentity({ permissions: ['external-jwt-signer'] })
  const signer = { name: 'own signer', enabled: true, issuer: ISSUER, audience: AUDIENCE, useExternalId: true }
  const made = await app.call(
    'POST',
    SIGNERS,
    { ...signer, jwksEndpoint: 'https://idp.example/jwks' },
    { session: manager.session },
  )
  assert.equal(made.status, 201, made.text)
  const id = await createIdentity()
  const session = (await logInWithToken(app, token())).json.data.token
  const own = async () => (await app.call('GET', OWN, undefined, { session })).status
  assert.equal(await own(), 200)
  await app.admin('PATCH', `/edge/management/v1/identities/${id}`, { isAdmin: true })
  assert.equal(await own(), 401)
  await app.admin('PATCH', `/edge/management/v1/identities/${id}`, { isAdmin: false })
  assert.equal(await own(), 200)
})

test('R-11 R-12 nothing of a token is in the log or in a refusal', async (t) => {
  const { app, token, createSigner, createIdentity } = await setUp(t)
  await createSigner()
  await createIdentity()
  const bad = token({ aud: 'elsewhere' })
  const reply = await logInWithToken(app, bad)
  await logInWithToken(app, token())
  for (const part of [...bad.split('.'), ...token().split('.')].filter((text) => text.length > 40)) {
    assert.ok(!reply.text.includes(part) && !JSON.stringify(reply.headers).includes(part))
    assert.ok(!app.logged.some((line) => line.includes(part)))
  }
  assert.ok(!reply.text.includes(AUDIENCE))
})

test('B-11 the scheme is case-insensitive, with exactly one space before the token', async (t) => {
  const { app, token, createSigner, createIdentity } = await setUp(t)
  await createSigner()
  await createIdentity()
  const statusOf = async (authorization: string) => {
    const path = '/edge/client/v1/authenticate?method=ext-jwt'
    return (await app.call('POST', path, undefined, { headers: { authorization } })).status
  }
  for (const scheme of ['Bearer', 'bearer', 'BEARER']) assert.equal(await statusOf(`${scheme} ${token()}`), 200, scheme)
  for (const value of [
    `Bearer  ${token()}`,
    `Bearer\t${token()}`,
    `Bearer ${token()}, Bearer ${token()}`,
    `Basic ${token()}`,
    token(),
  ]) {
    assert.equal(await statusOf(value), 401, value.slice(0, 12))
  }
})

test('B-12 a token in the query or the body is ignored, and not logged', async (t) => {
  const { app, token, createSigner, createIdentity } = await setUp(t)
  await createSigner()
  await createIdentity()
  const path = '/edge/client/v1/authenticate?method=ext-jwt'
  const good = token()
  assert.equal((await app.call('POST', `${path}&access_token=${good}`)).status, 401)
  assert.equal((await app.call('POST', path, { token: good, access_token: good })).status, 401)
  assert.ok(!app.logged.some((line) => line.includes(good.split('.')[2] ?? '')))
  assert.equal((await logInWithToken(app, good)).status, 200)
})

test('D-07 a signer cannot claim to be this controller; another address is fine', async (t) => {
  const { createSigner, app } = await setUp(t)
  for (const issuer of ['https://127.0.0.1:1280', 'https://127.0.0.1:1280/']) {
    const reply = await app.admin('POST', SIGNERS, {
      name: issuer,
      enabled: true,
      issuer,
      audience: 'a',
      jwksEndpoint: 'https://idp.example/jwks',
    })
    assert.deepEqual([reply.status, reply.json.error?.cause.field], [400, 'issuer'])
  }
  await createSigner({ issuer: 'https://127.0.0.1:1281' })
})

test('D-08 the controller’s session token is not a JWT, and a JWT is not a session token', async (t) => {
  const { app, token, createSigner, createIdentity } = await setUp(t)
  await createSigner()
  await createIdentity()
  await assertRefused(app, app.adminSession, 'missing')
  const asSession = await app.call('GET', '/edge/client/v1/current-identity', undefined, { session: token() })
  assert.equal(asSession.status, 401)
  assert.equal((await logInWithToken(app, token())).status, 200)
})

test('D-14 F-02 an unknown issuer or audience causes no fetch', async (t) => {
  const { app, provider, token, createSigner } = await setUp(t)
  await createSigner()
  await logInWithToken(app, token())
  const before = provider.fetches
  const unknown = mintKey('P-256', 'unknown')
  for (let round = 0; round < 20; round++) {
    await logInWithToken(app, token({ iss: `https://unknown-${round}.example` }, unknown))
    await logInWithToken(app, token({ aud: `nothing-${round}` }, unknown))
  }
  assert.equal(provider.fetches, before)
})

test('L-07 L-06 an empty claim matches no identity, even if many have no externalId', async (t) => {
  const { app, token, createSigner, createIdentity } = await setUp(t)
  await createSigner()
  await createIdentity({ externalId: '' })
  await createIdentity({ name: 'bob', externalId: undefined })
  assert.equal((await logInWithToken(app, token({ sub: '' }))).status, 401)
  await createIdentity({ name: 'carol', externalId: 'carol' })
  assert.equal((await logInWithToken(app, token({ sub: 'carol' }))).status, 200)
})

test('L-08 an externalId is global: allowedSigners says which signer counts for it', async (t) => {
  const { app, token, createSigner, createIdentity } = await setUp(t)
  const one = await createSigner()
  await createSigner({ name: 'two', issuer: 'https://two.example' })
  await createIdentity()
  const foreign = token({ iss: 'https://two.example' })
  assert.equal((await logInWithToken(app, foreign)).status, 200)
  const path = '/edge/management/v1/auth-policies/default'
  await app.admin('PATCH', path, { primary: { extJwt: { allowedSigners: [one] } } })
  assert.equal((await logInWithToken(app, foreign)).status, 401)
  assert.equal((await logInWithToken(app, token())).status, 200)
})
