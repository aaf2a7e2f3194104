import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mintKey, mintToken } from '@countersign/testkit'
import { stateOf } from '../attack/target.ts'
import { summarize } from './ext-jwt-signers.fixture.ts'
import { enrollTotp } from './one-time-codes.fixture.ts'
import { ALICE, AUDIENCE, ISSUER, logInWithToken, partsOf, SIGNERS, setUpProvider } from './provider.fixture.ts'

const POLICIES = '/edge/management/v1/auth-policies'
const CHECKS = [
  'format',
  'issuer',
  'audience',
  'kid',
  'key',
  'signature',
  'expiry',
  'notBefore',
  'issuedAt',
  'requiredClaims',
  'identityClaim',
]

test('D18 explain shows every check of a good token, its identity, and that nothing is missing', async (t) => {
  const { app, token, createSigner, createIdentity } = await setUpProvider(t)
  const signerId = await createSigner()
  const id = await createIdentity()
  for (const name of ['ext-jwt-signers', 'external-jwt-signers']) {
    const reply = await app.admin('POST', `/edge/management/v1/${name}/explain`, { token: token() })
    assert.equal(reply.status, 200, reply.text)
    const { data, meta } = reply.json
    assert.deepEqual(meta, {})
    assert.deepEqual(Object.keys(data), ['signers', 'identity', 'policy', 'missing', 'hints'])
    const [signer, ...others] = data.signers
    assert.deepEqual([signer.signerId, signer.reason, others], [signerId, 'accepted', []])
    assert.deepEqual(
      signer.checks.map(({ check }: { check: string }) => check),
      CHECKS,
    )
    for (const check of signer.checks) {
      assert.deepEqual(Object.keys(check), ['check', 'expected', 'received', 'pass'])
      assert.equal(check.pass, true)
    }
    assert.deepEqual(data.identity, { id, name: 'alice', disabled: false })
    assert.deepEqual([data.policy.id, data.policy.allowsExtJwt], ['default', true])
    assert.deepEqual([data.missing, data.hints], [[], []])
  }
})

test('D18 common mistakes each get a specific hint', async (t) => {
  const { app, key, token, createSigner, explain } = await setUpProvider(t)
  const signerId = await createSigner()
  await createSigner({
    name: 'entra',
    issuer: 'https://login.microsoftonline.com/11111111-2222-3333-4444-555555555555/v2.0',
  })
  const seconds = Math.floor(app.clock.now() / 1000)
  const cases: readonly (readonly [string, RegExp, string])[] = [
    [token({ iss: `${ISSUER}/` }), /trailing slash/, 'issuer-mismatch'],
    [token({ aud: 'account' }), /audience mapper with "overlay"/, 'audience-mismatch'],
    [token({ aud: 'api://x' }), /aud is "api:\/\/x", the signer "idp" expects "overlay"/, 'audience-mismatch'],
    [token({}, mintKey('P-256', 'unknown')), new RegExp(`the signer "idp" has "${key.kid}"`), 'kid-unknown'],
    [token({ exp: seconds - 5 }), /expired .* seconds ago/, 'token-expired'],
    [
      token({ iss: 'https://sts.windows.net/11111111-2222-3333-4444-555555555555/' }),
      /same Entra tenant/,
      'issuer-mismatch',
    ],
  ]
  for (const [bad, hint, reason] of cases) {
    const { signers, identity, policy, missing, hints } = await explain(bad)
    assert.match(hints.join('\n'), hint)
    assert.equal(signers[0].reason, reason)
    assert.deepEqual([identity, policy, missing.length], [null, null, 1])
  }
  const good = await explain(token())
  assert.deepEqual([good.signers[0].signerId, good.signers[0].reason, good.hints], [signerId, 'accepted', []])
})

test('D18 a token is compared with the chosen signer only, whatever its issuer', async (t) => {
  const { app, token, createSigner, createIdentity } = await setUpProvider(t)
  const own = await createSigner()
  const other = await createSigner({ name: 'other', issuer: 'https://other.example' })
  await createIdentity()
  const explain = (body: object) => app.admin('POST', `${SIGNERS}/explain`, { token: token(), ...body })
  const chosen = (await explain({ signerId: own })).json.data
  assert.deepEqual([chosen.signers.length, chosen.signers[0].signerId, chosen.missing], [1, own, []])
  assert.deepEqual((await explain({ signerId: '' })).json.data.missing, [], 'an empty id is not given')
  const unrelated = (await explain({ signerId: other })).json.data
  assert.deepEqual(
    [unrelated.signers.length, unrelated.signers[0].signerId, unrelated.signers[0].reason],
    [1, other, 'issuer-mismatch'],
  )
  assert.match(unrelated.hints.join('\n'), /the signer "other" expects "https:\/\/other.example"/)
  assert.deepEqual([unrelated.identity, unrelated.missing.length], [null, 1])
  assert.equal((await explain({ signerId: 'no-such-signer' })).status, 404)
})

