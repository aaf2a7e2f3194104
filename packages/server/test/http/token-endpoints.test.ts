import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { mintKey, mintKeyFrom, mintToken } from '@countersign/testkit'
import type { Reply } from './build-app.ts'
import {
  ENROLL_BY_METHOD,
  ENROLL_TOKEN,
  enroll,
  KINDS,
  POLICIES,
  refusal,
  setUpEnrollment,
} from './enroll-token.fixture.ts'
import { ALICE, AUDIENCE, decisionOf, ISSUER, logInWithToken, partsOf, SIGNERS } from './provider.fixture.ts'

type Headers = Readonly<Record<string, string>>

/**
 * Every endpoint that accepts a provider's token, with a good token for each: an identity that can log in, a session that
 * needs a second factor, and a new subject for the enrollment endpoints.
 */
async function setUpEndpoints(t: TestContext, signer: Readonly<Record<string, unknown>> = {}) {
  const parts = await setUpEnrollment(t)
  const { app, token, enrollingSigner, createIdentity } = parts
  const signerId = await enrollingSigner(signer)
  const policy = (await app.admin('GET', `${POLICIES}/default`)).json.data
  const strict = { ...policy, name: 'strict', secondary: { requireTotp: false, requireExtJwtSigner: signerId } }
  const authPolicyId = (await app.admin('POST', POLICIES, strict)).json.data.id
  await createIdentity({ authPolicyId })
  const sessionFor = async (claims: Readonly<Record<string, unknown>>): Promise<string> =>
    (await logInWithToken(app, token(claims))).json.data.token

  const withToken = (method: string, path: string, body: unknown, session?: string) => {
    return (bearer: string, headers: Headers = {}): Promise<Reply> =>
      app.call(method, path, body, {
        headers: { authorization: `Bearer ${bearer}`, ...headers },
        ...(session !== undefined && { session }),
      })
  }
  const endpointsFor = (session: string) => ({
    primary: withToken('POST', '/edge/client/v1/authenticate?method=ext-jwt', undefined),
    second: withToken('GET', '/edge/client/v1/current-identity', undefined, session),
    toToken: withToken('POST', ENROLL_TOKEN, KINDS.token()),
    toCertificate: withToken('POST', ENROLL_TOKEN, KINDS.cert()),
    toTokenByMethod: withToken('POST', ENROLL_BY_METHOD, KINDS.token()),
    toCertificateByMethod: withToken('POST', ENROLL_BY_METHOD, KINDS.cert()),
  })
  return { ...parts, signerId, sessionFor, endpointsFor }
}

const REFUSED = {
  primary: '401 UNAUTHORIZED',
  second: '401 UNAUTHORIZED',
  toToken: '400 INVALID_ENROLLMENT_TOKEN',
  toCertificate: '400 INVALID_ENROLLMENT_TOKEN',
  toTokenByMethod: '400 INVALID_ENROLLMENT_TOKEN',
  toCertificateByMethod: '400 INVALID_ENROLLMENT_TOKEN',
}

