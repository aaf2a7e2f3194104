import assert from 'node:assert/strict'
import { test } from 'node:test'
import { buildApp, type TestApp } from './build-app.ts'
import { summarize } from './ext-jwt-signers.fixture.ts'
import { makeUser } from './one-time-codes.fixture.ts'

const APIS = ['/edge/client/v1', '/edge/management/v1']
const SESSIONS = '/current-identity/api-sessions'
const LOGINS = '/current-identity/logins'
const DECISIONS = '/current-identity/auth-decisions'

const fail = (app: TestApp, username: string) =>
  app.call('POST', '/edge/client/v1/authenticate?method=password', { username, password: 'not the password' })

const idsOf = (reply: { json: { data: readonly { id: string }[] } }) => reply.json.data.map(({ id }) => id).toSorted()

test('a person without permissions sees their own sessions, and no others', async (t) => {
  const app = await buildApp(t)
  const person = await makeUser(app)
  const second = await person.logIn()
  const other = await makeUser(app)
  const own = (session: string) => app.call('GET', '/edge/client/v1/current-api-session', undefined, { session })
  const expected = [(await own(person.session)).json.data.id, (await own(second)).json.data.id].toSorted()
  for (const api of APIS) {
    const reply = await app.call('GET', api + SESSIONS, undefined, { session: person.session })
    assert.equal(reply.status, 200, reply.text)
    assert.deepEqual(idsOf(reply), expected)
    assert.equal(reply.json.data[0]._links.self.href, `./current-identity/api-sessions/${reply.json.data[0].id}`)
    assert.deepEqual([reply.json.data[0].method, reply.json.data[0].identityId], ['password', person.id])
    assert.ok(!reply.text.includes(person.session) && !reply.text.includes(second))
  }
  const page = await app.call('GET', `${APIS[0]}${SESSIONS}?limit=1&sort=createdAt`, undefined, {
    session: person.session,
  })
  assert.deepEqual([page.json.data.length, page.json.meta.pagination.totalCount], [1, 2])
  const foreign = encodeURIComponent(`identity = "${other.id}" or true`)
  const filtered = await app.call('GET', `${APIS[0]}${SESSIONS}?filter=${foreign}`, undefined, {
    session: person.session,
  })
  assert.deepEqual(idsOf(filtered), expected)
})

test('a person ends one of their sessions, and none of another identity', async (t) => {
  const app = await buildApp(t)
  const person = await makeUser(app)
  const second = await person.logIn()
  const other = await makeUser(app)
  const idOf = async (session: string) =>
    (await app.call('GET', '/edge/client/v1/current-api-session', undefined, { session })).json.data.id
  const end = async (id: string) =>
    app.call('DELETE', `${APIS[0]}${SESSIONS}/${id}`, undefined, { session: person.session })
  assert.equal(summarize(await end(await idOf(other.session))), '404 NOT_FOUND')
  assert.equal(summarize(await end('nothing')), '404 NOT_FOUND')
  assert.equal((await app.call('GET', `${APIS[0]}${SESSIONS}`, undefined, { session: other.session })).status, 200)
  const id = await idOf(second)
  assert.equal((await end(id)).status, 200)
  assert.equal((await app.call('GET', `${APIS[0]}${SESSIONS}`, undefined, { session: second })).status, 401)
  assert.equal(summarize(await end(id)), '404 NOT_FOUND')
  assert.equal((await end(await idOf(person.session))).status, 200, 'the own one too')
})

test('a person sees their own refused logins without the explanation', async (t) => {
  const app = await buildApp(t)
  const person = await makeUser(app)
  const other = await makeUser(app)
  const refused = await fail(app, person.username)
  await fail(app, other.username)
  for (const api of APIS) {
    const reply = await app.call('GET', api + DECISIONS, undefined, { session: person.session })
    assert.equal(reply.status, 200, reply.text)
    assert.deepEqual(idsOf(reply), [refused.json.error.requestId])
    assert.deepEqual(Object.keys(reply.json.data[0]).toSorted(), ['at', 'id', 'method', 'reason', 'remoteAddress'])
    assert.equal(reply.json.data[0].reason, 'wrong-password')
  }
  const filtered = (filter: string) =>
    app.call('GET', `${APIS[0]}${DECISIONS}?filter=${encodeURIComponent(filter)}`, undefined, {
      session: person.session,
    })
  assert.equal((await filtered('method = "updb" or true')).json.data.length, 1)
  assert.equal(summarize(await filtered(`identityId = "${other.id}"`)), '400 INVALID_FILTER')
})

test('a person sees their last ten logins, also after the sessions, and none of another identity', async (t) => {
  const app = await buildApp(t)
  const person = await makeUser(app)
  const other = await makeUser(app)
  const idOf = async (session: string) =>
    (await app.call('GET', '/edge/client/v1/current-api-session', undefined, { session })).json.data.id
  const ids = [await idOf(person.session)]
  for (let count = 0; count < 12; count += 1) {
    app.clock.advance(1000)
    ids.unshift(await idOf(await person.logIn()))
  }
  const ended = await app.admin('DELETE', `/edge/management/v1/api-sessions/${ids[1]}`)
  assert.equal(ended.status, 200, ended.text)
  for (const api of APIS) {
    const reply = await app.call('GET', `${api}${LOGINS}?sort=at+desc`, undefined, { session: person.session })
    assert.equal(reply.status, 200, reply.text)
    assert.deepEqual(
      reply.json.data.map(({ id }: { id: string }) => id),
      ids.slice(0, 10),
    )
    const { id, at, ...login } = reply.json.data[0]
    assert.ok(Math.abs(Date.parse(at) - app.clock.now()) < 900, at)
    assert.deepEqual(login, { method: 'password', signerId: null, remoteAddress: '127.0.0.1' })
    assert.equal(reply.json.meta.pagination.totalCount, 10)
  }
  const own = await app.call('GET', APIS[0] + LOGINS, undefined, { session: other.session })
  assert.deepEqual(idsOf(own), [await idOf(other.session)])
  assert.equal((await app.call('GET', APIS[0] + LOGINS)).status, 401)
})
