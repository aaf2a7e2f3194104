import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeTestCsr } from '@countersign/testkit'
import { buildApp, newPostgresDatabase, type Reply, type TestApp } from './build-app.ts'
import {
  createEnrolling,
  createEnrollingPassword,
  ENROLLMENTS,
  enrollWithCsr,
  enrollWithPassword,
  inAnHour,
} from './enrollments.fixture.ts'
import { summarize, testWithApp } from './ext-jwt-signers.fixture.ts'
import { IDENTITIES } from './identities.fixture.ts'

const INVALID = '400 INVALID_ENROLLMENT_TOKEN'

/** The number of authenticators and enrollments of an identity. Each call leaves exactly one of the two. */
async function stateOf(app: TestApp, identityId: string) {
  const [authenticators, enrollments] = await Promise.all(
    (['authenticators', 'enrollments'] as const).map((table) =>
      app.store.db.selectFrom(table).select('id').where('identity_id', '=', identityId).execute(),
    ),
  )
  return { authenticators: authenticators?.length, enrollments: enrollments?.length }
}

const ENROLLED = { authenticators: 1, enrollments: 0 }

function tally(replies: readonly Reply[]): Record<string, number> {
  const bySummary = Object.groupBy(replies, summarize)
  return Object.fromEntries(Object.entries(bySummary).map(([name, some]) => [name, some?.length ?? 0]))
}

testWithApp('D37 one of a hundred requests with the same token gets a certificate', async (_t, app) => {
  for (let round = 0; round < 3; round++) {
    const { identityId, token } = await createEnrolling(app)
    const csrs = Array.from({ length: 100 }, () => makeTestCsr().pem)
    const replies = await Promise.all(csrs.map((csr) => enrollWithCsr(app, token, csr)))
    assert.deepEqual(tally(replies), { 200: 1, [INVALID]: 99 })
    assert.deepEqual(await stateOf(app, identityId), ENROLLED)
  }
})

testWithApp('D37 one of many requests with the same token sets the password', async (_t, app) => {
  for (let round = 0; round < 3; round++) {
    const { identityId, token, username } = await createEnrollingPassword(app)
    const passwords = Array.from({ length: 12 }, (_, index) => `password-${index}`)
    const replies = await Promise.all(passwords.map((password) => enrollWithPassword(app, token, password)))
    assert.deepEqual(tally(replies), { 200: 1, [INVALID]: 11 })
    assert.deepEqual(await stateOf(app, identityId), ENROLLED)
    const winner = passwords[replies.findIndex(({ status }) => status === 200)] ?? ''
    assert.equal(typeof (await app.logIn(username, winner)), 'string', 'the password of the successful request')
  }
})

testWithApp('D37 a token is redeemed, or refreshed, deleted or disabled, never half of both', async (_t, app) => {
  const interferences: readonly ((of: { id: string; identityId: string }) => Promise<Reply>)[] = [
    ({ id }) => app.admin('POST', `${ENROLLMENTS}/${id}/refresh`, { expiresAt: inAnHour(app) }),
    ({ id }) => app.admin('DELETE', `${ENROLLMENTS}/${id}`),
    ({ identityId }) => app.admin('DELETE', `${IDENTITIES}/${identityId}`),
    ({ identityId }) => app.admin('POST', `${IDENTITIES}/${identityId}/disable`, { durationMinutes: 0 }),
  ]
  for (let round = 0; round < 20; round++) {
    for (const [index, interfere] of interferences.entries()) {
      const made = await createEnrolling(app)
      const [enrolled, other] = await Promise.all([enrollWithCsr(app, made.token, makeTestCsr().pem), interfere(made)])
      assert.ok(['200', INVALID].includes(summarize(enrolled)), summarize(enrolled))
      const { authenticators = 0, enrollments = 0 } = await stateOf(app, made.identityId)
      if (enrolled.status === 200) {
        assert.ok(authenticators + enrollments <= 1 && enrollments === 0, `${index}: ${summarize(other)}`)
        if (index < 2) assert.ok([200, 404].includes(other.status))
      } else {
        assert.equal(authenticators, 0, `${index}: a refused enrollment leaves nothing`)
        assert.equal(other.status, 200)
        assert.equal(enrollments, index === 0 || index === 3 ? 1 : 0)
      }
    }
  }
})

test('D37 R-13 a token is known on every node and redeemed on one of them only', async (t) => {
  const database = await newPostgresDatabase()
  const nodes = [await buildApp(t, { database }), await buildApp(t, { database })]
  const [one, two] = nodes as [TestApp, TestApp]
  for (let round = 0; round < 3; round++) {
    const { identityId, id, token } = await createEnrolling(one)
    const shown = await two.call('GET', `${ENROLLMENTS}/${id}`, undefined, { session: two.adminSession })
    assert.equal(shown.json.data.token, token, 'nodes with the same sealing key show the same token')
    const replies = await Promise.all(
      Array.from({ length: 40 }, (_, index) => enrollWithCsr(index % 2 ? one : two, token, makeTestCsr().pem)),
    )
    assert.deepEqual(tally(replies), { 200: 1, [INVALID]: 39 })
    assert.deepEqual(await stateOf(one, identityId), ENROLLED)
  }
})
