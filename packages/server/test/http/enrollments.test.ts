import assert from 'node:assert/strict'
import { verify, X509Certificate } from 'node:crypto'
import { makeTestCsr } from '@countersign/testkit'
import { refreshEnrollment } from '../../src/operations/enrollment/update-enrollment.ts'
import { serverIdentity } from './build-app.ts'
import {
  createEnrolling,
  createEnrollingPassword,
  decodeJwt,
  ENROLLMENTS,
  enrollmentBody,
  enrollWithCsr,
  enrollWithPassword,
  inAnHour,
  tokenOf,
} from './enrollments.fixture.ts'
import { summarize, testWithApp } from './ext-jwt-signers.fixture.ts'
import {
  AUTHENTICATORS,
  createIdentity,
  createPassword,
  defaultAdminId,
  IDENTITIES,
  identityBody,
  identityOf,
  OWN_IDENTITY,
} from './identities.fixture.ts'

/** Without the signature of the JWT: each node signs it for itself, and no two ECDSA signatures are the same. */
const unsigned = (data: unknown): unknown =>
  JSON.parse(JSON.stringify(data).replaceAll(/("jwt":"[^".]+\.[^".]+)\.[^"]+/g, '$1'))

testWithApp('enrollments of existing identities', async (t, app) => {
  await t.test('one is created, shown, listed, deleted, and then gone', async () => {
    const identityId = await createIdentity(app)
    const expiresAt = inAnHour(app)
    const made = await app.admin('POST', ENROLLMENTS, enrollmentBody(app, identityId, { expiresAt, tags: { a: 'b' } }))
    assert.equal(made.status, 201, made.text)
    const { id } = made.json.data
    assert.deepEqual(made.json, { data: { _links: { self: { href: `./enrollments/${id}` } }, id }, meta: {} })

    const reply = await app.admin('GET', `${ENROLLMENTS}/${id}`)
    const { createdAt, updatedAt, identity, token, jwt, ...shown } = reply.json.data
    assert.equal(createdAt, updatedAt)
    assert.deepEqual([identity.id, identity.entity], [identityId, 'identities'])
    assert.match(token, /^[\w-]{43}$/)
    assert.equal(jwt.split('.').length, 3)
    assert.deepEqual(shown, {
      _links: { self: { href: `./enrollments/${id}` } },
      id,
      tags: { a: 'b' },
      identityId,
      method: 'ott',
      expiresAt,
    })
    const again = await app.admin('GET', `${ENROLLMENTS}/${id}`)
    assert.deepEqual(unsigned(again.json), unsigned(reply.json), 'administrators can read the token again')

    const within = (await identityOf(app, identityId)).enrollment
    assert.deepEqual(unsigned(within), unsigned({ ott: { id, token, jwt, expiresAt } }))
    const { name } = await identityOf(app, identityId)
    const named = (text: string) => `${ENROLLMENTS}?filter=${encodeURIComponent(`identity.name = "${text}"`)}`
    const ofIdentity = [`${ENROLLMENTS}?filter=identity="${identityId}"`, `${IDENTITIES}/${identityId}/enrollments`]
    assert.deepEqual((await app.admin('GET', named('another'))).json.data, [])
    for (const path of [named(name), ...ofIdentity]) {
      const list = await app.admin('GET', path)
      assert.deepEqual(unsigned(list.json.data), unsigned([reply.json.data]))
      assert.equal(list.json.meta.pagination.totalCount, 1)
    }

    assert.equal(summarize(await app.admin('DELETE', `${ENROLLMENTS}/${id}`)), '200')
    assert.deepEqual((await identityOf(app, identityId)).enrollment, {})
    for (const [method, path, body] of [
      ['GET', `${ENROLLMENTS}/${id}`],
      ['DELETE', `${ENROLLMENTS}/${id}`],
      ['POST', `${ENROLLMENTS}/${id}/refresh`, { expiresAt }],
    ] as const) {
      const gone = await app.admin(method, path, body)
      assert.equal(summarize(gone), '404 NOT_FOUND', method)
      assert.equal(gone.json.error.cause.message, `enrollment with id ${id} not found`)
    }
    assert.equal(summarize(await app.admin('GET', `${IDENTITIES}/unknown/enrollments`)), '404 NOT_FOUND')
  })

  await t.test('the JWT contains address, method and token, and verifies with the server certificate', async () => {
    const before = Math.floor(app.clock.now() / 1000)
    for (const make of [createEnrolling, createEnrollingPassword]) {
      const { identityId, token, jwt } = await make(app)
      const { header, claims } = decodeJwt(jwt)
      assert.deepEqual(header, { alg: 'ES256', kid: serverIdentity.fingerprint, typ: 'JWT' })
      const { exp, ...others } = claims
      assert.deepEqual(others, {
        iss: 'https://127.0.0.1:1280',
        sub: identityId,
        aud: [''],
        jti: token,
        em: make === createEnrolling ? 'ott' : 'updb',
        ctrls: ['tls:127.0.0.1:1280'],
      })
      assert.ok(exp - before >= 10_800 && exp - before < 10_860, 'three hours by default')
      const [head, body, signature = ''] = jwt.split('.')
      const { publicKey } = new X509Certificate(serverIdentity.certificatePem)
      const key = { key: publicKey, dsaEncoding: 'ieee-p1363' } as const
      assert.ok(verify('sha256', Buffer.from(`${head}.${body}`), key, Buffer.from(signature, 'base64url')))
    }
  })

  await t.test('filters on unsupported members are accepted and match nothing', async () => {
    const { id } = await createEnrolling(app)
    for (const symbol of ['caId', 'edgeRouter', 'transitRouter']) {
      const find = async (test: string) => {
        const filter = encodeURIComponent(`id = "${id}" and ${symbol} ${test}`)
        const { status, json } = await app.admin('GET', `${ENROLLMENTS}?filter=${filter}&sort=${symbol}`)
        assert.equal(status, 200, symbol)
        return json.meta.pagination.totalCount
      }
      assert.equal(await find('= "x"'), 0)
      assert.equal(await find('contains "x"'), 0)
      assert.equal(await find('= null'), 1)
    }
  })

  await t.test('R-13 the database contains neither the token nor the JWT', async () => {
    const { id, token, jwt } = await createEnrolling(app)
    const row = await app.store.db.selectFrom('enrollments').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
    const stored = JSON.stringify(row)
    for (const secret of [token, jwt, jwt.split('.')[2] ?? '']) assert.ok(!stored.includes(secret))
    assert.ok(!app.logged.join().includes(token))
    for (const symbol of ['token', 'tokenDigest', 'token_digest', 'sealedToken', 'identity.isAdmin']) {
      const filter = encodeURIComponent(`${symbol} = "x"`)
      assert.equal(summarize(await app.admin('GET', `${ENROLLMENTS}?filter=${filter}`)), '400 INVALID_FILTER', symbol)
      assert.equal(
        summarize(await app.admin('GET', `${ENROLLMENTS}?sort=${symbol}`)),
        '400 INVALID_SORT_IDENTIFIER',
        symbol,
      )
    }
  })

  await t.test('R-13 a sealed token that was moved to another enrollment is not shown there', async () => {
    const [one, two] = [await createEnrolling(app), await createEnrolling(app)]
    const rowOf = (id: string) =>
      app.store.db.selectFrom('enrollments').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
    const { sealed_token: sealedToken } = await rowOf(one.id)
    const { token_digest: tokenDigest, expires_at: expiresAt } = await rowOf(two.id)
    const moved = { id: two.id, tokenDigest, sealedToken, expiresAt }
    await app.store.run(refreshEnrollment, moved, { actorId: 'system', now: app.clock.now() })
    const { token, jwt, id } = (await app.admin('GET', `${ENROLLMENTS}/${two.id}`)).json.data
    assert.deepEqual([token, jwt, id], [undefined, undefined, two.id])
    assert.equal(summarize(await enrollWithCsr(app, two.token, makeTestCsr().pem)), '200', 'its own token still works')
  })

  await t.test('missing, unknown and past values are refused, and nothing is created', async () => {
    const identityId = await createIdentity(app)
    const past = new Date(app.clock.now() - 1).toISOString()
    const cases: readonly (readonly [Record<string, unknown>, string])[] = [
      [{ expiresAt: undefined }, '400 COULD_NOT_VALIDATE expiresAt'],
      [{ expiresAt: 'tomorrow' }, '400 COULD_NOT_VALIDATE expiresAt'],
      [{ expiresAt: past }, '400 INVALID_FIELD'],
      [{ identityId: 'unknown' }, '400 INVALID_FIELD'],
      [{ method: undefined }, '400 COULD_NOT_VALIDATE method'],
      [{ method: 'bogus' }, '400 COULD_NOT_VALIDATE method'],
      [{ method: 'ottca', caId: 'some-ca' }, '400 INVALID_FIELD'],
      [{ method: 'updb' }, '400 COULD_NOT_VALIDATE username'],
      [{ method: 'updb', username: 'abc' }, '400 COULD_NOT_VALIDATE username'],
      [{ method: 'updb', username: 'zero\u200bwidth' }, '400 COULD_NOT_VALIDATE username'],
    ]
    for (const [members, expected] of cases) {
      const reply = await app.admin('POST', ENROLLMENTS, enrollmentBody(app, identityId, members))
      assert.equal(summarize(reply), expected, JSON.stringify(members))
    }
    assert.deepEqual((await identityOf(app, identityId)).enrollment, {})
    assert.equal(summarize(await app.admin('POST', ENROLLMENTS, enrollmentBody(app, identityId))), '201')
  })

  await t.test('an identity has one enrollment at a time, also with concurrent requests', async () => {
    const identityId = await createIdentity(app)
    const body = enrollmentBody(app, identityId)
    const replies = await Promise.all(Array.from({ length: 10 }, () => app.admin('POST', ENROLLMENTS, body)))
    const results = replies.map(summarize).toSorted()
    assert.deepEqual(results, ['201', ...Array.from({ length: 9 }, () => '409 ENROLLMENT_EXISTS method')])
    const updb = enrollmentBody(app, identityId, { method: 'updb', username: 'one-of-each' })
    assert.equal(summarize(await app.admin('POST', ENROLLMENTS, updb)), '201')
    assert.equal(summarize(await app.admin('POST', ENROLLMENTS, updb)), '409 ENROLLMENT_EXISTS method')
    assert.deepEqual(Object.keys((await identityOf(app, identityId)).enrollment).toSorted(), ['ott', 'updb'])
  })

  await t.test('a user name that is in use or reserved, and a second password, are refused', async () => {
    const { username } = await createPassword(app, await createIdentity(app))
    const waiting = await createEnrollingPassword(app)
    const other = await createIdentity(app)
    const enrollWithName = (identityId: string, name: string) =>
      app.admin('POST', ENROLLMENTS, enrollmentBody(app, identityId, { method: 'updb', username: name }))
    assert.equal(summarize(await enrollWithName(other, username)), '400 COULD_NOT_VALIDATE updbUsername')
    assert.equal(summarize(await enrollWithName(other, waiting.username)), '400 COULD_NOT_VALIDATE username')
    assert.equal(summarize(await enrollWithName(other, 'still-free')), '201')
    const enrolled = await createIdentity(app)
    await createPassword(app, enrolled)
    assert.equal(summarize(await enrollWithName(enrolled, 'also-free')), '409 MAX_AUTHENTICATOR_METHODS_REACHED method')
  })

  await t.test('a refresh sets a new token and a new expiry, and invalidates the old token', async () => {
    const { id, token, jwt } = await createEnrolling(app)
    const expiresAt = inAnHour(app)
    const past = { expiresAt: new Date(app.clock.now() - 1).toISOString() }
    assert.equal(summarize(await app.admin('POST', `${ENROLLMENTS}/${id}/refresh`, past)), '400 INVALID_FIELD')
    assert.equal(
      summarize(await app.admin('POST', `${ENROLLMENTS}/${id}/refresh`, {})),
      '400 COULD_NOT_VALIDATE expiresAt',
    )
    assert.equal(await tokenOf(app, id), token)
    assert.equal(summarize(await app.admin('POST', `${ENROLLMENTS}/${id}/refresh`, { expiresAt })), '200')
    const after = (await app.admin('GET', `${ENROLLMENTS}/${id}`)).json.data
    assert.equal(after.expiresAt, expiresAt)
    assert.ok(after.token !== token && after.jwt !== jwt)
    assert.equal(summarize(await enrollWithCsr(app, token, makeTestCsr().pem)), '400 INVALID_ENROLLMENT_TOKEN')
    assert.equal(summarize(await enrollWithCsr(app, after.token, makeTestCsr().pem)), '200')
  })
})

