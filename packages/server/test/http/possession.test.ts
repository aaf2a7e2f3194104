import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { makeTestCsr, thumbprintOfKey } from '@countersign/testkit'
import { findCredentialUse } from '../../src/store/reads/used-credential-reads.ts'
import { settingsFile } from '../oidc/oidc.fixture.ts'
import { newPostgresDatabase, type Reply } from './build-app.ts'
import { ENROLL_TOKEN, KINDS, POLICIES, setUpEnrollment } from './enroll-token.fixture.ts'
import { BOUND, CLIENT_KEY, challengeOf, DpopClient, HOST, LOGIN, OTHER_KEY, OWN } from './possession.fixture.ts'
import { ALICE, decisionOf, logInWithToken, SIGNERS, setUpProvider } from './provider.fixture.ts'

type Members = Readonly<Record<string, unknown>>

const MANY = 600

async function setUp(t: TestContext, signer: Members = {}, settings: Readonly<Record<string, string>> = {}) {
  const set = await setUpProvider(t, { settings })
  const signerId = await set.createSigner(signer)
  const identityId = await set.createIdentity()
  return { ...set, signerId, identityId, client: await new DpopClient(set.app).start() }
}

const failedStep = async (app: Parameters<typeof decisionOf>[0], { json }: Reply) => {
  const { signers, hints } = await decisionOf(app, json.error.requestId)
  const { reason, checks } = signers[0]
  return { reason, step: checks.find(({ pass }: { pass: boolean }) => !pass)?.check, hints }
}

test('C-19 a bound token logs in with its proof, on both APIs, and not without', async (t) => {
  const { app, token, client, identityId } = await setUp(t)
  for (const api of ['client', 'management']) {
    const bound = token(BOUND)
    const path = `/edge/${api}/v1/authenticate?method=ext-jwt`
    const reply = await client.call('POST', path, { token: bound })
    assert.equal(reply.status, 200, reply.text)
    assert.equal(reply.json.data.identityId, identityId)
    assert.equal(typeof reply.headers['dpop-nonce'], 'string')
    const bearer = await logInWithToken(app, bound)
    assert.deepEqual([bearer.status, challengeOf(bearer)], [401, 'DPoP invalid_dpop_proof'])
    assert.match(bearer.headers['www-authenticate'] ?? '', /algs="RS256 .*ES256 .*EdDSA"/)
  }
  assert.equal((await logInWithToken(app, token())).status, 200, 'a token that is not bound is a bearer token')
})

test('C-19 C-20 each fault of a proof is refused, with its own reason, step and hint', async (t) => {
  const { app, token, client } = await setUp(t)
  const proofs: readonly (readonly [string, string, string, Parameters<DpopClient['logIn']>[1]])[] = [
    ['proof-missing', 'proof', 'invalid_dpop_proof', { proof: null }],
    ['proof-missing', 'proof', 'invalid_dpop_proof', { scheme: 'Bearer' }],
    ['proof-malformed', 'proof', 'invalid_dpop_proof', { proof: 'x' }],
    ['proof-malformed', 'proof', 'invalid_dpop_proof', { proof: 'x'.repeat(5000) }],
    ['proof-key-mismatch', 'proofKey', 'invalid_token', { parts: { key: OTHER_KEY } }],
    ['proof-method-mismatch', 'proofMethod', 'invalid_dpop_proof', { parts: { method: 'GET' } }],
    ['proof-url-mismatch', 'proofUrl', 'invalid_dpop_proof', { parts: { url: `https://other.example${LOGIN}` } }],
    ['proof-url-mismatch', 'proofUrl', 'invalid_dpop_proof', { headers: { host: 'other.example' } }],
    ['proof-token-mismatch', 'proofToken', 'invalid_dpop_proof', { parts: { token: 'other' } }],
    ['proof-time-mismatch', 'proofTime', 'invalid_dpop_proof', { parts: { now: 1 } }],
    ['proof-nonce-missing', 'proofNonce', 'use_dpop_nonce', { parts: { nonce: undefined } }],
    ['proof-nonce-missing', 'proofNonce', 'use_dpop_nonce', { parts: { nonce: 'old' } }],
  ]
  for (const [reason, step, error, options] of proofs) {
    const reply = await client.logIn(token(BOUND), options)
    assert.deepEqual([reply.status, challengeOf(reply)], [401, `DPoP ${error}`], reason)
    assert.equal(typeof reply.headers['dpop-nonce'], 'string')
    const failed = await failedStep(app, reply)
    assert.deepEqual([failed.reason, failed.step, failed.hints.length], [reason, step, 1], reason)
  }
  const bound = token(BOUND)
  const both = [client.proofFor('POST', LOGIN, bound), client.proofFor('POST', LOGIN, bound)]
  const twice = await app.call('POST', LOGIN, undefined, {
    headers: {
      host: HOST,
      authorization: `DPoP ${bound}`,
      dpop: both as unknown as string,
    },
  })
  assert.deepEqual([twice.status, challengeOf(twice)], [401, 'DPoP invalid_dpop_proof'])
  const unbound = await client.logIn(token())
  assert.deepEqual([unbound.status, challengeOf(unbound)], [401, 'DPoP invalid_token'])
  assert.equal((await client.logIn(token(BOUND))).status, 200)
})