test('D18 a text that is not a token has no signers but a hint', async (t) => {
  const { token, createSigner, explain } = await setUpProvider(t)
  await createSigner()
  for (const [text, hint] of [
    ['', /there is no token/],
    ['opaque-1234567890', /opaque token/],
    [`Bearer ${token()}`, /besides the token/],
    [JSON.stringify({ access_token: token() }), /whole response of the provider/],
    ['x'.repeat(65_536), /opaque token|12 KiB/],
  ] as const) {
    const { signers, hints } = await explain(text)
    assert.deepEqual(signers, [])
    assert.match(hints.join('\n'), hint)
  }
})

test('D18 a disabled signer is explained, with the keys it had', async (t) => {
  const { app, token, createSigner, createIdentity, explain } = await setUpProvider(t)
  const signerId = await createSigner()
  await createIdentity()
  assert.equal((await logInWithToken(app, token())).status, 200)
  await app.admin('PATCH', `${SIGNERS}/${signerId}`, { enabled: false })
  const { signers, missing, hints } = await explain(token())
  assert.deepEqual([signers[0].signerId, signers[0].reason], [signerId, 'signer-disabled'])
  assert.deepEqual(
    signers[0].checks.filter(({ pass }: { pass: boolean }) => !pass),
    [],
  )
  assert.match(hints.join('\n'), /the signer "idp" is disabled/)
  assert.equal(missing.length, 1)
  await app.admin('PATCH', `${SIGNERS}/${signerId}`, { enabled: true })
  assert.deepEqual((await explain(token())).missing, [])
})

test('D48 a second factor set up by the identity itself is listed as missing', async (t) => {
  const { app, token, createSigner, createIdentity, explain } = await setUpProvider(t)
  await createSigner()
  await createIdentity()
  assert.deepEqual((await explain(token())).missing, [])
  const loggedIn = await app.call('POST', '/edge/client/v1/authenticate?method=ext-jwt', undefined, {
    headers: { authorization: `Bearer ${token()}` },
  })
  await enrollTotp(app, loggedIn.json.data.token)
  assert.deepEqual((await explain(token())).missing, [
    'a second factor, which the identity "alice" has set up: a TOTP code',
  ])
})

test('D18 D48 everything missing after an accepted token is listed in order, and disappears step by step', async (t) => {
  const { app, token, createSigner, createIdentity, explain } = await setUpProvider(t)
  const signerId = await createSigner()
  const missing = async (): Promise<string[]> => (await explain(token())).missing
  assert.deepEqual(await missing(), [`an identity whose externalId is "${ALICE}", the value of "/sub"`])

  const id = await createIdentity({ permissions: ['identity.read'] })
  assert.deepEqual(await missing(), [])
  const other = await createSigner({ name: 'other', audience: 'other' })
  const policy = (await app.admin('GET', `${POLICIES}/default`)).json.data
  const strict = {
    ...policy,
    name: 'strict',
    primary: { ...policy.primary, extJwt: { allowed: true, allowedSigners: [other] } },
    secondary: { requireTotp: true, requireExtJwtSigner: other },
  }
  const policyId = (await app.admin('POST', POLICIES, strict)).json.data.id
  await app.admin('PATCH', `/edge/management/v1/identities/${id}`, { authPolicyId: policyId })
  await app.admin('POST', `/edge/management/v1/identities/${id}/disable`, { durationMinutes: 0 })
  const { session } = await app.makeIdentity({ permissions: ['external-jwt-signer'] })
  await app.call('PATCH', `${SIGNERS}/${signerId}`, { clientId: 'touched' }, { session })

  const all = await explain(token())
  assert.deepEqual(all.identity, { id, name: 'alice', disabled: true })
  assert.deepEqual([all.policy.id, all.policy.requiresTotp, all.policy.requiresExtJwtSigner], [policyId, true, other])
  const patterns = [
    /"alice" is disabled/,
    /"idp" is not among the allowed signers of the policy "strict"/,
    /without administrator rights/,
    /second factor.*TOTP/,
    /second factor.*token of the signer/,
  ]
  assert.equal(all.missing.length, patterns.length, all.missing.join('\n'))
  for (const [index, pattern] of patterns.entries()) assert.match(all.missing[index], pattern)

  await app.admin('POST', `/edge/management/v1/identities/${id}/enable`, {})
  await app.admin('POST', `${SIGNERS}/${signerId}/trust`)
  await app.admin('PATCH', `${POLICIES}/${policyId}`, { primary: { extJwt: { allowed: false, allowedSigners: [] } } })
  assert.match((await missing())[0] ?? '', /the policy "strict" does not allow External JWT authentication/)
  await app.admin('PATCH', `${POLICIES}/${policyId}`, {
    primary: { extJwt: { allowed: true } },
    secondary: { requireTotp: false },
  })
  assert.deepEqual(
    (await missing()).filter((text) => !text.startsWith('a second factor')),
    [],
  )
})

