import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { encodeTime, newId, TIME_LENGTH } from '@countersign/core'
import { createApiSession } from '../../src/operations/api-session/start-session.ts'
import { createPolicy, POLICIES } from './auth-policies.fixture.ts'
import { buildApp, type TestApp } from './build-app.ts'
import { summarize, testWithApp } from './ext-jwt-signers.fixture.ts'
import {
  API_SESSIONS,
  createIdentity,
  createPassword,
  expiryIsStored,
  IDENTITIES,
  identityOf,
  OWN_SESSION,
} from './identities.fixture.ts'

const SECOND = 1000

/** A settings file, since not every setting has a flag. */
const dir = mkdtempSync(join(tmpdir(), 'countersign-sessions-'))
after(() => rmSync(dir, { recursive: true }))
const config = join(dir, 'settings.yaml')
writeFileSync(config, 'session:\n  idleSeconds: 600\n  maxSeconds: 1500\n  maxPerIdentity: 3\n')

/** Waits until a use at `since` or later is written: uses are written after the response. */
async function untilWritten({ store }: TestApp, id: string, since: number): Promise<void> {
  const lastUse = () =>
    store.db.selectFrom('api_sessions').select('last_activity_at').where('id', '=', id).executeTakeFirstOrThrow()
  while ((await lastUse()).last_activity_at < since) await sleep(5)
}

const use = async (app: TestApp, session: string) =>
  summarize(await app.call('GET', OWN_SESSION, undefined, { session }))

