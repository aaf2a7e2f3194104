import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { mintKey } from '@countersign/testkit'
import { pruneDecisions } from '../../src/operations/auth-decision/record-decisions.ts'
import { ADMIN_PASSWORD, newPostgresDatabase, type TestApp } from './build-app.ts'
import { summarize } from './ext-jwt-signers.fixture.ts'
import { createPassword } from './identities.fixture.ts'
import {
  ALICE,
  DECISIONS,
  decisionOf,
  logInWithToken,
  partsOf,
  refusalOf,
  SIGNERS,
  setUpProvider,
  storeDecisions,
} from './provider.fixture.ts'

const IDENTITIES = '/edge/management/v1/identities'
const DAY_MS = 86_400_000

const logIn = (app: TestApp, username: string, password: string) =>
  app.call('POST', '/edge/client/v1/authenticate?method=password', { username, password })

async function countDecisions(app: TestApp): Promise<number> {
  await storeDecisions(app)
  return (await app.admin('GET', `${DECISIONS}?limit=1`)).json.meta.pagination.totalCount
}

describe('decisions on refused logins', () => {
  test('D18 the request id of a refusal finds its verdict, with hints; a successful login leaves no decision', async (t) => {
    const { app, token, createSigner, createIdentity } = await setUpProvider(t)
    const signerId = await createSigner()
    const identityId = await createIdentity()
    assert.equal((await logInWithToken(app, token())).status, 200)
    assert.equal(await countDecisions(app), 0)

    const now = Math.floor(app.clock.now() / 1000)
    const expired = token({ iat: now - 600, exp: now - 5 })
    const id = await refusalOf(logInWithToken(app, expired))
    const decision = await decisionOf(app, id)
    assert.deepEqual(
      [decision.id, decision.method, decision.reason, decision.signerId, decision.identityId],
      [id, 'ext-jwt', 'token-expired', signerId, null],
    )
    assert.equal(decision.remoteAddress, '127.0.0.1')
    assert.ok(Math.abs(Date.parse(decision.at) - app.clock.now()) < 60_000)
    const [signer] = decision.signers
    assert.deepEqual([signer.signerId, signer.reason], [signerId, 'token-expired'])
    assert.deepEqual(
      signer.checks.filter(({ pass }: { pass: boolean }) => !pass).map(({ check }: { check: string }) => check),
      ['expiry'],
    )
    assert.match(decision.hints.join('\n'), /the token expired/)
    assert.deepEqual([decision.identity, decision.policy], [null, null])
    assert.equal(await countDecisions(app), 1)

    await app.admin('POST', `${IDENTITIES}/${identityId}/disable`, { durationMinutes: 0 })
    const disabled = await decisionOf(app, await refusalOf(logInWithToken(app, token())))
    assert.deepEqual([disabled.reason, disabled.identityId], ['disabled', identityId])
    assert.deepEqual(disabled.identity, { id: identityId, name: 'alice', disabled: true })
    assert.equal(disabled.policy.id, 'default')
    assert.match(disabled.missing.join(), /"alice" is disabled/)
    assert.equal(summarize(await app.admin('GET', `${DECISIONS}/no-such-id`)), '404 NOT_FOUND')
  })

  test('D18 the list is filtered, sorted and paged', async (t) => {
    const { app, token, createSigner } = await setUpProvider(t)
    const signerId = await createSigner()
    const unknown = await refusalOf(logInWithToken(app, token()))
    app.clock.advance(1000)
    const elsewhere = await refusalOf(logInWithToken(app, token({ iss: 'https://elsewhere.example' })))
    app.clock.advance(1000)
    const password = await refusalOf(logIn(app, 'unknown-user', 'wrong-password'))
    await storeDecisions(app)
    const list = async (query: string): Promise<string[]> => {
      const reply = await app.admin('GET', `${DECISIONS}?${query}`)
      assert.equal(reply.status, 200, reply.text)
      return reply.json.data.map(({ id }: { id: string }) => id)
    }
    const filter = (text: string) => list(`filter=${encodeURIComponent(text)}`)
    assert.deepEqual(await list('sort=at'), [unknown, elsewhere, password])
    assert.deepEqual(await list('sort=createdAt%20desc&limit=1&offset=1'), [elsewhere])
    assert.deepEqual(await filter('reason = "issuer-unknown"'), [elsewhere])
    assert.deepEqual(await filter('method = "password"'), [password])
    assert.deepEqual(await filter(`signerId = "${signerId}"`), [unknown])
    assert.deepEqual(await filter('remoteAddress = "192.0.2.1"'), [])
    assert.equal(
      summarize(await app.admin('GET', `${DECISIONS}?filter=explanation%20%3D%20null`)),
      '400 INVALID_FILTER',
    )
  })

  test('D18 a decision names the claimed identity, the identity and the signer, and is found by them', async (t) => {
    const { app, token, createSigner, createIdentity } = await setUpProvider(t)
    const signerId = await createSigner()
    const identityId = await createIdentity()
    await app.admin('POST', `${IDENTITIES}/${identityId}/disable`, { durationMinutes: 0 })
    const { username } = await createPassword(app, identityId)
    const expired = { exp: Math.floor(app.clock.now() / 1000) - 900 }
    const refused = {
      known: await refusalOf(logInWithToken(app, token())),
      unknown: await refusalOf(logInWithToken(app, token({ sub: 'bob@idp.example' }))),
      expired: await refusalOf(logInWithToken(app, token({ sub: 'carol@idp.example', ...expired }))),
      elsewhere: await refusalOf(logInWithToken(app, token({ iss: 'https://elsewhere.example', sub: 'dave' }))),
      unreadable: await refusalOf(logInWithToken(app, 'opaque-1234567890')),
      password: await refusalOf(logIn(app, username, 'wrong-password')),
    }
    const namesOf = async (id: string) => {
      const { claimedIdentity, identityName, signerName } = await decisionOf(app, id)
      return [claimedIdentity, identityName, signerName]
    }
    assert.deepEqual(await namesOf(refused.known), [ALICE, 'alice', 'idp'])
    assert.deepEqual(await namesOf(refused.unknown), ['bob@idp.example', null, 'idp'])
    assert.deepEqual(await namesOf(refused.expired), ['carol@idp.example', null, 'idp'])
    assert.deepEqual(await namesOf(refused.elsewhere), ['dave', null, null])
    assert.deepEqual(await namesOf(refused.unreadable), [null, null, null])
    assert.deepEqual(await namesOf(refused.password), [null, 'alice', null])
    const list = async (query: Readonly<Record<string, string>>) => {
      const reply = await app.admin('GET', `${DECISIONS}?${new URLSearchParams(query)}`)
      assert.equal(reply.status, 200, reply.text)
      return reply.json.data.map(({ id }: { id: string }) => id)
    }
    const found = async (filter: string) => (await list({ filter })).sort()
    assert.deepEqual(await found('claimedIdentity = "bob@idp.example"'), [refused.unknown])
    assert.deepEqual(await found('claimedIdentity icontains "CAROL"'), [refused.expired])
    assert.deepEqual(await found('claimedIdentity = null'), [refused.password, refused.unreadable].sort())
    assert.deepEqual(await found('identityName = "alice"'), [refused.known, refused.password].sort())
    assert.deepEqual(await found(`identityId = "${identityId}"`), [refused.known, refused.password].sort())
    const ofSigner = [refused.known, refused.unknown, refused.expired].sort()
    assert.deepEqual(await found('signerName contains "idp"'), ofSigner)
    assert.deepEqual(await found(`signerId = "${signerId}"`), ofSigner)
    assert.deepEqual(await list({ filter: 'signerName = "idp"', sort: 'claimedIdentity desc' }), [
      refused.expired,
      refused.unknown,
      refused.known,
    ])
    assert.deepEqual(await list({ filter: 'claimedIdentity = "elsewhere"' }), [])
    await app.admin('DELETE', `${IDENTITIES}/${identityId}`)
    assert.deepEqual(await found('identityName = "alice"'), [refused.known, refused.password].sort())
  })

  test('D18 a claim of any length is stored in a bounded form', async (t) => {
    const { app, token, createSigner } = await setUpProvider(t)
    await createSigner()
    const longest = 'é'.repeat(512)
    const claimedBy = async (sub: string) =>
      (await decisionOf(app, await refusalOf(logInWithToken(app, token({ sub }))))).claimedIdentity
    assert.equal(await claimedBy(longest), longest)
    const cut = await claimedBy('é'.repeat(4000))
    assert.ok(cut.length <= 513 && cut.endsWith('…'), cut)
  })

  test('D18 a decision is hidden after 24 hours, and pruning deletes its row', async (t) => {
    const { app, token } = await setUpProvider(t)
    const id = await refusalOf(logInWithToken(app, token()))
    assert.equal((await decisionOf(app, id)).id, id)
    const rows = () => app.store.db.selectFrom('auth_decisions').select('id').execute()
    const prune = () => app.store.run(pruneDecisions, {}, { actorId: 'system', now: app.clock.now() })
    app.clock.advance(DAY_MS - 60_000)
    const session = await app.logIn('admin', ADMIN_PASSWORD)
    assert.equal((await app.call('GET', `${DECISIONS}/${id}`, undefined, { session })).status, 200)
    assert.equal(await prune(), false)
    assert.equal((await rows()).length, 1)
    app.clock.advance(61_000)
    assert.equal((await app.call('GET', `${DECISIONS}/${id}`, undefined, { session })).status, 404)
    assert.deepEqual((await app.call('GET', DECISIONS, undefined, { session })).json.data, [])
    assert.equal((await rows()).length, 1)
    await prune()
    assert.equal((await rows()).length, 0)
  })
})