test('D18 D21 method enroll explains flags, policy, name, id and existing enrollment', async (t) => {
  const { app, token, createSigner, createIdentity, explain } = await setUpProvider(t)
  const signerId = await createSigner()
  const missing = async (claims = {}): Promise<string> => (await explain(token(claims), 'enroll')).missing.join('\n')
  assert.match(await missing(), /"idp" does not enroll: set enrollToTokenEnabled/)
  await app.admin('PATCH', `${SIGNERS}/${signerId}`, {
    enrollToTokenEnabled: true,
    enrollNameClaimsSelector: '/name',
    enrollAttributeClaimsSelector: '/groups',
  })
  assert.match(await missing(), /a name: the token has no string at "\/name"/)
  assert.match(await missing({ name: 'Alice', groups: 5 }), /attributes: "\/groups"/)
  const good = await explain(token({ name: 'Alice', groups: ['sales'] }), 'enroll')
  assert.deepEqual([good.missing, good.identity, good.policy.id], [[], null, 'default'])

  await app.admin('PATCH', `${POLICIES}/default`, { primary: { extJwt: { allowed: false } } })
  assert.match(
    await missing({ name: 'Alice' }),
    /to enroll to a token: the policy "Default" does not allow External JWT/i,
  )
  await app.admin('PATCH', `${POLICIES}/default`, { primary: { extJwt: { allowed: true } } })
  await app.admin('PATCH', `${SIGNERS}/${signerId}`, { useExternalId: false })
  assert.match(await missing({ name: 'Alice', sub: 'not an id' }), /a valid id: "not an id".*set useExternalId/)
  assert.equal(await missing({ name: 'Alice', sub: 'an-id' }), '')
  await app.admin('PATCH', `${SIGNERS}/${signerId}`, { useExternalId: true })
  await createIdentity()
  assert.match(await missing({ name: 'Alice' }), /the identity "alice" has this claim: it is already enrolled/)
})

test('D18 R-11 R-12 explain creates nothing and stores nothing of the token', async (t) => {
  const { app, key, token, createSigner, createIdentity } = await setUpProvider(t)
  await createSigner({ enrollToTokenEnabled: true })
  await createIdentity()
  assert.equal((await logInWithToken(app, token())).status, 200)
  const tokens = [
    token(),
    token({ sub: 'a new user' }),
    token({ iss: 'https://elsewhere.example' }),
    mintToken({ key, claims: { iss: ISSUER, aud: AUDIENCE }, header: { crit: ['exp'] } }),
    `${token()}.and-more-of-it-0123456789`,
  ]
  const before = await stateOf(app.store)
  for (const text of tokens) {
    for (const method of ['ext-jwt', 'enroll']) {
      const reply = await app.admin('POST', `${SIGNERS}/explain`, { token: text, method })
      assert.equal(reply.status, 200, reply.text)
      for (const part of partsOf(text)) {
        assert.ok(!reply.text.includes(part))
        assert.ok(!app.logged.some((line) => line.includes(part)))
      }
    }
  }
  assert.deepEqual(await stateOf(app.store), before)
})

test('D18 D36 a body without token, with an unknown method or with a too long text is refused and not repeated', async (t) => {
  const { app, token } = await setUpProvider(t)
  const explain = (body: unknown) => app.admin('POST', `${SIGNERS}/explain`, body)
  const long = 'secret-'.repeat(9_400)
  const refused = await explain({ token: long })
  assert.equal(refused.status, 400, refused.text)
  assert.ok(!refused.text.includes('secret-'))
  assert.equal(summarize(await explain({})), '400 COULD_NOT_VALIDATE token')
  assert.equal(summarize(await explain({ token: token(), method: 'cert' })), '400 COULD_NOT_VALIDATE method')
  assert.equal(summarize(await explain({ token: long.slice(0, 65_000) })), '200')
  assert.equal(summarize(await explain({ token: token(), method: null })), '200')
})

test('explain and discover cannot be signer ids', async (t) => {
  const { app } = await setUpProvider(t)
  for (const name of ['explain', 'discover']) {
    assert.equal(summarize(await app.admin('GET', `${SIGNERS}/${name}`)), '405 METHOD_NOT_ALLOWED')
  }
  assert.equal(summarize(await app.admin('GET', `${SIGNERS}/no-such-id`)), '404 NOT_FOUND')
})