testWithApp('API sessions', async (t, app) => {
  await t.test('are counted exactly, however they start and end', async () => {
    const total = async (query = '') =>
      (await app.admin('GET', `${API_SESSIONS}?limit=1${query}`)).json.meta.pagination.totalCount
    const before = await total()
    const [one, other] = [await app.makeIdentity(), await app.makeIdentity()]
    assert.deepEqual([await total(), await total('&filter=true')], [before + 2, before + 2])
    assert.equal(await total(`&filter=${encodeURIComponent(`identity = "${one.id}"`)}`), 1)
    await app.call('DELETE', OWN_SESSION, undefined, { session: one.session })
    assert.equal(await total(), before + 1)
    assert.equal((await app.admin('DELETE', `${IDENTITIES}/${other.id}`)).status, 200)
    assert.equal(await total(), before, 'deleting an identity ends its sessions')
  })

  await t.test('D27 are listed, shown and ended by administrators, never with a token', async () => {
    const { id: identityId, session } = await app.makeIdentity()
    const own = await app.call('GET', OWN_SESSION, undefined, { session })
    const { token, expiresAt: _, expirationSeconds, ...shown } = own.json.data
    assert.equal(token, session, 'only the holder sees the token')

    const filter = encodeURIComponent(`identity = "${identityId}"`)
    const list = await app.admin('GET', `${API_SESSIONS}?filter=${filter}`)
    const origin = { method: 'password', signerId: null, client: 'lightMyRequest', boundKey: null }
    const state = { ...origin, state: 'complete', missing: [] }
    // The use by its holder is written later.
    const listed = { ...shown, ...state, expiresAt: list.json.data[0].expiresAt }
    assert.deepEqual(list.json.data, [listed])
    assert.equal(list.headers['content-type'], 'application/json')
    const one = await app.admin('GET', `${API_SESSIONS}/${shown.id}`)
    assert.deepEqual(one.json, { data: listed, meta: {} })
    const reader = await app.makeIdentity({ permissions: ['admin_readonly'] })
    for (const path of [API_SESSIONS, `${API_SESSIONS}?limit=-1`, `${API_SESSIONS}/${shown.id}`]) {
      const { status, text } = await app.call('GET', path, undefined, { session: reader.session })
      assert.equal(status, 200)
      for (const secret of [session, app.adminSession, reader.session]) {
        assert.ok(!text.includes(secret), path)
        assert.ok(!text.includes(createHash('sha256').update(secret).digest('base64url')), path)
      }
      assert.ok(!text.includes('"token"'), path)
    }
    assert.deepEqual((await app.admin('DELETE', `${API_SESSIONS}/${shown.id}`)).json, { data: {}, meta: {} })
    assert.equal(await use(app, session), '401 UNAUTHORIZED')
    for (const method of ['GET', 'DELETE']) {
      const reply = await app.admin(method, `${API_SESSIONS}/${shown.id}`)
      assert.equal(summarize(reply), '404 NOT_FOUND')
      assert.equal(reply.json.error.cause.message, `apiSession with id ${shown.id} not found`)
    }
    for (const symbol of ['token', 'tokenDigest', 'token_digest']) {
      assert.equal(
        summarize(await app.admin('GET', `${API_SESSIONS}?filter=${symbol}!=null`)),
        '400 INVALID_FILTER',
        symbol,
      )
    }
  })

  await t.test(
    'I-13 R-13 only the digest of a token is stored, and the digest is not accepted as a token',
    async () => {
      const { session } = await app.makeIdentity()
      const digest = createHash('sha256').update(session).digest('base64url')
      const stored = session.slice(0, TIME_LENGTH) + digest
      const rows = await app.store.db
        .selectFrom('api_sessions')
        .selectAll()
        .where('token_digest', '=', stored)
        .execute()
      assert.equal(rows.length, 1)
      assert.equal(session.slice(0, TIME_LENGTH), encodeTime(rows[0]?.created_at ?? 0))
      assert.ok(!JSON.stringify(await app.store.db.selectFrom('api_sessions').selectAll().execute()).includes(session))
      assert.equal(Buffer.from(session.slice(TIME_LENGTH), 'base64url').length, 32)
      for (const guess of [digest, stored, session.slice(TIME_LENGTH), `Z${session.slice(1)}`]) {
        assert.equal(await use(app, guess), '401 UNAUTHORIZED')
      }
      assert.equal(await use(app, session), '200')
    },
  )

  await t.test('I-11 a session that logged out is gone for good, and other sessions are not affected', async () => {
    const id = await createIdentity(app)
    const { username, password } = await createPassword(app, id)
    const session = await app.logIn(username, password)
    const other = await app.logIn(username, password)
    const logOut = () => app.call('DELETE', OWN_SESSION, undefined, { session })
    assert.deepEqual((await logOut()).json, { data: {}, meta: {} })
    for (const reply of [await logOut(), await app.call('GET', OWN_SESSION, undefined, { session })]) {
      assert.equal(summarize(reply), '401 UNAUTHORIZED')
      assert.equal(
        reply.headers['www-authenticate'],
        'zt-session realm="zt-session" error="invalid" error_description="token is invalid"',
      )
    }
    assert.equal(await use(app, other), '200')
    const twice = await Promise.all([1, 2].map(() => app.call('DELETE', OWN_SESSION, undefined, { session: other })))
    for (const reply of twice) assert.ok(['200', '401 UNAUTHORIZED'].includes(summarize(reply)), summarize(reply))
    assert.equal(await use(app, other), '401 UNAUTHORIZED')
  })

  await t.test('I-03 D23 a session dies when its policy no longer allows its login method', async () => {
    const authPolicyId = await createPolicy(app)
    const forbidding = await createPolicy(app, { updb: { allowed: false } })
    const { id, session } = await app.makeIdentity({ authPolicyId })
    const bystander = await app.makeIdentity()
    const allow = (allowed: boolean) =>
      app.admin('PATCH', `${POLICIES}/${authPolicyId}`, { primary: { updb: { allowed } } })
    const move = (to: string) => app.admin('PATCH', `${IDENTITIES}/${id}`, { authPolicyId: to })
    const other = await app.admin('PATCH', `${POLICIES}/${authPolicyId}`, { primary: { cert: { allowed: false } } })
    assert.equal(summarize(other), '200')
    assert.equal(await use(app, session), '200', 'another login method does not matter')
    assert.equal(summarize(await allow(false)), '200')
    assert.equal(await use(app, session), '401 UNAUTHORIZED')
    assert.equal(await use(app, bystander.session), '200')
    assert.equal(summarize(await allow(true)), '200')
    assert.equal(await use(app, session), '200')
    assert.equal(summarize(await move(forbidding)), '200')
    assert.equal(await use(app, session), '401 UNAUTHORIZED')
  })

  await t.test('I-02 a login under way while its identity is disabled or deleted opens no session', async () => {
    const open = (identityId: string) => {
      const now = app.clock.now()
      const life = { expiresAt: now + SECOND, endsAt: now + SECOND, maxPerIdentity: 10 }
      const client = { ipAddress: '', configTypes: [], envInfo: undefined, sdkInfo: undefined }
      const basis = { method: 'password', authenticatorId: newId() } as const
      const session = { id: newId(), tokenDigest: newId(), identityId, ...basis, ...life, ...client }
      return app.store.run(createApiSession, session, { actorId: identityId, now })
    }
    const id = await createIdentity(app)
    await open(id)
    assert.equal(summarize(await app.admin('POST', `${IDENTITIES}/${id}/disable`, { durationMinutes: 0 })), '200')
    await assert.rejects(open(id), { code: 'INVALID_AUTH' })
    assert.equal(summarize(await app.admin('DELETE', `${IDENTITIES}/${id}`)), '200')
    await assert.rejects(open(id), { code: 'INVALID_AUTH' })
  })

  await t.test('a change of permissions takes effect from the next call on', async () => {
    const { id, session } = await app.makeIdentity({ permissions: ['identity.read'] })
    const list = async () => summarize(await app.call('GET', IDENTITIES, undefined, { session }))
    assert.equal(await list(), '200')
    assert.equal(summarize(await app.admin('PATCH', `${IDENTITIES}/${id}`, { permissions: [] })), '200')
    assert.equal(await list(), '401 UNAUTHORIZED')
    assert.equal(summarize(await app.admin('PATCH', `${IDENTITIES}/${id}`, { permissions: ['identity'] })), '200')
    assert.equal(await list(), '200')
  })
})

