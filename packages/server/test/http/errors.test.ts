import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { sharedTarget } from '../attack/target.ts'

const target = sharedTarget()

const MANAGEMENT = '/edge/management/v1'
const SIGNERS = `${MANAGEMENT}/external-jwt-signers`
const LOGIN = '/edge/client/v1/authenticate?method=password'
const META = { apiEnrollmentVersion: '0.0.1', apiVersion: '0.0.1' }

describe('errors', () => {
  test('come in one envelope, with a line feed at the end and without empty members', async () => {
    const { app } = target()
    const reply = await app.call('GET', '/foo/x')
    const { requestId } = reply.json.error
    assert.deepEqual(reply.json, {
      error: {
        code: 'NOT_FOUND',
        message: 'The resource requested was not found or is no longer available',
        requestId,
        cause: { code: 'UNHANDLED', message: 'path /foo/x was not found' },
      },
      meta: META,
    })
    assert.ok(reply.text.endsWith('}\n'))
    assert.equal(reply.headers['content-type'], 'application/json')
    const other = await app.call('GET', '/foo/x')
    assert.notEqual(other.json.error.requestId, requestId)
  })

  test('a wrong method is 405 with the allowed ones, an unknown path is 404, both before authentication', async () => {
    const { app } = target()
    for (const session of ['', 'invalid', app.adminSession]) {
      const wrong = await app.call('PUT', SIGNERS, {}, { session })
      assert.deepEqual(
        [wrong.status, wrong.json.error.code, wrong.headers.allow],
        [405, 'METHOD_NOT_ALLOWED', 'GET, POST'],
      )
      assert.equal(wrong.json.error.cause.message, 'method PUT is not allowed, but [GET,POST] are')
      const unknown = await app.call('GET', `${MANAGEMENT}/nothing`, undefined, { session })
      assert.deepEqual([unknown.status, unknown.json.error.code], [404, 'NOT_FOUND'])
    }
    assert.equal((await app.call('GET', SIGNERS)).status, 401)
    assert.equal((await app.admin('GET', SIGNERS)).status, 200)
  })

  test('M-20 HEAD is 405 everywhere', async () => {
    const { app } = target()
    for (const { paths } of app.controller.http.routes) {
      for (const path of paths) {
        const reply = await app.admin('HEAD', path.replaceAll(/:\w+/g, 'x'))
        assert.deepEqual([path, reply.status], [path, 405])
      }
    }
  })

  test('M-20 every path refuses the methods that it does not offer, and names those that it does', async () => {
    const { app } = target()
    const { routes } = app.controller.http
    const rows = routes.flatMap(({ method, paths }) => paths.map((path) => ({ method, path })))
    for (const [path, offers] of Map.groupBy(rows, (row) => row.path)) {
      const offered = offers.map(({ method }) => method)
      const url = path.replaceAll(/:\w+/g, 'x')
      for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const) {
        if (offered.includes(method)) continue
        const reply = await app.admin(method, url)
        assert.deepEqual([path, method, reply.status, reply.headers.allow], [path, method, 405, offered.join(', ')])
      }
    }
    // Spelled otherwise, it is the same path.
    const spelled = await app.admin('PUT', `/edge//management/v1/%65xternal-jwt-signers/?limit=1`)
    assert.deepEqual([spelled.status, spelled.headers.allow], [405, 'GET, POST'])
  })

  test('D28 a missing permission is 401 without a challenge; a missing session is 401 with one', async () => {
    const { app } = target()
    const { session } = await app.makeIdentity()
    const denied = await app.call('GET', SIGNERS, undefined, { session })
    assert.deepEqual([denied.status, denied.json.error.code], [401, 'UNAUTHORIZED'])
    assert.equal(denied.headers['www-authenticate'], undefined)
    assert.equal(denied.json.error.cause, undefined)

    const missing = await app.call('GET', SIGNERS)
    const nothing = 'error="missing" error_description="no matching token was provided"'
    assert.equal(
      missing.headers['www-authenticate'],
      `zt-session realm="zt-session" ${nothing},Bearer realm="openziti-oidc" ${nothing}`,
    )
    assert.equal(missing.json.error.cause.message, 'unauthenticated for invalid credentials')

    const invalid = await app.call('GET', SIGNERS, undefined, { session: 'invalid' })
    assert.equal(
      invalid.headers['www-authenticate'],
      'zt-session realm="zt-session" error="invalid" error_description="token is invalid"',
    )
    const reader = await app.makeIdentity({ permissions: ['external-jwt-signer'] })
    assert.equal((await app.call('GET', SIGNERS, undefined, { session: reader.session })).status, 200)
  })

  test('D36 never repeat a password, and truncate long values', async () => {
    const { app } = target()
    const secret = 'correct horse battery staple'
    for (const body of [
      { username: 'admin', password: secret },
      { username: 'admin', password: secret.repeat(10) },
      { username: 'a', password: secret },
      { username: 'admin', password: [secret] },
      { username: { secret }, password: secret },
    ]) {
      const reply = await app.call('POST', LOGIN, body)
      assert.ok([400, 401].includes(reply.status))
      assert.ok(!reply.text.includes('horse'), reply.text)
    }
    const long = 'x'.repeat(60_000)
    for (const reply of [
      await app.admin('GET', `${SIGNERS}?limit=${'x'.repeat(4000)}`),
      await app.admin('GET', `${SIGNERS}?filter=${'x'.repeat(4000)}`),
      await app.admin('GET', `${SIGNERS}?${'__proto__.'.repeat(400)}=1`),
      await app.admin('GET', `/nowhere/${'x'.repeat(4000)}`),
      await app.admin('GET', SIGNERS, undefined, { headers: { accept: 'x'.repeat(4000) } }),
      await app.admin('POST', SIGNERS, { name: 1, [long]: 1 }),
      await app.admin('POST', SIGNERS, { name: 'n', enabled: true, issuer: 'i', audience: 'a', targetToken: long }),
      await app.admin('POST', SIGNERS, { name: 'n', enabled: true, issuer: 'i', audience: 'a', jwksEndpoint: long }),
      await app.admin('POST', SIGNERS, undefined, { raw: `{"${long}":1,"${long}":1}` }),
    ]) {
      assert.ok(reply.status >= 400 && reply.status < 500)
      assert.ok(reply.text.length < 1024, `${reply.text.length} characters: ${reply.text.slice(0, 300)}`)
    }
  })

  test('say where JSON is malformed', async () => {
    const { app } = target()
    const reply = await app.call('POST', LOGIN, undefined, { raw: '{\n  "username": nope\n}' })
    assert.deepEqual([reply.status, reply.json.error.code], [400, 'COULD_NOT_PARSE_BODY'])
    assert.match(reply.json.error.cause.message, /line 2, column 15$/)
  })
})