test('C-19 the URL of a proof may have a query, and a host in other letters', async (t) => {
  const { token, client } = await setUp(t)
  for (const url of [`https://${HOST}${LOGIN}#x`, `HTTPS://${HOST}/edge/client/v1/authenticate`]) {
    assert.equal((await client.logIn(token(BOUND), { parts: { url } })).status, 200, url)
  }
})

test('C-19 behind a trusted proxy the URL is the one that the client has used', async (t) => {
  for (const [settings, status] of [
    [{ config: settingsFile(t, 'http:\n  trustedProxies: [127.0.0.1]\n') }, 200],
    [undefined, 401],
  ] as const) {
    const { token, client } = await setUp(t, {}, settings)
    const reply = await client.logIn(token(BOUND), {
      headers: { host: 'inner.example', 'x-forwarded-host': HOST, 'x-forwarded-for': '192.0.2.7' },
    })
    assert.equal(reply.status, status, reply.text)
  }
})

test('C-19 a nonce is accepted by every node for five minutes', async (t) => {
  const { app, token, client } = await setUp(t)
  app.clock.advance(4 * 60_000)
  assert.equal((await client.logIn(token(BOUND))).status, 200)
  app.clock.advance(61_000)
  const late = await client.logIn(token(BOUND))
  assert.deepEqual([late.status, challengeOf(late)], [401, 'DPoP use_dpop_nonce'])
  client.nonce = late.headers['dpop-nonce']
  assert.equal((await client.logIn(token(BOUND))).status, 200)
})

test('C-19 asking for a nonce does not count as a failed login', async (t) => {
  const { token, client } = await setUp(t)
  for (let time = 0; time < 60; time++) {
    const reply = await client.logIn(token(BOUND), { parts: { nonce: undefined } })
    assert.equal(challengeOf(reply), 'DPoP use_dpop_nonce')
  }
  assert.equal((await client.logIn(token(BOUND))).status, 200)
})

test('C-21 a proof is accepted once, whatever the node and however many at once', async (t) => {
  const { app, token, client } = await setUp(t)
  const bound = token(BOUND)
  const proof = client.proofFor('POST', LOGIN, bound)
  const replies = await Promise.all(Array.from({ length: 8 }, () => client.logIn(bound, { proof })))
  assert.equal(replies.filter(({ status }) => status === 200).length, 1)
  const again = await client.logIn(bound, { proof })
  assert.deepEqual([again.status, challengeOf(again)], [401, 'DPoP invalid_dpop_proof'])
  const { reason, step } = await failedStep(app, again)
  assert.deepEqual([reason, step], ['proof-replayed', 'proofUse'])
  assert.equal((await client.logIn(bound)).status, 200, 'the token itself may be used again')
})

