import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { makeTestAuthority } from '@countersign/testkit'
import { buildApp } from './build-app.ts'
import { CAS, CLAIM, CLIENT_AUTH, issueLeaf, makeCa, SERVER_ONLY, type TestLeaf } from './cas.fixture.ts'
import { LOG_IN, overTls, pemOfKey, type TlsReply } from './client-certificates.fixture.ts'
import { decodeJwt, ENROLL, ENROLLMENTS, enrollmentBody } from './enrollments.fixture.ts'
import { summarize } from './ext-jwt-signers.fixture.ts'
import { createIdentity, IDENTITIES, identityBody, identityOf } from './identities.fixture.ts'

const PAST = { notBefore: new Date('2020-01-01'), notAfter: new Date('2021-01-01') }
const FUTURE = { notBefore: new Date('2035-01-01'), notAfter: new Date('2036-01-01') }
const TEXT = { 'content-type': 'text/plain' }
const FAILED = '400 CERT_FAILED_VALIDATION'

async function setUp(t: TestContext) {
  const app = await buildApp(t)
  const call = await overTls(app)
  const keysOf = ({ cert, key }: Partial<TestLeaf>) => ({ ...(cert && { cert }), ...(key && { key }) })
  const logIn = (keys: TestLeaf) => call('POST', LOG_IN, keysOf(keys))
  const enroll = (keys: Partial<TestLeaf>, body?: object, query = 'method=ca') => {
    return call('POST', `${ENROLL}?${query}`, { ...keysOf(keys), ...(body && { body }) })
  }
  const identityAfter = async (keys: TestLeaf) => {
    const { identityId } = (await logIn(keys)).json.data
    return identityOf(app, identityId)
  }
  return { app, call, keysOf, logIn, enroll, identityAfter }
}

test('W-86 an unknown certificate of a CA becomes an identity with the CA’s attributes, once', async (t) => {
  const { app, call, keysOf, logIn, enroll, identityAfter } = await setUp(t)
  const leafOf = () => issueLeaf(makeTestAuthority({ commonName: 'nowhere' }))
  assert.equal(summarize(await enroll(leafOf())), '400 ENROLLMENT_NO_VALID_CAS')
  const { id, authority } = await makeCa(app, { name: 'Corp', identityRoles: ['devices', '#x', ''] })
  const leaf = issueLeaf(authority, { commonName: 'laptop-17' })
  const reply = await enroll(leaf, { name: 'asked for' })
  assert.deepEqual([reply.status, reply.json], [200, { data: {}, meta: {} }])
  const identity = await identityAfter(leaf)
  const { name, typeId, authPolicyId, isAdmin, permissions, tags, roleAttributes, externalId } = identity
  assert.deepEqual(
    { name, typeId, authPolicyId, isAdmin, permissions, tags, roleAttributes, externalId },
    {
      name: 'Corp-laptop-17',
      typeId: 'Default',
      authPolicyId: 'default',
      isAdmin: false,
      permissions: null,
      tags: {},
      roleAttributes: ['devices'],
      externalId: null,
    },
  )
  const again = await enroll(leaf)
  assert.deepEqual([summarize(again), again.json.error.cause], ['409 CERT_IN_USE', undefined])
  const sameKey = issueLeaf(authority, { keyPair: leaf.certificate })
  assert.equal(summarize(await enroll(sameKey)), '409 CERT_IN_USE', 'D51 one key, one identity')

  for (const form of [
    (keys: TestLeaf) => call('POST', `${ENROLL}?method=ca`, keysOf(keys)),
    (keys: TestLeaf) => call('POST', `${ENROLL}/ca`, keysOf(keys)),
    (keys: TestLeaf) => call('POST', `${ENROLL}?method=ca`, { ...keysOf(keys), headers: TEXT, body: 'ignored' }),
    (keys: TestLeaf) => enroll(keys, {}, 'method=ca&token=6f1cd5b0-93f2-4b52-8d0c-35a9dbb2f5d8'),
  ]) {
    const other = issueLeaf(authority)
    assert.equal(summarize(await form(other)), '200')
    assert.equal((await logIn(other)).status, 200)
  }
  assert.equal(summarize(await enroll(issueLeaf(authority), {}, 'method=ca&token=x')), '400 COULD_NOT_VALIDATE token')
  assert.equal(summarize(await enroll(issueLeaf(authority), { name: 5 })), '400 COULD_NOT_PARSE_BODY')
  assert.equal(summarize(await enroll(issueLeaf(authority), {}, '')), '400 INVALID_ENROLLMENT_TOKEN', 'no method')

  await app.admin('PATCH', `${CAS}/${id}`, { isAuthEnabled: false })
  const waiting = issueLeaf(authority)
  assert.equal(summarize(await enroll(waiting)), '200', 'logins are not asked')
  assert.equal((await logIn(waiting)).status, 401)
  await app.admin('PATCH', `${CAS}/${id}`, { isAuthEnabled: true })
  assert.equal((await logIn(waiting)).status, 200)
})

