import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { makeTestCsr } from '@countersign/testkit'
import { buildApp, type TestApp } from './build-app.ts'
import {
  ENROLLMENTS,
  enrollmentBody,
  enrollWithCsr,
  enrollWithPassword,
  inAnHour,
  tokenOf,
} from './enrollments.fixture.ts'
import { summarize, testWithApp } from './ext-jwt-signers.fixture.ts'
import { AUTHENTICATORS, createIdentity, IDENTITIES, identityBody } from './identities.fixture.ts'

const INVALID = '400 INVALID_ENROLLMENT_TOKEN'

const METHODS = ['ott', 'updb'] as const
type Method = (typeof METHODS)[number]

async function redeem(app: TestApp, method: Method, token: string): Promise<string> {
  const reply = await (method === 'ott'
    ? enrollWithCsr(app, token, makeTestCsr().pem)
    : enrollWithPassword(app, token, 'a new password'))
  return summarize(reply)
}

/** Creates an enrollment in a session. Returns its id and the token, as the creator reads it. */
async function enrollAs(app: TestApp, session: string, method: Method, identityId: string) {
  const members = method === 'updb' ? { method, username: `user-${randomUUID()}` } : { method }
  const reply = await app.call('POST', ENROLLMENTS, enrollmentBody(app, identityId, members), { session })
  assert.equal(reply.status, 201, reply.text)
  const { id } = reply.json.data
  const { token } = (await app.call('GET', `${ENROLLMENTS}/${id}`, undefined, { session })).json.data
  assert.equal(typeof token, 'string')
  return { id: id as string, token: token as string }
}

testWithApp('N-24 rights that an identity gets end the tokens of creators without them', async (t, app) => {
  const holder = await app.makeIdentity({ permissions: ['enrollment.create', 'enrollment.read'] })
  const rights: readonly (readonly [string, Record<string, unknown>, string])[] = [
    ['an administrator', { isAdmin: true }, INVALID],
    ['permissions that the creator lacks', { permissions: ['enrollment.read', 'ops.read'] }, INVALID],
    ['permissions that the creator has', { permissions: ['enrollment.read'] }, '200'],
    ['no rights', { isAdmin: false }, '200'],
  ]
  for (const method of METHODS) {
    for (const [what, members, expected] of rights) {
      await t.test(`${method}, ${what}`, async () => {
        const identityId = await createIdentity(app)
        const { id, token } = await enrollAs(app, holder.session, method, identityId)
        assert.equal((await app.admin('PATCH', `${IDENTITIES}/${identityId}`, members)).status, 200)
        assert.equal(await redeem(app, method, token), expected)
        if (expected === '200') return
        const refreshed = await app.admin('POST', `${ENROLLMENTS}/${id}/refresh`, { expiresAt: inAnHour(app) })
        assert.equal(refreshed.status, 200, refreshed.text)
        assert.equal(await redeem(app, method, token), INVALID)
        assert.equal(
          await redeem(app, method, await tokenOf(app, id)),
          '200',
          'an administrator has made the new token',
        )
      })
    }
    await t.test(`${method}, created by an administrator after the promotion`, async () => {
      const identityId = await createIdentity(app)
      assert.equal((await app.admin('PATCH', `${IDENTITIES}/${identityId}`, { isAdmin: true })).status, 200)
      const { token } = await enrollAs(app, app.adminSession, method, identityId)
      assert.equal(await redeem(app, method, token), '200')
    })
  }
})

testWithApp('N-24 tokens for an administrator end with the rights of their creator', async (t, app) => {
  const losses: readonly (readonly [string, (path: string) => Promise<{ readonly status: number }> | undefined])[] = [
    ['is deleted', (path) => app.admin('DELETE', path)],
    ['is disabled', (path) => app.admin('POST', `${path}/disable`, { durationMinutes: 0 })],
    ['is demoted', (path) => app.admin('PATCH', path, { isAdmin: false, permissions: ['enrollment', 'identity'] })],
    ['has expired', (path) => app.admin('PATCH', path, { expiresAt: new Date(app.clock.now() - 1_000).toISOString() })],
    ['is still an administrator', () => undefined],
  ]
  for (const method of METHODS) {
    for (const [what, lose] of losses) {
      await t.test(`${method}, its creator ${what}`, async () => {
        const creator = await app.makeIdentity({ isAdmin: true })
        const admin = await enrollAs(app, creator.session, method, await createIdentity(app, { isAdmin: true }))
        const device = await enrollAs(app, creator.session, method, await createIdentity(app))
        const lost = await lose(`${IDENTITIES}/${creator.id}`)
        if (lost) assert.equal(lost.status, 200)
        assert.equal(await redeem(app, method, admin.token), lost ? INVALID : '200')
        assert.equal(await redeem(app, method, device.token), '200', 'the identity has no rights')
      })
    }
    await t.test(`${method}, its creator is disabled and enabled again`, async () => {
      const creator = await app.makeIdentity({ isAdmin: true })
      const { token } = await enrollAs(app, creator.session, method, await createIdentity(app, { isAdmin: true }))
      const change = (action: string, body?: object) => app.admin('POST', `${IDENTITIES}/${creator.id}/${action}`, body)
      assert.equal((await change('disable', { durationMinutes: 0 })).status, 200)
      assert.equal(await redeem(app, method, token), INVALID)
      assert.equal((await change('enable')).status, 200)
      assert.equal(await redeem(app, method, token), '200')
    })
  }
})

test('N-24 tokens of the controller itself, and those whose creator is not known, can be redeemed', async (t) => {
  const app = await buildApp(t, { database: 'postgres' })
  const creators: readonly (readonly [string | null, string])[] = [
    [null, '200'],
    ['system', '200'],
    ['deleted-identity', INVALID],
  ]
  for (const [creator, expected] of creators) {
    const identityId = await createIdentity(app, { isAdmin: true })
    const { id, token } = await enrollAs(app, app.adminSession, 'ott', identityId)
    await app.store.db.updateTable('enrollments').set({ created_by: creator }).where('id', '=', id).execute()
    assert.equal(await redeem(app, 'ott', token), expected, `created by ${creator}`)
  }
})

testWithApp('D35 an identity that gets rights keeps the passwords and sessions that it had', async (_t, app) => {
  const holder = await app.makeIdentity({ permissions: ['identity'] })
  const identityId = await createIdentity(app)
  const credentials = { username: `user-${randomUUID()}`, password: 'set by the holder' }
  const body = { method: 'updb', identityId, ...credentials }
  assert.equal((await app.call('POST', AUTHENTICATORS, body, { session: holder.session })).status, 201)
  const session = await app.logIn(credentials.username, credentials.password)
  const createWith = async (used: string) =>
    (await app.call('POST', IDENTITIES, identityBody(), { session: used })).status
  assert.equal(await createWith(session), 401)
  assert.equal((await app.admin('PATCH', `${IDENTITIES}/${identityId}`, { isAdmin: true })).status, 200)
  assert.equal(await createWith(await app.logIn(credentials.username, credentials.password)), 201)
  assert.equal(await createWith(session), 201)
})
