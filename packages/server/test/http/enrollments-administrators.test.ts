import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { PERMISSIONS } from '@countersign/contract'
import { hasPowerOver } from '@countersign/core'
import { makeTestCsr } from '@countersign/testkit'
import { buildApp, type Reply, stopTestPostgres, type TestApp } from './build-app.ts'
import { createEnrolling, ENROLLMENTS, enrollmentBody, enrollWithCsr, inAnHour } from './enrollments.fixture.ts'
import { outcome, overBothDatabases } from './ext-jwt-signers.fixture.ts'
import {
  AUTHENTICATORS,
  createIdentity,
  createPassword,
  IDENTITIES,
  identityBody,
  identityOf,
} from './identities.fixture.ts'

after(stopTestPostgres)

/** A caller with these permissions. */
async function callerWith(app: TestApp, permissions: readonly string[]) {
  const { session } = await app.makeIdentity({ permissions })
  return (method: string, path: string, body?: unknown): Promise<Reply> => app.call(method, path, body, { session })
}

const HOLDER = ['enrollment', 'identity', 'authenticator']

overBothDatabases('N-05 D35 the enrollments of administrators are for administrators', async (t, app) => {
  const admin = await createEnrolling(app, { isAdmin: true })
  const reader = await createEnrolling(app, { permissions: ['admin_readonly'] })
  const plain = await createEnrolling(app)
  const as = await callerWith(app, HOLDER)

  await t.test('others find none of them, in no list, no view and no page', async () => {
    for (const hidden of [admin, reader]) {
      assert.equal(outcome(await as('GET', `${ENROLLMENTS}/${hidden.id}`)), '404 NOT_FOUND')
      const paths = [
        ENROLLMENTS,
        `${ENROLLMENTS}?limit=none`,
        `${ENROLLMENTS}?filter=id="${hidden.id}"`,
        `${ENROLLMENTS}?filter=identity="${hidden.identityId}" or true`,
        `${IDENTITIES}/${hidden.identityId}/enrollments`,
        `${IDENTITIES}/${hidden.identityId}`,
        `${IDENTITIES}?limit=none`,
        `${IDENTITIES}?filter=id="${hidden.identityId}"`,
      ]
      for (const path of paths) {
        const { status, text } = await as('GET', path)
        assert.equal(status, 200, path)
        for (const secret of [hidden.token, hidden.jwt]) assert.ok(!text.includes(secret), path)
        assert.ok(path.startsWith(IDENTITIES) || !text.includes(hidden.id), path)
      }
      const counted = await as('GET', `${ENROLLMENTS}?filter=id="${hidden.id}"`)
      assert.equal(counted.json.meta.pagination.totalCount, 0)
      assert.deepEqual((await as('GET', `${IDENTITIES}/${hidden.identityId}`)).json.data.enrollment, {})
    }
  })

  await t.test('and those of everybody else as an administrator does', async () => {
    assert.equal((await as('GET', `${ENROLLMENTS}/${plain.id}`)).json.data.token, plain.token)
    assert.equal((await as('GET', `${IDENTITIES}/${plain.identityId}`)).json.data.enrollment.ott.jwt, plain.jwt)
    const listed = (await as('GET', `${ENROLLMENTS}?limit=none`)).json.data
    assert.deepEqual(
      listed.map(({ id }: { id: string }) => id),
      [plain.id],
    )
    const all = (await app.admin('GET', ENROLLMENTS)).json
    assert.equal(all.meta.pagination.totalCount, 3)
    for (const { id, token } of [admin, reader, plain]) {
      assert.equal(all.data.find((one: { id: string }) => one.id === id).token, token)
    }
  })

  await t.test('others neither make, refresh nor delete them, nor make an administrator enroll again', async () => {
    const expiresAt = inAnHour(app)
    for (const power of [{ isAdmin: true }, { permissions: ['admin_readonly'] }]) {
      const identityId = await createIdentity(app, power)
      const { id: authenticator } = await createPassword(app, identityId)
      const touched = await createEnrolling(app, power)
      const before = [await identityOf(app, identityId), await identityOf(app, touched.identityId)]
      for (const [method, path, body] of [
        ['POST', ENROLLMENTS, enrollmentBody(app, identityId)],
        ['POST', ENROLLMENTS, enrollmentBody(app, touched.identityId)],
        ['POST', `${ENROLLMENTS}/${touched.id}/refresh`, { expiresAt }],
        ['DELETE', `${ENROLLMENTS}/${touched.id}`],
        ['POST', `${AUTHENTICATORS}/${authenticator}/re-enroll`, { expiresAt }],
        ['POST', IDENTITIES, identityBody({ ...power, enrollment: { ott: true } })],
      ] as const) {
        const reply = await as(method, path, body)
        assert.equal(outcome(reply), '401 UNAUTHORIZED', `${method} ${path}`)
        assert.equal(reply.headers['www-authenticate'], undefined)
      }
      assert.deepEqual([await identityOf(app, identityId), await identityOf(app, touched.identityId)], before)
    }
    const identityId = await createIdentity(app)
    const { id: authenticator } = await createPassword(app, identityId)
    const touched = await createEnrolling(app)
    for (const [method, path, body, expected] of [
      ['POST', ENROLLMENTS, enrollmentBody(app, identityId), '201'],
      ['POST', `${ENROLLMENTS}/${touched.id}/refresh`, { expiresAt }, '200'],
      ['DELETE', `${ENROLLMENTS}/${touched.id}`, undefined, '200'],
      ['POST', `${AUTHENTICATORS}/${authenticator}/re-enroll`, { expiresAt }, '201'],
      ['POST', IDENTITIES, identityBody({ enrollment: { ott: true } }), '201'],
    ] as const) {
      assert.equal(outcome(await as(method, path, body)), expected, `${method} ${path}`)
    }
  })

  await t.test('one who becomes an administrator later takes his enrollment with him', async () => {
    const rising = await createEnrolling(app)
    assert.equal((await as('GET', `${ENROLLMENTS}/${rising.id}`)).json.data.token, rising.token)
    await app.admin('PATCH', `${IDENTITIES}/${rising.identityId}`, { isAdmin: true })
    assert.equal(outcome(await as('GET', `${ENROLLMENTS}/${rising.id}`)), '404 NOT_FOUND')
    assert.ok(!(await as('GET', `${ENROLLMENTS}?limit=none`)).text.includes(rising.token))
    assert.equal(outcome(await enrollWithCsr(app, rising.token, makeTestCsr().pem)), '200')
  })
})

