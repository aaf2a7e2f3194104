import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sharedTarget } from '../attack/target.ts'
import type { CallOptions } from './build-app.ts'

const target = sharedTarget()

const SIGNERS = '/edge/management/v1/external-jwt-signers'

test('a request is checked in a fixed order: each error hides the later ones', async () => {
  const { app } = target()
  const { session: powerless } = await app.makeIdentity()
  const nonsense = '{"name":'
  const tooLong = ' '.repeat(1_048_577)
  const text = { 'content-type': 'text/plain' }
  const html = { accept: 'text/html' }
  const manyHeaders = Object.fromEntries(Array.from({ length: 120 }, (_, index) => [`x-${index}`, 'a']))
  const admin = app.adminSession
  const cases: readonly (readonly [number, string, string, CallOptions])[] = [
    [431, 'POST', '/nowhere', { raw: tooLong, headers: { ...manyHeaders, ...html, ...text } }],
    [404, 'POST', '/nowhere', { raw: tooLong, headers: { ...html, ...text } }],
    [405, 'PUT', SIGNERS, { raw: tooLong, headers: { ...html, ...text } }],
    [413, 'POST', SIGNERS, { raw: tooLong, headers: { ...html, ...text } }],
    [401, 'POST', SIGNERS, { raw: nonsense, headers: { ...html, ...text } }],
    [401, 'POST', SIGNERS, { raw: nonsense, session: powerless, headers: { ...html, ...text } }],
    [406, 'POST', SIGNERS, { raw: nonsense, session: admin, headers: { ...html, ...text } }],
    [400, 'POST', `${SIGNERS}?x=%zz`, { raw: nonsense, session: admin, headers: text }],
    [415, 'POST', SIGNERS, { raw: nonsense, session: admin, headers: text }],
    [400, 'POST', SIGNERS, { raw: nonsense, session: admin }],
    [400, 'POST', SIGNERS, { raw: '{}', session: admin }],
  ]
  for (const [status, method, path, options] of cases) {
    const reply = await app.call(method, path, undefined, options)
    assert.equal(reply.status, status, reply.text)
  }
  const codes = await Promise.all(
    [nonsense, '{}'].map(async (raw) => (await app.admin('POST', SIGNERS, undefined, { raw })).json.error.code),
  )
  assert.deepEqual(codes, ['COULD_NOT_PARSE_BODY', 'COULD_NOT_VALIDATE'])
})

test('an empty body is fine where a body is optional, and an error with its cause where it is required', async () => {
  const { app } = target()
  const optional = await app.call('POST', '/edge/client/v1/authenticate?method=password')
  assert.equal(optional.json.error.cause.message, 'username and password fields are required')
  const required = await app.admin('POST', SIGNERS)
  assert.deepEqual([required.status, required.json.error.cause.field], [400, 'externalJwtSigner'])
  const wrongTypeWithoutBody = await app.admin('DELETE', `${SIGNERS}/x`, undefined, {
    headers: { 'content-type': 'text/plain' },
  })
  assert.equal(wrongTypeWithoutBody.status, 404)
})

test('M-10 white space around the content type is ignored', async () => {
  const { app } = target()
  for (const type of ['  application/json', 'application/json\t ', 'Application/JSON ; charset=UTF-8']) {
    const reply = await app.admin('POST', SIGNERS, undefined, { raw: '{}', headers: { 'content-type': type.trim() } })
    assert.equal(reply.status, 400, type)
  }
  const inner = await app.admin('POST', SIGNERS, undefined, {
    raw: '{}',
    headers: { 'content-type': 'application /json' },
  })
  assert.equal(inner.status, 415)
})

test('D30 the session header is accepted once; a comma does not add a second one', async () => {
  const { app } = target()
  const call = (value: string) => app.call('GET', SIGNERS, undefined, { headers: { 'ZT-Session': value } })
  assert.equal((await call(`  ${app.adminSession}  `)).status, 200)
  assert.equal((await call(`${app.adminSession}, ${app.adminSession}`)).status, 401)
  assert.equal((await call('')).status, 401)
})

test('D44 no cache stores responses to a caller, or refusals', async () => {
  const { app } = target()
  const replies = [
    await app.admin('GET', SIGNERS),
    await app.admin('GET', `${SIGNERS}/nothing`),
    await app.admin('GET', `${SIGNERS}?limit=-1`),
    await app.admin('GET', `${SIGNERS}?limit=x`),
    await app.admin('GET', '/edge/client/v1/current-api-session'),
    await app.call('GET', SIGNERS),
    await app.call('GET', SIGNERS, undefined, { session: 'invalid' }),
  ]
  assert.deepEqual(
    replies.map(({ status }) => status),
    [200, 404, 200, 400, 200, 401, 401],
  )
  for (const { headers } of replies) assert.equal(headers['cache-control'], 'no-store')
  const login = await app.call('POST', '/authenticate?method=password', { username: 'admin', password: 'x'.repeat(20) })
  assert.equal(login.status, 401)
  assert.equal((await app.call('GET', '/version')).headers['cache-control'], undefined)
})
