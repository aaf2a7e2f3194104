import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inflateSync } from 'node:zlib'
import { MAX_NAME_LENGTH } from '@countersign/contract/limits'
import decodeQr from 'qr/decode.js'
import { patchAuthPolicy } from '../../src/operations/auth-policy/update-auth-policy.ts'
import { buildApp, newPostgresDatabase, type TestApp } from './build-app.ts'
import { IDENTITIES } from './identities.fixture.ts'
import {
  AUTHENTICATE_MFA,
  enrollTotp,
  MFA,
  makeUser,
  OWN_SESSION,
  SELF,
  STEP_MS,
  startTotp,
  statusAndCode,
  submitCode,
} from './one-time-codes.fixture.ts'

const POLICIES = '/edge/management/v1/auth-policies'

const get = (app: TestApp, path: string, session: string) => app.call('GET', path, undefined, { session })

async function setRequireTotp(app: TestApp, requireTotp: boolean): Promise<void> {
  const reply = await app.admin('PATCH', `${POLICIES}/default`, { secondary: { requireTotp } })
  assert.equal(reply.status, 200, reply.text)
}

test('one-time codes are set up, shown until they are verified, and not after that', async (t) => {
  const app = await buildApp(t)
  const { session, id } = await makeUser(app)
  assert.equal(statusAndCode(await get(app, MFA, session)), '404 NOT_FOUND')
  assert.equal(statusAndCode(await app.call('POST', `${MFA}/verify`, { code: '123456' }, { session })), '404 NOT_FOUND')

  const started = await app.call('POST', MFA, undefined, { session })
  assert.equal(started.status, 201)
  assert.deepEqual(started.json.data._links, { self: { href: './current-identity/mfa' } })
  assert.equal(statusAndCode(await app.call('POST', MFA, undefined, { session })), '409 MFA_EXISTS')
  const unverified = (await get(app, MFA, session)).json.data
  assert.equal(unverified.id, started.json.data.id)
  assert.equal(unverified.isVerified, false)
  assert.match(
    unverified.provisioningUrl,
    /^otpauth:\/\/totp\/Countersign:[^?]+\?issuer=Countersign&secret=[A-Z2-7]{32}$/,
  )
  assert.equal(unverified.recoveryCodes.length, 20)
  assert.equal((await app.admin('GET', `${IDENTITIES}/${id}`)).json.data.isMfaEnabled, false)

  const removed = await app.call('DELETE', MFA, undefined, { session })
  assert.equal(removed.status, 200, 'an unverified enrollment is removed without a code')
  const device = await enrollTotp(app, session)
  const verified = (await get(app, MFA, session)).json.data
  assert.equal(verified.id, device.id)
  assert.equal(verified.isVerified, true)
  assert.equal(verified.recoveryCodes, null)
  assert.equal('provisioningUrl' in verified, false)
  assert.equal(statusAndCode(await get(app, `${MFA}/qr-code`, session)), '404 NOT_FOUND')
  assert.equal(
    statusAndCode(await app.call('POST', `${MFA}/verify`, { code: device.code(1) }, { session })),
    '404 NOT_FOUND',
  )
  assert.equal(statusAndCode(await app.call('POST', MFA, undefined, { session })), '409 MFA_EXISTS')
  assert.equal((await app.admin('GET', `${IDENTITIES}/${id}`)).json.data.isMfaEnabled, true)
  assert.equal((await get(app, SELF, session)).json.data.isMfaEnabled, true)
  assert.equal((await app.admin('GET', '/edge/management/v1/summary')).json.data.mfas, 1)
})