testWithApp(
  'session lifetime',
  async (t, app) => {
    // Created before the clock moves and the administrator's session expires.
    const users: { id: string; username: string; password: string }[] = []
    for (let user = 0; user < 8; user++) {
      const id = await createIdentity(app)
      users.push({ ...(await createPassword(app, id)), id })
    }
    const logInNextUser = async () => {
      const { id, username, password } = users.pop() ?? assert.fail('more users are needed')
      return { id, again: () => app.logIn(username, password), session: await app.logIn(username, password) }
    }
    /** Logs in again, since the clock has been moved. */
    const admin = async (method: string, path: string) => {
      return app.call(method, path, undefined, { session: await app.logIn('admin', 'the-test-admin-password') })
    }

    await t.test('a session ends when unused for the idle time, to the second', async () => {
      const { id, session } = await logInNextUser()
      const sessionId = (await app.call('GET', OWN_SESSION, undefined, { session })).json.data.id
      app.clock.advance(598 * SECOND)
      const { session: fresh } = await logInNextUser()
      assert.equal(await use(app, fresh), '200')
      app.clock.advance(3 * SECOND)
      assert.equal(await use(app, session), '401 UNAUTHORIZED')
      assert.equal(await use(app, fresh), '200')
      const asAdmin = await admin('GET', `${API_SESSIONS}/${sessionId}`)
      assert.equal(summarize(asAdmin), '404 NOT_FOUND', 'an expired session is gone even before the sweep')
      const list = await admin('GET', `${API_SESSIONS}?filter=${encodeURIComponent(`identity = "${id}"`)}`)
      assert.equal(list.json.meta.pagination.totalCount, 0)
      const fromAll = await app.logIn('admin', 'the-test-admin-password')
      const [page, all] = await Promise.all(
        ['limit=1', 'limit=500'].map((query) =>
          app.call('GET', `${API_SESSIONS}?${query}`, undefined, { session: fromAll }),
        ),
      )
      assert.equal(page?.json.meta.pagination.totalCount, all?.json.data.length, 'ended sessions do not count')
      assert.equal(summarize(await admin('DELETE', `${API_SESSIONS}/${sessionId}`)), '404 NOT_FOUND')
      const identity = (await admin('GET', `${IDENTITIES}/${id}`)).json.data
      assert.equal(identity.hasApiSession, false)
    })

    await t.test('each use extends a session, but not beyond its maximum lifetime', async () => {
      const { session } = await logInNextUser()
      const expiry = async () => {
        const { json } = await app.call('GET', OWN_SESSION, undefined, { session })
        return expiryIsStored(app, json.data)
      }
      const first = await expiry()
      app.clock.advance(500 * SECOND)
      const second = await expiry()
      assert.ok(second - first >= 499 * SECOND && second - first < 510 * SECOND)
      app.clock.advance(500 * SECOND)
      assert.equal(await use(app, session), '200', '1000 s after it began, 500 s after its last use')
      const last = await expiry()
      assert.ok(last - first < 901 * SECOND, 'its end is fixed at 1500 s')
      app.clock.advance(495 * SECOND)
      assert.equal(await use(app, session), '200')
      app.clock.advance(10 * SECOND)
      assert.equal(await use(app, session), '401 UNAUTHORIZED', 'regardless of use')
    })

    await t.test('I-12 an identity has a maximum number of sessions: the oldest one ends', async () => {
      const { again, session } = await logInNextUser()
      const bystander = await logInNextUser()
      const sessions = [session]
      for (let login = 0; login < 3; login++) {
        app.clock.advance(SECOND)
        sessions.push(await again())
      }
      const uses = await Promise.all(sessions.map((each) => use(app, each)))
      assert.deepEqual(uses, ['401 UNAUTHORIZED', '200', '200', '200'])
      assert.equal(await use(app, bystander.session), '200')
    })

    await t.test(
      'I-12 the session that ends is the least recently used one, never one in use, and it is reported',
      async () => {
        const { id, again, session } = await logInNextUser()
        const unused = await again()
        const idOf = async (token: string) =>
          (await app.call('GET', OWN_SESSION, undefined, { session: token })).json.data.id as string
        const unusedId = await idOf(unused)
        app.clock.advance(90 * SECOND)
        const usedId = await idOf(session)
        await untilWritten(app, usedId, app.clock.now() - SECOND)
        const later = [await again(), await again()]
        assert.equal(await use(app, unused), '401 UNAUTHORIZED', 'opened after the one in use')
        for (const each of [session, ...later]) assert.equal(await use(app, each), '200')
        const ended = app
          .events('apiSession')
          .filter((event) => event.event_type === 'deleted' && event.identity_id === id)
        assert.deepEqual(
          ended.map((event) => event.id),
          [unusedId],
        )
      },
    )

    await t.test('I-12 a logout makes room for another session', async () => {
      const { again, session } = await logInNextUser()
      const sessions = [session]
      const openOneMore = async () => {
        app.clock.advance(SECOND)
        sessions.push(await again())
      }
      await openOneMore()
      await openOneMore()
      assert.equal(summarize(await app.call('DELETE', OWN_SESSION, undefined, { session: sessions[1] ?? '' })), '200')
      await openOneMore()
      const uses = () => Promise.all(sessions.map((each) => use(app, each)))
      assert.deepEqual(await uses(), ['200', '401 UNAUTHORIZED', '200', '200'])
      await openOneMore()
      assert.deepEqual(await uses(), ['401 UNAUTHORIZED', '401 UNAUTHORIZED', '200', '200', '200'])
    })

    await t.test('I-12 among sessions opened at the same instant, the newest is never the one that ends', async () => {
      const { again } = await logInNextUser()
      for (let login = 0; login < 8; login++) assert.equal(await use(app, await again()), '200')
      const together = await Promise.all(Array.from({ length: 3 }, again))
      assert.deepEqual(await Promise.all(together.map((each) => use(app, each))), ['200', '200', '200'])
    })
  },
  { settings: { config } },
)

test('I-01 a login creates its own token, whatever session the client names', async (t) => {
  const app = await buildApp(t)
  const { id } = await app.makeIdentity()
  const { authenticators } = await identityOf(app, id)
  assert.equal(
    summarize(
      await app.admin('PATCH', `/edge/management/v1/authenticators/${authenticators.updb.id}`, { password: 'secret' }),
    ),
    '200',
  )
  const body = {
    username: authenticators.updb.username,
    password: 'secret',
    token: 'chosen',
    id: 'chosen',
    sessionId: 'chosen',
  }
  const headers = { 'zt-session': app.adminSession, cookie: 'zt-session=chosen' }
  for (const named of [headers, { 'zt-session': 'chosen' }, {}] as Record<string, string>[]) {
    const reply = await app.call('POST', '/edge/client/v1/authenticate?method=password&token=chosen', body, {
      headers: named,
    })
    assert.equal(reply.status, 200)
    const { token, id: sessionId, identityId } = reply.json.data
    assert.equal(identityId, id)
    assert.ok(token !== 'chosen' && token !== app.adminSession && sessionId !== 'chosen')
    assert.equal(reply.headers['zt-session'], token)
  }
  assert.equal(await use(app, 'chosen'), '401 UNAUTHORIZED')
})