describe('paths', () => {
  test('D33 old paths lead to the client API by whole first segments only', async () => {
    const { app } = target()
    for (const path of [
      '/external-jwt-signers',
      '//external-jwt-signers',
      '/external-jwt-signers/',
      '/edge/v1/external-jwt-signers',
    ]) {
      const reply = await app.call('GET', path)
      assert.deepEqual([path, reply.status, Array.isArray(reply.json.data)], [path, 200, true])
    }
    for (const path of [
      '/external-jwt-signersx',
      '/auth',
      '/auth/v1',
      '/core/networks',
      '/identity/v1',
      '/edge/v1x/external-jwt-signers',
      '/.well-known/openid-configuration',
    ]) {
      const reply = await app.call('GET', path)
      assert.deepEqual([path, reply.status], [path, 404])
      const [message] = reply.json.errors ?? [reply.json.error.cause.message]
      assert.ok(message.startsWith(`path ${path}`), 'an unknown path is not rewritten')
    }
    assert.equal((await app.call('POST', '/authenticate?method=password', {})).status, 400)
  })

  test('M-19 every spelling of a path gets the same access check', async () => {
    const { app } = target()
    const { session } = await app.makeIdentity()
    for (const path of [
      SIGNERS,
      `${SIGNERS}/`,
      `/${SIGNERS}`,
      `${MANAGEMENT}//external-jwt-signers`,
      '/%65dge/management/v1/external-jwt-signers',
      '/edge/management/v1/external%2djwt-signers',
    ]) {
      assert.deepEqual([path, (await app.call('GET', path)).status], [path, 401])
      assert.deepEqual([path, (await app.call('GET', path, undefined, { session })).status], [path, 401])
      assert.deepEqual([path, (await app.admin('GET', path)).status], [path, 200])
    }
    for (const path of [`${SIGNERS}%2f`, `${SIGNERS}%00`, `${SIGNERS};x`, '/EDGE/management/v1/external-jwt-signers']) {
      assert.deepEqual([path, (await app.admin('GET', path)).status], [path, 404])
    }
    for (const id of ['..%2fidentities', 'a%2fb', '%00']) {
      assert.deepEqual([id, (await app.call('GET', `${SIGNERS}/${id}`)).status], [id, 401])
      assert.deepEqual([id, (await app.admin('GET', `${SIGNERS}/${id}`)).status], [id, 404])
    }
  })
})