test('D22 an identity with codes logs in and must give one before any other call', async (t) => {
  const app = await buildApp(t)
  const user = await makeUser(app)
  const device = await enrollTotp(app, user.session)
  const verifiedIn = (await get(app, OWN_SESSION, user.session)).json.data
  assert.deepEqual([verifiedIn.isMfaRequired, verifiedIn.isMfaComplete, verifiedIn.authQueries], [true, true, []])

  const credentials = { username: user.username, password: user.password }
  for (const api of ['client', 'management']) {
    app.clock.advance(STEP_MS)
    const loggedIn = await app.call('POST', `/edge/${api}/v1/authenticate?method=password`, credentials)
    assert.equal(loggedIn.status, 200)
    const { token: session, ...shown } = loggedIn.json.data
    assert.deepEqual([shown.isMfaRequired, shown.isMfaComplete], [true, false])
    assert.deepEqual(shown.authQueries, [
      {
        typeId: 'MFA',
        provider: 'ziti',
        format: 'alphaNumeric',
        httpMethod: 'POST',
        httpUrl: './authenticate/mfa',
        minLength: 4,
        maxLength: 6,
        scopes: null,
        isTotpEnrolled: true,
      },
    ])
    assert.equal(statusAndCode(await get(app, SELF, session)), '401 UNAUTHORIZED')
    const pass = `/edge/${api}/v1/authenticate/mfa`
    assert.equal(
      statusAndCode(await app.call('POST', pass, { code: device.wrongCode() }, { session })),
      '400 MFA_INVALID_TOKEN',
    )
    assert.equal(statusAndCode(await get(app, SELF, session)), '401 UNAUTHORIZED')
    assert.equal(statusAndCode(await app.call('POST', pass, { code: device.code() }, { session })), '200')
    assert.equal(statusAndCode(await get(app, SELF, session)), '200')
    const whole = (await get(app, OWN_SESSION, session)).json.data
    assert.deepEqual([whole.isMfaRequired, whole.isMfaComplete, whole.authQueries], [true, true, []])
    const listed = (await app.admin('GET', `/edge/management/v1/api-sessions/${whole.id}`)).json.data
    assert.deepEqual([listed.isMfaRequired, listed.isMfaComplete], [true, true])
    const partial = (await get(app, OWN_SESSION, await user.logIn())).json.data
    const found = async (filter: string) => {
      const within = encodeURIComponent(`identity = "${user.id}" and ${filter} sort by mfaComplete`)
      const reply = await app.admin('GET', `/edge/management/v1/api-sessions?filter=${within}`)
      assert.equal(reply.status, 200, reply.text)
      return reply.json.data.map(({ id }: { id: string }) => id)
    }
    assert.ok((await found('mfaRequired = true and mfaComplete = true')).includes(whole.id))
    assert.ok((await found('mfaRequired and not mfaComplete')).includes(partial.id))
    assert.ok(!(await found('mfaComplete = false')).includes(whole.id))
    assert.deepEqual(await found('mfaRequired = false'), [])
  }
})

test('the QR code is a PNG image of the provisioning URL, also for the longest name', async (t) => {
  const app = await buildApp(t)
  for (const name of ['Änne Öztürk <aenne@example.test>', '漢'.repeat(MAX_NAME_LENGTH)]) {
    const { session } = await makeUser(app, { name })
    const { url } = await startTotp(app, session)
    const headers = { 'zt-session': session, accept: 'image/png' }
    const reply = await app.controller.http.inject({ method: 'GET', url: `${MFA}/qr-code`, headers })
    assert.equal(reply.statusCode, 200)
    assert.equal(reply.headers['content-type'], 'image/png')
    assert.equal(reply.headers['cache-control'], 'no-store')
    assert.equal(decodeQr(readPng(reply.rawPayload)), url)
  }
})

test('D23 D22 a policy that requires codes applies to open sessions at once, and lets them set codes up', async (t) => {
  const app = await buildApp(t)
  const { session } = await makeUser(app)
  assert.equal(statusAndCode(await get(app, SELF, session)), '200')
  await setRequireTotp(app, true)
  assert.equal(statusAndCode(await get(app, SELF, session)), '401 UNAUTHORIZED')
  const partial = (await get(app, OWN_SESSION, session)).json.data
  assert.deepEqual([partial.isMfaRequired, partial.isMfaComplete], [false, false])
  assert.deepEqual(
    partial.authQueries.map((query: Record<string, unknown>) => [query.typeId, query.isTotpEnrolled]),
    [['MFA', false]],
  )
  const device = await startTotp(app, session)
  assert.equal(
    statusAndCode(await get(app, SELF, session)),
    '401 UNAUTHORIZED',
    'an unverified enrollment is not enough',
  )
  assert.equal(statusAndCode(await app.call('POST', `${MFA}/verify`, { code: device.code() }, { session })), '200')
  assert.equal(statusAndCode(await get(app, SELF, session)), '200', 'verification counts as a code in its session')
})