test('C-22 a session that was opened with a proof needs a proof of the same key on every call', async (t) => {
  const { app, token, client, identityId } = await setUp(t)
  const session: string = (await client.logIn(token(BOUND))).json.data.token
  const own = (options: Parameters<DpopClient['call']>[2] = {}) => client.call('GET', OWN, { session, ...options })
  const good = await own()
  assert.equal(good.status, 200, good.text)
  assert.equal(good.json.data.id, identityId)
  const stolen = await app.call('GET', OWN, undefined, { session })
  assert.deepEqual([stolen.status, challengeOf(stolen)], [401, 'DPoP invalid_dpop_proof'])
  assert.equal(typeof stolen.headers['dpop-nonce'], 'string')
  for (const parts of [
    { key: OTHER_KEY },
    { token: 'other' },
    { token: undefined },
    { method: 'POST' },
    { url: `https://${HOST}/edge/client/v1/current-api-session` },
    { nonce: undefined },
  ]) {
    assert.equal((await own({ parts })).status, 401, JSON.stringify(parts))
  }
  const proof = client.proofFor('GET', OWN, session)
  const replies = await Promise.all(Array.from({ length: 6 }, () => own({ proof })))
  assert.equal(replies.filter(({ status }) => status === 200).length, 1)
  assert.equal((await own()).status, 200)
  const shown = await client.call('GET', '/edge/client/v1/current-api-session', { session })
  assert.equal(shown.json.data.boundKey, BOUND.cnf.jkt)
  const bearer: string = (await logInWithToken(app, token())).json.data.token
  assert.equal((await app.call('GET', OWN, undefined, { session: bearer })).status, 200)
  const listed = await app.admin('GET', '/edge/management/v1/api-sessions?limit=50')
  const keys = listed.json.data.map(({ boundKey }: Members) => boundKey)
  assert.ok(keys.includes(BOUND.cnf.jkt) && keys.includes(null), String(keys))
})

test('C-21 R-21 an identity that sends proofs without pause does not delay those of another', async (t) => {
  const { app, token, createSigner, createIdentity } = await setUpProvider(t, {
    database: await newPostgresDatabase(),
  })
  await createSigner()
  await createIdentity()
  await createIdentity({ name: 'bob', externalId: 'bob' })
  const client = await new DpopClient(app).start()
  const sessionOf = async (sub: string): Promise<string> =>
    (await client.logIn(token({ sub, ...BOUND }))).json.data.token
  const [busy, other] = [await sessionOf(ALICE), await sessionOf('bob')]
  let answered = 0
  const call = async () => {
    const { status } = await client.call('GET', OWN, { session: busy })
    answered++
    return status
  }
  const calls = Array.from({ length: MANY }, call)
  assert.equal((await client.call('GET', OWN, { session: other })).status, 200)
  assert.ok(answered < MANY / 2, `it waited for ${answered} of ${MANY}`)
  assert.deepEqual(new Set(await Promise.all(calls)), new Set([200]))
})

test('C-19 a bound token that is explained is not compared with the proof of the administrator', async (t) => {
  const { token, client, createIdentity } = await setUp(t)
  await createIdentity({ name: 'root', externalId: 'root', isAdmin: true })
  const session: string = (await client.logIn(token({ sub: 'root', ...BOUND }))).json.data.token
  for (const bound of [BOUND, { cnf: { jkt: thumbprintOfKey(OTHER_KEY) } }]) {
    const body = { token: token(bound) }
    const explained = await client.call('POST', `${SIGNERS}/explain`, { session, body })
    assert.equal(explained.status, 200, explained.text)
    const { signers, hints } = explained.json.data
    assert.deepEqual([signers[0].reason, hints.length], ['proof-missing', 1])
  }
  const plain = await client.call('POST', `${SIGNERS}/explain`, { session, body: { token: token() } })
  assert.equal(plain.json.data.signers[0].reason, 'accepted')
})

test('C-19 C-21 a bound token is a second factor with its proof only', async (t) => {
  const { app, token, createSigner, createIdentity, client } = await setUp(t)
  const second = await createSigner({ name: 'second', audience: 'second' })
  const policy = (await app.admin('GET', `${POLICIES}/default`)).json.data
  const body = { ...policy, name: 'strict', secondary: { requireTotp: false, requireExtJwtSigner: second } }
  const authPolicyId = (await app.admin('POST', POLICIES, body)).json.data.id
  await createIdentity({ name: 'bob', externalId: 'bob', authPolicyId })
  const session: string = (await logInWithToken(app, token({ sub: 'bob' }))).json.data.token
  const bound = token({ sub: 'bob', aud: 'second', ...BOUND })
  const accepted = await client.call('GET', OWN, { session, token: bound })
  assert.equal(accepted.status, 200, accepted.text)
  const bare = await app.call('GET', OWN, undefined, { session, headers: { authorization: `Bearer ${bound}` } })
  assert.deepEqual([bare.status, challengeOf(bare)], [401, 'DPoP invalid_dpop_proof'])
  const proof = client.proofFor('GET', OWN, bound)
  const calls = Array.from({ length: 4 }, () => client.call('GET', OWN, { session, token: bound, proof }))
  assert.equal((await Promise.all(calls)).filter(({ status }) => status === 200).length, 1)
  // A session that is bound too needs a proof for each.
  const own: string = (await client.logIn(token({ sub: 'bob', ...BOUND }))).json.data.token
  const both = [client.proofFor('GET', OWN, own), client.proofFor('GET', OWN, bound)]
  const headers = { dpop: both as unknown as string }
  assert.equal((await client.call('GET', OWN, { session: own, token: bound, proof: null, headers })).status, 200)
  assert.equal((await client.call('GET', OWN, { session: own, token: bound })).status, 401)
})

