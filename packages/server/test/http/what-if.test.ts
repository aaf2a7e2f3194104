import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { mintKey, mintToken } from '@countersign/testkit'
import { settingsFile } from '../oidc/oidc.fixture.ts'
import { createPolicy, POLICIES } from './auth-policies.fixture.ts'
import type { AppOptions } from './build-app.ts'
import { savedOf, summarize } from './ext-jwt-signers.fixture.ts'
import { IDENTITIES } from './identities.fixture.ts'
import { ALICE, decisionOf, ISSUER, logInWithToken, SIGNERS, setUpProvider } from './provider.fixture.ts'

const WHAT_IF = '/edge/management/v1/what-if'
const BOB = 'bob@idp.example'

type Change = Readonly<Record<string, unknown>>

/** A signer that refers to `hd` and `groups`, and identities with the policy `people`, of which Alice and Bob have logged in. */
async function setUp(t: TestContext, options: Omit<AppOptions, 'fetchJwks'> = {}) {
  const set = await setUpProvider(t, options)
  const { app, createSigner, createIdentity, token } = set
  const people = await createPolicy(app, {
    extJwt: { allowed: true },
    updb: { allowed: true },
    cert: { allowed: true },
  })
  const signer = await createSigner({
    requiredClaims: { hd: { glob: '*.example' } },
    enrollAttributeClaimsSelector: 'groups',
  })
  const alice = await createIdentity({ authPolicyId: people, roleAttributes: ['manual'] })
  const logIn = async (claims: Change) =>
    (await logInWithToken(app, token({ hd: 'a.example', groups: ['dev'], ...claims }))).status
  return {
    ...set,
    people,
    signer,
    alice: { id: alice, name: 'alice' },
    logIn,
    ask: async (changes: readonly Change[], session = app.adminSession, more: Change = {}) => {
      for (const _ of app.stores) await app.call('POST', WHAT_IF, { changes: [] }, { session: app.adminSession })
      return app.call('POST', WHAT_IF, { changes, ...more }, { session })
    },
    predict: async (...changes: readonly Change[]) => {
      // Every node stores what it has kept before it predicts.
      for (const _ of app.stores) await app.admin('POST', WHAT_IF, { changes: [] })
      const reply = await app.admin('POST', WHAT_IF, { changes })
      assert.equal(reply.status, 200, reply.text)
      return reply.json.data
    },
    update: (kind: string, id: string, body: unknown) => ({ op: 'update', kind, id, body }),
  }
}

test('a change of a signer is predicted for those who have logged in', async (t) => {
  const { app, signer, alice, logIn, predict, update, createIdentity } = await setUp(t)
  assert.equal(await logIn({}), 200)
  await createIdentity({ name: 'bob', externalId: BOB })
  assert.equal(await logIn({ sub: BOB, hd: 'elsewhere' }), 401)
  const before = await savedOf(app, signer)

  const same = await predict(update('ext-jwt-signer', signer, { clockSkewSeconds: 5 }))
  // The session of the administrator, and that of Alice.
  assert.deepEqual([same.evaluated, same.unchanged, same.refused, same.accepted, same.unknown], [4, 4, [], [], []])

  const narrower = await predict(update('ext-jwt-signer', signer, { requiredClaims: { hd: 'b.example' } }))
  const [refused] = narrower.refused
  assert.deepEqual([refused.identity, refused.signerId, refused.reason], [alice, signer, 'required-claim-unmet'])
  assert.match(refused.text, /hd/)
  assert.deepEqual([narrower.accepted, narrower.sessionsEnded], [[], 1])

  const wider = await predict(update('ext-jwt-signer', signer, { requiredClaims: null, clockSkewSeconds: 1 }))
  assert.deepEqual([wider.refused, wider.accepted], [[], []], 'null means "not given" for this member, as in PATCH')
  const other = await predict(update('ext-jwt-signer', signer, { requiredClaims: { hd: 'elsewhere' } }))
  assert.deepEqual(
    other.accepted.map(({ identity, signerId }: Change) => [(identity as Change).name, signerId]),
    [['bob', signer]],
  )

  const newClaim = await predict(update('ext-jwt-signer', signer, { requiredClaims: { department: 'x' } }))
  assert.deepEqual([newClaim.unknown.length, newClaim.refused], [2, []])
  assert.match(newClaim.unknown[0].text, /department/)
  const newKeys = await predict(update('ext-jwt-signer', signer, { jwksEndpoint: 'https://new.example/jwks' }))
  assert.deepEqual([newKeys.unknown.length, newKeys.sessionsEnded], [2, 1])

  for (const change of [
    { op: 'delete', kind: 'ext-jwt-signer', id: signer },
    update('ext-jwt-signer', signer, { enabled: false }),
  ]) {
    const gone = await predict(change)
    assert.deepEqual(
      [gone.refused.map(({ identity }: Change) => identity), gone.sessionsEnded],
      [gone.refused.map(() => alice), 1],
    )
    assert.ok(gone.refused.length > 0)
  }
  assert.deepEqual(await savedOf(app, signer), before, 'nothing is changed')
})