test('D23 a policy that no longer requires codes frees identities without codes, but not those with codes', async (t) => {
  const app = await buildApp(t)
  const [without, withCodes] = [await makeUser(app), await makeUser(app)]
  await enrollTotp(app, withCodes.session)
  const partial = await withCodes.logIn()
  await setRequireTotp(app, true)
  assert.equal(statusAndCode(await get(app, SELF, without.session)), '401 UNAUTHORIZED')
  const adminOwn = await app.admin('GET', '/edge/management/v1/identities')
  assert.equal(statusAndCode(adminOwn), '401 UNAUTHORIZED', 'the policy applies to administrators too')
  const now = app.clock.now()
  await app.store.run(
    patchAuthPolicy,
    { id: 'default', body: { secondary: { requireTotp: false } } },
    { actorId: 'system', now },
  )
  assert.equal(statusAndCode(await get(app, SELF, without.session)), '200')
  assert.equal(statusAndCode(await get(app, SELF, partial)), '401 UNAUTHORIZED')
})

test('D23 verifying codes requires one in every other session of the identity, and in no other', async (t) => {
  const app = await buildApp(t)
  const [user, other] = [await makeUser(app), await makeUser(app)]
  const elsewhere = await user.logIn()
  assert.equal(statusAndCode(await get(app, SELF, elsewhere)), '200')
  const device = await startTotp(app, user.session)
  assert.equal(statusAndCode(await get(app, SELF, elsewhere)), '200', 'D37 unverified codes are not required')
  await app.call('POST', `${MFA}/verify`, { code: device.code() }, { session: user.session })
  assert.equal(statusAndCode(await get(app, SELF, elsewhere)), '401 UNAUTHORIZED')
  assert.equal(statusAndCode(await get(app, SELF, user.session)), '200')
  assert.equal(statusAndCode(await get(app, SELF, other.session)), '200')
})

test('D37 a code counts only after its enrollment was verified', async (t) => {
  const app = await buildApp(t)
  const { session } = await makeUser(app)
  assert.equal(statusAndCode(await submitCode(app, session, '123456')), '409 MFA_NOT_ENROLLED')
  const device = await startTotp(app, session)
  assert.equal(statusAndCode(await submitCode(app, session, device.code())), '409 MFA_NOT_ENROLLED')
  assert.equal(statusAndCode(await submitCode(app, session, device.recoveryCodes[0] ?? '')), '409 MFA_NOT_ENROLLED')
  const byRecovery = await app.call('POST', `${MFA}/verify`, { code: device.recoveryCodes[0] }, { session })
  assert.equal(statusAndCode(byRecovery), '400 MFA_INVALID_TOKEN', 'a recovery code does not verify it')
  assert.equal(statusAndCode(await app.call('POST', `${MFA}/verify`, { code: device.code() }, { session })), '200')
  assert.equal(statusAndCode(await submitCode(app, session, device.code(1))), '200')
})

test('an identity removes its own codes only with a code, one-time or recovery', async (t) => {
  const app = await buildApp(t)
  const { session } = await makeUser(app)
  const remove = (code?: string) =>
    app.call('DELETE', MFA, undefined, { session, headers: code ? { 'mfa-validation-code': code } : {} })
  assert.equal(statusAndCode(await remove('123456')), '404 NOT_FOUND')
  const device = await enrollTotp(app, session)
  assert.equal(statusAndCode(await remove()), '400 MFA_INVALID_TOKEN')
  assert.equal(statusAndCode(await remove(device.wrongCode())), '400 MFA_INVALID_TOKEN')
  assert.equal(statusAndCode(await remove(device.code(1))), '200')
  const own = (await get(app, OWN_SESSION, session)).json.data
  assert.deepEqual([own.isMfaRequired, own.isMfaComplete, own.authQueries], [false, false, []])
  const next = await enrollTotp(app, session)
  assert.equal(statusAndCode(await remove(next.recoveryCodes[4])), '200')
})

