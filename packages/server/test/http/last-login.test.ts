import assert from 'node:assert/strict'
import { test } from 'node:test'
import { OidcClient } from '../oidc/oidc.fixture.ts'
import { buildApp, type TestApp } from './build-app.ts'
import { CLAIM, issueLeaf, makeCa } from './cas.fixture.ts'
import { LOG_IN, overTls } from './client-certificates.fixture.ts'
import { createIdentity, createPassword, IDENTITIES, identityOf, OWN_IDENTITY } from './identities.fixture.ts'
import { logInWithToken, refusalOf, setUpProvider } from './provider.fixture.ts'

async function lastLoginOf(app: TestApp, id: string): Promise<[unknown, unknown]> {
  const { lastLoginAt, lastLoginMethod } = await identityOf(app, id)
  return [lastLoginAt, lastLoginMethod]
}

/** Logs in, and returns the last login that the identity then has, which must be from this moment. */
async function noted(app: TestApp, id: string, logIn: () => Promise<unknown>): Promise<[unknown, unknown]> {
  app.clock.advance(1_000)
  const before = app.clock.now()
  await logIn()
  const last = await lastLoginOf(app, id)
  const time = Date.parse(String(last[0]))
  assert.ok(time >= before && time <= app.clock.now(), String(last[0]))
  app.clock.advance(1_000)
  return last
}

test('an identity shows when and how it last logged in', async (t) => {
  const { app, token, createSigner, createIdentity: create } = await setUpProvider(t)
  await createSigner()
  const id = await create()
  const { username, password } = await createPassword(app, id)
  const { updatedAt } = await identityOf(app, id)
  assert.deepEqual(await lastLoginOf(app, id), [null, null])

  let session = ''
  const first = await noted(app, id, async () => {
    session = await app.logIn(username, password)
  })
  assert.equal(first[1], 'password')
  await refusalOf(logInWithToken(app, token({ aud: 'other' })))
  assert.deepEqual(await lastLoginOf(app, id), first, 'a refused login does not count')
  const second = await noted(app, id, () => logInWithToken(app, token()))
  assert.equal(second[1], 'ext-jwt')
  const client = new OidcClient(app)
  let accessToken = ''
  const third = await noted(app, id, async () => {
    accessToken = (await client.logIn(username, password)).access_token
  })
  assert.equal((await client.get(accessToken)).status, 200)
  assert.deepEqual(await lastLoginOf(app, id), third, 'the use of a session is no login')

  const own = (await app.call('GET', OWN_IDENTITY, undefined, { session })).json.data
  assert.deepEqual([own.lastLoginAt, own.lastLoginMethod, own.hasApiSession], [...third, true])
  assert.equal((await identityOf(app, id)).updatedAt, updatedAt, 'a login is no change of the identity')
  const ignored = { lastLoginAt: '2020-01-01T00:00:00Z', lastLoginMethod: 'cert', tags: { team: 'red' } }
  assert.equal((await app.admin('PATCH', `${IDENTITIES}/${id}`, ignored)).status, 200)
  assert.deepEqual(await lastLoginOf(app, id), third, 'read-only')
  await app.admin('DELETE', `${IDENTITIES}/${id}/api-sessions`)
  assert.deepEqual(await lastLoginOf(app, id), third, 'stays when the sessions have ended')
  assert.equal((await app.admin('DELETE', `${IDENTITIES}/${id}`)).status, 200)
  const again = await create()
  assert.deepEqual(await lastLoginOf(app, again), [null, null])
})

test('a login by certificate is the last login', async (t) => {
  const app = await buildApp(t)
  const call = await overTls(app)
  const { authority } = await makeCa(app, { externalIdClaim: CLAIM })
  const id = await createIdentity(app, { externalId: 'alice' })
  const { cert, key } = issueLeaf(authority, { commonName: 'alice' })
  const last = await noted(app, id, () => call('POST', LOG_IN, { cert, key }))
  assert.equal(last[1], 'cert')
})

test('lists are filtered and sorted by the last login', async (t) => {
  const app = await buildApp(t)
  const names = ['never', 'first', 'second']
  const ids = await Promise.all(names.map((name) => createIdentity(app, { name })))
  const times: unknown[] = []
  for (const id of ids.slice(1)) {
    const { username, password } = await createPassword(app, id)
    const [time] = await noted(app, id, () => app.logIn(username, password))
    times.push(time)
  }
  const list = async (filter: string) => {
    const query = `filter=${encodeURIComponent(filter)}`
    const reply = await app.admin('GET', `${IDENTITIES}?${query}`)
    assert.equal(reply.status, 200, reply.text)
    return reply.json.data.map(({ name }: { name: string }) => name).filter((name: string) => names.includes(name))
  }
  assert.deepEqual(await list('lastLoginAt = null'), ['never'])
  assert.deepEqual((await list('lastLoginAt != null')).toSorted(), ['first', 'second'])
  assert.deepEqual(await list(`lastLoginAt < datetime(${times[1]})`), ['first'])
  assert.deepEqual(await list('lastLoginAt != null sort by lastLoginAt desc'), ['second', 'first'])
  assert.deepEqual(await list('lastLoginAt != null sort by lastLoginAt asc'), ['first', 'second'])
})