test('C-19 C-21 a bound token enrolls with its proof only', async (t) => {
  const { app, token, enrollingSigner } = await setUpEnrollment(t)
  await enrollingSigner()
  const client = await new DpopClient(app).start()
  const bound = token({ sub: 'new@idp.example', ...BOUND })
  const refused = await app.call('POST', ENROLL_TOKEN, {}, { headers: { authorization: `Bearer ${bound}` } })
  assert.deepEqual([refused.status, challengeOf(refused)], [401, 'DPoP invalid_dpop_proof'])
  const proof = client.proofFor('POST', ENROLL_TOKEN, bound)
  const calls = Array.from({ length: 4 }, () => client.call('POST', ENROLL_TOKEN, { token: bound, proof, body: {} }))
  const replies = await Promise.all(calls)
  assert.equal(replies.filter(({ status }) => status === 200).length, 1, replies.map(({ text }) => text).join('\n'))
  assert.equal((await client.logIn(bound)).status, 200)
})

test('C-23 a bound token enrolls to a certificate for its own key only', async (t) => {
  const { app, token, enrollingSigner } = await setUpEnrollment(t)
  await enrollingSigner()
  const client = await new DpopClient(app).start()
  const bound = token({ sub: 'new@idp.example', ...BOUND })
  const other = await client.call('POST', ENROLL_TOKEN, { token: bound, body: KINDS.cert() })
  assert.deepEqual([other.status, other.json.error.code], [400, 'COULD_NOT_PROCESS_CSR'])
  const own = await client.call('POST', ENROLL_TOKEN, {
    token: bound,
    body: { clientCsr: makeTestCsr({ keyPair: CLIENT_KEY }).pem },
  })
  assert.equal(own.status, 200, own.text)
})

test('C-24 a token of a signer with oneUse logs in once, on all nodes, by its jti', async (t) => {
  const { app, token, signerId } = await setUp(t, { oneUse: true })
  for (const claims of [{}, { jti: 'one' }]) {
    const once = token({ ...claims, salt: JSON.stringify(claims) })
    const replies = await Promise.all(Array.from({ length: 8 }, () => logInWithToken(app, once)))
    assert.equal(replies.filter(({ status }) => status === 200).length, 1)
    const again = await logInWithToken(app, once)
    assert.deepEqual([again.status, challengeOf(again)], [401, 'Bearer invalid_token'])
    const { reason, step, hints } = await failedStep(app, again)
    assert.deepEqual([reason, step, hints.length], ['token-used', 'oneUse', 1])
  }
  assert.equal((await logInWithToken(app, token({ jti: 'one', more: 'x' }))).status, 401)
  assert.equal((await logInWithToken(app, token({ jti: 'two' }))).status, 200)
  await app.admin('PATCH', `${SIGNERS}/${signerId}`, { oneUse: false })
  assert.equal((await logInWithToken(app, token({ jti: 'two' }))).status, 200)
})

test('C-24 C-21 a token or proof that is sent again does not restore a name that an administrator has changed', async (t) => {
  const { app, token, client, signerId, identityId } = await setUp(t, {
    oneUse: true,
    nameSync: true,
    enrollNameClaimsSelector: 'name',
  })
  const path = `/edge/management/v1/identities/${identityId}`
  const name = async () => (await app.admin('GET', path)).json.data.name
  const sendTwice = async (logIn: () => Promise<Reply>, ofToken: string) => {
    assert.equal((await logIn()).status, 200)
    assert.equal(await name(), ofToken)
    assert.equal((await app.admin('PATCH', path, { name: 'Corrected' })).status, 200)
    assert.equal((await logIn()).status, 401)
    assert.equal(await name(), 'Corrected')
  }
  const once = token({ jti: 'one', name: 'Once' })
  await sendTwice(() => logInWithToken(app, once), 'Once')
  await app.admin('PATCH', `${SIGNERS}/${signerId}`, { oneUse: false })
  const bound = token({ name: 'Bound', ...BOUND })
  const proof = client.proofFor('POST', LOGIN, bound)
  await sendTwice(() => client.logIn(bound, { proof }), 'Bound')
  assert.equal((await client.logIn(bound)).status, 200)
  assert.equal(await name(), 'Bound', 'with a proof of its own')
})