overBothDatabases(
  'D28 who only reads is shown enrollments without what would make him their identity',
  async (_t, app) => {
    const { id, identityId, token, jwt } = await createEnrolling(app)
    const paths = [
      `${ENROLLMENTS}/${id}`,
      ENROLLMENTS,
      `${IDENTITIES}/${identityId}/enrollments`,
      `${IDENTITIES}/${identityId}`,
    ]
    const rights: readonly [string[], boolean][] = [
      [['admin_readonly'], false],
      [['enrollment.read', 'identity.read'], false],
      [['enrollment.read', 'identity.read', 'enrollment.delete', 'identity.update'], false],
      [['enrollment.read', 'identity.read', 'enrollment.create'], true],
      [['enrollment.read', 'identity.read', 'enrollment.update'], true],
      [['enrollment.read', 'identity.read', 'identity.create'], true],
      [['enrollment.read', 'identity.read', 'authenticator.update'], true],
    ]
    for (const [permissions, isShown] of rights) {
      const as = await callerWith(app, permissions)
      for (const path of paths) {
        const { status, text } = await as('GET', path)
        assert.equal(status, 200, path)
        assert.ok(text.includes(id), 'that there is one is no secret')
        for (const secret of [token, jwt]) assert.equal(text.includes(secret), isShown, `${permissions} ${path}`)
      }
    }
  },
)

