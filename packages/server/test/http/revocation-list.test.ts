import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { X509Certificate } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { formatPem } from '@countersign/core'
import { makeTestCsr } from '@countersign/testkit'
import { CompiledQuery } from 'kysely'
import { until } from '../keyset/fake-time.ts'
import { getTestAuthority } from '../platform/keys/test-authority.ts'
import { ENDLESS } from '../store/endless-query.ts'
import { buildApp, newPostgresDatabase, type TestApp } from './build-app.ts'
import { LOG_IN, makeHolder, overTls } from './client-certificates.fixture.ts'
import { createEnrolling, enrollWithCsr } from './enrollments.fixture.ts'
import { summarize } from './ext-jwt-signers.fixture.ts'
import { AUTHENTICATORS, createIdentity, IDENTITIES } from './identities.fixture.ts'

const CRL = '/edge/client/v1/pki/crl'
const DAY_MS = 86_400_000
/** No entry is shorter. */
const ENTRY_BYTES = 45
/** More than are compared at once. */
const MANY = 5_100

/** Reads lists and verifies certificates with OpenSSL. */
function openssl(t: TestContext, now: () => number = Date.now) {
  const dir = mkdtempSync(join(tmpdir(), 'countersign-crl-'))
  t.after(() => rmSync(dir, { recursive: true, force: true }))
  const file = (name: string, content: string | Buffer): string => {
    const path = join(dir, name)
    writeFileSync(path, content)
    return path
  }
  const read = async (der: Buffer) => {
    const { issuer } = await getTestAuthority()
    const ca = file('issuer.pem', formatPem('CERTIFICATE', issuer.certificate))
    const crl = file('list.der', der)
    const { stderr } = spawnSync('openssl', ['crl', '-inform', 'DER', '-in', crl, '-CAfile', ca, '-noout', '-verify'])
    assert.match(stderr.toString(), /verify OK/)
    const text = execFileSync('openssl', ['crl', '-inform', 'DER', '-in', crl, '-noout', '-text']).toString()
    const entries = text.split('Serial Number: ').slice(1)
    const reasons = entries.map((entry) => {
      const [serial = ''] = entry.split('\n')
      return [serial.trim(), /Reason Code: \n\s+(.*)/.exec(entry)?.[1]] as const
    })
    const dateOf = (name: string) => Date.parse(new RegExp(`${name}: (.*)`).exec(text)?.[1] ?? '')
    return {
      number: Number(/CRL Number: \n\s+(\d+)/.exec(text)?.[1]),
      thisUpdate: dateOf('Last Update'),
      nextUpdate: dateOf('Next Update'),
      reasonOf: (certPem: string) => new Map(reasons).get(new X509Certificate(certPem).serialNumber),
      count: entries.length,
    }
  }
  /** The error of `openssl verify -crl_check`; undefined when the certificate is valid. */
  const verify = async (certPem: string, der: Buffer): Promise<string | undefined> => {
    const { authorities } = await getTestAuthority()
    const crl = execFileSync('openssl', ['crl', '-inform', 'DER', '-in', file('list.der', der)])
    const [root, intermediate] = authorities.map((certificate) => formatPem('CERTIFICATE', certificate))
    const at = String(Math.floor(now() / 1000))
    const words = [
      'verify',
      '-crl_check',
      '-attime',
      at,
      '-CRLfile',
      file('list.pem', crl),
      '-CAfile',
      file('root.pem', root ?? ''),
    ]
    const chain = ['-untrusted', file('intermediate.pem', intermediate ?? ''), file('leaf.pem', certPem)]
    const { status, stderr } = spawnSync('openssl', [...words, ...chain])
    return status === 0 ? undefined : (/lookup: (.*)/.exec(stderr.toString())?.[1] ?? stderr.toString())
  }
  return { read, verify }
}

async function crlOf(app: TestApp, path = CRL): Promise<Buffer> {
  const reply = await app.call('GET', path)
  assert.equal(summarize(reply), '200')
  return reply.bytes ?? assert.fail()
}

/** Enrolls with a one-time token. */
async function enroll(app: TestApp) {
  const { identityId, token } = await createEnrolling(app)
  const csr = makeTestCsr()
  const reply = await enrollWithCsr(app, token, csr.pem)
  assert.equal(reply.status, 200, reply.text)
  return { identityId, cert: reply.json.data.cert as string }
}