test('W-86 J-21 certificates that cannot authenticate clients of a usable CA do not enroll', async (t) => {
  const { app, enroll } = await setUp(t)
  const { id, authority } = await makeCa(app)
  const unverified = await makeCa(app, { isVerified: false })
  const between = makeTestAuthority({ issuer: authority, commonName: 'between' })
  const bad: readonly (readonly [what: string, keys: Partial<TestLeaf>])[] = [
    ['none', {}],
    ['of a stranger', issueLeaf(makeTestAuthority({ commonName: 'stranger' }))],
    ['expired', issueLeaf(authority, PAST)],
    ['not yet valid', issueLeaf(authority, FUTURE)],
    ['for servers', issueLeaf(authority, { extensions: [SERVER_ONLY] })],
    ['without its intermediate', issueLeaf(between)],
    ['of an unverified CA', issueLeaf(unverified.authority)],
    ['of the second certificate', issueLeaf((await secondOf()).second)],
    ['of the CA itself', { cert: authority.pem, key: pemOfKey(authority) }],
  ]
  async function secondOf() {
    const [first, second] = [makeTestAuthority({ commonName: 'one' }), makeTestAuthority({ commonName: 'two' })]
    await makeCa(app, { authority: { ...first, pem: first.pem + second.pem } })
    return { second }
  }
  for (const [what, keys] of bad) assert.equal(summarize(await enroll(keys)), FAILED, what)
  for (const good of [
    issueLeaf(authority),
    issueLeaf(authority, { extensions: [CLIENT_AUTH] }),
    issueLeaf(between, {}, [between]),
  ]) {
    assert.equal(summarize(await enroll(good)), '200')
  }
  await app.admin('PATCH', `${CAS}/${id}`, { isAutoCaEnrollmentEnabled: false })
  assert.equal(summarize(await enroll(issueLeaf(authority))), FAILED)
})

test('W-86 names follow the format, and a taken name gets the next number', async (t) => {
  const { app, enroll, identityAfter } = await setUp(t)
  const { id, authority } = await makeCa(app, { name: 'Corp', identityNameFormat: 'fixed' })
  const nameOf = async (commonName = 'x', body?: object) => {
    const leaf = issueLeaf(authority, { commonName })
    assert.equal(summarize(await enroll(leaf, body)), '200')
    return (await identityAfter(leaf)).name
  }
  const format = (identityNameFormat: string) => app.admin('PATCH', `${CAS}/${id}`, { identityNameFormat })
  for (const expected of ['fixed', 'fixed000001', 'fixed000002', 'fixed000003']) assert.equal(await nameOf(), expected)
  await format('[requestedName]')
  for (const name of ['desk', 'desk999999']) assert.equal(await nameOf('x', { name }), name)
  assert.match(await nameOf('x', { name: 'desk' }), /^desk-\w{22}$/, 'no number is left')
  assert.match(await nameOf('x', {}), /^\w{22}$/, 'the id')
  await format('[caName]~[caId]~[commonName]')
  assert.equal(await nameOf('laptop'), `Corp~${id}~laptop`)
  await format('[commonName]')
  assert.equal(await nameOf('a "quoted" [identityId]'), 'a "quoted" [identityId]')
  assert.equal(await nameOf('a "quoted" [identityId]'), 'a "quoted" [identityId]000001')
  assert.match(await nameOf(''), /^\w{22}$/, 'the id, since nothing else is left')
  await format('')
  assert.equal(await nameOf('last'), 'Corp-last')
})