test('D18 every node shows the decisions of the other nodes', async (t) => {
  const database = await newPostgresDatabase()
  const { app, token } = await setUpProvider(t, { database })
  const { app: other } = await setUpProvider(t, { database })
  const id = await refusalOf(logInWithToken(app, token()))
  const here = await decisionOf(app, id)
  assert.equal(here.reason, 'issuer-unknown')
  assert.deepEqual(await decisionOf(other, id), here)
})

test('R-04 a name with control characters takes no other decision with it', async (t) => {
  for (const database of ['sqlite', await newPostgresDatabase()] as const) {
    const { app, token } = await setUpProvider(t, { database })
    const [named] = await Promise.all([
      refusalOf(logInWithToken(app, token({ email: 'a\u0000b', sub: 'a\u0000b' }))),
      logIn(app, 'admin', 'not-the-password'),
      logIn(app, 'admin', 'nor-this-one'),
    ])
    assert.equal(await countDecisions(app), 3)
    assert.equal((await decisionOf(app, named)).claimedIdentity, 'a\uFFFDb')
  }
})

test('D18 L-01 refusals that look alike to the caller are distinguished for administrators', async (t) => {
  const { app, provider, token, createSigner, createIdentity } = await setUpProvider(t)
  const signerId = await createSigner()
  const other = await createSigner({ name: 'other', audience: 'other' })
  const responses = new Set<string>()
  const reasonOf = async (...tokens: readonly string[]): Promise<string> => {
    const reply = await logInWithToken(app, ...tokens)
    const { requestId, ...error } = reply.json.error
    responses.add(JSON.stringify([reply.status, error, reply.headers['www-authenticate']]))
    return (await decisionOf(app, requestId)).reason
  }
  assert.equal(await reasonOf(token()), 'unknown-identity')
  const id = await createIdentity({ permissions: ['identity.read'] })
  await app.admin('POST', `${IDENTITIES}/${id}/disable`, { durationMinutes: 0 })
  assert.equal(await reasonOf(token()), 'disabled')
  await app.admin('POST', `${IDENTITIES}/${id}/enable`, {})
  const policy = '/edge/management/v1/auth-policies/default'
  await app.admin('PATCH', policy, { primary: { extJwt: { allowed: false } } })
  assert.equal(await reasonOf(token()), 'not-allowed')
  await app.admin('PATCH', policy, { primary: { extJwt: { allowed: true, allowedSigners: [other] } } })
  assert.equal(await reasonOf(token()), 'signer-not-allowed')
  await app.admin('PATCH', policy, { primary: { extJwt: { allowedSigners: [] } } })
  assert.equal((await logInWithToken(app, token())).status, 200)
  const { session } = await app.makeIdentity({ permissions: ['external-jwt-signer'] })
  await app.call('PATCH', `${SIGNERS}/${signerId}`, { clientId: 'touched' }, { session })
  assert.equal(await reasonOf(token()), 'signer-not-trusted')
  assert.equal(responses.size, 1)

  const unknownKey = await decisionOf(app, await refusalOf(logInWithToken(app, token({}, mintKey('P-256', 'unknown')))))
  assert.equal(unknownKey.reason, 'kid-unknown')
  assert.ok(unknownKey.hints.join().includes(`"${provider.keys[0]?.kid}"`))
})