test('a session that passed one enrollment must give a code of the next one', async (t) => {
  const app = await buildApp(t)
  const user = await makeUser(app)
  await enrollTotp(app, user.session)
  assert.equal((await app.admin('DELETE', `${IDENTITIES}/${user.id}/mfa`)).status, 200)
  const elsewhere = await user.logIn()
  await enrollTotp(app, elsewhere)
  assert.equal(statusAndCode(await get(app, SELF, elsewhere)), '200')
  assert.equal(statusAndCode(await get(app, SELF, user.session)), '401 UNAUTHORIZED')
})

test('D35 a caller with rights over an identity removes its codes, but only administrators those of an administrator', async (t) => {
  const app = await buildApp(t)
  const administrator = await makeUser(app, { isAdmin: true })
  const clerk = await makeUser(app, { permissions: ['identity'] })
  const guest = await makeUser(app)
  for (const { session } of [administrator, guest]) await enrollTotp(app, session)
  const reset = (id: string, session: string) => app.call('DELETE', `${IDENTITIES}/${id}/mfa`, undefined, { session })
  const partial = await guest.logIn()
  assert.equal(statusAndCode(await reset(administrator.id, clerk.session)), '401 UNAUTHORIZED')
  assert.equal(statusAndCode(await reset(guest.id, partial)), '401 UNAUTHORIZED', 'not for the own codes')
  assert.equal((await app.admin('GET', `${IDENTITIES}/${administrator.id}`)).json.data.isMfaEnabled, true)
  assert.equal(statusAndCode(await reset(guest.id, clerk.session)), '200')
  assert.equal((await app.admin('GET', `${IDENTITIES}/${guest.id}`)).json.data.isMfaEnabled, false)
  assert.equal(statusAndCode(await get(app, SELF, partial)), '200', 'the partial session becomes complete')
  assert.equal(statusAndCode(await reset(administrator.id, app.adminSession)), '200')
  assert.equal(statusAndCode(await reset(administrator.id, app.adminSession)), '200', 'also without codes')
  assert.equal(statusAndCode(await reset('no-such-id', app.adminSession)), '404 NOT_FOUND')
})

test('W-77 recovery codes are listed and renewed with a code, and the old ones no longer work', async (t) => {
  const app = await buildApp(t)
  const { session } = await makeUser(app)
  const list = (code?: string) =>
    app.call('GET', `${MFA}/recovery-codes`, undefined, {
      session,
      headers: code ? { 'mfa-validation-code': code } : {},
    })
  const renew = (code: string) => app.call('POST', `${MFA}/recovery-codes`, { code }, { session })
  const checkAbsent = async () => {
    assert.equal(statusAndCode(await list('123456')), '404 NOT_FOUND')
    assert.equal(statusAndCode(await renew('123456')), '404 NOT_FOUND')
  }
  await checkAbsent()
  assert.equal(statusAndCode(await app.call('POST', `${MFA}/verify`, { code: '123456' }, { session })), '404 NOT_FOUND')
  assert.equal(statusAndCode(await app.call('POST', MFA, undefined, { session })), '201')
  await checkAbsent()
  assert.equal(statusAndCode(await app.call('DELETE', MFA, undefined, { session })), '200', 'they were not verified')
  const device = await enrollTotp(app, session)
  assert.equal(statusAndCode(await list()), '400 MFA_INVALID_TOKEN')
  assert.equal(statusAndCode(await list(device.wrongCode())), '400 MFA_INVALID_TOKEN')
  const [first = '', second = ''] = device.recoveryCodes
  assert.equal(statusAndCode(await submitCode(app, session, first)), '200')
  const left = await list(device.code(1))
  assert.deepEqual(left.json.data.recoveryCodes, device.recoveryCodes.slice(1))
  app.clock.advance(STEP_MS)
  assert.equal(statusAndCode(await renew(device.wrongCode())), '400 MFA_INVALID_TOKEN')
  assert.equal(statusAndCode(await renew(device.code(1))), '200')
  app.clock.advance(STEP_MS)
  const fresh: string[] = (await list(device.code(1))).json.data.recoveryCodes
  assert.equal(fresh.length, 20)
  assert.ok(!fresh.includes(second))
  assert.equal(statusAndCode(await submitCode(app, session, second)), '400 MFA_INVALID_TOKEN')
  assert.equal(statusAndCode(await submitCode(app, session, (fresh[0] ?? '').toLowerCase())), '200')
})