test('the rule of a policy is predicted from the claims that are kept', async (t) => {
  const { app, people, logIn, predict, update } = await setUp(t)
  assert.equal(await logIn({}), 200)
  const ruled = (acceptRule: string) => predict(update('auth-policy', people, { acceptRule }))
  const accepting = await ruled('claims.hd == "a.example"')
  assert.deepEqual(
    [accepting.refused, accepting.unknown, accepting.sessionsEnded],
    [[], [], 1],
    'the session does not have the claim',
  )
  const refusing = await ruled('claims.hd == "b.example"')
  assert.deepEqual([...new Set(refusing.refused.map(({ reason }: Change) => reason))], ['rule-refused'])
  for (const rule of ['claims.department == "x"', 'inCidr(request.address, "10.0.0.0/8")']) {
    assert.match((await ruled(rule)).unknown[0].text, /not kept/, rule)
  }
  const acceptRule = 'claims.hd == "a.example" && claims.department == "x"'
  assert.equal((await app.admin('PATCH', `${POLICIES}/${people}`, { acceptRule })).status, 200)
  assert.equal(await logIn({ department: 'y' }), 401)
  assert.equal(await logIn({ department: 'x' }), 200)
  const known = await ruled('claims.department == "y"')
  assert.deepEqual(
    known.accepted.map(({ identity }: Change) => (identity as Change).name),
    ['alice'],
    'claims of the rule are kept',
  )
})

test('what is predicted happens when the change is saved', async (t) => {
  const { app, signer, people, logIn, predict, update } = await setUp(t)
  assert.equal(await logIn({}), 200)
  const body = { primary: { extJwt: { allowed: false } } }
  const { refused, sessionsEnded } = await predict(update('auth-policy', people, body))
  assert.deepEqual([...new Set(refused.map(({ reason }: Change) => reason))], ['not-allowed'])
  assert.equal(sessionsEnded, 1)
  assert.equal((await app.admin('PATCH', `${POLICIES}/${people}`, body)).status, 200)
  assert.equal(await logIn({}), 401)
  const back = await predict(
    update('auth-policy', people, { primary: { extJwt: { allowed: true, allowedSigners: [signer] } } }),
  )
  assert.deepEqual(
    back.accepted.map(({ identity }: Change) => (identity as Change).name),
    ['alice'],
  )
})

