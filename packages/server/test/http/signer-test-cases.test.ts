import assert from 'node:assert/strict'
import { test } from 'node:test'
import { detailOf, savedOf, summarize } from './ext-jwt-signers.fixture.ts'
import { ALICE, AUDIENCE, ISSUER, logInWithToken, SIGNERS, setUpProvider } from './provider.fixture.ts'

const NOW = 1_800_000_000
const claims = {
  iss: ISSUER,
  aud: AUDIENCE,
  sub: ALICE,
  exp: NOW + 600,
  hd: 'example.com',
  none: null,
  deep: { a: [1] },
}
const aliceLogsIn = { name: 'alice logs in', claims, now: NOW, expect: { outcome: 'accepted', externalId: ALICE } }
const othersDoNot = {
  name: 'others do not',
  claims: { ...claims, hd: 'other.example' },
  header: { typ: 'JWT' },
  now: '2027-01-15T08:00:00Z',
  expect: { outcome: 'refused', check: 'requiredClaims' },
}

test('every save of a signer runs its test cases, and saves nothing when one fails', async (t) => {
  const { app, createSigner, createIdentity, token } = await setUpProvider(t)
  await createIdentity()
  const requiredClaims = { hd: 'example.com' }
  const id = await createSigner({ requiredClaims, testCases: [aliceLogsIn, othersDoNot] })
  const path = `${SIGNERS}/${id}`
  const before = await savedOf(app, id)
  assert.deepEqual(before.testCases, [aliceLogsIn, othersDoNot])

  const refused = await app.admin('PATCH', path, { requiredClaims: { hd: 'other.example' }, name: 'renamed' })
  assert.equal(summarize(refused), '409 TEST_CASE_FAILED')
  const { failures } = refused.json.error.cause
  assert.deepEqual(
    failures.map(({ name, expected, received }: Record<string, { outcome: string; check?: string }>) => [
      name,
      expected?.outcome,
      received?.outcome,
      received?.check,
    ]),
    [
      ['alice logs in', 'accepted', 'refused', 'requiredClaims'],
      ['others do not', 'refused', 'accepted', undefined],
    ],
  )
  assert.deepEqual(await savedOf(app, id), before, 'nothing is saved')
  assert.equal((await logInWithToken(app, token({ hd: 'example.com' }))).status, 200)

  const put = { ...before, requiredClaims: null }
  assert.equal(summarize(await app.admin('PUT', path, put)), '409 TEST_CASE_FAILED')
  const { testCases: _, ...without } = put
  assert.equal(
    summarize(await app.admin('PUT', path, without)),
    '409 TEST_CASE_FAILED',
    'a PUT without them keeps them',
  )
  assert.equal(summarize(await app.admin('PATCH', path, { audience: 'other' })), '409 TEST_CASE_FAILED')
  assert.equal(summarize(await app.admin('PATCH', path, { clockSkewSeconds: 30 })), '200')
  assert.equal(summarize(await app.admin('PATCH', path, { requiredClaims: { hd: ['example.com', 'x'] } })), '200')
  assert.equal(summarize(await app.admin('PATCH', path, { testCases: [], audience: 'other' })), '200')
  assert.deepEqual((await detailOf(app, id)).testCases, [])
})

test('a signer whose test case fails with time can be disabled, and is not enabled again', async (t) => {
  const { app, createSigner } = await setUpProvider(t)
  const { now: _, ...untilItExpires } = aliceLogsIn
  const exp = Math.floor(app.clock.now() / 1000) + 600
  const id = await createSigner({ testCases: [{ ...untilItExpires, claims: { ...claims, exp } }] })
  const path = `${SIGNERS}/${id}`
  app.clock.advance(1_200_000)
  assert.equal(summarize(await app.admin('PATCH', path, { name: 'renamed' })), '409 TEST_CASE_FAILED')
  assert.equal(summarize(await app.admin('PATCH', path, { enabled: false })), '200')
  assert.equal(summarize(await app.admin('PATCH', path, { name: 'renamed' })), '200')
  assert.equal(summarize(await app.admin('PATCH', path, { enabled: true })), '409 TEST_CASE_FAILED')
})

test('a signer that fails its test cases is not created', async (t) => {
  const { app, createSigner } = await setUpProvider(t)
  const body = {
    name: 'idp',
    enabled: true,
    issuer: ISSUER,
    audience: AUDIENCE,
    jwksEndpoint: 'https://idp.example/jwks',
  }
  const send = async (testCases: unknown) => summarize(await app.admin('POST', SIGNERS, { ...body, testCases }))
  assert.equal(await send([{ ...aliceLogsIn, expect: { outcome: 'refused' } }]), '409 TEST_CASE_FAILED')
  assert.equal(
    await send([{ ...aliceLogsIn, expect: { outcome: 'maybe' } }]),
    '400 COULD_NOT_VALIDATE testCases.0.expect.outcome',
  )
  assert.equal(await send([{ ...aliceLogsIn, expect: undefined }]), '400 COULD_NOT_VALIDATE testCases.0.expect')
  assert.equal(await send([{ ...aliceLogsIn, now: 'soon' }]), '400 COULD_NOT_VALIDATE testCases.0.now')
  const many = (count: number) =>
    Array.from({ length: count }, (_, index) => ({ ...aliceLogsIn, name: `case ${index}` }))
  assert.equal(await send(many(65)), '400 COULD_NOT_VALIDATE testCases')
  assert.equal((await app.admin('GET', SIGNERS)).json.data.length, 0)
  assert.equal(await send(many(64)), '201')
  assert.equal(await createSigner({ name: 'without', audience: 'other' }).then((id) => typeof id), 'string')
})

test('Z-17 the test cases of one request have a budget together, in a save and in a prediction', async (t) => {
  const { app, createSigner } = await setUpProvider(t)
  const list = Array.from({ length: 30 }, (_, index) => index)
  // About 7,000 units for each case.
  const acceptRule = 'claims.list.all(a, claims.list.all(b, a + b >= 0 && a < 99))'
  const many = (count: number) =>
    Array.from({ length: count }, (_, index) => ({
      ...aliceLogsIn,
      claims: { ...claims, list },
      name: `case ${index}`,
    }))
  const id = await createSigner({ acceptRule, testCases: many(10) })
  const patch = async (testCases: unknown) => summarize(await app.admin('PATCH', `${SIGNERS}/${id}`, { testCases }))
  assert.equal(await patch(many(64)), '400 COULD_NOT_VALIDATE testCases')
  assert.equal(await patch(many(9)), '200')
  const update = { op: 'update', kind: 'ext-jwt-signer', id, body: { tags: { a: 'b' } } }
  const ask = async (count: number) =>
    summarize(
      await app.admin('POST', '/edge/management/v1/what-if', { changes: Array.from({ length: count }, () => update) }),
    )
  assert.equal(await ask(1), '200')
  assert.equal(await ask(20), '400 COULD_NOT_VALIDATE testCases')
})

test('Z-17 a test case fails when the rules take too long together for its claims, as the login would', async (t) => {
  const { app, createSigner } = await setUpProvider(t)
  const long = { ...claims, groups: Array(80).fill('g'), long: 'a'.repeat(4_000) }
  const id = await createSigner({ testCases: [{ ...aliceLogsIn, claims: long }] })
  const patch = async (count: number) => {
    const attributeRules = Array(count).fill('claims.groups.filter(g, claims.long.contains("ab"))')
    return summarize(await app.admin('PATCH', `${SIGNERS}/${id}`, { attributeRules }))
  }
  assert.match(await patch(6), /^409 TEST_CASE_FAILED/)
  assert.equal(await patch(5), '200')
})
