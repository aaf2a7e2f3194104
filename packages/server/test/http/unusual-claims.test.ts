/** Claims that PostgreSQL cannot store as they are. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { POLICIES, policyBody } from './auth-policies.fixture.ts'
import { newPostgresDatabase } from './build-app.ts'
import { API_SESSIONS } from './identities.fixture.ts'
import { decisionOf, logInWithToken, refusalOf, setUpProvider } from './provider.fixture.ts'

test('B-07 C-03 a session opens whatever characters and fractions the claims of its token have', async (t) => {
  const { app, token, createSigner, createIdentity } = await setUpProvider(t, { database: await newPostgresDatabase() })
  await createSigner({ claimsProperty: 'email' })
  await createIdentity()
  const now = Math.floor(app.clock.now() / 1000)
  const claims = [
    {},
    { exp: now + 600.123_456_7 },
    { iat: now + 0.123_456_7 },
    { auth_time: now - 0.123_456_7 },
    { sid: 'a\0b' },
    { acr: 'a\0b' },
    { amr: ['a\0b'] },
    { sub: 'a\0b' },
  ]
  for (const unusual of claims) {
    const { status, text } = await logInWithToken(app, token({ email: 'alice@idp.example', ...unusual }))
    assert.equal(status, 200, `${JSON.stringify(unusual)}: ${text}`)
  }
  assert.equal((await logInWithToken(app, token({ email: 'alice@idp.example\0' }))).status, 401)
})

test('B-07 C-24 a token that is accepted once may have fractions of seconds', async (t) => {
  const { app, token, createSigner, createIdentity } = await setUpProvider(t, { database: await newPostgresDatabase() })
  await createSigner({ oneUse: true })
  await createIdentity()
  const now = Math.floor(app.clock.now() / 1000)
  for (const unusual of [{}, { exp: now + 600.123_456_7 }]) {
    const once = token({ ...unusual, jti: JSON.stringify(unusual) })
    const first = await logInWithToken(app, once)
    assert.equal(first.status, 200, `${JSON.stringify(unusual)}: ${first.text}`)
    assert.equal((await logInWithToken(app, once)).status, 401)
  }
})

test('B-07 sessions are listed by state whatever characters the methods of a login have', async (t) => {
  const { app, token, createSigner, createIdentity } = await setUpProvider(t, { database: await newPostgresDatabase() })
  await createSigner()
  const policy = await app.admin('POST', POLICIES, policyBody({ extJwt: { allowed: true, requireAmr: ['mfa'] } }))
  await createIdentity({ authPolicyId: policy.json.data.id })
  const list = async (state: string) => {
    const reply = await app.admin('GET', `${API_SESSIONS}?${new URLSearchParams({ filter: `state = "${state}"` })}`)
    assert.equal(reply.status, 200, reply.text)
    return reply.json.data.filter(({ method }: { method: string }) => method === 'ext-jwt').length as number
  }
  const accepted = await logInWithToken(app, token({ amr: ['mfa'] }))
  assert.equal(accepted.status, 200, accepted.text)
  await logInWithToken(app, token({ amr: ['mfa', 'a\0b'] }))
  assert.ok((await list('complete')) >= 1)
  assert.equal(await list('partial'), 0)
})

test('B-07 C-24 a refused token is recorded as decision whatever its claims are', async (t) => {
  const { app, token, createSigner, explain } = await setUpProvider(t, { database: await newPostgresDatabase() })
  await createSigner({
    oneUse: true,
    enrollToTokenEnabled: true,
    provisionOnLogin: true,
    enrollNameClaimsSelector: '/name',
  })
  for (const [claims, reason] of [
    [{ name: 'a', sub: {} }, 'identity-claim-unusable'],
    [{ name: 'a', exp: {} }, 'expiry-unusable'],
    [{ name: 'a\0b' }, 'identity-refused'],
  ] as const) {
    const unusual = token(claims)
    const decision = await decisionOf(app, await refusalOf(logInWithToken(app, unusual)))
    assert.equal(decision.reason, reason, JSON.stringify(claims))
    assert.equal((await explain(unusual)).signers.length, 1)
  }
})

test('B-07 Z-22 claims of refused tokens are kept whatever characters other tokens have', async (t) => {
  const { app, token, createSigner, createIdentity } = await setUpProvider(t, { database: await newPostgresDatabase() })
  await createSigner({ requiredClaims: { hd: 'example.com' } })
  const alice = await createIdentity()
  const refused = [token({ sub: 'a\0b' }), token()].map((unusual) => logInWithToken(app, unusual))
  for (const { status } of await Promise.all(refused)) assert.equal(status, 401)
  const isKept = () =>
    app.store.db.selectFrom('kept_logins').select('at').where('identity_id', '=', alice).executeTakeFirst()
  const deadline = Date.now() + 10_000
  while (!(await isKept())) assert.ok(Date.now() < deadline)
})
