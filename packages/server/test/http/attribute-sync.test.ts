import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { newPostgresDatabase } from './build-app.ts'
import { ENROLL_TOKEN, enroll, IDENTITIES } from './enroll-token.fixture.ts'
import { logInWithToken, SIGNERS, setUpProvider } from './provider.fixture.ts'

type Members = Readonly<Record<string, unknown>>

/** A controller with a signer whose tokens keep attributes up to date, and the identity of Alice. */
async function setUp(t: TestContext, signer: Members = {}, identity: Members = {}) {
  const provider = await setUpProvider(t)
  const { app, token, createSigner, createIdentity } = provider
  const syncing = { attributeSync: 'login', enrollAttributeClaimsSelector: 'groups', ...signer }
  const signerId = await createSigner(syncing)
  const id = await createIdentity(identity)
  const logIn = async (claims: Members = {}): Promise<string> => {
    const reply = await logInWithToken(app, token(claims))
    assert.equal(reply.status, 200, reply.text)
    return reply.json.data.token
  }
  const alice = async () => (await app.admin('GET', `${IDENTITIES}/${id}`)).json.data
  const origins = async () =>
    (await alice()).attributeOrigins.map(
      ({ attribute, origin, signerId: by }: { attribute: string; origin: string; signerId?: string }) =>
        `${attribute} ${origin}${by === undefined ? '' : by === signerId ? ' idp' : ' other'}`,
    )
  const patch = async (body: Members) => {
    const reply = await app.admin('PATCH', `${IDENTITIES}/${id}`, body)
    assert.equal(reply.status, 200, reply.text)
  }
  const events = (type: string) => app.events('identitySync').filter(({ event_type }) => event_type === type)
  const own = async (session: string) =>
    (await app.call('GET', '/edge/client/v1/current-identity', undefined, { session })).json.data
  return { ...provider, syncing, signerId, id, logIn, alice, origins, patch, events, own }
}

test('D59 each login recomputes the attributes of its signer, and live sessions see the change', async (t) => {
  const { app, id, signerId, logIn, origins, events, own } = await setUp(t, {}, { roleAttributes: ['staff'] })
  assert.deepEqual(await origins(), ['staff manual'])
  const session = await logIn({ groups: ['sales', 'sales', 'b'] })
  assert.deepEqual(await origins(), ['b signer idp', 'sales signer idp', 'staff manual'])
  assert.deepEqual((await own(session)).roleAttributes, ['b', 'sales', 'staff'])
  await logIn({ groups: 'sales' })
  assert.deepEqual(await origins(), ['sales signer idp', 'staff manual'])
  assert.deepEqual((await own(session)).roleAttributes, ['sales', 'staff'], 'the first session, on every node')
  const changed = events('changed')
  assert.deepEqual(
    changed.map(({ identity_id, external_jwt_signer_id, added, removed }) => [
      ...[identity_id, external_jwt_signer_id, added, removed],
    ]),
    [
      [id, signerId, ['b', 'sales'], []],
      [id, signerId, [], ['b']],
    ],
  )
  const listed = await app.admin('GET', `${IDENTITIES}?filter=anyOf(roleAttributes) = "sales"`)
  assert.deepEqual(
    listed.json.data.map((found: { id: string }) => found.id),
    [id],
  )
})

test('D64 without attributeSync a login changes nothing, and the attributes of an enrollment are manual', async (t) => {
  const { app, token, createSigner } = await setUpProvider(t)
  const signerId = await createSigner({ enrollToTokenEnabled: true, enrollAttributeClaimsSelector: 'groups' })
  const signer = (await app.admin('GET', `${SIGNERS}/${signerId}`)).json.data
  assert.deepEqual(
    [signer.attributeSync, signer.nameSync, signer.provisionOnLogin, signer.reprovisionAfterMinutes],
    ['enrollment', false, false, 1440],
  )
  const enrolled = await enroll(app, { tokens: [token({ groups: ['a'] })], path: ENROLL_TOKEN })
  const { identityId } = enrolled.json.data
  assert.equal((await logInWithToken(app, token({ groups: ['b'] }))).status, 200)
  const { attributeOrigins } = (await app.admin('GET', `${IDENTITIES}/${identityId}`)).json.data
  assert.deepEqual(attributeOrigins, [{ attribute: 'a', origin: 'manual' }])
})