test('W-86 a name that no identity can have is refused before anything is written', async (t) => {
  const { app, enroll, identityAfter } = await setUp(t)
  const { id, authority } = await makeCa(app, { name: 'Corp', identityNameFormat: '[commonName][requestedName]' })
  const between = makeTestAuthority({ issuer: authority, commonName: 'between' })
  const written = () => app.store.db.selectFrom('ca_intermediates').select('ca_id').where('ca_id', '=', id).execute()
  for (const [commonName, name] of [
    ['a\0b', 'x'],
    ['a\u202eb', 'x'],
    ['a\nb', 'x'],
    ['a b', 'x\ny'],
  ] as const) {
    const leaf = issueLeaf(between, { commonName }, [between])
    assert.equal(summarize(await enroll(leaf, { name })), '400 COULD_NOT_VALIDATE name', JSON.stringify(commonName))
  }
  assert.deepEqual(await written(), [])
  const good = issueLeaf(between, { commonName: 'a b' }, [between])
  assert.equal(summarize(await enroll(good, { name: 'x' })), '200')
  assert.equal((await identityAfter(good)).name, 'a bx')
  assert.equal((await written()).length, 1)
})

test('W-87 a claim gives the new identity its external id and no authenticator', async (t) => {
  const { app, enroll, identityAfter } = await setUp(t)
  const { authority } = await makeCa(app, { externalIdClaim: { ...CLAIM, matcher: 'PREFIX', matcherCriteria: 'dev-' } })
  const leaf = issueLeaf(authority, { commonName: 'dev-alice' })
  assert.equal(summarize(await enroll(leaf)), '200')
  const { externalId, authenticators } = await identityAfter(leaf)
  assert.deepEqual([externalId, authenticators], ['alice', {}])
  const other = issueLeaf(authority, { commonName: 'dev-alice' })
  assert.equal(summarize(await enroll(other)), '409 CERT_IN_USE externalId')
  assert.equal((await identityAfter(other)).externalId, 'alice', 'any certificate with the claim logs in')
  for (const commonName of ['prod-x', 'dev-', 'dev-\u202e']) {
    assert.equal(summarize(await enroll(issueLeaf(authority, { commonName }))), '400 MISSING_CERT_CLAIM')
  }
})

test('W-87 a certificate whose external id an identity has lost does not enroll for a day; that of a deleted one does', async (t) => {
  const { app, enroll, logIn, identityAfter } = await setUp(t)
  const { authority } = await makeCa(app, { externalIdClaim: CLAIM })
  const [changed, deleted] = [
    issueLeaf(authority, { commonName: 'carol' }),
    issueLeaf(authority, { commonName: 'dave' }),
  ]
  for (const leaf of [changed, deleted]) assert.equal(summarize(await enroll(leaf)), '200')
  const [{ id }, { id: deletedId }] = [await identityAfter(changed), await identityAfter(deleted)]
  assert.equal((await app.admin('PATCH', `${IDENTITIES}/${id}`, { externalId: 'blocked' })).status, 200)
  assert.equal((await app.admin('DELETE', `${IDENTITIES}/${deletedId}`)).status, 200)
  assert.deepEqual([(await logIn(changed)).status, (await logIn(deleted)).status], [401, 401])
  assert.equal(summarize(await enroll(changed)), '409 CERT_IN_USE externalId')
  assert.equal(summarize(await enroll(deleted)), '200', 'existing controllers enroll it again')
  app.clock.advance(86_400_000 - 60_000)
  assert.equal(summarize(await enroll(changed)), '409 CERT_IN_USE externalId')
  app.clock.advance(60_000)
  assert.equal(summarize(await enroll(changed)), '200')
  assert.equal((await logIn(changed)).status, 200)
})

