import assert from 'node:assert/strict'
import { createPolicy, POLICIES, policyBody } from './auth-policies.fixture.ts'
import type { Reply, TestApp } from './build-app.ts'
import { CAS, CLAIM, issueLeaf, makeCa } from './cas.fixture.ts'
import { create, jwksBody, SIGNERS, savedOf, summarize, testWithApp } from './ext-jwt-signers.fixture.ts'
import {
  AUTHENTICATORS,
  createIdentity,
  createPassword,
  defaultAdminId,
  IDENTITIES,
  identityBody,
  identityOf,
} from './identities.fixture.ts'

const NOTHING_ALLOWED = { cert: { allowed: false }, extJwt: { allowed: false }, updb: { allowed: false } }

/** Each action that removes the last administrator, or its last login. */
const REMOVALS: readonly {
  title: string
  code?: string
  act(app: TestApp, admin: string, session: string): Promise<Reply>
}[] = [
  {
    title: 'disabling the identity',
    code: 'LAST_ADMINISTRATOR',
    act: (app, id, session) => app.call('POST', `${IDENTITIES}/${id}/disable`, { durationMinutes: 1 }, { session }),
  },
  {
    title: 'moving the identity to a policy without login methods',
    act: async (app, id, session) => {
      const made = await app.call('POST', POLICIES, policyBody(NOTHING_ALLOWED), { session })
      return app.call('PATCH', `${IDENTITIES}/${id}`, { authPolicyId: made.json.data.id }, { session })
    },
  },
  {
    title: 'forbidding passwords in the policy',
    act: (app, _id, session) => {
      return app.call('PATCH', `${POLICIES}/default`, { primary: { updb: { allowed: false } } }, { session })
    },
  },
  {
    title: 'replacing the policy',
    act: (app, _id, session) => {
      const body = { ...policyBody(NOTHING_ALLOWED), name: 'Default' }
      return app.call('PUT', `${POLICIES}/default`, body, { session })
    },
  },
  {
    title: 'deleting the password',
    act: async (app, id, session) => {
      const { json } = await app.call('GET', `${IDENTITIES}/${id}`, undefined, { session })
      return app.call('DELETE', `${AUTHENTICATORS}/${json.data.authenticators.updb.id}`, undefined, { session })
    },
  },
]

testWithApp('N-08 D35 the last administrator cannot be removed, one of two can', async (_t, app) => {
  const admin = await defaultAdminId(app)
  const before = await identityOf(app, admin)
  for (const { title, code = 'WOULD_LOCK_OUT', act } of REMOVALS) {
    assert.equal(summarize(await act(app, admin, app.adminSession)), `409 ${code}`, title)
    assert.deepEqual(await identityOf(app, admin), before, 'nothing is changed')
  }
  const other = await app.makeIdentity({ isAdmin: true, authPolicyId: await createPolicy(app) })
  for (const { title, act } of REMOVALS) {
    assert.equal(summarize(await act(app, admin, other.session)), '200', title)
    assert.equal(
      summarize(await app.call('POST', `${IDENTITIES}/${admin}/enable`, undefined, { session: other.session })),
      '200',
    )
  }
})

testWithApp('N-08 an administrator can give up the role unless they are the last one', async (_t, app) => {
  const defaultAdmin = await defaultAdminId(app)
  const one = await app.makeIdentity({ isAdmin: true })
  const two = await app.makeIdentity({ isAdmin: true })
  const as = (method: string, path: string, body?: unknown) => app.call(method, path, body, { session: one.session })
  assert.equal(summarize(await as('POST', `${IDENTITIES}/${defaultAdmin}/disable`, { durationMinutes: 0 })), '200')
  assert.equal(
    summarize(await as('PATCH', `${IDENTITIES}/${two.id}`, { isAdmin: false })),
    '200',
    'another administrator remains',
  )
  assert.equal(summarize(await as('PATCH', `${IDENTITIES}/${one.id}`, { isAdmin: false })), '409 LAST_ADMINISTRATOR')
  assert.equal(summarize(await as('DELETE', `${IDENTITIES}/${one.id}`)), '409 LAST_ADMINISTRATOR')
  assert.equal(summarize(await as('POST', `${IDENTITIES}/${defaultAdmin}/enable`)), '200')
  assert.equal(summarize(await as('DELETE', `${IDENTITIES}/${one.id}`)), '200')
})

testWithApp('N-08 an administrator who can log in through an enabled signer counts', async (_t, app) => {
  const forbidPasswords = { primary: { updb: { allowed: false } } }
  const signer = await create(app, jwksBody({ enabled: false }))
  assert.equal(summarize(await app.admin('PATCH', `${POLICIES}/default`, forbidPasswords)), '409 WOULD_LOCK_OUT')
  assert.equal(summarize(await app.admin('PATCH', `${SIGNERS}/${signer}`, { enabled: true })), '200')
  const onlyOther = {
    primary: {
      ...forbidPasswords.primary,
      extJwt: { allowedSigners: [await create(app, jwksBody({ enabled: false }))] },
    },
  }
  assert.equal(summarize(await app.admin('PATCH', `${POLICIES}/default`, onlyOther)), '409 WOULD_LOCK_OUT')
  assert.equal(summarize(await app.admin('PATCH', `${POLICIES}/default`, forbidPasswords)), '200')
})