test('an absent claim changes nothing and warns; null and an empty list clear', async (t) => {
  const { id, signerId, logIn, origins, events } = await setUp(t)
  await logIn({ groups: ['a'] })
  await logIn({})
  assert.deepEqual(await origins(), ['a signer idp'])
  await logIn({ _claim_names: { groups: 'src1' } })
  assert.deepEqual(await origins(), ['a signer idp'])
  const [absent, overage] = events('warning')
  assert.deepEqual(
    [absent.reason, absent.claim, absent.external_jwt_signer_id, absent.identity_id],
    ['attributes-absent', 'groups', signerId, id],
  )
  assert.match(overage.message, /group overage/)
  for (const empty of [null, [], '']) {
    await logIn({ groups: empty })
    assert.deepEqual(await origins(), [], JSON.stringify(empty))
    await logIn({ groups: ['a'] })
    assert.deepEqual(await origins(), ['a signer idp'])
  }
})

test('an unusable claim adds nothing, warns, and the login succeeds', async (t) => {
  const { logIn, origins, events } = await setUp(t)
  await logIn({ groups: ['a'] })
  const tooMany = Array.from({ length: 101 }, (_, n) => `g${n}`)
  const bad = [7, { a: 1 }, [1], ['a', '#a'], ['a', 'x'.repeat(129)], ['a', ...tooMany]]
  for (const groups of bad) await logIn({ groups })
  assert.deepEqual(await origins(), ['a signer idp'])
  assert.deepEqual(
    events('warning').map(({ reason }) => reason),
    bad.map(() => 'attributes-unusable'),
  )
  await logIn({ groups: ['b'] })
  assert.deepEqual(await origins(), ['b signer idp'])
})

test('D59 a list that its person made unusable keeps no group that was taken away', async (t) => {
  const own = [['#mine'], ['x'.repeat(129)], Array.from({ length: 100 }, (_, n) => `own${n}`)]
  for (const more of own) {
    const { logIn, origins, events } = await setUp(t)
    await logIn({ groups: ['finance', 'staff'] })
    await logIn({ groups: ['finance', 'staff', ...more] })
    assert.deepEqual(await origins(), ['finance signer idp', 'staff signer idp'], 'neither was taken away')
    await logIn({ groups: ['staff', 'new', ...more] })
    assert.deepEqual(await origins(), ['staff signer idp'])
    assert.deepEqual(
      events('warning').map(({ reason }) => reason),
      ['attributes-unusable', 'attributes-unusable'],
    )
    assert.deepEqual(events('changed').at(-1)?.removed, ['finance'])
  }
})

test('D59 writing sets the manual part; what a signer supplies stays the signer’s', async (t) => {
  const { app, id, logIn, origins, patch, alice } = await setUp(t, {}, { roleAttributes: ['a'] })
  await logIn({ groups: ['a', 'b'] })
  assert.deepEqual(await origins(), ['a manual', 'a signer idp', 'b signer idp'])
  await patch({ roleAttributes: (await alice()).roleAttributes })
  assert.deepEqual(await origins(), ['a manual', 'a signer idp', 'b signer idp'], 'a client sends back what it read')
  await patch({ attributes: ['a', 'b', 'c'] })
  assert.deepEqual(await origins(), ['a manual', 'a signer idp', 'b signer idp', 'c manual'])
  await patch({ name: 'alice again' })
  assert.deepEqual(await origins(), ['a manual', 'a signer idp', 'b signer idp', 'c manual'])
  await patch({ roleAttributes: [] })
  assert.deepEqual(await origins(), ['a signer idp', 'b signer idp'])
  const put = await app.admin('PUT', `${IDENTITIES}/${id}`, { name: 'alice', type: 'Default', isAdmin: false })
  assert.equal(put.status, 200)
  assert.deepEqual((await alice()).roleAttributes, ['a', 'b'])
})

