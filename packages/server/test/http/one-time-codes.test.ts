import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { inflateSync } from 'node:zlib'
import decodeQr from 'qr/decode.js'
import { patchAuthPolicy } from '../../src/operations/auth-policy/update-auth-policy.ts'
import { buildApp, newPostgresDatabase, stopTestPostgres, type TestApp } from './build-app.ts'
import { IDENTITIES } from './identities.fixture.ts'
import {
  enrollTotp,
  MFA,
  makePerson,
  OWN_SESSION,
  PASS,
  passCode,
  SELF,
  STEP_MS,
  startTotp,
  told,
} from './one-time-codes.fixture.ts'

after(stopTestPostgres)

const POLICIES = '/edge/management/v1/auth-policies'

const get = (app: TestApp, path: string, session: string) => app.call('GET', path, undefined, { session })

async function setRequireTotp(app: TestApp, requireTotp: boolean): Promise<void> {
  const reply = await app.admin('PATCH', `${POLICIES}/default`, { secondary: { requireTotp } })
  assert.equal(reply.status, 200, reply.text)
}

for (const database of ['sqlite', 'postgres'] as const) {
  test(`one-time codes are set up, shown until they are verified, and then no more (${database})`, async (t) => {
    const app = await buildApp(t, { database })
    const { session, id } = await makePerson(app)
    assert.equal(told(await get(app, MFA, session)), '404 NOT_FOUND')
    assert.equal(told(await app.call('POST', `${MFA}/verify`, { code: '123456' }, { session })), '404 NOT_FOUND')

    const started = await app.call('POST', MFA, undefined, { session })
    assert.equal(started.status, 201)
    assert.deepEqual(started.json.data._links, { self: { href: './current-identity/mfa' } })
    assert.equal(told(await app.call('POST', MFA, undefined, { session })), '409 MFA_EXISTS')
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
    assert.equal(removed.status, 200, 'what is not verified goes without a code')
    const device = await enrollTotp(app, session)
    const verified = (await get(app, MFA, session)).json.data
    assert.equal(verified.id, device.id)
    assert.equal(verified.isVerified, true)
    assert.equal(verified.recoveryCodes, null)
    assert.equal('provisioningUrl' in verified, false)
    assert.equal(told(await get(app, `${MFA}/qr-code`, session)), '404 NOT_FOUND')
    assert.equal(told(await app.call('POST', `${MFA}/verify`, { code: device.code(1) }, { session })), '404 NOT_FOUND')
    assert.equal(told(await app.call('POST', MFA, undefined, { session })), '409 MFA_EXISTS')
    assert.equal((await app.admin('GET', `${IDENTITIES}/${id}`)).json.data.isMfaEnabled, true)
    assert.equal((await get(app, SELF, session)).json.data.isMfaEnabled, true)
    assert.equal((await app.admin('GET', '/edge/management/v1/summary')).json.data.mfas, 1)
  })

  test(`D22 whoever has codes signs in and gives one before anything else is answered (${database})`, async (t) => {
    const app = await buildApp(t, { database })
    const person = await makePerson(app)
    const device = await enrollTotp(app, person.session)
    const verifiedIn = (await get(app, OWN_SESSION, person.session)).json.data
    assert.deepEqual([verifiedIn.isMfaRequired, verifiedIn.isMfaComplete, verifiedIn.authQueries], [true, true, []])

    const credentials = { username: person.username, password: person.password }
    for (const api of ['client', 'management']) {
      app.clock.advance(STEP_MS)
      const signedIn = await app.call('POST', `/edge/${api}/v1/authenticate?method=password`, credentials)
      assert.equal(signedIn.status, 200)
      const { token: session, ...shown } = signedIn.json.data
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
      assert.equal(told(await get(app, SELF, session)), '401 UNAUTHORIZED')
      const pass = `/edge/${api}/v1/authenticate/mfa`
      assert.equal(
        told(await app.call('POST', pass, { code: device.wrongCode() }, { session })),
        '400 MFA_INVALID_TOKEN',
      )
      assert.equal(told(await get(app, SELF, session)), '401 UNAUTHORIZED')
      assert.equal(told(await app.call('POST', pass, { code: device.code() }, { session })), '200')
      assert.equal(told(await get(app, SELF, session)), '200')
      const whole = (await get(app, OWN_SESSION, session)).json.data
      assert.deepEqual([whole.isMfaRequired, whole.isMfaComplete, whole.authQueries], [true, true, []])
      const listed = (await app.admin('GET', `/edge/management/v1/api-sessions/${whole.id}`)).json.data
      assert.deepEqual([listed.isMfaRequired, listed.isMfaComplete], [true, true])
      const partial = (await get(app, OWN_SESSION, await person.logIn())).json.data
      const found = async (filter: string) => {
        const within = encodeURIComponent(`identity = "${person.id}" and ${filter} sort by mfaComplete`)
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
}

test('the QR code is a PNG picture of the provisioning URL', async (t) => {
  const app = await buildApp(t)
  const { session } = await makePerson(app, { name: 'Änne Öztürk <aenne@example.test>' })
  const { url } = await startTotp(app, session)
  const headers = { 'zt-session': session, accept: 'image/png' }
  const reply = await app.controller.http.inject({ method: 'GET', url: `${MFA}/qr-code`, headers })
  assert.equal(reply.statusCode, 200)
  assert.equal(reply.headers['content-type'], 'image/png')
  assert.equal(reply.headers['cache-control'], 'no-store')
  assert.equal(decodeQr(readPng(reply.rawPayload)), url)
})

test('D23 D22 a policy that asks for codes binds live sessions at once, and lets them set codes up', async (t) => {
  const app = await buildApp(t)
  const { session } = await makePerson(app)
  assert.equal(told(await get(app, SELF, session)), '200')
  await setRequireTotp(app, true)
  assert.equal(told(await get(app, SELF, session)), '401 UNAUTHORIZED')
  const partial = (await get(app, OWN_SESSION, session)).json.data
  assert.deepEqual([partial.isMfaRequired, partial.isMfaComplete], [false, false])
  assert.deepEqual(
    partial.authQueries.map((query: Record<string, unknown>) => [query.typeId, query.isTotpEnrolled]),
    [['MFA', false]],
  )
  const device = await startTotp(app, session)
  assert.equal(told(await get(app, SELF, session)), '401 UNAUTHORIZED', 'starting is not enough')
  assert.equal(told(await app.call('POST', `${MFA}/verify`, { code: device.code() }, { session })), '200')
  assert.equal(told(await get(app, SELF, session)), '200', 'the session that verified has shown a code')
})

test('D23 a policy that no longer asks for codes frees who has none, and who has some is still asked', async (t) => {
  const app = await buildApp(t)
  const [without, withCodes] = [await makePerson(app), await makePerson(app)]
  await enrollTotp(app, withCodes.session)
  const asked = await withCodes.logIn()
  await setRequireTotp(app, true)
  assert.equal(told(await get(app, SELF, without.session)), '401 UNAUTHORIZED')
  const adminOwn = await app.admin('GET', '/edge/management/v1/identities')
  assert.equal(told(adminOwn), '401 UNAUTHORIZED', 'administrators are bound as well')
  const now = app.clock.now()
  await app.store.run(
    patchAuthPolicy,
    { id: 'default', body: { secondary: { requireTotp: false } } },
    { actorId: 'system', now },
  )
  assert.equal(told(await get(app, SELF, without.session)), '200')
  assert.equal(told(await get(app, SELF, asked)), '401 UNAUTHORIZED')
})

test('D23 verifying codes asks every other session of the identity for one, and nobody else', async (t) => {
  const app = await buildApp(t)
  const [person, other] = [await makePerson(app), await makePerson(app)]
  const elsewhere = await person.logIn()
  assert.equal(told(await get(app, SELF, elsewhere)), '200')
  const device = await startTotp(app, person.session)
  assert.equal(told(await get(app, SELF, elsewhere)), '200', 'D37 what is not verified asks nobody')
  await app.call('POST', `${MFA}/verify`, { code: device.code() }, { session: person.session })
  assert.equal(told(await get(app, SELF, elsewhere)), '401 UNAUTHORIZED')
  assert.equal(told(await get(app, SELF, person.session)), '200')
  assert.equal(told(await get(app, SELF, other.session)), '200')
})

test('D37 a code counts only after its enrollment was verified', async (t) => {
  const app = await buildApp(t)
  const { session } = await makePerson(app)
  assert.equal(told(await passCode(app, session, '123456')), '409 MFA_NOT_ENROLLED')
  const device = await startTotp(app, session)
  assert.equal(told(await passCode(app, session, device.code())), '409 MFA_NOT_ENROLLED')
  assert.equal(told(await passCode(app, session, device.recoveryCodes[0] ?? '')), '409 MFA_NOT_ENROLLED')
  const byRecovery = await app.call('POST', `${MFA}/verify`, { code: device.recoveryCodes[0] }, { session })
  assert.equal(told(byRecovery), '400 MFA_INVALID_TOKEN', 'nor does a recovery code verify it')
  assert.equal(told(await app.call('POST', `${MFA}/verify`, { code: device.code() }, { session })), '200')
  assert.equal(told(await passCode(app, session, device.code(1))), '200')
})

test('one’s own codes go with a code only, from the device or from paper', async (t) => {
  const app = await buildApp(t)
  const { session } = await makePerson(app)
  const remove = (code?: string) =>
    app.call('DELETE', MFA, undefined, { session, headers: code ? { 'mfa-validation-code': code } : {} })
  assert.equal(told(await remove('123456')), '404 NOT_FOUND')
  const device = await enrollTotp(app, session)
  assert.equal(told(await remove()), '400 MFA_INVALID_TOKEN')
  assert.equal(told(await remove(device.wrongCode())), '400 MFA_INVALID_TOKEN')
  assert.equal(told(await remove(device.code(1))), '200')
  const own = (await get(app, OWN_SESSION, session)).json.data
  assert.deepEqual([own.isMfaRequired, own.isMfaComplete, own.authQueries], [false, false, []])
  const next = await enrollTotp(app, session)
  assert.equal(told(await remove(next.recoveryCodes[4])), '200')
})

test('a session that has passed one enrollment is asked again for the next', async (t) => {
  const app = await buildApp(t)
  const person = await makePerson(app)
  await enrollTotp(app, person.session)
  assert.equal((await app.admin('DELETE', `${IDENTITIES}/${person.id}/mfa`)).status, 200)
  const elsewhere = await person.logIn()
  await enrollTotp(app, elsewhere)
  assert.equal(told(await get(app, SELF, elsewhere)), '200')
  assert.equal(told(await get(app, SELF, person.session)), '401 UNAUTHORIZED')
})

test('D35 whoever may touch an identity takes its codes away, but an administrator’s only administrators', async (t) => {
  const app = await buildApp(t)
  const boss = await makePerson(app, { isAdmin: true })
  const clerk = await makePerson(app, { permissions: ['identity'] })
  const guest = await makePerson(app)
  for (const { session } of [boss, guest]) await enrollTotp(app, session)
  const reset = (id: string, session: string) => app.call('DELETE', `${IDENTITIES}/${id}/mfa`, undefined, { session })
  const partial = await guest.logIn()
  assert.equal(told(await reset(boss.id, clerk.session)), '401 UNAUTHORIZED')
  assert.equal(told(await reset(guest.id, partial)), '401 UNAUTHORIZED', 'nor anybody his own by this call')
  assert.equal((await app.admin('GET', `${IDENTITIES}/${boss.id}`)).json.data.isMfaEnabled, true)
  assert.equal(told(await reset(guest.id, clerk.session)), '200')
  assert.equal((await app.admin('GET', `${IDENTITIES}/${guest.id}`)).json.data.isMfaEnabled, false)
  assert.equal(told(await get(app, SELF, partial)), '200', 'the session that waited for a code goes on')
  assert.equal(told(await reset(boss.id, app.adminSession)), '200')
  assert.equal(told(await reset(boss.id, app.adminSession)), '200', 'also when there are none')
  assert.equal(told(await reset('no-such-id', app.adminSession)), '404 NOT_FOUND')
})

test('recovery codes are listed and made anew for a code, and the old ones no longer work', async (t) => {
  const app = await buildApp(t)
  const { session } = await makePerson(app)
  const list = (code?: string) =>
    app.call('GET', `${MFA}/recovery-codes`, undefined, {
      session,
      headers: code ? { 'mfa-validation-code': code } : {},
    })
  const renew = (code: string) => app.call('POST', `${MFA}/recovery-codes`, { code }, { session })
  assert.equal(told(await list('123456')), '409 MFA_NOT_ENROLLED')
  const device = await enrollTotp(app, session)
  assert.equal(told(await list()), '400 MFA_INVALID_TOKEN')
  assert.equal(told(await list(device.wrongCode())), '400 MFA_INVALID_TOKEN')
  const [first = '', second = ''] = device.recoveryCodes
  assert.equal(told(await passCode(app, session, first)), '200')
  const left = await list(device.code(1))
  assert.deepEqual(left.json.data.recoveryCodes, device.recoveryCodes.slice(1))
  app.clock.advance(STEP_MS)
  assert.equal(told(await renew(device.wrongCode())), '400 MFA_INVALID_TOKEN')
  assert.equal(told(await renew(device.code(1))), '200')
  app.clock.advance(STEP_MS)
  const fresh: string[] = (await list(device.code(1))).json.data.recoveryCodes
  assert.equal(fresh.length, 20)
  assert.ok(!fresh.includes(second))
  assert.equal(told(await passCode(app, session, second)), '400 MFA_INVALID_TOKEN')
  assert.equal(told(await passCode(app, session, (fresh[0] ?? '').toLowerCase())), '200')
})

test('codes may be typed in groups, and a body without one is not a guess', async (t) => {
  const app = await buildApp(t)
  const { session } = await makePerson(app)
  const device = await enrollTotp(app, session)
  for (let i = 0; i < 12; i++) {
    assert.equal(told(await app.call('POST', PASS, i % 2 ? {} : { code: '' }, { session })), '400 MFA_INVALID_TOKEN')
  }
  const code = device.code(1)
  assert.equal(told(await passCode(app, session, `${code.slice(0, 3)} ${code.slice(3)}`)), '200')
})

test('D36 a code is never repeated, neither in an answer nor in the log', async (t) => {
  const app = await buildApp(t)
  const { session } = await makePerson(app)
  const device = await enrollTotp(app, session)
  const long = `SECRET-${'X'.repeat(80)}`
  for (const code of [device.wrongCode(), 'NOCODE', long]) {
    const reply = await passCode(app, session, code)
    assert.equal(reply.status, 400)
    assert.ok(!reply.text.includes(code.slice(0, 6)), reply.text)
  }
  const good = device.code(1)
  await passCode(app, session, good)
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

test('R-13 the store holds neither the secret nor a recovery code that could be read', async (t) => {
  const app = await buildApp(t)
  const { session } = await makePerson(app)
  const device = await enrollTotp(app, session)
  const stored = JSON.stringify(await app.store.db.selectFrom('totps').selectAll().execute())
  assert.match(stored, /"secret":"s1\./)
  const secret = new URL(device.url).searchParams.get('secret') ?? ''
  for (const shown of [secret, ...device.recoveryCodes]) assert.ok(!stored.includes(shown))
})

test('a node with another sealing key answers 503 and says in the log what to do', async (t) => {
  const database = await newPostgresDatabase()
  const app = await buildApp(t, { database })
  const { session } = await makePerson(app)
  await startTotp(app, session)
  const stranger = await buildApp(t, { database, sealingKey: Buffer.alloc(32, 9) })
  const refused = await stranger.call('GET', MFA, undefined, { session })
  assert.equal(told(refused), '503 SEALING_KEY_MISMATCH')
  assert.match(stranger.logged.join(''), /give every node the same sealingKey/)
  const twin = await buildApp(t, { database })
  assert.equal(told(await twin.call('GET', MFA, undefined, { session })), '200')
})

test('the call for sessions of another kind says that this is none', async (t) => {
  const app = await buildApp(t)
  const { session } = await makePerson(app)
  const reply = await app.call('POST', `${OWN_SESSION}/totp-token`, { code: '123456' }, { session })
  assert.equal(told(reply), '400 INVALID_BACKING_TOKEN_TYPE')
})

/** The pixels of a picture of one grey bit a pixel, as a decoder takes them. */
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
