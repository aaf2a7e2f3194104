import assert from 'node:assert/strict'
import { test } from 'node:test'
import { buildApp } from './build-app.ts'
import { create, SIGNERS, summarize } from './ext-jwt-signers.fixture.ts'
import {
  AUTHENTICATORS,
  createIdentity,
  createPassword,
  defaultAdminId,
  IDENTITIES,
  OWN_IDENTITY,
} from './identities.fixture.ts'

/** Headers that pass identity and rights to servers which trust their proxy blindly. */
const CLAIMING_HEADERS = [
  'x-identity-id',
  'x-identity',
  'x-user',
  'x-user-id',
  'x-remote-user',
  'remote-user',
  'x-forwarded-user',
  'x-auth-request-user',
  'x-authenticated-userid',
  'x-tenant',
  'x-tenant-id',
  'x-organization-id',
  'x-role',
  'x-roles',
  'x-admin',
  'x-permissions',
  'x-client-cert',
  'ziti-identity',
  'zt-identity',
]

test('N-11 the caller’s identity and rights come from the session alone', async (t) => {
  const app = await buildApp(t)
  const admin = await defaultAdminId(app)
  const { id, session } = await app.makeIdentity()
  for (const header of CLAIMING_HEADERS) {
    for (const value of [admin, 'admin', 'true']) {
      const headers = { [header]: value }
      const own = await app.call('GET', OWN_IDENTITY, undefined, { session, headers })
      assert.equal(own.json.data.id, id, header)
      const list = await app.call('GET', IDENTITIES, undefined, { session, headers })
      assert.equal(summarize(list), '401 UNAUTHORIZED', header)
      assert.equal(summarize(await app.call('GET', IDENTITIES, undefined, { headers })), '401 UNAUTHORIZED', header)
    }
  }
  const query = `identityId=${admin}&isAdmin=true&permissions=identity&session=${app.adminSession}`
  assert.equal((await app.call('GET', `${OWN_IDENTITY}?${query}`, undefined, { session })).json.data.id, id)
  assert.equal(summarize(await app.call('GET', `${IDENTITIES}?${query}`, undefined, { session })), '401 UNAUTHORIZED')
})

test('N-11 a body does not change the caller’s identity', async (t) => {
  const app = await buildApp(t)
  const admin = await defaultAdminId(app)
  const id = await createIdentity(app)
  const own = await createPassword(app, id)
  const claims = { identityId: admin, id: admin, isAdmin: true, permissions: ['identity'] }
  const credentials = { username: own.username, password: own.password }
  const logIn = await app.call('POST', '/edge/management/v1/authenticate?method=password', {
    ...credentials,
    ...claims,
  })
  assert.deepEqual([logIn.status, logIn.json.data.identityId], [200, id])
  const session = logIn.json.data.token
  assert.equal(summarize(await app.call('POST', IDENTITIES, claims, { session })), '401 UNAUTHORIZED')

  const change = { currentPassword: own.password, password: 'another-password', ...claims }
  const path = `/edge/client/v1/current-identity/authenticators/${own.id}`
  assert.equal((await app.call('PATCH', path, change, { session })).status, 200)
  const row = (await app.admin('GET', `${AUTHENTICATORS}/${own.id}`)).json.data
  assert.equal(row.identityId, id, 'it still belongs to the caller')
  await app.logIn(own.username, 'another-password')
})

test('N-07 members that no response shows cannot be written', async (t) => {
  const app = await buildApp(t)
  const { session } = await app.makeIdentity({
    permissions: ['identity', 'external-jwt-signer.update'],
  })
  const identity = await createIdentity(app)
  const authenticator = await createPassword(app, identity)
  const signer = await create(app)
  const patch = (path: string, body: unknown) => app.call('PATCH', path, body, { session })
  const rowOf = (table: 'identities' | 'authenticators' | 'ext_jwt_signers', id: string) =>
    app.store.db.selectFrom(table).selectAll().where('id', '=', id).executeTakeFirstOrThrow()

  const cases = [
    {
      table: 'identities',
      id: identity,
      path: IDENTITIES,
      hidden: { isDefaultAdmin: true, is_default_admin: true, isSystem: true, disabledAt: null, envInfo: { a: 1 } },
    },
    {
      table: 'authenticators',
      id: authenticator.id,
      path: AUTHENTICATORS,
      hidden: { passwordDigest: 'x', password_digest: 'x', salt: 'x', identityId: 'x', identity_id: 'x' },
    },
    {
      table: 'ext_jwt_signers',
      id: signer,
      path: SIGNERS,
      hidden: {
        trust: { state: 'untrusted' },
        isTrusted: false,
        is_trusted: false,
        revision: 99,
        staticKid: 'x',
        static_kid: 'x',
      },
    },
  ] as const
  for (const { table, id, path, hidden } of cases) {
    const before = await rowOf(table, id)
    const reply = await patch(`${path}/${id}`, hidden)
    assert.deepEqual([reply.status, reply.json.data], [200, {}], 'ignored without an error')
    assert.deepEqual(await rowOf(table, id), before, table)
  }
  const read = await app.call('GET', `${SIGNERS}/${signer}`, undefined, { session })
  assert.equal(summarize(read), '401 UNAUTHORIZED', 'the permission to update does not show')
  assert.equal(
    (await patch(`${IDENTITIES}/${identity}`, { tags: { a: 'b' } })).status,
    200,
    'a shown member can be written',
  )
})