test('D18 the decision on a login without a token, or with several, says which token was refused', async (t) => {
  const { app, token, createSigner } = await setUpProvider(t)
  await createSigner()
  const none = await decisionOf(app, await refusalOf(logInWithToken(app)))
  assert.deepEqual([none.reason, none.signers], ['token-missing', []])
  assert.match(none.hints[0], /the request has no token/)
  const expired = token({ exp: Math.floor(app.clock.now() / 1000) - 900 })
  const several = await decisionOf(app, await refusalOf(logInWithToken(app, token({ aud: 'other' }), expired)))
  assert.equal(several.reason, 'token-expired')
  assert.match(several.hints[0], /the request has 2 tokens: this explains token 2/)
  const opaque = await decisionOf(app, await refusalOf(logInWithToken(app, 'opaque-1234567890')))
  assert.deepEqual([opaque.reason, opaque.signers], ['token-malformed', []])
  assert.match(opaque.hints.join(), /opaque token/)
})

test('D18 the decision on a refused password says why, and contains neither the password nor the user name', async (t) => {
  const { app, createIdentity } = await setUpProvider(t)
  const identityId = await createIdentity()
  const { username, password } = await createPassword(app, identityId)
  const refusal = async (name: string, secret: string) => decisionOf(app, await refusalOf(logIn(app, name, secret)))
  const typed = 'hunter2-typed-as-user-name'
  const unknown = await refusal(typed, 'wrong-password-typed')
  assert.deepEqual([unknown.method, unknown.reason, unknown.identity], ['password', 'unknown-user', null])
  const wrong = await refusal(username, 'wrong-password-typed')
  assert.deepEqual([wrong.reason, wrong.identityId, wrong.signers], ['wrong-password', identityId, []])
  assert.match(wrong.missing[0], /the right password of the identity "alice"/)
  await app.admin('POST', `${IDENTITIES}/${identityId}/disable`, { durationMinutes: 0 })
  assert.equal((await refusal(username, password)).reason, 'disabled')
  await app.admin('POST', `${IDENTITIES}/${identityId}/enable`, {})
  const policy = (await app.admin('GET', '/edge/management/v1/auth-policies/default')).json.data
  const strict = {
    ...policy,
    name: 'strict',
    primary: { ...policy.primary, updb: { ...policy.primary.updb, allowed: false } },
  }
  const authPolicyId = (await app.admin('POST', '/edge/management/v1/auth-policies', strict)).json.data.id
  await app.admin('PATCH', `${IDENTITIES}/${identityId}`, { authPolicyId })
  const notAllowed = await refusal(username, password)
  assert.deepEqual([notAllowed.reason, notAllowed.policy.allowsPassword], ['not-allowed', false])
  await app.admin('PATCH', `${IDENTITIES}/${identityId}`, { authPolicyId: 'default' })
  assert.equal((await logIn(app, username, password)).status, 200)
  const stored = JSON.stringify(await app.store.db.selectFrom('auth_decisions').selectAll().execute())
  for (const text of [typed, 'wrong-password-typed', password, username]) assert.ok(!stored.includes(text), text)
})