test('C-24 D25 an enrollment and the first login with the same token are one use', async (t) => {
  const { app, token, enrollingSigner } = await setUpEnrollment(t)
  await enrollingSigner({ oneUse: true })
  const once = token({ sub: 'new@idp.example', jti: 'one' })
  const headers = { authorization: `Bearer ${once}` }
  const enrolled = await app.call('POST', ENROLL_TOKEN, {}, { headers })
  assert.equal(enrolled.status, 200, enrolled.text)
  const replies = await Promise.all(Array.from({ length: 4 }, () => logInWithToken(app, once)))
  assert.equal(replies.filter(({ status }) => status === 200).length, 1)
  const path = `/edge/management/v1/identities/${enrolled.json.data.identityId}`
  assert.equal((await app.admin('DELETE', path)).status, 200)
  const again = await app.call('POST', ENROLL_TOKEN, {}, { headers })
  assert.deepEqual([again.status, again.json.error.code], [400, 'INVALID_ENROLLMENT_TOKEN'])
  const fresh = token({ sub: 'new@idp.example', jti: 'two' })
  const anew = await app.call('POST', ENROLL_TOKEN, {}, { headers: { authorization: `Bearer ${fresh}` } })
  assert.equal(anew.status, 200, anew.text)
})

test('C-24 a token that has enrolled to a certificate does not log in, one that has enrolled to token use does', async (t) => {
  const { app, token, enrollingSigner } = await setUpEnrollment(t)
  await enrollingSigner({ oneUse: true })
  for (const [kind, status] of [
    ['cert', 401],
    ['token', 200],
  ] as const) {
    const once = token({ sub: `${kind}@idp.example`, jti: 'one' })
    const headers = { authorization: `Bearer ${once}` }
    const enrolled = await app.call('POST', ENROLL_TOKEN, KINDS[kind](), { headers })
    assert.equal(enrolled.status, 200, enrolled.text)
    assert.equal((await logInWithToken(app, once)).status, status, kind)
  }
})

test('C-24 a login that provisions its identity is one use of its token and of its proof', async (t) => {
  const { app, token, client } = await setUp(t, {
    enrollToTokenEnabled: true,
    provisionOnLogin: true,
    oneUse: true,
    requirePossession: 'dpop',
  })
  const once = token({ sub: 'new@idp.example', jti: 'one', ...BOUND })
  const first = await client.logIn(once)
  assert.equal(first.status, 200, first.text)
  assert.equal((await client.logIn(once)).status, 401)
  assert.equal((await client.logIn(token({ sub: 'new@idp.example', jti: 'two', ...BOUND }))).status, 200)
  assert.equal((await logInWithToken(app, token({ sub: ALICE }))).status, 401)
})

test('C-21 C-24 what was used stays used after a restart', async (t) => {
  const { app, token, client } = await setUp(t, { oneUse: true })
  const once = token({ jti: 'one', ...BOUND })
  const opened = await client.logIn(once)
  assert.equal(opened.status, 200, opened.text)
  const session: string = opened.json.data.token
  const call = client.proofFor('GET', OWN, session)
  assert.equal((await client.call('GET', OWN, { session, proof: call })).status, 200)
  await app.restart()
  const used = await client.logIn(once)
  assert.deepEqual([used.status, (await failedStep(app, used)).reason], [401, 'token-used'])
  const replayed = await client.call('GET', OWN, { session, proof: call })
  assert.deepEqual([replayed.status, challengeOf(replayed)], [401, 'DPoP invalid_dpop_proof'])
  assert.equal((await app.call('GET', OWN, undefined, { session })).status, 401, 'the session stays bound')
  assert.equal((await client.call('GET', OWN, { session })).status, 200)
  assert.equal((await client.logIn(token({ jti: 'two', ...BOUND }))).status, 200)
})