test('W-92 an ottca token enrolls a prepared identity with a certificate of its CA, once', async (t) => {
  const { app, call, keysOf, enroll, logIn } = await setUp(t)
  const { id, authority } = await makeCa(app, { name: 'Corp', identityRoles: ['not used'] })
  const order = async (members = {}) => {
    const identityId = await createIdentity(app, { enrollment: { ottca: id }, roleAttributes: ['own'], ...members })
    return { identityId, ...(await identityOf(app, identityId)).enrollment.ottca }
  }
  const { identityId, id: enrollmentId, ca, caId, expiresAt, jwt, token } = await order()
  assert.deepEqual([ca, caId], [{ _links: { self: { href: `./cas/${id}` } }, entity: 'cas', id, name: 'Corp' }, id])
  const { claims } = decodeJwt(jwt)
  assert.deepEqual([claims.em, claims.jti, claims.sub, claims.aud], ['ottca', token, identityId, ['']])
  const shown = (await app.admin('GET', `${ENROLLMENTS}/${enrollmentId}`)).json.data
  assert.deepEqual([shown.method, shown.caId, shown.expiresAt], ['ottca', id, expiresAt])

  const redeem = (keys: Partial<TestLeaf>, with_ = token) => enroll(keys, {}, `method=ottca&token=${with_}`)
  const leaf = issueLeaf(authority)
  const bad: readonly (readonly [what: string, expected: string, reply: Promise<TlsReply>])[] = [
    ['no token', '400 INVALID_ENROLLMENT_TOKEN', redeem(leaf, '')],
    ['an unknown token', '400 INVALID_ENROLLMENT_TOKEN', redeem(leaf, 'x')],
    ['another method', '400 INVALID_ENROLL_METHOD method', enroll(leaf, {}, `method=ott&token=${token}`)],
    ['no certificate', '400 CERTIFICATE_FAILED_VALIDATION', redeem({})],
    ['of another CA', '400 CERTIFICATE_FAILED_VALIDATION', redeem(issueLeaf((await makeCa(app)).authority))],
    ['expired', '400 CERTIFICATE_FAILED_VALIDATION', redeem(issueLeaf(authority, PAST))],
    ['for servers', '400 CERTIFICATE_FAILED_VALIDATION', redeem(issueLeaf(authority, { extensions: [SERVER_ONLY] }))],
    [
      'of the CA itself',
      '400 CERTIFICATE_FAILED_VALIDATION',
      redeem({ cert: authority.pem, key: pemOfKey(authority) }),
    ],
  ]
  for (const [what, expected, reply] of bad) assert.equal(summarize(await reply), expected, what)
  await app.admin('PATCH', `${CAS}/${id}`, { isOttCaEnrollmentEnabled: false })
  assert.equal(summarize(await redeem(leaf)), '400 ENROLLMENT_CA_NOT_VALID')
  await app.admin('PATCH', `${CAS}/${id}`, { isOttCaEnrollmentEnabled: true })

  const done = await redeem(leaf)
  assert.equal(done.status, 200, done.text)
  assert.deepEqual(Object.keys(done.json.data), ['controllers'])
  const enrolled = await identityOf(app, identityId)
  assert.deepEqual([enrolled.enrollment, enrolled.roleAttributes, enrolled.externalId], [{}, ['own'], null])
  assert.equal((await logIn(leaf)).json.data.identityId, identityId)
  assert.equal(summarize(await redeem(leaf)), '400 INVALID_ENROLLMENT_TOKEN', 'the token is used up')

  const second = await order()
  const inUse = await redeem(leaf, second.token)
  assert.equal(summarize(inUse), '409 CERT_IN_USE')
  assert.ok(inUse.json.error.cause.data.fingerprint)
  const csr = { headers: TEXT, body: 'a certificate request' }
  const ignored = await call('POST', `${ENROLL}?method=ottca&token=x`, { ...keysOf(issueLeaf(authority)), ...csr })
  assert.equal(summarize(ignored), '400 INVALID_ENROLLMENT_TOKEN', 'other bodies are ignored')
  assert.equal(summarize(await enroll(issueLeaf(authority), {}, `token=${second.token}`)), '200', 'without a method')
  const third = await order()
  const body = { token: third.token }
  assert.equal(summarize(await call('POST', `${ENROLL}/ottca`, { ...keysOf(issueLeaf(authority)), body })), '200')
  assert.equal(summarize(await call('POST', `${ENROLL}/ottca`, keysOf(leaf))), '400 INVALID_ENROLLMENT_TOKEN')

  const late = await order()
  app.clock.advance(4 * 3_600_000)
  const session = await app.logIn('admin', 'the-test-admin-password')
  assert.equal(summarize(await redeem(issueLeaf(authority), late.token)), '400 ENROLLMENT_EXPIRED')
  assert.equal(summarize(await app.call('DELETE', `${CAS}/${id}`, undefined, { session })), '200')
  assert.equal(summarize(await redeem(issueLeaf(authority), late.token)), '400 INVALID_ENROLLMENT_TOKEN', 'deleted too')
})