test('attributes, factors and identities are predicted', async (t) => {
  const { signer, people, alice, logIn, predict, update } = await setUp(t)
  assert.equal(await logIn({}), 200)
  assert.equal(await logIn({ sub: BOB }), 401)
  const synced = await predict(update('ext-jwt-signer', signer, { attributeSync: 'login' }))
  assert.deepEqual(synced.attributes, [{ identity: alice, added: ['dev'], removed: [] }])
  const codes = await predict(update('auth-policy', people, { secondary: { requireTotp: true } }))
  assert.deepEqual(codes.factors, [{ identity: alice, missing: ['totp-enrollment'] }])
  const attributes = await predict(update('identity', alice.id, { roleAttributes: ['other'] }))
  assert.deepEqual(attributes.attributes, [{ identity: alice, added: ['other'], removed: ['manual'] }])
  const renamed = await predict(update('identity', alice.id, { externalId: BOB }))
  assert.deepEqual([renamed.accepted.length, renamed.refused.length > 0, renamed.sessionsEnded], [1, true, 1])
  const gone = await predict({ op: 'delete', kind: 'identity', id: alice.id })
  assert.equal(gone.refused[0].reason, 'unknown-identity')
  const bob = { name: 'bob', type: 'Default', isAdmin: false, externalId: BOB }
  const made = await predict({ op: 'create', kind: 'identity', id: 'bob', body: bob })
  assert.deepEqual(made.accepted, [{ identity: { id: 'bob', name: 'bob' }, signerId: signer }])
  const provisioned = await predict(
    update('ext-jwt-signer', signer, { enrollToTokenEnabled: true, provisionOnLogin: true }),
  )
  assert.deepEqual(provisioned.accepted, [{ identity: { id: null, name: BOB }, signerId: signer }])
  const together = await predict(
    update('auth-policy', people, { primary: { extJwt: { allowed: false } } }),
    update('auth-policy', people, { primary: { extJwt: { allowed: true } } }),
  )
  assert.equal(together.refused.length, 0, 'later changes follow earlier ones')
})

test('Z-22 a prediction needs the permission for every change, and to read identities', async (t) => {
  const { app, signer, ask, logIn, update } = await setUp(t)
  assert.equal(await logIn({}), 200)
  const change = update('ext-jwt-signer', signer, { clientId: 'x' })
  const as = async (permissions: readonly string[], ...changes: readonly Change[]) =>
    summarize(await ask(changes, (await app.makeIdentity({ permissions })).session))
  assert.equal(await as(['external-jwt-signer.update'], change), '401 UNAUTHORIZED')
  assert.equal(await as(['identity.read'], change), '401 UNAUTHORIZED')
  assert.equal(await as(['identity.read', 'external-jwt-signer.create'], change), '401 UNAUTHORIZED')
  assert.equal(await as(['identity.read', 'external-jwt-signer.update'], change), '200')
  assert.equal(await as(['admin_readonly'], change), '401 UNAUTHORIZED')
  assert.equal(await as(['admin_readonly', 'external-jwt-signer.update'], change), '200')
  const both = [change, { op: 'delete', kind: 'auth-policy', id: 'default' }]
  assert.equal(await as(['identity.read', 'external-jwt-signer.update'], ...both), '401 UNAUTHORIZED')
  assert.equal(await as(['identity.read', 'external-jwt-signer.update', 'auth-policy'], ...both), '200')
  assert.equal(summarize(await app.call('POST', WHAT_IF, { changes: [] })), '401 UNAUTHORIZED')
})