test('C-25 a signer with oneUse is no second factor, whichever is written last', async (t) => {
  const { app, signerId } = await setUp(t, { oneUse: true })
  const policy = (await app.admin('GET', `${POLICIES}/default`)).json.data
  const strict = (name: string) => ({
    ...policy,
    name,
    secondary: { requireTotp: false, requireExtJwtSigner: signerId },
  })
  const refused = await app.admin('POST', POLICIES, strict('a'))
  assert.deepEqual([refused.status, refused.json.error.cause.field], [400, 'secondary.requireExtJwtSigner'])
  const plain = (await app.admin('POST', POLICIES, { ...strict('a'), secondary: { requireTotp: false } })).json.data.id
  const patched = await app.admin('PATCH', `${POLICIES}/${plain}`, { secondary: { requireExtJwtSigner: signerId } })
  assert.deepEqual([patched.status, patched.json.error.cause.field], [400, 'secondary.requireExtJwtSigner'])
  assert.equal((await app.admin('PATCH', `${SIGNERS}/${signerId}`, { oneUse: false })).status, 200)
  assert.equal((await app.admin('POST', POLICIES, strict('b'))).status, 201)
  const back = await app.admin('PATCH', `${SIGNERS}/${signerId}`, { oneUse: true })
  assert.deepEqual([back.status, back.json.error.cause.field], [400, 'oneUse'])
})

test('C-26 D54 D64 requirePossession refuses tokens that are not bound, and ends the sessions of such', async (t) => {
  const { app, token, client, signerId } = await setUp(t)
  const path = `${SIGNERS}/${signerId}`
  const session: string = (await logInWithToken(app, token())).json.data.token
  assert.equal((await app.call('GET', OWN, undefined, { session })).status, 200)
  assert.equal((await app.admin('PATCH', path, { requirePossession: 'any' })).status, 200)
  assert.equal((await app.call('GET', OWN, undefined, { session })).status, 401)
  const bare = await logInWithToken(app, token())
  assert.deepEqual([bare.status, challengeOf(bare)], [401, 'DPoP invalid_token'])
  assert.deepEqual((await failedStep(app, bare)).step, 'possession')
  const bound: string = (await client.logIn(token(BOUND))).json.data.token
  assert.equal((await app.admin('PATCH', path, { requirePossession: 'mtls' })).status, 200)
  assert.equal((await client.call('GET', OWN, { session: bound })).status, 401)
  assert.equal((await client.logIn(token(BOUND))).status, 401)
  assert.equal(challengeOf(await logInWithToken(app, token())), 'Bearer invalid_token', 'no proof would help')
  const unknown = await app.admin('PATCH', path, { requirePossession: 'never' })
  assert.deepEqual([unknown.status, unknown.json.error.cause.field], [400, 'requirePossession'])
  for (const body of [{ requirePossession: 7 }, { requirePossession: '' }, { oneUse: 'yes' }]) {
    assert.equal((await app.admin('PATCH', path, body)).status, 400)
  }
  const { jwksEndpoint, issuer, audience, name } = (await app.admin('GET', path)).json.data
  await app.admin('PUT', path, { name, enabled: true, issuer, audience, jwksEndpoint, useExternalId: true })
  assert.equal((await app.admin('GET', path)).json.data.requirePossession, 'mtls')
  await app.admin('PATCH', path, { requirePossession: null, oneUse: null })
  const { requirePossession, oneUse } = (await app.admin('GET', path)).json.data
  assert.deepEqual([requirePossession, oneUse], ['none', false])
})

test('C-21 C-24 notes of used tokens and proofs go when the token has expired', async (t) => {
  const { app, token, client } = await setUp(t, { oneUse: true })
  assert.equal((await client.logIn(token(BOUND))).status, 200)
  assert.equal(await findCredentialUse(app.store.db, 'unknown'), undefined)
  const count = async () => {
    const rows = await app.store.db.selectFrom('used_credentials').select('digest').execute()
    return rows.length
  }
  const { pruneUsedCredentials } = await import('../../src/operations/possession/use-proof.ts')
  const prune = () => app.store.run(pruneUsedCredentials, {}, { actorId: 'system', now: app.clock.now() })
  await prune()
  assert.equal(await count(), 2)
  app.clock.advance(4 * 60_000)
  await prune()
  assert.equal(await count(), 1)
  app.clock.advance(10 * 60_000)
  await prune()
  assert.equal(await count(), 0)
})