testWithApp('identities created together with an enrollment', async (t, app) => {
  await t.test('get an ott or updb enrollment; of several only ott is created', async () => {
    const cases: readonly (readonly [Record<string, unknown> | null, readonly string[]])[] = [
      [{ ott: true }, ['ott']],
      [{ updb: 'name-of-one' }, ['updb']],
      [{ ott: true, updb: 'name-of-two', ottca: 'some-ca' }, ['ott']],
      [{ ott: false }, []],
      [{ ott: false, updb: '', ottca: '' }, []],
      [{}, []],
      [null, []],
    ]
    for (const [enrollment, methods] of cases) {
      const id = await createIdentity(app, { enrollment })
      assert.deepEqual(Object.keys((await identityOf(app, id)).enrollment), methods, JSON.stringify(enrollment))
    }
  })

  await t.test('an identity whose enrollment is invalid is not created', async () => {
    const { username } = await createPassword(app, await createIdentity(app))
    for (const [enrollment, expected] of [
      [{ ottca: 'some-ca' }, '404 NOT_FOUND caId'],
      [{ updb: 'abc' }, '400 COULD_NOT_VALIDATE enrollment.updb'],
      [{ updb: username }, '400 COULD_NOT_VALIDATE updbUsername'],
      [{ ott: 'yes' }, '400 COULD_NOT_PARSE_BODY'],
    ] as const) {
      const body = identityBody({ enrollment })
      assert.equal(summarize(await app.admin('POST', IDENTITIES, body)), expected)
      const found = await app.admin('GET', `${IDENTITIES}?filter=name="${body.name}"`)
      assert.equal(found.json.meta.pagination.totalCount, 0)
      assert.equal(summarize(await app.admin('POST', IDENTITIES, { ...body, enrollment: { ott: true } })), '201')
    }
  })

  await t.test('PUT and PATCH neither create nor delete enrollments', async () => {
    const { identityId, token } = await createEnrolling(app)
    const body = identityBody({ enrollment: { updb: 'never-made' } })
    assert.equal(summarize(await app.admin('PUT', `${IDENTITIES}/${identityId}`, body)), '200')
    assert.equal(summarize(await app.admin('PATCH', `${IDENTITIES}/${identityId}`, { enrollment: {} })), '200')
    const { enrollment } = await identityOf(app, identityId)
    assert.deepEqual([Object.keys(enrollment), enrollment.ott.token], [['ott'], token])
  })
})