test('N-21 a caller that may not read decisions sees no claims, and nothing about identities with rights and unknown subjects', async (t) => {
  const { app, signer, people, alice, ask, logIn, createIdentity, update } = await setUp(t)
  await createIdentity({ name: 'root', externalId: 'root', isAdmin: true, authPolicyId: people })
  await createIdentity({ name: 'helper', externalId: 'helper', permissions: ['ops'], authPolicyId: people })
  for (const [sub, status] of [
    [ALICE, 200],
    ['root', 200],
    ['helper', 200],
    [BOB, 401],
  ] as const)
    assert.equal(await logIn({ sub, hd: 'secret.example' }), status)
  const all = await app.makeIdentity({ permissions: ['admin_readonly', 'external-jwt-signer', 'auth-policy'] })
  const some = await app.makeIdentity({ permissions: ['identity.read', 'external-jwt-signer', 'auth-policy'] })
  const asked = async (session: string, kind: string, id: string, body: Change) => {
    const reply = await ask([update(kind, id, body)], session)
    assert.equal(reply.status, 200, reply.text)
    return { ...reply.json.data, shown: reply.text }
  }
  const names = (entries: readonly { readonly identity: Change | null }[]) =>
    [...new Set(entries.map(({ identity }) => identity?.name ?? null))].toSorted()

  const rule = { acceptRule: 'claims.hd == "x"' }
  const full = await asked(all.session, 'ext-jwt-signer', signer, rule)
  assert.match(full.shown, /secret\.example/)
  assert.deepEqual(names(full.refused), ['alice', 'helper', 'root'])
  const part = await asked(some.session, 'ext-jwt-signer', signer, rule)
  assert.doesNotMatch(part.shown, /secret\.example/)
  assert.deepEqual(part.refused.map(({ identity, reason }: Change) => [identity, reason])[0], [alice, 'rule-refused'])
  assert.ok(names(part.unknown).includes('root') && names(part.unknown).includes('helper'))
  assert.ok(names(part.unknown).includes(null), 'the unknown subject')

  // Whether the guess is right or wrong shows only for those whose claims the caller could learn by saving.
  const guess = async (session: string, hd: string) => {
    const report = await asked(session, 'auth-policy', people, { acceptRule: `claims.hd == "${hd}"` })
    return { refused: names(report.refused), unknown: names(report.unknown) }
  }
  for (const hd of ['secret.example', 'other.example'])
    assert.deepEqual((await guess(some.session, hd)).unknown, ['helper', 'root'], hd)
  assert.deepEqual((await guess(some.session, 'other.example')).refused, ['alice'])
  assert.deepEqual((await guess(all.session, 'other.example')).refused, ['alice', 'helper', 'root'])
})

test('the signer loses its trust when a caller without administrator rights would write it', async (t) => {
  const { app, signer, createIdentity, logIn, ask, update } = await setUp(t)
  await createIdentity({ name: 'root', externalId: 'root', isAdmin: true })
  assert.equal(await logIn({ sub: 'root' }), 200)
  const change = update('ext-jwt-signer', signer, { clientId: 'x' })
  const { session } = await app.makeIdentity({ permissions: ['admin_readonly', 'external-jwt-signer'] })
  const byManager = (await ask([change], session)).json.data
  assert.deepEqual(new Set(byManager.refused.map(({ reason }: Change) => reason)), new Set(['signer-not-trusted']))
  assert.deepEqual((await ask([change])).json.data.refused, [])
})

test('wrong questions are refused with their field', async (t) => {
  const { signer, ask, update } = await setUp(t)
  const wrong: readonly (readonly [string, Change, Change?])[] = [
    ['400 COULD_NOT_VALIDATE changes.0.op', { op: 'merge', kind: 'identity', id: 'x' }],
    ['400 COULD_NOT_VALIDATE changes.0.kind', { op: 'delete', kind: 'ca', id: 'x' }],
    ['400 COULD_NOT_VALIDATE changes.0.id', { op: 'delete', kind: 'identity' }],
    ['400 COULD_NOT_VALIDATE changes.0.body', { op: 'update', kind: 'identity', id: 'x' }],
    ['404 NOT_FOUND', { op: 'delete', kind: 'identity', id: 'x' }],
    ['404 NOT_FOUND', update('auth-policy', 'x', {})],
    ['404 NOT_FOUND', update('ext-jwt-signer', 'x', {})],
    [
      '400 COULD_NOT_VALIDATE changes.0.body.clockSkewSeconds',
      update('ext-jwt-signer', signer, { clockSkewSeconds: 61 }),
    ],
    ['400 COULD_NOT_VALIDATE limit', update('ext-jwt-signer', signer, {}), { limit: 0 }],
    ['400 COULD_NOT_VALIDATE limit', update('ext-jwt-signer', signer, {}), { limit: 10_001 }],
    ['200', update('ext-jwt-signer', signer, {}), { limit: 10_000 }],
    ['200', update('ext-jwt-signer', signer, { clockSkewSeconds: 60 }), { limit: 1 }],
  ]
  for (const [expected, change, more] of wrong) assert.equal(summarize(await ask([change], undefined, more)), expected)
  const many = Array.from({ length: 101 }, () => update('ext-jwt-signer', signer, {}))
  assert.equal(summarize(await ask(many)), '400 COULD_NOT_VALIDATE changes')
})