test('J-24 the list is signed by the issuer, numbered, and replaced within 32 days; issued certificates name its address', async (t) => {
  const app = await buildApp(t)
  const { read, verify } = openssl(t, app.clock.now)
  const { cert } = await enroll(app)
  const reply = await app.call('GET', CRL)
  assert.equal(reply.headers['content-type'], 'application/pkix-crl')
  assert.match(reply.headers['cache-control'] ?? '', /max-age=[0-5]\b/)
  const list = await read(reply.bytes ?? assert.fail())
  assert.ok(list.number >= 1 && list.count === 0)
  assert.ok(list.thisUpdate <= app.clock.now() && list.nextUpdate > app.clock.now())
  assert.ok(list.nextUpdate <= app.clock.now() + 32 * DAY_MS)
  assert.equal(await verify(cert, reply.bytes ?? assert.fail()), undefined)

  const text = execFileSync('openssl', ['x509', '-noout', '-text'], { input: cert }).toString()
  const address = new URL(/CRL Distribution Points: \s+Full Name:\s+URI:(\S+)/.exec(text)?.[1] ?? assert.fail(text))
  assert.equal(address.pathname, CRL)
  const named = await app.call('GET', address.pathname + address.search)
  assert.deepEqual(named.bytes, reply.bytes)
  assert.equal((await app.call('GET', `${CRL}?issuer=${'0'.repeat(40)}`)).status, 404)
  assert.equal((await app.call('GET', `${CRL}?issuer=x`)).status, 404)

  const again = { headers: { 'if-none-match': reply.headers.etag ?? '' } }
  const unchanged = await app.call('GET', CRL, undefined, again)
  assert.deepEqual([unchanged.status, unchanged.text], [304, ''])
  assert.equal((await app.call('GET', CRL, undefined, { headers: { 'if-none-match': '"other"' } })).status, 200)

  app.clock.advance(2 * DAY_MS)
  // Signed again although nothing has changed; another node serves the one before for a moment.
  await until(async () => (await read(await crlOf(app))).nextUpdate > list.nextUpdate)
})

test('J-25 certificates of disabled, expired and deleted identities, of removed authenticators and renewed ones are on the list', async (t) => {
  const app = await buildApp(t, { isAlone: 'controller' })
  const { read, verify } = openssl(t, app.clock.now)
  const call = await overTls(app)
  const [valid, disabled, disabledForAWhile, expired, deleted, removed, renewing] = [
    await makeHolder(app),
    await makeHolder(app),
    await makeHolder(app),
    await makeHolder(app),
    await makeHolder(app),
    await makeHolder(app),
    await makeHolder(app),
  ]
  const logIn = async (holder: typeof valid) => (await call('POST', LOG_IN, holder)).json.data.token as string
  const session = await logIn(renewing)
  const ofSession = async (holder: typeof valid) => {
    const path = '/edge/client/v1/current-api-session/certificates'
    const reply = await app.call('POST', path, { csr: makeTestCsr().pem }, { session: await logIn(holder) })
    return reply.json.data.certificate as string
  }
  const [disabledSession, removedSession, validSession] = [
    await ofSession(disabled),
    await ofSession(removed),
    await ofSession(valid),
  ]
  const path = `/edge/client/v1/current-identity/authenticators/${renewing.authenticatorId}`
  const renewal = await call('POST', `${path}/extend`, {
    ...renewing,
    session,
    body: { clientCertCsr: makeTestCsr().pem },
  })
  const { clientCert } = renewal.json.data
  const before = await crlOf(app)
  assert.equal((await read(before)).count, 0)
  assert.equal(await verify(disabled.certPem, before), undefined)

  assert.equal((await call('POST', `${path}/extend-verify`, { session, body: { clientCert } })).status, 200)
  await app.admin('POST', `${IDENTITIES}/${disabled.id}/disable`, { durationMinutes: 0 })
  await app.admin('POST', `${IDENTITIES}/${disabledForAWhile.id}/disable`, { durationMinutes: 5 })
  const expiresAt = new Date(app.clock.now() + 100).toISOString()
  await app.admin('PATCH', `${IDENTITIES}/${expired.id}`, { expiresAt })
  await app.admin('DELETE', `${IDENTITIES}/${deleted.id}`)
  await app.admin('DELETE', `${AUTHENTICATORS}/${removed.authenticatorId}`)
  await until(async () => (await crlOf(app)).length >= before.length + 8 * ENTRY_BYTES)
  const after = await crlOf(app)
  const list = await read(after)
  const reasons = [disabled, disabledForAWhile, expired, deleted, removed, renewing].map(({ certPem }) => certPem)
  assert.deepEqual([...reasons, disabledSession, removedSession].map(list.reasonOf), [
    'Certificate Hold',
    'Certificate Hold',
    'Certificate Hold',
    'Cessation Of Operation',
    'Privilege Withdrawn',
    'Superseded',
    'Certificate Hold',
    'Privilege Withdrawn',
  ])
  for (const certPem of [valid.certPem, clientCert as string, validSession]) {
    assert.equal(list.reasonOf(certPem), undefined)
    assert.equal(await verify(certPem, after), undefined)
  }
  assert.equal(await verify(disabled.certPem, after), 'certificate revoked')
  assert.ok(list.number > (await read(before)).number)

  app.clock.advance(6 * 60_000)
  await app.admin(
    'POST',
    `${IDENTITIES}/${disabled.id}/enable`,
    {},
    { session: await app.logIn('admin', 'the-test-admin-password') },
  )
  await until(async () => (await crlOf(app)).length <= after.length - 3 * ENTRY_BYTES)
  const released = await crlOf(app)
  for (const { certPem } of [disabled, disabledForAWhile]) assert.equal(await verify(certPem, released), undefined)
  assert.equal((await read(released)).reasonOf(deleted.certPem), 'Cessation Of Operation')
})

