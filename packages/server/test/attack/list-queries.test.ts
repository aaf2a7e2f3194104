import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, type TestContext, test } from 'node:test'
import { buildApp, type TestApp } from '../http/build-app.ts'
import { SIGNERS, stateOf } from './target.ts'

/** The security catalogue allows 20 ms; a shared machine gets more. */
const SLOW_MS = 250
const ROWS = 3

describe('hostile list queries', () => {
  let app: TestApp
  let state: Record<string, string>
  const cleanups: (() => unknown)[] = []
  before(async () => {
    const context = { after: (cleanup: () => unknown) => void cleanups.unshift(cleanup) } as unknown as TestContext
    app = await buildApp(context)
    for (let row = 0; row < ROWS; row += 1) {
      const members = { name: `signer ${row}`, issuer: `https://idp${row}.example.com`, audience: 'a', enabled: true }
      const jwksEndpoint = 'https://idp.example.com/keys'
      const reply = await app.admin('POST', SIGNERS, { ...members, jwksEndpoint, tags: { "it's": 'x', a: 1 } })
      assert.equal(reply.status, 201, reply.text)
    }
  })
  beforeEach(async () => {
    state = await stateOf(app.store)
  })
  after(async () => {
    for (const cleanup of cleanups) await cleanup()
  })

  const list = (parameters: Record<string, string>) => app.admin('GET', `${SIGNERS}?${new URLSearchParams(parameters)}`)

  const unchanged = async () => assert.deepEqual(await stateOf(app.store), state)

  async function refuses(parameters: Record<string, string>, code: string): Promise<void> {
    const start = performance.now()
    const reply = await list(parameters)
    const took = performance.now() - start
    const shown = JSON.stringify(parameters).slice(0, 100)
    assert.deepEqual([shown, reply.status, reply.json.error.code], [shown, 400, code])
    assert.ok(took < SLOW_MS, `${shown} took ${took} ms`)
    assert.ok(reply.text.length < 2048, 'the response does not repeat the whole request')
  }

  test('M-15 limits: nonsense is refused, large values are capped, -1 and none return everything', async () => {
    for (const limit of ['1e9', '1.5', 'NaN', 'Infinity', '0x10', '--1', '1'.repeat(30_000)]) {
      await refuses({ limit }, 'COULD_NOT_VALIDATE')
    }
    for (const offset of ['9223372036854775808', '1.5', 'none']) await refuses({ offset }, 'COULD_NOT_VALIDATE')
    for (const [limit, effective] of [
      ['0', 10],
      ['1', 1],
      ['501', 500],
      ['1000000000', 500],
      ['-1', -1],
      ['none', -1],
    ] as const) {
      const { status, json } = await list({ limit })
      assert.deepEqual([status, json.meta.pagination.limit], [200, effective])
      assert.equal(json.data.length, effective === 1 ? 1 : ROWS)
    }
    const { json } = await list({ limit: '-1' })
    const ids = json.data.map(({ id }: { id: string }) => id)
    assert.deepEqual(ids, [...ids].sort(), 'in order of id')
    await unchanged()
  })

  test('M-15 a list without limit needs a session', async () => {
    const { status, json } = await app.call('GET', '/edge/client/v1/external-jwt-signers?limit=-1')
    assert.deepEqual([status, json.meta.pagination.limit], [200, 500])
    await unchanged()
  })

  test('M-14 the first value of a repeated parameter wins, and limit[] is ignored', async () => {
    const { json } = await app.admin('GET', `${SIGNERS}?limit=1&limit=500&limit[]=3&__unknown=1`)
    assert.equal(json.meta.pagination.limit, 1)
    await unchanged()
  })

  test('M-16 malformed filters and injections are refused', async () => {
    for (const filter of [
      'name = "a\'; drop table identities; --',
      'name = "a"; drop table identities',
      'name = "a" -- comment',
      'name = "a" /* comment */',
      "name = 'a' or '1'='1'",
      `${'('.repeat(10_000)}true${')'.repeat(10_000)}`,
      `${'not '.repeat(10_000)}true`,
      `${'true and '.repeat(5_000)}true`,
      'sleep(10)',
      'nope = 1',
      'passwordDigest = "a"',
      'tokenDigest contains "a"',
      'is_trusted = true',
      'name = "unterminated',
      `name contains "${'a'.repeat(40_000)}`,
      'anyOf(name, name) = "a"',
      'select * from identities',
      'limit none limit none',
      'name in [',
      '\u0000',
    ]) {
      await refuses({ filter }, filter.includes('\0') ? 'COULD_NOT_VALIDATE' : 'INVALID_FILTER')
    }
    await unchanged()
  })

  test('M-16 the same texts as values are only values', async () => {
    for (const value of [
      "a'; drop table identities; --",
      '%',
      '_',
      '$1',
      '?',
      '\\\\',
      ':name',
      '" or true'.replace('"', '\\"'),
    ]) {
      const { status, json } = await list({ filter: `name = "${value}"` })
      assert.deepEqual([value, status, json.data.length], [value, 200, 0])
    }
    assert.equal((await list({ filter: 'name = "signer 0" or issuer contains "idp1"' })).json.data.length, 2)
    assert.equal((await list({ filter: 'name contains "%"' })).json.data.length, 0)
    assert.equal((await list({ filter: 'true limit none' })).json.data.length, ROWS)
    await unchanged()
  })

  test('M-17 tag names are only names', async () => {
    for (const symbol of ["tags.a' or '1'='1", 'tags.$', 'tags.[0]', 'tags.**', 'tags."a"', 'tags.', 'tags']) {
      const { status, json } = await list({ filter: `${symbol} = "x"` })
      assert.ok(
        status === 400 ? json.error.code === 'INVALID_FILTER' : status === 200 && json.data.length === 0,
        symbol,
      )
    }
    assert.equal((await list({ filter: 'tags.a = "1"' })).json.data.length, ROWS)
    await unchanged()
  })

  test('M-18 sorting by hidden, unknown or malformed names is refused', async () => {
    for (const sort of [
      'nope',
      'passwordDigest',
      'is_trusted',
      'id;drop table identities',
      'id desc; drop',
      '(select 1)',
      'name asc asc',
      '1',
      "name'",
      'name collate nocase',
      Array.from({ length: 50 }, () => 'nope').join(','),
    ]) {
      await refuses({ sort }, 'INVALID_SORT_IDENTIFIER')
    }
    const { json } = await list({ sort: 'name desc' })
    assert.deepEqual(
      json.data.map(({ name }: { name: string }) => name),
      ['signer 2', 'signer 1', 'signer 0'],
    )
    await unchanged()
  })

  test('M-19 a path with invalid characters in the id is not found, and never a database error', async () => {
    for (const id of ['%00', 'a%00b', '%7f', "'--", '%EF%BF%BF', '%F0%9F%98%80']) {
      for (const method of ['GET', 'DELETE']) {
        const { status, json } = await app.admin(method, `${SIGNERS}/${id}`)
        assert.deepEqual([id, status, json.error.code], [id, 404, 'NOT_FOUND'])
      }
    }
    await unchanged()
  })

  test('M-16 a null character in a body is never a database error', async () => {
    const members = { name: 'a\0b', issuer: 'https://a.example.com', audience: 'a', enabled: true }
    const jwksEndpoint = 'https://idp.example.com/keys'
    for (const body of [
      { ...members, jwksEndpoint },
      { ...members, name: 'tagged', jwksEndpoint, tags: { a: 'x\0y' } },
      { ...members, name: 'tagged too', jwksEndpoint, tags: { 'a\0b': 'x' } },
      { ...members, name: 'audience', audience: 'a\0', jwksEndpoint },
      { ...members, name: 'client', clientId: 'a\0', jwksEndpoint },
    ]) {
      const { status } = await app.admin('POST', SIGNERS, body)
      assert.ok(status === 400 || status === 201, `${status} for ${JSON.stringify(body)}`)
    }
    const login = await app.call('POST', '/edge/client/v1/authenticate?method=password', {
      username: 'admin\0',
      password: 'a\0b\0c',
    })
    assert.ok(login.status === 400 || login.status === 401, login.text)
  })
})
