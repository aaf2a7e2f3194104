import assert from 'node:assert/strict'
import { createPolicy } from './auth-policies.fixture.ts'
import { summarize, testWithApp } from './ext-jwt-signers.fixture.ts'
import {
  AUTHENTICATORS,
  createIdentity,
  createPassword,
  IDENTITIES,
  identityOf,
  OWN_IDENTITY,
} from './identities.fixture.ts'

const LOG_IN = '/edge/client/v1/authenticate?method=password'

testWithApp('password authenticators', async (t, app) => {
  await t.test(
    'R-13 one is created, shown without its secret, logs its identity in, is deleted, and then gone',
    async () => {
      const identityId = await createIdentity(app)
      const body = { method: 'updb', identityId, username: 'alice', password: 'the-secret-of-alice', tags: { a: 'b' } }
      const made = await app.admin('POST', AUTHENTICATORS, body)
      assert.equal(made.status, 201)
      const { id } = made.json.data
      assert.deepEqual(made.json, { data: { _links: { self: { href: `./authenticators/${id}` } }, id }, meta: {} })

      const { createdAt, updatedAt, identity, ...shown } = (await app.admin('GET', `${AUTHENTICATORS}/${id}`)).json.data
      assert.equal(createdAt, updatedAt)
      assert.deepEqual([identity.id, identity.entity], [identityId, 'identities'])
      assert.deepEqual(shown, {
        _links: { self: { href: `./authenticators/${id}` }, identities: { href: `./identities/${identityId}` } },
        id,
        tags: { a: 'b' },
        identityId,
        method: 'updb',
        username: 'alice',
      })
      assert.deepEqual((await identityOf(app, identityId)).authenticators, { updb: { id, username: 'alice' } })

      const { password_digest: digest } = await app.store.db
        .selectFrom('authenticators')
        .selectAll()
        .where('id', '=', id)
        .executeTakeFirstOrThrow()
      assert.match(
        digest ?? '',
        /^scrypt\$\d+\$8\$\d+\$[\w-]{22}\$[\w-]{43}$/,
        'stored as a salted digest with its cost',
      )
      const views = [
        AUTHENTICATORS,
        `${AUTHENTICATORS}/${id}`,
        `${IDENTITIES}/${identityId}`,
        `${IDENTITIES}/${identityId}/authenticators`,
      ]
      for (const view of views) {
        const { text } = await app.admin('GET', view)
        for (const secret of [body.password, String(digest), 'scrypt']) assert.ok(!text.includes(secret), view)
      }
      assert.ok(!app.logged.join().includes(body.password))

      const session = await app.logIn('alice', body.password)
      assert.equal(summarize(await app.admin('DELETE', `${AUTHENTICATORS}/${id}`)), '200')
      assert.equal(summarize(await app.call('GET', OWN_IDENTITY, undefined, { session })), '401 UNAUTHORIZED')
      assert.equal(
        summarize(await app.call('POST', LOG_IN, { username: 'alice', password: body.password })),
        '401 INVALID_AUTH',
      )
      const put = { username: 'alice', password: 'secret' }
      for (const [method, sent] of [['GET'], ['PUT', put], ['PATCH', {}], ['DELETE']] as const) {
        const reply = await app.admin(method, `${AUTHENTICATORS}/${id}`, sent)
        assert.equal(summarize(reply), '404 NOT_FOUND', method)
        assert.equal(reply.json.error.cause.message, `authenticator with id ${id} not found`)
      }
    },
  )

  await t.test('an identity has one password, and a user name belongs to one identity', async () => {
    const one = await createIdentity(app)
    const two = await createIdentity(app)
    const first = await createPassword(app, one, { username: 'taken-name' })
    const create = (identityId: string, username: string) => {
      return app.admin('POST', AUTHENTICATORS, { method: 'updb', identityId, username, password: 'secret' })
    }
    assert.equal(summarize(await create(one, 'other-name')), '409 MAX_AUTHENTICATOR_METHODS_REACHED method')
    assert.equal(summarize(await create(two, 'taken-name')), '400 COULD_NOT_VALIDATE updbUsername')
    assert.equal(summarize(await create('none', 'other-name')), '404 NOT_FOUND')
    assert.equal(summarize(await create(two, 'Taken-name')), '201', 'user names are compared byte by byte')
    const rename = (username: string) => app.admin('PATCH', `${AUTHENTICATORS}/${first.id}`, { username })
    assert.equal(summarize(await rename('Taken-name')), '400 COULD_NOT_VALIDATE updbUsername')
    assert.equal(summarize(await rename('new-name')), '200')
    await app.logIn('new-name', first.password)
  })

  await t.test('D36 invalid bodies are refused with the field, and no refusal repeats a password', async () => {
    const identityId = await createIdentity(app)
    const good = { method: 'updb', identityId, username: 'good', password: 'secret' }
    const bad: readonly [object, string][] = [
      [{ method: null }, '400 COULD_NOT_VALIDATE method'],
      [{ method: 'nonsense' }, '400 COULD_NOT_VALIDATE method'],
      [{ method: 'cert' }, '400 COULD_NOT_VALIDATE certPem'],
      [{ identityId: null }, '400 COULD_NOT_VALIDATE identityId'],
      [{ username: null }, '400 COULD_NOT_VALIDATE username'],
      [{ username: '' }, '400 COULD_NOT_VALIDATE username'],
      [{ username: 'abc' }, '400 COULD_NOT_VALIDATE username'],
      [{ username: 'x'.repeat(101) }, '400 COULD_NOT_VALIDATE username'],
      [{ username: 'zero\u200bwidth' }, '400 COULD_NOT_VALIDATE username'],
      [{ password: null }, '400 COULD_NOT_VALIDATE password'],
      [{ password: '' }, '400 COULD_NOT_VALIDATE password'],
      [{ password: 'pqrs' }, '400 COULD_NOT_VALIDATE password'],
      [{ password: 'pqrs'.repeat(26) }, '400 COULD_NOT_VALIDATE password'],
    ]
    for (const [members, expected] of bad) {
      const reply = await app.admin('POST', AUTHENTICATORS, { ...good, ...members })
      assert.equal(summarize(reply), expected, JSON.stringify(members))
      assert.ok(!reply.text.includes('pqrs'))
    }
    assert.equal(summarize(await app.admin('POST', AUTHENTICATORS, good)), '201')
  })

  await t.test('the policy’s rules apply to every new password', async () => {
    const rules = { minPasswordLength: 8, requireSpecialChar: true, requireNumberChar: true, requireMixedCase: true }
    const authPolicyId = await createPolicy(app, { updb: rules })
    const identityId = await createIdentity(app, { authPolicyId })
    const good = 'Abcdef1!'
    const bad = ['Abcde1!', 'Abcdefg1', 'Abcdefg!', 'abcdef1!', 'ABCDEF1!']
    const body = { method: 'updb', identityId, username: 'ruled' }
    for (const password of bad) {
      const reply = await app.admin('POST', AUTHENTICATORS, { ...body, password })
      assert.equal(summarize(reply), '400 COULD_NOT_VALIDATE password', password)
      assert.ok(!reply.text.includes(password))
    }
    const made = await app.admin('POST', AUTHENTICATORS, { ...body, password: good })
    assert.equal(made.status, 201)
    const one = `${AUTHENTICATORS}/${made.json.data.id}`
    const session = await app.logIn('ruled', good)
    const own = `${OWN_IDENTITY}/authenticators/${made.json.data.id}`
    for (const password of bad) {
      assert.equal(summarize(await app.admin('PATCH', one, { password })), '400 COULD_NOT_VALIDATE password')
      assert.equal(
        summarize(await app.admin('PUT', one, { username: 'ruled', password })),
        '400 COULD_NOT_VALIDATE password',
      )
      const reply = await app.call('PATCH', own, { currentPassword: good, password }, { session })
      assert.equal(summarize(reply), '400 COULD_NOT_VALIDATE password')
    }
    assert.equal(summarize(await app.admin('PATCH', one, { password: 'Xyzabc2?' })), '200')
    await app.logIn('ruled', 'Xyzabc2?')
  })

  await t.test(
    'PUT needs user name and password, PATCH takes either, and sessions end only with the password',
    async () => {
      const identityId = await createIdentity(app)
      const { id, username, password } = await createPassword(app, identityId)
      const session = await app.logIn(username, password)
      const one = `${AUTHENTICATORS}/${id}`
      assert.equal(summarize(await app.admin('PUT', one, { password: 'second' })), '400 COULD_NOT_VALIDATE username')
      assert.equal(
        summarize(await app.admin('PUT', one, { username: 'renamed-by-put' })),
        '400 COULD_NOT_VALIDATE password',
      )
      assert.equal(summarize(await app.admin('PUT', one, { username: 'renamed-by-put', password: 'second' })), '200')
      await app.logIn('renamed-by-put', 'second')
      assert.equal(summarize(await app.call('POST', LOG_IN, { username, password })), '401 INVALID_AUTH')
      assert.equal(summarize(await app.call('GET', OWN_IDENTITY, undefined, { session })), '401 UNAUTHORIZED')
      assert.equal(summarize(await app.admin('PATCH', one, { password: 'third-password' })), '200')
      const next = await app.logIn('renamed-by-put', 'third-password')
      assert.equal(summarize(await app.admin('PATCH', one, { username: 'renamed-by-patch' })), '200')
      assert.equal(summarize(await app.admin('PATCH', one, {})), '200')
      assert.equal(summarize(await app.admin('PATCH', one, { tags: { a: 1 } })), '200')
      assert.deepEqual((await app.admin('GET', one)).json.data.tags, { a: 1 })
      assert.equal(summarize(await app.call('GET', OWN_IDENTITY, undefined, { session: next })), '200')
    },
  )

  await t.test('D36 filters reach neither passwords nor their digests', async () => {
    for (const symbol of ['updbPassword', 'updbSalt', 'password', 'passwordDigest', 'password_digest']) {
      assert.equal(
        summarize(await app.admin('GET', `${AUTHENTICATORS}?filter=${symbol}!=null`)),
        '400 INVALID_FILTER',
        symbol,
      )
    }
    const found = await app.admin('GET', `${AUTHENTICATORS}?filter=updbUsername="admin"`)
    assert.deepEqual([found.json.data.length, found.json.data[0].username], [1, 'admin'])
  })

  await t.test('an identity lists only its own authenticators', async () => {
    const one = await createIdentity(app)
    const two = await createIdentity(app)
    const { id } = await createPassword(app, one)
    const other = await createPassword(app, two)
    const list = async (path: string) => {
      const reply = await app.admin('GET', path)
      assert.equal(reply.status, 200, path)
      const ids = reply.json.data.map((row: { id: string }) => row.id)
      return { ids, totalCount: reply.json.meta.pagination.totalCount }
    }
    const path = `${IDENTITIES}/${one}/authenticators`
    for (const query of ['', '?limit=-1', '?filter=true', '?filter=method="updb"', `?filter=id="${id}"`]) {
      assert.deepEqual(await list(path + query), { ids: [id], totalCount: 1 }, query)
    }
    for (const query of ['?filter=method="cert"', `?filter=identity="${two}"`, `?filter=false or id="${other.id}"`]) {
      assert.deepEqual(await list(path + encodeURI(query)), { ids: [], totalCount: 0 }, query)
    }
    assert.equal(summarize(await app.admin('GET', `${IDENTITIES}/none/authenticators`)), '404 NOT_FOUND')
  })
})