overBothDatabases(
  'D28 D35 who reads everything sees that an administrator may still enroll, without token and jwt',
  async (_t, app) => {
    const { id, identityId, token, jwt } = await createEnrolling(app, { isAdmin: true })
    for (const permissions of [['admin_readonly'], ['admin_readonly', 'enrollment', 'identity', 'authenticator']]) {
      const as = await callerWith(app, permissions)
      for (const path of [
        `${ENROLLMENTS}/${id}`,
        ENROLLMENTS,
        `${IDENTITIES}/${identityId}/enrollments`,
        `${IDENTITIES}/${identityId}`,
      ]) {
        const { status, text } = await as('GET', path)
        assert.equal(status, 200, path)
        assert.ok(text.includes(id), path)
        for (const secret of [token, jwt]) assert.ok(!text.includes(secret), path)
      }
      assert.equal((await as('DELETE', `${ENROLLMENTS}/${id}`)).status, 401)
    }
    assert.equal((await app.admin('GET', `${ENROLLMENTS}/${id}`)).json.data.token, token)
  },
)

overBothDatabases('N-05 a list shows to each holder exactly what single looks would show him', async (_t, app) => {
  const owners: { id: string; permissions: readonly (typeof PERMISSIONS)[number][] }[] = []
  for (const permission of PERMISSIONS) {
    owners.push({ id: (await createEnrolling(app, { permissions: [permission] })).id, permissions: [permission] })
  }
  owners.push({ id: (await createEnrolling(app)).id, permissions: [] })
  for (const held of [
    ['enrollment.read'],
    ['enrollment'],
    ['admin_readonly'],
    ['enrollment', 'identity', 'api-session.read'],
  ] as const) {
    const as = await callerWith(app, held)
    const expected = owners.filter((owner) => {
      const isReader = held[0] === 'admin_readonly'
      const holder = { isAdmin: false, permissions: held }
      return isReader || hasPowerOver(holder, { isAdmin: false, permissions: owner.permissions })
    })
    const listed = (await as('GET', `${ENROLLMENTS}?limit=none`)).json.data
    assert.deepEqual(
      listed.map(({ id }: { id: string }) => id).toSorted(),
      expected.map(({ id }) => id).toSorted(),
      held.join(),
    )
    for (const { id } of owners) {
      const isExpected = expected.some((owner) => owner.id === id)
      assert.equal((await as('GET', `${ENROLLMENTS}/${id}`)).status, isExpected ? 200 : 404)
    }
  }
})

test('N-06 when it cannot be told whose an enrollment is, it is shown to nobody and nothing is done', async (t) => {
  const app = await buildApp(t, { database: 'postgres' })
  const { id, identityId, token, jwt } = await createEnrolling(app)
  const as = await callerWith(app, HOLDER)
  assert.equal((await as('GET', `${ENROLLMENTS}/${id}`)).status, 200)
  const calls: readonly [string, string, unknown?][] = [
    ['GET', `${ENROLLMENTS}/${id}`],
    ['GET', ENROLLMENTS],
    ['GET', `${IDENTITIES}/${identityId}`],
    ['GET', `${IDENTITIES}/${identityId}/enrollments`],
    ['POST', `${ENROLLMENTS}/${id}/refresh`, { expiresAt: inAnHour(app) }],
    ['DELETE', `${ENROLLMENTS}/${id}`],
    ['POST', ENROLLMENTS, enrollmentBody(app, identityId, { method: 'updb', username: 'never-made' })],
  ]
  const permissionsOf = (permissions: string) =>
    app.store.db.updateTable('identities').set({ permissions }).where('id', '=', identityId).execute()
  const enrollments = () => app.store.db.selectFrom('enrollments').selectAll().execute()
  const before = await enrollments()
  await permissionsOf('unreadable')
  for (const [method, path, body] of calls) {
    const { status, text } = await as(method, path, body)
    assert.equal(status, 500, `${method} ${path}`)
    assert.ok(!text.includes(token) && !text.includes(jwt))
  }
  assert.deepEqual(await enrollments(), before)
  await permissionsOf('[]')
  for (const [method, path, body] of calls) {
    const isLast = path === ENROLLMENTS && method === 'POST'
    assert.equal((await as(method, path, body)).status, isLast ? 201 : 200, `${method} ${path}`)
  }
})