test('W-77 codes may be typed in groups, and a body without one is not a guess', async (t) => {
  const app = await buildApp(t)
  const { session } = await makeUser(app)
  const device = await enrollTotp(app, session)
  for (let i = 0; i < 12; i++) {
    const { status, json } = await app.call('POST', AUTHENTICATE_MFA, i % 2 ? {} : { code: '' }, { session })
    const expected = i % 2 ? [400, 'COULD_NOT_VALIDATE', 'code'] : [400, 'MFA_INVALID_TOKEN', undefined]
    assert.deepEqual([status, json.error.code, json.error.cause?.field], expected)
  }
  const code = device.code(1)
  assert.equal(statusAndCode(await submitCode(app, session, `${code.slice(0, 3)} ${code.slice(3)}`)), '200')
})

test('D36 a code is never repeated, neither in a response nor in the log', async (t) => {
  const app = await buildApp(t)
  const { session } = await makeUser(app)
  const device = await enrollTotp(app, session)
  const long = `SECRET-${'X'.repeat(80)}`
  for (const code of [device.wrongCode(), 'NOCODE', long]) {
    const reply = await submitCode(app, session, code)
    assert.equal(reply.status, 400)
    assert.ok(!reply.text.includes(code.slice(0, 6)), reply.text)
  }
  const good = device.code(1)
  await submitCode(app, session, good)
  const log = app.logged.join('')
  for (const secret of [
    long,
    'NOCODE',
    new URL(device.url).searchParams.get('secret') ?? '',
    ...device.recoveryCodes,
  ]) {
    assert.ok(!log.includes(secret))
  }
})

test('R-13 the store holds neither the secret nor recovery codes in readable form', async (t) => {
  const app = await buildApp(t)
  const { session } = await makeUser(app)
  const device = await enrollTotp(app, session)
  const stored = JSON.stringify(await app.store.db.selectFrom('totps').selectAll().execute())
  assert.match(stored, /"secret":"s1\./)
  const secret = new URL(device.url).searchParams.get('secret') ?? ''
  for (const shown of [secret, ...device.recoveryCodes]) assert.ok(!stored.includes(shown))
})

test('a node with another sealing key returns 503 and logs what to do', async (t) => {
  const database = await newPostgresDatabase()
  const app = await buildApp(t, { database })
  const { session } = await makeUser(app)
  await startTotp(app, session)
  const otherKey = await buildApp(t, { database, sealingKey: Buffer.alloc(32, 9) })
  const refused = await otherKey.call('GET', MFA, undefined, { session })
  assert.equal(statusAndCode(refused), '503 SEALING_KEY_MISMATCH')
  assert.match(otherKey.logged.join(''), /give every node the same sealingKey/)
  const twin = await buildApp(t, { database })
  assert.equal(statusAndCode(await twin.call('GET', MFA, undefined, { session })), '200')
})

test('the endpoint for other session types refuses this one', async (t) => {
  const app = await buildApp(t)
  const { session } = await makeUser(app)
  const reply = await app.call('POST', `${OWN_SESSION}/totp-token`, { code: '123456' }, { session })
  assert.equal(statusAndCode(reply), '400 INVALID_BACKING_TOKEN_TYPE')
})

/** Decodes a PNG image of one grey bit per pixel. */
function readPng(png: Buffer): { width: number; height: number; data: Uint8Array } {
  const chunks: Record<string, Buffer> = {}
  for (let at = 8; at < png.length; ) {
    const length = png.readUInt32BE(at)
    chunks[png.toString('latin1', at + 4, at + 8)] = png.subarray(at + 8, at + 8 + length)
    at += 12 + length
  }
  const { IHDR = Buffer.alloc(0), IDAT = Buffer.alloc(0) } = chunks
  const [width, height] = [IHDR.readUInt32BE(0), IHDR.readUInt32BE(4)]
  const pixels = inflateSync(IDAT)
  const lineLength = 1 + Math.ceil(width / 8)
  const data = new Uint8Array(width * height * 4).fill(255)
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const isWhite = (pixels.readUInt8(y * lineLength + 1 + (x >> 3)) & (0x80 >> (x & 7))) !== 0
      data.fill(isWhite ? 255 : 0, (y * width + x) * 4, (y * width + x) * 4 + 3)
    }
  }
  return { width, height, data }
}