test('W-92 ottca needs a known, verified and trusted CA, and takes its claim into account', async (t) => {
  const { app, enroll, logIn } = await setUp(t)
  const body = identityBody({ enrollment: { ottca: 'no-such-ca' } })
  const unknown = await app.admin('POST', IDENTITIES, body)
  assert.equal(summarize(unknown), '404 NOT_FOUND caId')
  assert.equal(summarize(await app.admin('POST', IDENTITIES, identityBody({ enrollment: { ottca: '' } }))), '201')
  const identityId = await createIdentity(app)
  for (const caId of [undefined, 'no-such-ca']) {
    const reply = await app.admin('POST', ENROLLMENTS, enrollmentBody(app, identityId, { method: 'ottca', caId }))
    assert.equal(summarize(reply), '400 INVALID_FIELD')
  }
  const unverified = await makeCa(app, { isVerified: false })
  const waiting = enrollmentBody(app, identityId, { method: 'ottca', caId: unverified.id })
  assert.equal(summarize(await app.admin('POST', ENROLLMENTS, waiting)), '201')
  assert.equal(summarize(await app.admin('POST', ENROLLMENTS, waiting)), '409 ENROLLMENT_EXISTS method')
  const { token } = (await identityOf(app, identityId)).enrollment.ottca
  const redeem = (keys: TestLeaf, with_: string) => enroll(keys, {}, `method=ottca&token=${with_}`)
  assert.equal(summarize(await redeem(issueLeaf(unverified.authority), token)), '400 ENROLLMENT_CA_NOT_VALID')

  const { session } = await app.makeIdentity({ permissions: ['ca'] })
  const untrusted = await makeCa(app, { session })
  const privileged = await createEnrollingBy(untrusted.id, { permissions: ['identity.read'] })
  assert.equal(summarize(await redeem(issueLeaf(untrusted.authority), privileged.token)), '400 ENROLLMENT_CA_NOT_VALID')
  const plain = await createEnrollingBy(untrusted.id)
  assert.equal(summarize(await redeem(issueLeaf(untrusted.authority), plain.token)), '200')

  const claiming = await makeCa(app, { externalIdClaim: CLAIM })
  const named = await createEnrollingBy(claiming.id)
  const leaf = issueLeaf(claiming.authority, { commonName: 'carol' })
  assert.equal(summarize(await redeem(leaf, named.token)), '200')
  assert.equal((await identityOf(app, named.identityId)).externalId, 'carol', 'otherwise it would log in no identity')
  assert.equal((await logIn(leaf)).json.data.identityId, named.identityId)
  const taken = await createEnrollingBy(claiming.id)
  const sameName = issueLeaf(claiming.authority, { commonName: 'carol' })
  assert.equal(summarize(await redeem(sameName, taken.token)), '409 CERT_IN_USE')
  const unlike = await createEnrollingBy(claiming.id, { externalId: 'dave' })
  const eve = issueLeaf(claiming.authority, { commonName: 'eve' })
  assert.equal(summarize(await redeem(eve, unlike.token)), '400 CERTIFICATE_FAILED_VALIDATION')
  assert.equal(summarize(await redeem(issueLeaf(claiming.authority, { commonName: 'dave' }), unlike.token)), '200')

  async function createEnrollingBy(caId: string, members = {}) {
    const id = await createIdentity(app, { enrollment: { ottca: caId }, ...members })
    return { identityId: id, token: (await identityOf(app, id)).enrollment.ottca.token as string }
  }
})