test('Z-21 what is kept of a login: verified claims that matter, sealed, until the identity is deleted', async (t) => {
  const { app, signer, alice, logIn, token, predict } = await setUp(t)
  const rows = async () => {
    await predict()
    return app.store.db.selectFrom('kept_logins').selectAll().execute()
  }
  assert.equal((await logInWithToken(app, token({ hd: 'a.example' }, mintKey('RSA', 'of another')))).status, 401)
  assert.deepEqual(await rows(), [], 'nothing of a token that is not verified')
  const sent = token({ hd: 'a.example', groups: ['dev'], department: 'secret-department', jti: 'unique' })
  assert.equal((await logInWithToken(app, sent)).status, 200)
  assert.equal(await logIn({ jti: 'another', exp: Math.floor(app.clock.now() / 1000) + 300 }), 200)
  assert.equal(await logIn({ sub: BOB }), 401)
  const kept = await rows()
  assert.deepEqual(
    kept.map((row) => [row.signer_id, row.identity_id, row.outcome]).toSorted(),
    [
      [signer, null, 'unknown-identity'],
      [signer, alice.id, 'accepted'],
    ].toSorted(),
    'the second login of Alice has the same claims',
  )
  const text = JSON.stringify(kept)
  for (const secret of [ALICE, BOB, ISSUER, 'a.example', 'dev', 'secret-department', ...sent.split('.')]) {
    assert.ok(!text.includes(secret), secret)
  }
  assert.equal((await app.admin('DELETE', `${IDENTITIES}/${alice.id}`)).status, 200)
  assert.deepEqual(
    (await rows()).map((row) => row.identity_id),
    [null],
  )
  assert.equal((await app.admin('DELETE', `${SIGNERS}/${signer}`)).status, 200)
  assert.deepEqual(await rows(), [])
})

test('Z-21 what is kept of a refused login belongs to the identity that its claims name, and is deleted with it', async (t) => {
  const { app, alice, logIn, predict } = await setUp(t)
  const rows = async () => {
    await predict()
    const kept = await app.store.db.selectFrom('kept_logins').selectAll().execute()
    return kept.map((row) => [row.identity_id, row.outcome]).toSorted()
  }
  for (const sub of [ALICE, BOB]) assert.equal(await logIn({ sub, hd: 'elsewhere' }), 401)
  const ofUnknown = [null, 'required-claim-unmet']
  assert.deepEqual(await rows(), [ofUnknown, [alice.id, 'required-claim-unmet']].toSorted())
  assert.equal((await app.admin('DELETE', `${IDENTITIES}/${alice.id}`)).status, 200)
  assert.deepEqual(await rows(), [ofUnknown])
})

test('Z-21 no more logins of a signer are kept than its setting says', async (t) => {
  const config = settingsFile(t, 'whatIf:\n  keepPerSigner: 2\n')
  const { app, logIn, predict } = await setUp(t, { settings: { config } })
  const count = async () => {
    await predict()
    return (await app.store.db.selectFrom('kept_logins').selectAll().execute()).length
  }
  assert.equal(await logIn({ hd: 'a.example' }), 200)
  assert.equal(await logIn({ hd: 'b.example' }), 200)
  assert.equal(await count(), 2)
  for (const letter of 'cdef') assert.equal(await logIn({ hd: `${letter}.example` }), 200)
  assert.equal(await count(), 2)
})