testWithApp('N-08 a second token that the last administrator cannot present cannot be required', async (_t, app) => {
  const admin = await defaultAdminId(app)
  const holder = await app.makeIdentity({ permissions: ['auth-policy'] })
  const byExternalId = await create(app, jwksBody({ useExternalId: true }))
  const disabled = await create(app, jwksBody({ enabled: false }))
  const demand = async (signerId: string, session: string) => {
    const body = { secondary: { requireExtJwtSigner: signerId } }
    return summarize(await app.call('PATCH', `${POLICIES}/default`, body, { session }))
  }
  assert.equal(await demand(disabled, app.adminSession), '409 WOULD_LOCK_OUT')
  assert.equal(await demand(byExternalId, app.adminSession), '409 WOULD_LOCK_OUT', 'no claim maps to the administrator')
  assert.equal(summarize(await app.admin('PATCH', `${IDENTITIES}/${admin}`, { externalId: 'root@idp.example' })), '200')
  assert.equal(await demand(disabled, app.adminSession), '409 WOULD_LOCK_OUT')
  assert.equal(await demand(byExternalId, holder.session), '401 UNAUTHORIZED')
  assert.equal(await demand(byExternalId, app.adminSession), '200')
})

testWithApp('N-08 W-91 the only third-party CA of the last administrator cannot be removed', async (_t, app) => {
  const { id: byRecord, authority } = await makeCa(app)
  const { id: byClaim } = await makeCa(app, { externalIdClaim: CLAIM })
  const manager = await app.makeIdentity({ permissions: ['ca'] })
  const authPolicyId = await createPolicy(app, { ...NOTHING_ALLOWED, cert: { allowed: true } })
  const admin = await createIdentity(app, { isAdmin: true, authPolicyId, externalId: 'root' })
  const { pem: certPem } = issueLeaf(authority).certificate
  assert.equal(
    summarize(await app.admin('POST', AUTHENTICATORS, { method: 'cert', identityId: admin, certPem })),
    '201',
  )
  assert.equal(
    summarize(await app.admin('POST', `${IDENTITIES}/${await defaultAdminId(app)}/disable`, { durationMinutes: 0 })),
    '200',
  )
  const send = async (method: string, id: string, body?: unknown) =>
    summarize(await app.call(method, `${CAS}/${id}`, body, { session: manager.session }))
  assert.equal(await send('PATCH', byClaim, { isAuthEnabled: false }), '200', 'the recorded certificate remains')
  for (const body of [{ isAuthEnabled: false }, { externalIdClaim: CLAIM }, { identityRoles: ['x'] }]) {
    assert.equal(await send('PATCH', byRecord, body), '409 WOULD_LOCK_OUT', JSON.stringify(body))
  }
  assert.equal(await send('DELETE', byRecord), '409 WOULD_LOCK_OUT')
  assert.equal(await send('PATCH', byRecord, { name: 'renamed', tags: { a: 'b' } }), '200')
})

testWithApp('N-08 the only signer of the last administrator cannot be removed', async (_t, app) => {
  const signer = await create(app)
  const manager = await app.makeIdentity({ permissions: ['external-jwt-signer'] })
  const onlyTokens = await createPolicy(app, { ...NOTHING_ALLOWED, extJwt: { allowed: true } })
  await createIdentity(app, { isAdmin: true, authPolicyId: onlyTokens })
  const spare = await create(app)
  assert.equal(
    summarize(await app.admin('POST', `${IDENTITIES}/${await defaultAdminId(app)}/disable`, { durationMinutes: 0 })),
    '200',
  )
  const send = async (method: string, id: string, body?: unknown) =>
    summarize(await app.call(method, `${SIGNERS}/${id}`, body, { session: manager.session }))
  assert.equal(await send('DELETE', spare), '200', 'another signer remains')
  const before = await savedOf(app, signer, manager)
  assert.equal(await send('PATCH', signer, { enabled: false }), '409 WOULD_LOCK_OUT')
  assert.equal(
    await send('PATCH', signer, { clientId: 'x' }),
    '409 WOULD_LOCK_OUT',
    'the signer would no longer be trusted',
  )
  assert.equal(await send('DELETE', signer), '409 WOULD_LOCK_OUT')
  assert.deepEqual(await savedOf(app, signer, manager), before)
})

