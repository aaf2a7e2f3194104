import assert from 'node:assert/strict'
import { generateKeyPairSync, sign, verify } from 'node:crypto'
import { test } from 'node:test'
import { Passwords } from '../../src/login/passwords.ts'
import { createPolicy } from './auth-policies.fixture.ts'
import { TEST_PASSWORD_COST } from './build-app.ts'
import { summarize, testWithApp } from './ext-jwt-signers.fixture.ts'
import { createIdentity, createPassword, IDENTITIES, identityOf, OWN_SESSION } from './identities.fixture.ts'

const CLIENT = '/edge/client/v1/authenticate?method=password'
const MANAGEMENT = '/edge/management/v1/authenticate?method=password'

testWithApp('password login', async (t, app) => {
  const identityId = await createIdentity(app)
  const { id: authenticatorId, username, password } = await createPassword(app, identityId)

  await t.test('returns the session and its token, in the body and in the headers, on both APIs', async () => {
    for (const path of [CLIENT, MANAGEMENT]) {
      const reply = await app.call('POST', path, { username, password })
      assert.equal(reply.status, 200)
      const { _links, identity, id, createdAt, token, expiresAt, ...data } = reply.json.data
      assert.deepEqual(_links, {
        self: { href: `./api-sessions/${id}` },
        sessions: { href: `./api-sessions/${id}/sessions` },
      })
      assert.deepEqual([identity.id, identity.entity], [identityId, 'identities'])
      assert.deepEqual(identity._links.self, { href: `./identities/${identityId}` })
      assert.deepEqual(data, {
        updatedAt: createdAt,
        tags: {},
        identityId,
        ipAddress: '127.0.0.1',
        configTypes: [],
        authQueries: [],
        isMfaRequired: false,
        isMfaComplete: false,
        authenticatorId,
        isCertExtendable: false,
        lastActivityAt: createdAt,
        cachedLastActivityAt: createdAt,
        expirationSeconds: 1800,
      })
      assert.equal(Date.parse(expiresAt) - Date.parse(createdAt), 1_800_000)
      assert.deepEqual(reply.json.meta, {})
      assert.equal(reply.headers['zt-session'], token)
      assert.equal(reply.headers['expiration-seconds'], '1800')
      assert.equal(reply.headers['expires-at'], `${expiresAt.replace('T', ' ').replace('Z', '')} +0000 UTC`)
      assert.equal(reply.headers['content-type'], 'application/json')
      assert.equal(reply.headers['cache-control'], 'no-store')
      assert.equal(reply.headers['www-authenticate'], undefined)
      for (const api of ['client', 'management']) {
        const used = await app.call('GET', `/edge/${api}/v1/current-api-session`, undefined, { session: token })
        assert.equal(summarize(used), '200', 'a session of one API works on the other')
        assert.equal(used.headers['expires-at'], undefined)
      }
    }
  })

  await t.test(
    'D36 missing, too short or too long values are refused with the field, without repeating the password',
    async () => {
      const bad: readonly [object, string][] = [
        [{ username, password: 'pqrs' }, '400 COULD_NOT_VALIDATE password'],
        [{ username, password: 'pqrs'.repeat(26) }, '400 COULD_NOT_VALIDATE password'],
        [{ username: 'abc', password }, '400 COULD_NOT_VALIDATE username'],
        [{ username: 'x'.repeat(101), password }, '400 COULD_NOT_VALIDATE username'],
        [{ username, password: 12345 }, '400 COULD_NOT_PARSE_BODY'],
        [{ username, password, envInfo: { hostname: 'x'.repeat(254) } }, '400 COULD_NOT_VALIDATE envInfo.hostname'],
        [{ username, password, envInfo: { os: 'x'.repeat(256) } }, '400 COULD_NOT_VALIDATE envInfo.os'],
        [{ username, password, sdkInfo: { version: 'x'.repeat(256) } }, '400 COULD_NOT_VALIDATE sdkInfo.version'],
      ]
      for (const [body, expected] of bad) {
        const reply = await app.call('POST', CLIENT, body)
        assert.equal(summarize(reply), expected, JSON.stringify(body))
        assert.ok(!reply.text.includes('pqrs'))
      }
      for (const body of [
        undefined,
        {},
        { username },
        { password },
        { username: '', password },
        { username: null, password },
      ]) {
        const reply = await app.call('POST', CLIENT, body)
        assert.equal(summarize(reply), '400 COULD_NOT_VALIDATE')
        assert.equal(reply.json.error.cause.message, 'username and password fields are required')
      }
      const longest = { envInfo: { hostname: 'x'.repeat(253), os: 'x'.repeat(255) } }
      assert.equal(summarize(await app.call('POST', CLIENT, { username, password, ...longest })), '200')
    },
  )

  await t.test('the method is required and must be a known one', async () => {
    const logIn = (query: string) => app.call('POST', `/edge/client/v1/authenticate${query}`, { username, password })
    for (const query of ['', '?method=', '?method=PASSWORD', '?method=updb', '?method=nonsense']) {
      assert.equal(summarize(await logIn(query)), '400 COULD_NOT_VALIDATE method', query)
    }
    assert.equal(summarize(await logIn('?method=password&method=nonsense')), '200', 'the first value wins')
  })

  await t.test('L-01 every refusal looks the same, whatever the reason', async () => {
    const forbidding = await createPolicy(app, { updb: { allowed: false } })
    const forbidden = await createPassword(app, await createIdentity(app, { authPolicyId: forbidding }))
    const disabledId = await createIdentity(app)
    const disabled = await createPassword(app, disabledId)
    assert.equal(
      summarize(await app.admin('POST', `${IDENTITIES}/${disabledId}/disable`, { durationMinutes: 0 })),
      '200',
    )
    const deletedId = await createIdentity(app)
    const deleted = await createPassword(app, deletedId)
    assert.equal(summarize(await app.admin('DELETE', `${IDENTITIES}/${deletedId}`)), '200')
    const guesses = {
      'a wrong password': { username, password: `${password}x` },
      'a password in other letters': { username, password: password.toUpperCase() },
      'a user name in other letters': { username: username.toUpperCase(), password },
      'an unknown user': { username: 'unknown-user', password },
      'a policy that forbids': forbidden,
      'a disabled identity': disabled,
      'a deleted identity': deleted,
    }
    const responses = new Set<string>()
    for (const [why, guess] of Object.entries(guesses)) {
      const reply = await app.call('POST', CLIENT, { username: guess.username, password: guess.password })
      assert.equal(summarize(reply), '401 INVALID_AUTH', why)
      assert.equal(reply.headers['www-authenticate'], undefined)
      const { requestId, ...error } = reply.json.error
      const { date, 'content-length': _, 'ziti-instance-id': __, ...headers } = reply.headers
      responses.add(JSON.stringify({ error, meta: reply.json.meta, headers }))
    }
    assert.equal(responses.size, 1, [...responses].join('\n'))
    assert.equal(summarize(await app.call('POST', CLIENT, { username, password })), '200')
  })

  await t.test('information about client and SDK is stored on the identity, until it changes', async () => {
    const envInfo = { os: 'linux', osRelease: '6.8', osVersion: '24.04', arch: 'amd64', domain: '', hostname: 'ws7' }
    const sdkInfo = {
      type: 'sdk',
      version: '2.0.0',
      branch: 'HEAD',
      revision: '0af1',
      appId: 'app',
      appVersion: '2.1.0',
    }
    assert.equal(summarize(await app.call('POST', CLIENT, { username, password, envInfo, sdkInfo })), '200')
    assert.equal(summarize(await app.call('POST', CLIENT, { username, password })), '200')
    const shown = await identityOf(app, identityId)
    assert.deepEqual({ envInfo: shown.envInfo, sdkInfo: shown.sdkInfo }, { envInfo, sdkInfo })
    const next = { hostname: 'ws8', isAdmin: true, unknown: 'x' }
    assert.equal(summarize(await app.call('POST', CLIENT, { username, password, envInfo: next })), '200')
    const after = await identityOf(app, identityId)
    assert.deepEqual({ envInfo: after.envInfo, sdkInfo: after.sdkInfo }, { envInfo: { hostname: 'ws8' }, sdkInfo })
    assert.equal(after.isAdmin, false)
  })

  await t.test('unknown config types are dropped, and the word for all of them is kept', async () => {
    const typesFor = async (configTypes: unknown) => {
      const reply = await app.call('POST', CLIENT, { username, password, configTypes })
      const own = await app.call('GET', OWN_SESSION, undefined, { session: reply.json.data.token })
      assert.deepEqual(own.json.data.configTypes, reply.json.data.configTypes)
      return reply.json.data.configTypes
    }
    assert.deepEqual(await typesFor(['intercept.v1', 'nonsense']), [])
    assert.deepEqual(await typesFor(['intercept.v1', 'all']), ['all'])
    assert.deepEqual(await typesFor(null), [])
  })
})

