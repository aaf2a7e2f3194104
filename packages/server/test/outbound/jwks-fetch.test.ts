import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mintKey, mintKeySet } from '@countersign/testkit'
import { createConditionalFetch } from '../../src/outbound/conditional-fetch.ts'
import { createFetchDocument } from '../../src/outbound/fetch-document.ts'
import { freshForMs } from '../../src/outbound/freshness.ts'
import { createFetchJwks } from '../../src/outbound/jwks-fetch.ts'
import { assertFails, settingsWith, startServer } from './fetch.fixture.ts'

const NOW = Date.parse('2026-03-01T12:00:00Z')
const fetchJwks = createFetchJwks(createFetchDocument({ settings: settingsWith() }), () => NOW)

test('W-42 parses the keys of a provider in each of the media types of a JWKS', async (t) => {
  const server = await startServer(t)
  for (const type of ['application/json', 'application/jwk-set+json', 'application/jwk+json']) {
    server.respondWith({ body: mintKeySet(mintKey('P-256'), mintKey('Ed25519')), headers: { 'content-type': type } })
    const { keySet } = await fetchJwks({ url: server.url() })
    assert.deepEqual([...keySet.keys.keys()], ['P-256-first', 'Ed25519-first'])
  }
  server.respondWith({ body: mintKeySet(mintKey('P-256')), headers: { 'content-type': 'text/plain' } })
  await assertFails(fetchJwks({ url: server.url() }), 'media-type')
})

test('G-18 W-42 refuses a body that is not a JWKS', async (t) => {
  const server = await startServer(t)
  const bad = [
    'no json',
    '[]',
    '{}',
    '{"keys":{}}',
    '"keys"',
    '',
    '{"keys":[]',
    '{"keys":[],"keys":[]}',
    `{"keys":${'['.repeat(500)}${']'.repeat(500)}}`,
  ]
  for (const body of bad) {
    server.respondWith({ body })
    const error = await assertFails(fetchJwks({ url: server.url() }), 'content')
    assert.equal(error.status, 200)
  }
  server.respondWith({ body: '{"keys":[null]}' })
  const { keySet } = await fetchJwks({ url: server.url() })
  assert.equal(keySet.keys.size, 0)
  assert.equal(keySet.warnings.length, 1)
})

test('G-19 accepts 100 keys and refuses a set with more as a whole', async (t) => {
  const server = await startServer(t)
  const { jwk } = mintKey('P-256')
  const entries = (count: number) => Array.from({ length: count }, (_, index) => ({ ...jwk, kid: `kid-${index}` }))
  server.respondWith({ body: { keys: entries(101) } })
  await assertFails(fetchJwks({ url: server.url() }), 'content')
  server.respondWith({ body: { keys: Array(100_000).fill({}) } })
  await assertFails(fetchJwks({ url: server.url() }), 'too-large')
  server.respondWith({ body: { keys: entries(100) } })
  assert.equal((await fetchJwks({ url: server.url() })).keySet.keys.size, 100)
})

test('F-13 reads the freshness that a response declares', () => {
  const second = 1000
  const date = new Date(NOW).toUTCString()
  const cases: readonly (readonly [headers: Record<string, string>, ms: number | undefined])[] = [
    [{}, undefined],
    [{ 'cache-control': 'public' }, undefined],
    [{ 'cache-control': 'public, max-age=300' }, 300 * second],
    [{ 'cache-control': 'Max-Age="300"' }, 300 * second],
    [{ 'cache-control': 'max-age=0' }, 0],
    [{ 'cache-control': 'max-age=-5' }, 0],
    [{ 'cache-control': 'max-age=soon' }, 0],
    [{ 'cache-control': 'no-store, max-age=300' }, 0],
    [{ 'cache-control': 'max-age=1000000000000' }, 365 * 86_400 * second],
    [{ 'cache-control': 'max-age=1e999' }, 365 * 86_400 * second],
    [{ expires: new Date(NOW + 90 * second).toUTCString() }, 90 * second],
    [
      { expires: new Date(NOW + 90 * second).toUTCString(), date: new Date(NOW + 60 * second).toUTCString() },
      30 * second,
    ],
    [{ expires: '0', date }, 0],
    [{ expires: '-1' }, 0],
    [{ 'cache-control': 'max-age=300', expires: '0' }, 300 * second],
  ]
  for (const [headers, ms] of cases) assert.equal(freshForMs(headers, NOW), ms, JSON.stringify(headers))
})

test('D52 a key set that has not changed is not sent again', async (t) => {
  const server = await startServer(t)
  const fetch = createFetchJwks(createConditionalFetch(createFetchDocument({ settings: settingsWith() })), () => NOW)
  const [first, second] = [mintKey('P-256', 'first'), mintKey('P-256', 'second')]
  const json = { 'content-type': 'application/json' }
  const unchanged = { status: 304, headers: { 'cache-control': 'max-age=120' }, body: '' }
  server.respondWith({ body: mintKeySet(first), headers: { ...json, etag: '"1"' } }, unchanged, {
    body: mintKeySet(second),
    headers: json,
  })
  const kids = async () => {
    const { keySet, freshForMs } = await fetch({ url: server.url() })
    return [[...keySet.keys.keys()], freshForMs]
  }
  assert.deepEqual(await kids(), [['P-256-first'], undefined])
  assert.deepEqual(await kids(), [['P-256-first'], 120_000])
  assert.deepEqual(await kids(), [['P-256-second'], undefined])
  await kids()
  const sent = server.requests.map(({ headers }) => headers['if-none-match'])
  assert.deepEqual(sent, [undefined, '"1"', '"1"', undefined])
})

test('D52 a response 304 without a known version, or an ETag that is none, is of no use', async (t) => {
  const server = await startServer(t)
  const fetch = createFetchJwks(createConditionalFetch(createFetchDocument({ settings: settingsWith() })), () => NOW)
  server.respondWith({ status: 304, body: '' })
  await assertFails(fetch({ url: server.url() }), 'status')
  server.respondWith({
    body: mintKeySet(mintKey('P-256')),
    headers: { 'content-type': 'application/json', etag: 'no etag' },
  })
  for (let round = 0; round < 2; round++) assert.equal((await fetch({ url: server.url() })).keySet.keys.size, 1)
  assert.ok(server.requests.every(({ headers }) => headers['if-none-match'] === undefined))
})