test('D55 an untrusted CA gives an identity no external id, by which others would log in once it has rights', async (t) => {
  const { app, enroll } = await setUp(t)
  const { session } = await app.makeIdentity({ permissions: ['ca'] })
  const { id, authority } = await makeCa(app, { session, externalIdClaim: CLAIM })
  const identityId = await createIdentity(app, { enrollment: { ottca: id } })
  const { token } = (await identityOf(app, identityId)).enrollment.ottca
  const redeem = () => enroll(issueLeaf(authority, { commonName: 'mallory' }), {}, `method=ottca&token=${token}`)
  const refused = await redeem()
  assert.equal(summarize(refused), '400 CERTIFICATE_FAILED_VALIDATION')
  assert.match(refused.json.error.cause?.message ?? refused.text, /the CA is not trusted/)
  assert.equal((await identityOf(app, identityId)).externalId, null)
  assert.equal(summarize(await app.admin('POST', `${CAS}/${id}/trust`)), '200')
  assert.equal(summarize(await redeem()), '200')
  assert.equal((await identityOf(app, identityId)).externalId, 'mallory')
})

test('N-24 an ottca token for an administrator ends with the rights of its creator', async (t) => {
  const { app, enroll } = await setUp(t)
  const { id, authority } = await makeCa(app)
  for (const [keepsRights, expected] of [
    [false, '400 INVALID_ENROLLMENT_TOKEN'],
    [true, '200'],
  ] as const) {
    const creator = await app.makeIdentity({ isAdmin: true })
    const body = identityBody({ isAdmin: true, enrollment: { ottca: id } })
    const made = await app.call('POST', IDENTITIES, body, { session: creator.session })
    const { token } = (await identityOf(app, made.json.data.id)).enrollment.ottca
    const demoted = await app.admin('PATCH', `${IDENTITIES}/${creator.id}`, { isAdmin: keepsRights })
    assert.equal(demoted.status, 200)
    assert.equal(summarize(await enroll(issueLeaf(authority), {}, `method=ottca&token=${token}`)), expected)
  }
})

test('D37 of concurrent enrollments with one certificate or one token exactly one succeeds', async (t) => {
  const { app, enroll } = await setUp(t)
  const { id, authority } = await makeCa(app)
  const leaf = issueLeaf(authority)
  const replies = await Promise.all(Array.from({ length: 6 }, () => enroll(leaf)))
  assert.deepEqual(replies.map(summarize).toSorted(), ['200', ...Array(5).fill('409 CERT_IN_USE')])
  const identityId = await createIdentity(app, { enrollment: { ottca: id } })
  const { token } = (await identityOf(app, identityId)).enrollment.ottca
  const redeemed = await Promise.all(
    Array.from({ length: 6 }, () => enroll(issueLeaf(authority), {}, `method=ottca&token=${token}`)),
  )
  assert.equal(redeemed.filter(({ status }) => status === 200).length, 1)
})