test('signers change only their own attributes, and these go with a deleted signer', async (t) => {
  const { app, token, syncing, signerId, logIn, origins, createSigner, own } = await setUp(t)
  const otherId = await createSigner({ ...syncing, name: 'other', audience: 'other' })
  const session = await logIn({ groups: ['a', 'shared'] })
  assert.equal((await logInWithToken(app, token({ aud: 'other', groups: ['b', 'shared'] }))).status, 200)
  assert.deepEqual(await origins(), ['a signer idp', 'b signer other', 'shared signer idp', 'shared signer other'])
  await logIn({ groups: [] })
  assert.deepEqual(await origins(), ['b signer other', 'shared signer other'])
  await logIn({ groups: ['a'] })
  assert.deepEqual((await own(session)).roleAttributes, ['a', 'b', 'shared'])
  assert.equal((await app.admin('DELETE', `${SIGNERS}/${otherId}`)).status, 200)
  assert.deepEqual(await origins(), ['a signer idp'])
  assert.deepEqual((await own(session)).roleAttributes, ['a'], 'a session of another signer')
  assert.equal((await app.admin('DELETE', `${SIGNERS}/${signerId}`)).status, 200)
  assert.deepEqual(await origins(), [])
})

test('attributes become manual when the signer stops to keep them up to date', async (t) => {
  const { app, signerId, logIn, origins } = await setUp(t, {}, { roleAttributes: ['a'] })
  await logIn({ groups: ['a', 'b'] })
  const sync = (attributeSync: string | null) => app.admin('PATCH', `${SIGNERS}/${signerId}`, { attributeSync })
  assert.equal((await sync(null)).status, 200)
  assert.deepEqual(await origins(), ['a manual', 'b manual'])
  await logIn({ groups: ['c'] })
  assert.deepEqual(await origins(), ['a manual', 'b manual'])
  assert.equal((await sync('login')).status, 200)
  await logIn({ groups: ['b'] })
  assert.deepEqual(await origins(), ['a manual', 'b manual', 'b signer idp'])
})

test('a token that was issued before the latest change brings no attribute back', async (t) => {
  const { app, logIn, origins } = await setUp(t)
  const iat = Math.floor(app.clock.now() / 1000) - 100
  await logIn({ groups: ['admins', 'staff'], iat })
  await logIn({ groups: ['staff'], iat: iat + 10 })
  await logIn({ groups: ['admins', 'staff'], iat })
  assert.deepEqual(await origins(), ['staff signer idp'])
  await logIn({ groups: ['admins'], iat: iat + 10 })
  assert.deepEqual(await origins(), ['admins signer idp'], 'a token of the same second')
})

test('a second factor keeps attributes up to date too', async (t) => {
  const { app, token, id, signerId, origins, events } = await setUp(t, {}, { permissions: ['identity.read'] })
  const policy = (await app.admin('GET', '/edge/management/v1/auth-policies/default')).json.data
  const secondary = { requireTotp: false, requireExtJwtSigner: signerId }
  const created = await app.admin('POST', '/edge/management/v1/auth-policies', { ...policy, name: 'second', secondary })
  await app.admin('PATCH', `${IDENTITIES}/${id}`, { authPolicyId: created.json.data.id })
  const session = (await logInWithToken(app, token({ groups: ['a'] }))).json.data.token as string
  const call = (groups?: unknown) =>
    app.call('GET', IDENTITIES, undefined, { session, headers: { authorization: `Bearer ${token({ groups })}` } })
  assert.equal((await call(['b'])).status, 200)
  assert.deepEqual(await origins(), ['b signer idp'])
  for (const _ of [1, 2, 3, 4]) assert.equal((await call()).status, 200)
  assert.deepEqual(await origins(), ['b signer idp'])
  assert.ok(events('warning').length <= app.stores.length, 'a warning a minute')
})

test('an enrollment gives the signer its attributes', async (t) => {
  const { app, token, createSigner } = await setUpProvider(t)
  const id = await createSigner({
    enrollToTokenEnabled: true,
    attributeSync: 'login',
    enrollAttributeClaimsSelector: 'groups',
  })
  const { identityId } = (await enroll(app, { tokens: [token({ groups: ['a'] })] })).json.data
  const read = async () => (await app.admin('GET', `${IDENTITIES}/${identityId}`)).json.data.attributeOrigins
  assert.deepEqual(await read(), [{ attribute: 'a', origin: 'signer', signerId: id }])
  await logInWithToken(app, token({ groups: [] }))
  assert.deepEqual(await read(), [])
})