test('D-01 R-11 every endpoint checks a bad token alike, whatever the other headers, and nothing of it is logged', async (t) => {
  const { app, key, token, signerId, sessionFor, endpointsFor, state } = await setUpEndpoints(t)
  const now = Math.floor(app.clock.now() / 1000)
  const claims = { iss: ISSUER, aud: AUDIENCE, sub: ALICE, exp: now + 600, iat: now }
  const session = await sessionFor({})
  const endpoints = endpointsFor(session)
  const foreign = mintKey('RSA', 'foreign')
  const good = token()
  const bad = {
    'another audience': token({ aud: 'elsewhere' }),
    expired: token({ exp: now - 1 }),
    'no expiry': token({ exp: undefined }),
    'not valid yet': token({ nbf: now + 300 }),
    'issued in the future': token({ iat: now + 300 }),
    'another issuer': token({ iss: 'https://other.example' }),
    'the issuer with a slash': token({ iss: `${ISSUER}/` }),
    'no subject': token({ sub: undefined }),
    'a list as subject': token({ sub: [ALICE] }),
    'unknown kid': mintToken({ key, claims, header: { kid: 'unknown' } }),
    'no kid': mintToken({ key, claims, header: { kid: undefined } }),
    'alg none': mintToken({ key, claims, header: { alg: 'none' } }),
    'alg of another family': mintToken({ key, claims, header: { alg: 'HS256' } }),
    critical: mintToken({ key, claims, header: { crit: ['exp'] } }),
    'another key': mintToken({ key: mintKeyFrom(foreign.privateKey, 'RSA', key.kid), claims }),
    'no signature': good.slice(0, good.lastIndexOf('.') + 1),
    'a changed payload': good.replace(/\.[^.]+\./, `.${token({ sub: 'mallory' }).split('.')[1]}.`),
    'a session token': session,
    garbage: 'garbage',
    nothing: '',
  }
  const headers: Headers[] = [
    {},
    { 'ziti-token-issuer-id': signerId },
    { 'ziti-token-issuer-id': '' },
    { 'ziti-token-issuer-id': signerId, 'zt-session': session },
    { 'content-type': 'application/json; charset=utf-8' },
  ]
  const before = await state()
  for (const [what, bearer] of Object.entries(bad)) {
    for (const more of headers) {
      for (const [endpoint, send] of Object.entries(endpoints)) {
        const reply = await send(bearer, more)
        assert.equal(refusal(reply), REFUSED[endpoint as keyof typeof REFUSED], `${what} at ${endpoint}: ${reply.text}`)
      }
    }
  }
  assert.deepEqual(await state(), before)
  for (const part of Object.values(bad).flatMap(partsOf)) {
    assert.ok(!app.logged.some((line) => line.includes(part)))
  }
  assert.equal((await endpoints.primary(good)).status, 200)
  assert.equal((await endpoints.second(good)).status, 200)
  for (const [index, more] of headers.entries()) {
    for (const endpoint of ['toToken', 'toCertificate', 'toTokenByMethod', 'toCertificateByMethod'] as const) {
      const reply = await endpointsFor(session)[endpoint](token({ sub: `${endpoint} ${index}` }), more)
      assert.equal(reply.status, 200, reply.text)
    }
  }
})

test('D-02 the header that names a signer skips no check: it must be the one that verifies the token', async (t) => {
  const { app, token, enrollingSigner, enroll: enrollWith, state, provider } = await setUpEnrollment(t)
  const one = await enrollingSigner()
  const two = await enrollingSigner({ name: 'two', issuer: 'https://two.example' })
  const otherAudience = await enrollingSigner({ name: 'three', audience: 'three' })
  const disabled = await enrollingSigner({ name: 'four', audience: 'four' })
  await app.admin('PATCH', `${SIGNERS}/${disabled}`, { enabled: false })
  provider.keys.push(mintKey('P-256', 'new'))
  const before = await state()
  const invalid = '400 INVALID_ENROLLMENT_TOKEN'
  for (const body of [KINDS.token(), KINDS.cert()]) {
    for (const ids of [
      [two],
      [otherAudience],
      ['unknown'],
      ["' or 1=1 --"],
      [`${one}, ${two}`],
      [one, one],
      [one, two],
    ]) {
      assert.equal(refusal(await enrollWith(token(), body, ids)), invalid, ids.join(' and '))
    }
    assert.equal(refusal(await enrollWith(token({ aud: 'four' }), body, [disabled])), invalid)
    assert.equal(
      refusal(await enrollWith(token({ aud: 'four' }), body)),
      invalid,
      'D29 a disabled signer does not enroll',
    )
    // An unknown key is fetched for the signer that the token names, and for no other.
    assert.equal(refusal(await enrollWith(token({}, mintKey('P-256', 'never')), body, [two])), invalid)
  }
  assert.deepEqual(await state(), before)
  for (const [index, ids] of [[one], [''], []].entries()) {
    const reply = await enroll(app, { tokens: [token({ sub: `s${index}` })], signerIds: ids })
    assert.equal(reply.status, 200, reply.text)
  }
})

test('D9 when several enrolling signers match a token, the caller must choose; signers that do not enroll are ignored', async (t) => {
  const { token, enrollingSigner, enroll, identity, state } = await setUpEnrollment(t)
  const one = await enrollingSigner({ enrollNameClaimsSelector: 'one' })
  const two = await enrollingSigner({ name: 'two', audience: 'two', enrollNameClaimsSelector: 'two' })
  await enrollingSigner({ name: 'three', audience: 'three', enrollToTokenEnabled: false })
  const both = (sub: string) => token({ sub, aud: [AUDIENCE, 'two'], one: `${sub} of one`, two: `${sub} of two` })
  const before = await state()
  for (const body of [KINDS.token(), KINDS.cert()]) {
    const reply = await enroll(both('a'), body)
    assert.equal(refusal(reply), '400 INVALID_ENROLLMENT_TOKEN')
    assert.match(reply.json.error.cause.message, /ziti-token-issuer-id/)
  }
  assert.deepEqual(await state(), before)
  for (const [index, [id, name]] of (
    [
      [one, 'one'],
      [two, 'two'],
    ] as const
  ).entries()) {
    const reply = await enroll(both(`s${index}`), {}, [id])
    assert.equal((await identity(reply.json.data.identityId)).name, `s${index} of ${name}`)
  }
  const withThree = token({ sub: 'c', aud: [AUDIENCE, 'three'], one: 'c' })
  assert.equal((await enroll(withThree)).status, 200, 'the third signer does not enroll to token use')
  const alsoCert = token({ sub: 'd', aud: [AUDIENCE, 'three'], one: 'd' })
  assert.equal(refusal(await enroll(alsoCert, KINDS.cert())), '400 INVALID_ENROLLMENT_TOKEN')
})