test('Z-21 tokens of strangers, which the checks refuse, do not displace the accepted logins', async (t) => {
  const config = settingsFile(t, 'whatIf:\n  keepPerSigner: 4\n')
  const { app, logIn, predict } = await setUp(t, { settings: { config } })
  const outcomes = async () => {
    await predict()
    const rows = await app.store.db.selectFrom('kept_logins').select('outcome').orderBy('outcome').execute()
    return rows.map(({ outcome }) => outcome)
  }
  const refuse = async (count: number) => {
    for (let nth = 0; nth < count; nth++) {
      app.clock.advance(1)
      assert.equal(await logIn({ sub: `stranger ${nth}`, hd: 'elsewhere' }), 401)
    }
  }
  assert.equal(await logIn({ hd: 'a.example' }), 200)
  assert.equal(await logIn({ hd: 'b.example' }), 200)
  await refuse(9)
  const unmet = 'required-claim-unmet'
  assert.deepEqual(await outcomes(), ['accepted', 'accepted', unmet, unmet])
  for (const letter of 'cdef') {
    app.clock.advance(1)
    assert.equal(await logIn({ hd: `${letter}.example` }), 200)
  }
  assert.deepEqual(await outcomes(), ['accepted', 'accepted', unmet, unmet], 'each keeps its half')
})

test('Z-22 a session whose requests a rule decides about is unknown, and what no change concerns is unchanged', async (t) => {
  const { app, signer, people, alice, logIn, predict, update } = await setUp(t)
  assert.equal((await app.admin('PATCH', `${POLICIES}/${people}`, { acceptRule: 'claims.hd != "x"' })).status, 200)
  assert.equal(await logIn({}), 200)
  const ruled = (acceptRule: string) => predict(update('auth-policy', people, { acceptRule }))
  const reading = 'inCidr(request.address, "10.0.0.0/8")'
  const known = await ruled('claims.hd != "y"')
  assert.deepEqual([known.evaluated, known.unchanged, known.unknown], [3, 3, []])
  const unknown = await ruled(reading)
  assert.deepEqual([unknown.evaluated, unknown.unchanged, unknown.sessionsEnded], [3, 1, 0])
  assert.deepEqual(
    unknown.unknown.map(({ identity, signerId }: Change) => [identity, signerId]),
    [
      [alice, signer],
      [alice, signer],
    ],
    'the login and the session',
  )
  assert.match(unknown.unknown[1].text, /reads the request/)

  const path = `${SIGNERS}/${signer}`
  assert.equal((await app.admin('PATCH', path, { acceptRule: 'request.method == "POST"' })).status, 200)
  assert.equal(await logIn({}), 200)
  const other = await createPolicy(app, { extJwt: { allowed: true } })
  const elsewhere = await predict(update('auth-policy', other, { primary: { extJwt: { allowed: false } } }))
  assert.deepEqual([elsewhere.unknown, elsewhere.unchanged], [[], elsewhere.evaluated])
  for (const change of [
    update('ext-jwt-signer', signer, { clockSkewSeconds: 5 }),
    update('auth-policy', people, { secondary: { requireTotp: true } }),
    update('identity', alice.id, { roleAttributes: ['other'] }),
  ]) {
    assert.ok((await predict(change)).unknown.length > 0, JSON.stringify(change))
  }
})

test('Z-21 nothing is kept when it is switched off; more claims are kept when they are named', async (t) => {
  const off = await setUp(t, { settings: { config: settingsFile(t, 'whatIf:\n  keepLogins: false\n') } })
  assert.equal(await off.logIn({}), 200)
  assert.equal((await off.predict()).evaluated, 2, 'only sessions')
  assert.deepEqual(await off.app.store.db.selectFrom('kept_logins').selectAll().execute(), [])
  const named = await setUp(t, { settings: { config: settingsFile(t, 'whatIf:\n  keepClaims: [department]\n') } })
  assert.equal(await named.logIn({ department: 'x' }), 200)
  const { unknown, refused } = await named.predict(
    named.update('ext-jwt-signer', named.signer, { requiredClaims: { department: 'y' } }),
  )
  assert.deepEqual([unknown, refused.length], [[], 1])
})