testWithApp('the caller’s own identity and password', async (t, app) => {
  const apis = ['/edge/client/v1', '/edge/management/v1']

  await t.test('is shown on both APIs, with its own links and without meta', async () => {
    const { id, session } = await app.makeIdentity({ roleAttributes: ['a'] })
    for (const api of apis) {
      const reply = await app.call('GET', `${api}/current-identity`, undefined, { session })
      const { _links, ...shown } = await identityOf(app, id)
      const links = { self: { href: './current-identity' }, mfa: { href: './current-identity/mfa' } }
      assert.deepEqual(reply.json, { data: { ...shown, _links: links }, meta: null })
      assert.equal(summarize(await app.call('GET', `${api}/current-identity`)), '401 UNAUTHORIZED')
    }
  })

  await t.test(
    'N-10 only the caller’s own authenticators are shown and changed; those of others are not found',
    async () => {
      const mine = await app.makeIdentity()
      const foreignIdentity = await createIdentity(app)
      const foreign = await createPassword(app, foreignIdentity)
      const { session } = mine
      const { id } = (await identityOf(app, mine.id)).authenticators.updb
      for (const api of apis) {
        const own = `${api}/current-identity/authenticators`
        for (const query of ['', '?limit=-1', `?filter=identity="${foreignIdentity}" or true`]) {
          const list = await app.call('GET', own + encodeURI(query), undefined, { session })
          assert.deepEqual(
            list.json.data.map((row: { id: string }) => row.id),
            [id],
          )
          assert.equal(list.json.meta.pagination.totalCount, 1)
        }
        const detail = await app.call('GET', `${own}/${id}`, undefined, { session })
        assert.equal(detail.json.data.identityId, mine.id)
        assert.equal(detail.json.data._links.self.href, `./current-identity/authenticators/${id}`)
        const body = { currentPassword: foreign.password, password: 'taken-over', username: 'taken-over' }
        for (const [method, sent] of [['GET'], ['PUT', body], ['PATCH', body]] as const) {
          const reply = await app.call(method, `${own}/${foreign.id}`, sent, { session })
          assert.equal(summarize(reply), '404 NOT_FOUND', method)
          const unknown = await app.call(method, `${own}/none`, sent, { session })
          assert.equal(reply.json.error.message, unknown.json.error.message, 'as if it did not exist')
        }
      }
      await app.logIn(foreign.username, foreign.password)
    },
  )

  await t.test('D36 the current password is required and never repeated; the session survives the change', async () => {
    const identityId = await createIdentity(app)
    const { id, username, password } = await createPassword(app, identityId)
    const session = await app.logIn(username, password)
    const own = `/edge/client/v1/current-identity/authenticators/${id}`
    for (const method of ['PUT', 'PATCH']) {
      const change = (body: unknown) => app.call(method, own, body, { session })
      assert.equal(summarize(await change({ password: 'new-password' })), '400 COULD_NOT_VALIDATE currentPassword')
      const wrong = await change({ currentPassword: 'not-the-password', password: 'new-password' })
      assert.equal(summarize(wrong), '401 UNAUTHORIZED currentPassword')
      assert.equal(wrong.json.error.cause.reason, 'invalid current password')
      assert.ok(!wrong.text.includes('not-the-password'))
      const short = await change({ currentPassword: password, password: 'pqrs' })
      assert.equal(summarize(short), '400 COULD_NOT_VALIDATE password')
      assert.ok(!short.text.includes('pqrs'))
      await app.logIn(username, password)
    }
    const changes: readonly [string, object][] = [
      ['PUT', { currentPassword: password, password: 'second-password' }],
      ['PATCH', { currentPassword: 'second-password', username: 'renamed-by-owner' }],
      ['PATCH', { currentPassword: 'second-password', password: 'third-password' }],
    ]
    for (const [method, body] of changes) assert.equal(summarize(await app.call(method, own, body, { session })), '200')
    await app.logIn('renamed-by-owner', 'third-password')
    assert.equal(summarize(await app.call('POST', LOG_IN, { username, password })), '401 INVALID_AUTH')
    assert.equal(summarize(await app.call('GET', own, undefined, { session })), '200')
  })
})