testWithApp('enrolling again', async (t, app) => {
  await t.test('deletes the authenticator, ends its sessions and creates an enrollment of the same kind', async () => {
    const { identityId, token, username } = await createEnrollingPassword(app)
    assert.equal(summarize(await enrollWithPassword(app, token, 'the-first-password')), '200')
    const session = await app.logIn(username, 'the-first-password')
    const { id } = (await identityOf(app, identityId)).authenticators.updb
    const expiresAt = inAnHour(app)

    const reply = await app.admin('POST', `${AUTHENTICATORS}/${id}/re-enroll`, { expiresAt })
    assert.equal(reply.status, 201, reply.text)
    const enrollmentId = reply.json.data.id
    assert.equal(reply.json.data._links.self.href, `./enrollments/${enrollmentId}`)
    assert.equal(summarize(await app.call('GET', OWN_IDENTITY, undefined, { session })), '401 UNAUTHORIZED')
    const { authenticators, enrollment } = await identityOf(app, identityId)
    assert.deepEqual([authenticators, enrollment.updb.id, enrollment.updb.expiresAt], [{}, enrollmentId, expiresAt])
    assert.equal(summarize(await enrollWithPassword(app, enrollment.updb.token, 'the-second-password')), '200')
    assert.equal(typeof (await app.logIn(username, 'the-second-password')), 'string')
  })

  await t.test('after a certificate uses a one-time token', async () => {
    const { identityId, token } = await createEnrolling(app)
    assert.equal(summarize(await enrollWithCsr(app, token, makeTestCsr().pem)), '200')
    const { id, fingerprint } = (await identityOf(app, identityId)).authenticators.cert
    const reply = await app.admin('POST', `${AUTHENTICATORS}/${id}/re-enroll`, { expiresAt: inAnHour(app) })
    assert.equal(reply.status, 201, reply.text)
    const { authenticators, enrollment } = await identityOf(app, identityId)
    assert.deepEqual([authenticators, Object.keys(enrollment)], [{}, ['ott']])
    assert.equal(summarize(await enrollWithCsr(app, enrollment.ott.token, makeTestCsr().pem)), '200')
    assert.notEqual((await identityOf(app, identityId)).authenticators.cert.fingerprint, fingerprint)
  })

  await t.test('D35 N-08 is refused where it would leave no administrator, and then changes nothing', async () => {
    const { id } = (await identityOf(app, await defaultAdminId(app))).authenticators.updb
    const body = { expiresAt: inAnHour(app) }
    const path = `${AUTHENTICATORS}/${id}/re-enroll`
    assert.equal(summarize(await app.admin('POST', path, body)), '409 WOULD_LOCK_OUT')
    assert.equal(summarize(await app.admin('POST', path, {})), '400 COULD_NOT_VALIDATE expiresAt')
    assert.equal(summarize(await app.admin('POST', `${AUTHENTICATORS}/nothing/re-enroll`, body)), '404 NOT_FOUND')
    assert.deepEqual((await identityOf(app, await defaultAdminId(app))).enrollment, {})
    await app.makeIdentity({ isAdmin: true })
    assert.equal(summarize(await app.admin('POST', path, body)), '201')
  })
})