test('R-11 R-12 no part of a refused token is stored, logged or returned', async (t) => {
  const { app, token, createSigner, createIdentity } = await setUpProvider(t)
  await createSigner()
  await createIdentity({ externalId: 'another user' })
  const tokens = [token(), token({ aud: 'other' }), token({ iss: 'https://elsewhere.example' }), `${token()}.x`]
  for (const text of tokens) await decisionOf(app, await refusalOf(logInWithToken(app, text)))
  const stored = JSON.stringify(await app.store.db.selectFrom('auth_decisions').selectAll().execute())
  const shown = (await app.admin('GET', DECISIONS)).text
  for (const part of tokens.flatMap(partsOf)) {
    assert.ok(!stored.includes(part) && !shown.includes(part))
    assert.ok(!app.logged.some((line) => line.includes(part)))
  }
})

test('R-04 a flood of refusals leaves a bounded number of decisions and no entry in the change log', async (t) => {
  const { app, token, createSigner } = await setUpProvider(t, { isAlone: 'controller' })
  await createSigner()
  // The signer's keys are stored meanwhile.
  const changes = () =>
    app.store.db.selectFrom('change_log').select('seq').where('entity', '!=', 'externalJwtSigners').execute()
  const before = (await changes()).length
  const FLOOD = 1_500
  const started = performance.now()
  const good = token()
  // Refusals are delayed after the first ones, so many are sent at a time.
  for (let sent = 0; sent < FLOOD; sent += 500) {
    await Promise.all(Array.from({ length: 500 }, () => refusalOf(logInWithToken(app, good))))
  }
  const kept = await countDecisions(app)
  const seconds = (performance.now() - started) / 1000
  assert.ok(kept >= 250 && kept <= 500 + 50 * Math.ceil(seconds), `${kept} in ${seconds} s`)
  assert.equal((await changes()).length, before)
})

test('D18 a refusal just before shutdown is stored before the controller has closed', async (t) => {
  const { app, token } = await setUpProvider(t, { isAlone: 'controller' })
  const id = await refusalOf(logInWithToken(app, token()))
  await app.controller.close()
  const rows = await app.store.db.selectFrom('auth_decisions').select('id').execute()
  assert.deepEqual(
    rows.map((row) => row.id),
    [id],
  )
})