test('rules of a signer are predicted, and a refused login becomes a test case', async (t) => {
  const { app, signer, logIn, predict, update, token } = await setUp(t)
  assert.equal(await logIn({}), 200)
  const rule = (acceptRule: string) => predict(update('ext-jwt-signer', signer, { acceptRule }))
  assert.deepEqual((await rule('claims.hd == "a.example"')).refused, [])
  const [refused] = (await rule('claims.hd == "b.example"')).refused
  assert.deepEqual([refused.reason, refused.identity.name], ['rule-refused', 'alice'])
  assert.equal((await rule('claims.department == "x"')).unknown.length, 1)
  assert.equal((await rule('request.method == "POST"')).unknown.length, 1)
  const more = await predict(
    update('ext-jwt-signer', signer, { attributeRules: ['[claims.hd]'], attributeSync: 'login' }),
  )
  assert.deepEqual(more.attributes[0].added, ['a.example', 'dev'])

  const refuse = async (claims: Change) => {
    const reply = await logInWithToken(app, token(claims))
    // Every node stores what it has kept.
    await predict()
    return decisionOf(app, reply.json.error.requestId)
  }
  const decision = await refuse({ hd: 'elsewhere' })
  assert.deepEqual(decision.testCase.expect, { outcome: 'refused', check: 'requiredClaims' })
  assert.equal(decision.testCase.claims.hd, 'elsewhere')
  const path = `${SIGNERS}/${signer}`
  assert.equal((await app.admin('PATCH', path, { testCases: [decision.testCase] })).status, 200)
  assert.equal(
    summarize(await app.admin('PATCH', path, { requiredClaims: { hd: 'elsewhere' } })),
    '409 TEST_CASE_FAILED',
  )
  const unknown = await refuse({ sub: BOB, hd: 'a.example' })
  assert.deepEqual(unknown.testCase.expect, { outcome: 'accepted', externalId: BOB })
  const forged = await logInWithToken(app, token({ hd: 'a.example' }, mintKey('RSA', 'of another')))
  assert.equal((await decisionOf(app, forged.json.error.requestId)).testCase, null)
})

/** More than are kept built: checking all of them takes seconds. */
const SIGNERS_WITH_LONG_RULES = 90
const MAX_TURN_MS = process.env.NODE_V8_COVERAGE === undefined ? 500 : 5_000

test('R-23 a preview checks no rules of signers that it does not change, and others have their turns meanwhile', async (t) => {
  const { app, key, ask, update } = await setUp(t)
  const { session } = await app.makeIdentity({ permissions: ['external-jwt-signer', 'identity.read'] })
  const rule = (signer: number, number: number) =>
    `["a"${Array.from({ length: 100 }, (_, part) => `, lower(claims.a${signer}b${number}c${part})`).join('')}]`
  const ids: string[] = []
  for (let signer = 0; signer < SIGNERS_WITH_LONG_RULES; signer++) {
    const reply = await app.admin('POST', SIGNERS, {
      name: `long ${signer}`,
      enabled: true,
      issuer: `https://long${signer}.example`,
      audience: 'edge',
      jwksEndpoint: 'https://idp.example/jwks',
      attributeRules: Array.from({ length: 16 }, (_, number) => rule(signer, number)),
    })
    assert.equal(reply.status, 201, reply.text)
    ids.push(reply.json.data.id)
  }
  const token = mintToken({ key, claims: { iss: 'https://nobody.example', aud: 'edge', sub: 'x' } })
  for (const _ of app.stores) assert.equal((await logInWithToken(app, token)).status, 401, 'every node reads them')
  const refused = [update('ext-jwt-signer', ids[0] ?? '', { acceptRule: 'claims.a +' })]
  for (const [changes, status] of [
    [[], 200],
    [[update('ext-jwt-signer', ids[0] ?? '', { acceptRule: 'claims.a == "b"' })], 200],
    [refused, 400],
  ] as const) {
    let longestMs = 0
    let last = performance.now()
    const watch = setInterval(() => {
      longestMs = Math.max(longestMs, performance.now() - last)
      last = performance.now()
    }, 1)
    const reply = await ask(changes, session)
    await new Promise((resolve) => setTimeout(resolve, 5))
    clearInterval(watch)
    assert.equal(reply.status, status, reply.text)
    assert.ok(longestMs < MAX_TURN_MS, `${longestMs} ms`)
  }
})