test('J-25 a withdrawn certificate that is recorded for another identity stays on the list, and for its own it is valid again', async (t) => {
  const app = await buildApp(t, { isAlone: 'controller' })
  const { read } = openssl(t, app.clock.now)
  const [holder, fast] = [await makeHolder(app), await makeHolder(app)]
  const thief = await createIdentity(app)
  const record = async (identityId: string, { certPem }: typeof holder): Promise<string> => {
    const reply = await app.admin('POST', AUTHENTICATORS, { method: 'cert', identityId, certPem })
    assert.equal(reply.status, 201, reply.text)
    return reply.json.data.id
  }
  const remove = (id: string) => app.admin('DELETE', `${AUTHENTICATORS}/${id}`)
  const reasonOf = async ({ certPem }: typeof holder) => (await read(await crlOf(app))).reasonOf(certPem)
  /** A later list than any that was under way. */
  const nextList = async () => {
    const other = await makeHolder(app)
    await remove(other.authenticatorId)
    await until(async () => (await reasonOf(other)) === 'Privilege Withdrawn')
  }
  await crlOf(app)
  await remove(holder.authenticatorId)
  await until(async () => (await reasonOf(holder)) === 'Privilege Withdrawn')
  const ofThief = await record(thief, holder)
  await nextList()
  assert.equal(await reasonOf(holder), 'Privilege Withdrawn')

  await remove(ofThief)
  await remove(fast.authenticatorId)
  await remove(await record(thief, fast))
  await nextList()
  assert.equal(await reasonOf(fast), 'Privilege Withdrawn', 'also when the list was not made in between')
  await record(holder.id, holder)
  await nextList()
  assert.equal(await reasonOf(holder), undefined)
})

test('J-25 all certificates of an identity are on the list when it is disabled, however many', async (t) => {
  const app = await buildApp(t, { database: await newPostgresDatabase() })
  const { read } = openssl(t, app.clock.now)
  const [holder, other] = [await makeHolder(app), await makeHolder(app)]
  await crlOf(app)
  const { db } = app.store
  const rows = db.selectFrom('issued_certificates').selectAll().where('identity_id', '=', holder.id)
  const row = await rows.executeTakeFirstOrThrow()
  const copies = Array.from({ length: MANY }, (_, nth) => {
    return { ...row, serial: `40${nth.toString(16).padStart(30, '0')}`, is_of_session: true, authenticator_id: null }
  })
  await db.insertInto('issued_certificates').values(copies).execute()
  await app.admin('POST', `${IDENTITIES}/${holder.id}/disable`, { durationMinutes: 0 })
  await app.admin('DELETE', `${AUTHENTICATORS}/${other.authenticatorId}`)
  await until(async () => (await crlOf(app)).length > (MANY + 1) * ENTRY_BYTES)
  await until(async () => (await read(await crlOf(app))).count === MANY + 2)
})

test('J-25 a certificate is on the list within seconds while many callers read long lists', async (t) => {
  const app = await buildApp(t, { isAlone: 'controller' })
  const [holder, other] = [await makeHolder(app), await makeHolder(app)]
  const { read } = openssl(t, app.clock.now)
  const { length } = await crlOf(app)
  const endless = CompiledQuery.raw(ENDLESS[app.store.dialect])
  let isOver = false
  const readOn = async (caller: string) => {
    while (!isOver) await app.store.readLong(caller, endless).catch(() => {})
  }
  for (let caller = 0; caller < 12; caller++) void readOn(`caller ${caller}`)
  try {
    await app.admin('POST', `${IDENTITIES}/${holder.id}/disable`, { durationMinutes: 0 })
    await until(async () => (await crlOf(app)).length >= length + ENTRY_BYTES)
  } finally {
    isOver = true
  }
  const list = await read(await crlOf(app))
  assert.deepEqual([list.reasonOf(holder.certPem), list.reasonOf(other.certPem)], ['Certificate Hold', undefined])
})

test('J-26 nodes on one database serve the same list, with certificates that an earlier release issued', async (t) => {
  const database = await newPostgresDatabase()
  const one = await buildApp(t, { database })
  const { read } = openssl(t)
  const [deleted, disabled, valid] = [await makeHolder(one), await makeHolder(one), await makeHolder(one)]
  // An earlier release has recorded none.
  await one.store.db.deleteFrom('issued_certificates').execute()
  const other = await buildApp(t, { database })
  const first = await crlOf(other)
  await until(
    async () => (await one.store.db.selectFrom('issued_certificates').select('serial').execute()).length === 3,
  )
  await other.admin('DELETE', `${IDENTITIES}/${deleted.id}`)
  await one.admin('POST', `${IDENTITIES}/${disabled.id}/disable`, { durationMinutes: 0 })
  for (const node of [one, other]) {
    await until(async () => (await crlOf(node)).length >= first.length + 2 * ENTRY_BYTES)
    const list = await read(await crlOf(node))
    assert.deepEqual(
      [deleted, disabled, valid].map(({ certPem }) => list.reasonOf(certPem)),
      ['Cessation Of Operation', 'Certificate Hold', undefined],
    )
  }
  assert.deepEqual(await crlOf(one), await crlOf(other))
})