test('nameSync renames at a login, with a stable suffix when the name is taken', async (t) => {
  const { app, createIdentity, logIn, alice, events } = await setUp(t, {
    attributeSync: 'enrollment',
    nameSync: true,
    enrollNameClaimsSelector: 'name',
  })
  await logIn({ name: 'Alice Smith' })
  assert.equal((await alice()).name, 'Alice Smith')
  await createIdentity({ name: 'Alice Jones', externalId: 'another' })
  await logIn({ name: 'Alice Jones' })
  const { name, updatedAt } = await alice()
  assert.match(name, /^Alice Jones [0-9a-f]{8}$/)
  app.clock.advance(1000)
  await logIn({ name: 'Alice Jones' })
  assert.deepEqual([(await alice()).name, (await alice()).updatedAt], [name, updatedAt], 'nothing is written')
  for (const wrong of [undefined, 7, '', 'api-account:x']) await logIn({ name: wrong })
  assert.equal((await alice()).name, name)
  assert.deepEqual(new Set(events('warning').map(({ reason }) => reason)), new Set(['name-unusable']))
})

test('D64 the members of a signer are kept by PUT, cleared by null, and checked', async (t) => {
  const { app, signerId, syncing } = await setUp(t, { nameSync: true })
  const path = `${SIGNERS}/${signerId}`
  const { attributeSync: _, nameSync: __, ...rest } = { ...syncing } as Record<string, unknown>
  const current = (await app.admin('GET', path)).json.data
  const put = { ...rest, name: current.name, enabled: true, issuer: current.issuer, audience: current.audience }
  const replaced = await app.admin('PUT', path, { ...put, jwksEndpoint: current.jwksEndpoint, useExternalId: true })
  assert.equal(replaced.status, 200, replaced.text)
  const read = async () => {
    const { attributeSync, nameSync, reprovisionAfterMinutes } = (await app.admin('GET', path)).json.data
    return [attributeSync, nameSync, reprovisionAfterMinutes]
  }
  assert.deepEqual(await read(), ['login', true, 1440])
  await app.admin('PATCH', path, { attributeSync: null, nameSync: null, reprovisionAfterMinutes: 5 })
  assert.deepEqual(await read(), ['enrollment', false, 5])
  const refused = [
    [{ attributeSync: 'never' }, 'attributeSync'],
    [{ reprovisionAfterMinutes: -1 }, 'reprovisionAfterMinutes'],
    [{ reprovisionAfterMinutes: 525_601 }, 'reprovisionAfterMinutes'],
    [{ provisionOnLogin: true }, 'provisionOnLogin'],
  ] as const
  for (const [body, field] of refused) {
    const reply = await app.admin('PATCH', path, body)
    assert.deepEqual([reply.status, reply.json.error.cause.field], [400, field])
  }
  assert.equal((await app.admin('PATCH', path, { provisionOnLogin: true, enrollToTokenEnabled: true })).status, 200)
  assert.equal((await app.admin('PATCH', path, { enrollToTokenEnabled: false })).status, 400)
})

const MANY = 300

test('R-21 a person who alternates two tokens of a second without pause does not delay the logins of others', async (t) => {
  const { app, token, createSigner, createIdentity } = await setUpProvider(t, {
    isAlone: 'controller',
    database: await newPostgresDatabase(),
  })
  await createSigner({ attributeSync: 'login', enrollAttributeClaimsSelector: 'groups' })
  await createIdentity()
  await createIdentity({ name: 'bob', externalId: 'bob' })
  const iat = Math.floor(app.clock.now() / 1000) - 60
  const tokens = ['a', 'b'].map((group) => token({ iat, groups: [group] }))
  const theirs = token({ sub: 'bob', iat, groups: ['c'] })
  let answered = 0
  const logIn = async (time: number) => {
    const { status } = await logInWithToken(app, tokens[time % 2] ?? '')
    answered++
    return status
  }
  const logins = Array.from({ length: MANY }, (_, time) => logIn(time))
  assert.equal((await logInWithToken(app, theirs)).status, 200)
  assert.ok(answered < MANY / 2, `it waited for ${answered} of ${MANY}`)
  assert.deepEqual(new Set(await Promise.all(logins)), new Set([200]))
})