test('password work of one account beyond the capacity is refused with a retry, and accepted later', async () => {
  const passwords = new Passwords(TEST_PASSWORD_COST)
  const sender = { account: 'one', standing: 'account' } as const
  const digest = await passwords.digest('secret', 'one')
  const guesses = Array.from({ length: 17 }, () => passwords.isRight('secret', digest, sender))
  const results = await Promise.allSettled(guesses)
  assert.deepEqual(
    results.map((result) => (result.status === 'fulfilled' ? result.value : result.reason.code)),
    [...Array(16).fill(true), 'SERVER_TOO_MANY_REQUESTS'],
  )
  assert.equal(await passwords.isRight('secret', digest, sender), true)
  assert.equal(await passwords.isRight('Secret', digest, sender), false)
  assert.equal(await passwords.isRight('secret', null, sender), false)
})

test('R-01 a signature check does not wait for password comparisons', async () => {
  const passwords = new Passwords({ logN: 14, r: 8, p: 1 })
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const message = Buffer.from('message')
  const signature = sign(null, message, privateKey)
  const order: string[] = []
  const digests = Array.from({ length: 12 }, () => passwords.digest('secret', 'one').then(() => order.push('password')))
  await new Promise<void>((resolve, reject) =>
    verify(null, message, publicKey, signature, (error) => (error ? reject(error) : resolve())),
  )
  order.push('signature')
  await Promise.all(digests)
  assert.deepEqual(order, ['signature', ...Array(12).fill('password')])
})