testWithApp('D35 a non-administrator cannot change', async (t, app) => {
  const holder = await app.makeIdentity({ permissions: ['identity'] })
  const as = (method: string, path: string, body?: unknown) => app.call(method, path, body, { session: holder.session })
  const admin = await createIdentity(app, { isAdmin: true })
  const adminPassword = await createPassword(app, admin)
  const reader = await createIdentity(app, { permissions: ['admin_readonly'] })
  const readerPassword = await createPassword(app, reader)
  const plain = await createIdentity(app)
  const plainPassword = await createPassword(app, plain)

  const changesOf = (id: string, authenticator: string): readonly [string, string, unknown?][] => [
    ['PATCH', `${IDENTITIES}/${id}`, { tags: { a: 'b' } }],
    ['PATCH', `${IDENTITIES}/${id}`, {}],
    ['POST', `${IDENTITIES}/${id}/disable`, { durationMinutes: 1 }],
    ['POST', `${IDENTITIES}/${id}/enable`],
    ['PATCH', `${AUTHENTICATORS}/${authenticator}`, { password: 'another-password' }],
    ['PUT', `${AUTHENTICATORS}/${authenticator}`, { username: `user-of-${id}`, password: 'another-password' }],
    ['DELETE', `${AUTHENTICATORS}/${authenticator}`],
    ['POST', AUTHENTICATORS, { method: 'updb', identityId: id, username: `new-user-of-${id}`, password: 'a-password' }],
    ['DELETE', `${IDENTITIES}/${id}`],
  ]
  await t.test('an administrator, or an identity with a permission that the caller lacks', async () => {
    for (const [id, password] of [
      [admin, adminPassword],
      [reader, readerPassword],
    ] as const) {
      const before = await identityOf(app, id)
      for (const [method, path, body] of changesOf(id, password.id)) {
        const reply = await as(method, path, body)
        assert.equal(summarize(reply), '401 UNAUTHORIZED', `${method} ${path}`)
        assert.equal(
          reply.headers['www-authenticate'],
          undefined,
          'a refusal for a missing permission has no challenge',
        )
      }
      const put = identityBody({ name: before.name, isAdmin: before.isAdmin, permissions: before.permissions })
      assert.equal(summarize(await as('PUT', `${IDENTITIES}/${id}`, put)), '401 UNAUTHORIZED')
      assert.deepEqual(await identityOf(app, id), before)
      assert.equal(typeof (await app.logIn(password.username, password.password)), 'string')
    }
  })

  await t.test('D28 but all other identities, by PUT as well', async () => {
    assert.equal(summarize(await as('PUT', `${IDENTITIES}/${plain}`, identityBody())), '200')
    for (const [method, path, body] of changesOf(plain, plainPassword.id)) {
      assert.equal(
        summarize(await as(method, path, body)),
        method === 'POST' && path === AUTHENTICATORS ? '201' : '200',
        `${method} ${path}`,
      )
    }
  })

  await t.test('and cannot grant rights, in any write', async () => {
    const id = await createIdentity(app)
    for (const rights of [{ isAdmin: true }, { permissions: ['identity.read'] }]) {
      assert.equal(summarize(await as('POST', IDENTITIES, identityBody(rights))), '401 UNAUTHORIZED')
      assert.equal(summarize(await as('PATCH', `${IDENTITIES}/${id}`, rights)), '401 UNAUTHORIZED')
      assert.equal(summarize(await as('PUT', `${IDENTITIES}/${id}`, identityBody(rights))), '401 UNAUTHORIZED')
      assert.equal(summarize(await as('PATCH', `${IDENTITIES}/${holder.id}`, rights)), '401 UNAUTHORIZED')
    }
    const { isAdmin, permissions } = await identityOf(app, id)
    assert.deepEqual({ isAdmin, permissions }, { isAdmin: false, permissions: null })
    assert.equal(summarize(await as('POST', IDENTITIES, identityBody({ isAdmin: false, permissions: [] }))), '201')
    assert.equal(summarize(await as('PATCH', `${IDENTITIES}/${id}`, { isAdmin: false, permissions: [] })), '200')
    assert.equal(
      summarize(await as('PATCH', `${IDENTITIES}/${holder.id}`, { tags: {} })),
      '200',
      'the caller’s own tags can be changed',
    )
  })
})

testWithApp('D48 D55 a signer records whether an administrator wrote its security members last', async (_t, app) => {
  const holder = await app.makeIdentity({ permissions: ['external-jwt-signer'] })
  const isTrusted = async (id: string) => {
    const row = await app.store.db
      .selectFrom('ext_jwt_signers')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
    return Boolean(row.is_trusted)
  }
  const made = await app.call('POST', SIGNERS, jwksBody(), { session: holder.session })
  assert.equal(made.status, 201)
  const { id } = made.json.data
  assert.equal(await isTrusted(id), false)
  assert.equal(summarize(await app.admin('PATCH', `${SIGNERS}/${id}`, { tags: { a: 'b' } })), '200')
  assert.equal(await isTrusted(id), false)
  assert.equal(summarize(await app.admin('PATCH', `${SIGNERS}/${id}`, { clientId: 'y' })), '200')
  assert.equal(await isTrusted(id), true)
  const patched = await app.call('PATCH', `${SIGNERS}/${id}`, { clientId: 'x' }, { session: holder.session })
  assert.equal(summarize(patched), '200')
  assert.equal(await isTrusted(id), false)
})
