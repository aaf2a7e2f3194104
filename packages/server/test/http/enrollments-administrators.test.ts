import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PERMISSIONS } from '@countersign/contract'
import { hasAllPermissionsOf } from '@countersign/core'
import { makeTestCsr } from '@countersign/testkit'
import { buildApp, type Reply, type TestApp } from './build-app.ts'
import { createEnrolling, ENROLLMENTS, enrollmentBody, enrollWithCsr, inAnHour } from './enrollments.fixture.ts'
import { summarize, testWithApp } from './ext-jwt-signers.fixture.ts'
import {
  AUTHENTICATORS,
  createIdentity,
  createPassword,
  IDENTITIES,
  identityBody,
  identityOf,
} from './identities.fixture.ts'

/** Returns a function that calls with these permissions. */
async function callerWith(app: TestApp, permissions: readonly string[]) {
  const { session } = await app.makeIdentity({ permissions })
  return (method: string, path: string, body?: unknown): Promise<Reply> => app.call(method, path, body, { session })
}

const HOLDER = ['enrollment', 'identity']

testWithApp('N-05 D35 only administrators see and change the enrollments of administrators', async (t, app) => {
  const admin = await createEnrolling(app, { isAdmin: true })
  const reader = await createEnrolling(app, { permissions: ['admin_readonly'] })
  const plain = await createEnrolling(app)
  const as = await callerWith(app, HOLDER)

  await t.test('others find none of them in lists and details', async () => {
    for (const hidden of [admin, reader]) {
      assert.equal(summarize(await as('GET', `${ENROLLMENTS}/${hidden.id}`)), '404 NOT_FOUND')
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

  await t.test('others see all other enrollments as an administrator does', async () => {
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

  await t.test('others cannot create, refresh or delete them, or make an administrator enroll again', async () => {
    const expiresAt = inAnHour(app)
    for (const rights of [{ isAdmin: true }, { permissions: ['admin_readonly'] }]) {
      const identityId = await createIdentity(app, rights)
      const { id: authenticator } = await createPassword(app, identityId)
      const existing = await createEnrolling(app, rights)
      const before = [await identityOf(app, identityId), await identityOf(app, existing.identityId)]
      for (const [method, path, body] of [
        ['POST', ENROLLMENTS, enrollmentBody(app, identityId)],
        ['POST', ENROLLMENTS, enrollmentBody(app, existing.identityId)],
        ['POST', `${ENROLLMENTS}/${existing.id}/refresh`, { expiresAt }],
        ['DELETE', `${ENROLLMENTS}/${existing.id}`],
        ['POST', `${AUTHENTICATORS}/${authenticator}/re-enroll`, { expiresAt }],
        ['POST', IDENTITIES, identityBody({ ...rights, enrollment: { ott: true } })],
      ] as const) {
        const reply = await as(method, path, body)
        assert.equal(summarize(reply), '401 UNAUTHORIZED', `${method} ${path}`)
        assert.equal(reply.headers['www-authenticate'], undefined)
      }
      assert.deepEqual([await identityOf(app, identityId), await identityOf(app, existing.identityId)], before)
    }
    const identityId = await createIdentity(app)
    const { id: authenticator } = await createPassword(app, identityId)
    const existing = await createEnrolling(app)
    for (const [method, path, body, expected] of [
      ['POST', ENROLLMENTS, enrollmentBody(app, identityId), '201'],
      ['POST', `${ENROLLMENTS}/${existing.id}/refresh`, { expiresAt }, '200'],
      ['DELETE', `${ENROLLMENTS}/${existing.id}`, undefined, '200'],
      ['POST', `${AUTHENTICATORS}/${authenticator}/re-enroll`, { expiresAt }, '201'],
      ['POST', IDENTITIES, identityBody({ enrollment: { ott: true } }), '201'],
    ] as const) {
      assert.equal(summarize(await as(method, path, body)), expected, `${method} ${path}`)
    }
  })

  await t.test('the enrollment of an identity that becomes an administrator is hidden from then on', async () => {
    const promoted = await createEnrolling(app)
    assert.equal((await as('GET', `${ENROLLMENTS}/${promoted.id}`)).json.data.token, promoted.token)
    await app.admin('PATCH', `${IDENTITIES}/${promoted.identityId}`, { isAdmin: true })
    assert.equal(summarize(await as('GET', `${ENROLLMENTS}/${promoted.id}`)), '404 NOT_FOUND')
    assert.ok(!(await as('GET', `${ENROLLMENTS}?limit=none`)).text.includes(promoted.token))
    assert.equal(summarize(await enrollWithCsr(app, promoted.token, makeTestCsr().pem)), '200')
  })
})

testWithApp('D28 a reader sees enrollments without the token and the JWT', async (_t, app) => {
  const { id, identityId, token, jwt } = await createEnrolling(app)
  const [, claims = assert.fail()] = jwt.split('.')
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
    [['enrollment.read', 'identity.read', 'identity.create'], false],
    [['enrollment.read', 'identity'], true],
  ]
  for (const [permissions, isShown] of rights) {
    const as = await callerWith(app, permissions)
    for (const path of paths) {
      const { status, text } = await as('GET', path)
      assert.equal(status, 200, path)
      assert.ok(text.includes(id), 'the enrollment itself is shown')
      for (const secret of [token, claims]) assert.equal(text.includes(secret), isShown, `${permissions} ${path}`)
    }
  }
})

testWithApp('N-14 a holder of identity.create sees the tokens that it created, and no others', async (_t, app) => {
  const as = await callerWith(app, ['enrollment.read', 'identity.read', 'identity.create'])
  const other = await callerWith(app, ['enrollment.read', 'identity.read', 'identity.create'])
  const made = await as('POST', IDENTITIES, identityBody({ enrollment: { ott: true } }))
  assert.equal(made.status, 201, made.text)
  const path = `${IDENTITIES}/${made.json.data.id}`
  const own = (await as('GET', path)).json.data.enrollment.ott
  assert.equal(typeof own.token, 'string')
  assert.equal((await as('GET', `${ENROLLMENTS}/${own.id}`)).json.data.token, own.token)
  assert.deepEqual(Object.keys((await other('GET', path)).json.data.enrollment.ott), ['id', 'expiresAt'])
  const expiresAt = new Date(app.clock.now() + 60_000).toISOString()
  assert.equal((await app.admin('POST', `${ENROLLMENTS}/${own.id}/refresh`, { expiresAt })).status, 200)
  const refreshed = (await as('GET', path)).json.data.enrollment.ott
  assert.deepEqual(Object.keys(refreshed), ['id', 'expiresAt'], 'another caller created the new token')
})

testWithApp(
  'D28 D35 a caller with admin_readonly sees the enrollments of administrators, without token and JWT',
  async (_t, app) => {
    const { id, identityId, token, jwt } = await createEnrolling(app, { isAdmin: true })
    for (const permissions of [['admin_readonly'], ['admin_readonly', 'enrollment', 'identity']]) {
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

testWithApp('N-05 the enrollments of an identity take the permission for enrollments', async (_t, app) => {
  const { identityId, id } = await createEnrolling(app)
  const path = `${IDENTITIES}/${identityId}/enrollments`
  const withIdentity = await callerWith(app, ['identity'])
  assert.equal(summarize(await withIdentity('GET', path)), '401 UNAUTHORIZED')
  const withEnrollment = await callerWith(app, ['enrollment.read'])
  assert.deepEqual(
    (await withEnrollment('GET', path)).json.data.map((row: { id: string }) => row.id),
    [id],
  )
})

testWithApp('N-05 a list shows each caller exactly the enrollments that single reads show', async (_t, app) => {
  const owners: { id: string; permissions: readonly (typeof PERMISSIONS)[number][] }[] = []
  for (const permission of PERMISSIONS) {
    owners.push({ id: (await createEnrolling(app, { permissions: [permission] })).id, permissions: [permission] })
  }
  owners.push({ id: (await createEnrolling(app)).id, permissions: [] })
  for (const held of [
    ['enrollment.read'],
    ['enrollment'],
    ['admin_readonly'],
    ['enrollment', 'identity', 'ops.read'],
  ] as const) {
    const as = await callerWith(app, held)
    const expected = owners.filter((owner) => {
      const isReader = held[0] === 'admin_readonly'
      const holder = { isAdmin: false, permissions: held }
      return isReader || hasAllPermissionsOf(holder, { isAdmin: false, permissions: owner.permissions })
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

test('N-06 an enrollment whose owner cannot be read is shown to no caller, and nothing is changed', async (t) => {
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
