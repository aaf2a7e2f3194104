import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { makeTestCsr } from '@countersign/testkit'
import { buildApp, newPostgresDatabase, type Reply } from './build-app.ts'
import { enroll, IDENTITIES, KINDS, refusal, setUpEnrollment } from './enroll-token.fixture.ts'
import { ALICE, SIGNERS } from './provider.fixture.ts'

const ENROLLED = '409 ENROLLMENT_IDENTITY_ALREADY_ENROLLED'

/** Counts each result. */
function tally(replies: readonly Reply[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const reply of replies) {
    const result = reply.status === 200 || reply.status === 201 ? `${reply.status}` : refusal(reply)
    counts[result] = (counts[result] ?? 0) + 1
  }
  return counts
}

const BODIES = {
  'to token use': () => KINDS.token,
  'to a certificate': () => KINDS.cert,
  'to one or the other': (index: number) => (index % 2 === 0 ? KINDS.token : KINDS.cert),
} as const

describe('many enrollments at once', () => {
  for (const [what, bodyOf] of Object.entries(BODIES)) {
    test(`L-09 D24 D37 the same token 200 times ${what}: one identity, at most one certificate, all others 409`, async (t) => {
      const { app, token, enrollingSigner, enroll, countIdentities, identity } = await setUpEnrollment(t, {})
      await enrollingSigner()
      const before = await countIdentities()
      const used = token()
      const replies = await Promise.all(Array.from({ length: 200 }, (_, index) => enroll(used, bodyOf(index)())))
      assert.deepEqual(tally(replies), { 200: 1, [ENROLLED]: 199 })
      assert.equal(await countIdentities(), before + 1)
      const winner = replies.find(({ status }) => status === 200)?.json.data
      const { externalId, authenticators } = await identity(winner.identityId)
      assert.equal(externalId, ALICE)
      assert.deepEqual(Object.keys(authenticators), winner.cert ? ['cert'] : [])
      const recorded = await app.store.db
        .selectFrom('authenticators')
        .select('id')
        .where('method', '=', 'cert')
        .execute()
      assert.equal(recorded.length, winner.cert ? 1 : 0)
    })
  }

  test('L-10 two subjects with one name at once: one is enrolled, the other gets an error for the name and no certificate', async (t) => {
    const { app, token, enrollingSigner, enroll } = await setUpEnrollment(t)
    await enrollingSigner({ enrollNameClaimsSelector: 'name' })
    for (const [round, body] of [KINDS.token, KINDS.cert, KINDS.token, KINDS.cert].entries()) {
      const name = `name-${round}`
      const replies = await Promise.all(['a', 'b'].map((sub) => enroll(token({ sub: `${sub}${round}`, name }), body())))
      assert.deepEqual(tally(replies), { 200: 1, '400 COULD_NOT_VALIDATE name': 1 })
    }
    const recorded = await app.store.db.selectFrom('authenticators').select('id').where('method', '=', 'cert').execute()
    assert.equal(recorded.length, 2)
  })

  test('L-12 an administrator creates the identity at the same time: one of both succeeds', async (t) => {
    const { app, token, enrollingSigner, enroll, countIdentities } = await setUpEnrollment(t)
    await enrollingSigner()
    const before = await countIdentities()
    for (let round = 0; round < 10; round++) {
      const sub = `subject-${round}`
      const body = round % 2 === 0 ? KINDS.token() : KINDS.cert()
      const byAdmin = { name: `created ${round}`, type: 'Default', isAdmin: false, externalId: sub }
      const pair = () => [app.admin('POST', IDENTITIES, byAdmin), enroll(token({ sub }), body)]
      const replies = await Promise.all(round % 3 === 0 ? pair().reverse() : pair())
      const results = Object.keys(tally(replies)).sort().join(' and ')
      assert.ok([`201 and ${ENROLLED}`, '200 and 400 COULD_NOT_VALIDATE externalId'].includes(results), results)
      assert.equal(await countIdentities(), before + round + 1)
    }
  })

  test('J-09 one key for three identities at once: one is enrolled, the others leave nothing', async (t) => {
    const { token, enrollingSigner, enroll, countIdentities } = await setUpEnrollment(t)
    await enrollingSigner()
    const before = await countIdentities()
    const { pem: clientCsr } = makeTestCsr()
    const replies = await Promise.all(['a', 'b', 'c'].map((sub) => enroll(token({ sub }), { clientCsr })))
    assert.deepEqual(tally(replies), { 200: 1, '409 CERT_IN_USE certPem': 2 })
    assert.equal(await countIdentities(), before + 1)
  })

  test('D29 a signer that is disabled during many enrollments accepts none after that', async (t) => {
    const { app, token, enrollingSigner, enroll, countIdentities } = await setUpEnrollment(t)
    const id = await enrollingSigner()
    const before = await countIdentities()
    const attempts = Array.from({ length: 40 }, (_, index) => enroll(token({ sub: `s${index}` })))
    const disabled = app.admin('PATCH', `${SIGNERS}/${id}`, { enabled: false })
    const replies = await Promise.all(attempts)
    assert.equal((await disabled).status, 200)
    const made = replies.filter(({ status }) => status === 200).length
    assert.deepEqual(
      replies.filter(({ status }) => status !== 200).map(refusal),
      Array(40 - made).fill('400 INVALID_ENROLLMENT_TOKEN'),
    )
    assert.equal(await countIdentities(), before + made)
    assert.equal(refusal(await enroll(token({ sub: 'late' }))), '400 INVALID_ENROLLMENT_TOKEN')
  })
})

test('L-09 the same token 200 times at two nodes: one identity, all others 409', async (t) => {
  const database = await newPostgresDatabase()
  const { app, provider, token, enrollingSigner, countIdentities } = await setUpEnrollment(t, { database })
  await enrollingSigner()
  const other = await buildApp(t, { database, fetchJwks: provider.fetchJwks })
  for (const body of [KINDS.token, KINDS.cert]) {
    const before = await countIdentities()
    const used = token({ sub: `at two nodes ${body === KINDS.cert}` })
    const replies = await Promise.all(
      Array.from({ length: 200 }, (_, index) =>
        enroll(index % 2 === 0 ? app : other, { tokens: [used], body: body() }),
      ),
    )
    assert.deepEqual(tally(replies), { 200: 1, [ENROLLED]: 199 })
    assert.equal(await countIdentities(), before + 1)
  }
})