test('D30 the first valid one of up to three tokens enrolls; a fourth header line is refused', async (t) => {
  const { app, token, enrollingSigner, identity } = await setUpEnrollment(t)
  await enrollingSigner()
  const bad = token({ aud: 'elsewhere' })
  const first = await enroll(app, { tokens: [bad, token({ sub: 'first' }), token({ sub: 'second' })] })
  assert.equal((await identity(first.json.data.identityId)).externalId, 'first')
  const none = await enroll(app, { tokens: [bad, 'garbage', token({ exp: 1000 })] })
  assert.equal(refusal(none), '400 INVALID_ENROLLMENT_TOKEN')
  const { reason, hints } = await decisionOf(app, none.json.error.requestId)
  assert.equal(reason, 'token-expired')
  assert.match(hints[0], /the request has 3 tokens: this explains token 3/)
  const four = await enroll(app, { tokens: [bad, bad, bad, token({ sub: 'fourth' })] })
  assert.equal(four.status, 400)
})

test('D-09 an enrolling token is not a session, and a session token does not enroll', async (t) => {
  const { app, token, enrollingSigner, enroll: enrollWith } = await setUpEnrollment(t)
  await enrollingSigner()
  const used = token()
  const asSession = (bearer: string) =>
    Promise.all([
      app.call('GET', '/edge/client/v1/current-identity', undefined, { session: bearer }),
      app.call('GET', '/edge/client/v1/current-identity', undefined, {
        headers: { authorization: `Bearer ${bearer}` },
      }),
    ])
  for (const reply of await asSession(used)) assert.equal(reply.status, 401)
  assert.equal((await enrollWith(used)).status, 200)
  for (const reply of await asSession(used)) assert.equal(reply.status, 401, 'nor after it has enrolled')
  const { token: session } = (await logInWithToken(app, used)).json.data
  assert.equal(refusal(await enrollWith(session)), '400 INVALID_ENROLLMENT_TOKEN')
  const withSession = await app.call('POST', ENROLL_TOKEN, {}, { session })
  assert.equal(refusal(withSession), '400 INVALID_ENROLLMENT_TOKEN')
  assert.equal((await app.call('GET', '/edge/client/v1/current-identity', undefined, { session })).status, 200)
})

test('D14 tokens of a shared issuer pass only with the required owner, at every endpoint; the refused ones differ in nothing else', async (t) => {
  const own = { repository_owner: 'acme' }
  const { signerId, token, sessionFor, endpointsFor, state } = await setUpEndpoints(t, { requiredClaims: own })
  const session = await sessionFor(own)
  const endpoints = endpointsFor(session)
  const before = await state()
  for (const otherOwner of [
    { repository_owner: 'mallory' },
    { repository_owner: 'ACME' },
    {},
    { repository_owner: ['x'] },
  ]) {
    for (const headers of [{}, { 'ziti-token-issuer-id': signerId }]) {
      for (const [endpoint, send] of Object.entries(endpoints)) {
        const reply = await send(token(otherOwner), headers)
        assert.equal(
          refusal(reply),
          REFUSED[endpoint as keyof typeof REFUSED],
          `${JSON.stringify(otherOwner)} at ${endpoint}`,
        )
      }
    }
  }
  assert.deepEqual(await state(), before)
  assert.equal((await endpoints.primary(token(own))).status, 200)
  assert.equal((await endpoints.second(token(own))).status, 200)
  assert.equal((await endpoints.toToken(token({ ...own, sub: 'bob' }))).status, 200)
  assert.equal((await endpoints.toCertificate(token({ ...own, sub: 'carol' }))).status, 200)
  assert.equal((await endpoints.toTokenByMethod(token({ ...own, sub: 'dave' }))).status, 200)
  assert.equal((await endpoints.toCertificateByMethod(token({ ...own, sub: 'eve' }))).status, 200)
})
