import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { rawRequest } from '@countersign/testkit'
import { http } from '../attack/hostile-requests.ts'
import { buildConsoleApp, SCRIPT, SECRET } from './console-app.fixture.ts'

const ASSET = '/console/assets/index-1a2b3c.js'

test('Q-04 every page has a fresh nonce, a policy without unsafe-inline, and cannot be framed', async (t) => {
  const app = await buildConsoleApp(t, { settings: { dev: 'false' } })
  const seen = new Set<string>()
  for (const path of ['/console/', '/console', '/console/signers/abc.def?sort=name']) {
    const reply = await app.call('GET', path)
    assert.equal(reply.status, 200, path)
    assert.equal(reply.headers['content-type'], 'text/html; charset=utf-8')
    const nonce = /nonce="([^"]+)"/.exec(reply.text)?.[1] ?? ''
    assert.match(nonce, /^[A-Za-z0-9+/]{24}$/)
    assert.equal(reply.text.split(`nonce="${nonce}"`).length, 3)
    assert.equal(
      reply.headers['content-security-policy'],
      `default-src 'self'; script-src 'self' 'nonce-${nonce}'; style-src 'self' 'nonce-${nonce}'; img-src 'self' data:; connect-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'`,
    )
    assert.equal(reply.headers['x-content-type-options'], 'nosniff')
    assert.equal(reply.headers['referrer-policy'], 'no-referrer')
    assert.equal(reply.headers['strict-transport-security'], 'max-age=15552000')
    assert.equal(reply.headers['cross-origin-opener-policy'], 'same-origin')
    assert.equal(reply.headers['cross-origin-resource-policy'], 'same-origin')
    assert.equal(reply.headers['cache-control'], 'no-store')
    seen.add(nonce)
  }
  assert.equal(seen.size, 3)
})

test('Q-04 files have a fixed type, and those with a hash in the name are cached', async (t) => {
  const app = await buildConsoleApp(t, { settings: { dev: 'false' } })
  const script = await app.call('GET', ASSET)
  assert.equal(script.text, SCRIPT)
  assert.equal(script.headers['content-type'], 'text/javascript; charset=utf-8')
  assert.equal(script.headers['x-content-type-options'], 'nosniff')
  assert.equal(script.headers['cache-control'], 'public, max-age=31536000, immutable')
  assert.equal(script.headers['cross-origin-resource-policy'], 'same-origin')
  assert.equal(script.headers['content-encoding'], undefined)
  const icon = await app.call('GET', '/console/favicon.svg')
  assert.equal(icon.headers['content-type'], 'image/svg+xml')
  assert.equal(icon.headers['cache-control'], 'no-cache')
})

test('a browser that accepts gzip gets the compressed file', async (t) => {
  const app = await buildConsoleApp(t)
  const get = (encoding: string) =>
    app.controller.http.inject({ method: 'GET', url: ASSET, headers: { 'accept-encoding': encoding } })
  const compressed = await get('br, gzip;q=0.8')
  assert.equal(compressed.headers['content-encoding'], 'gzip')
  assert.equal(compressed.headers.vary, 'Accept-Encoding')
  assert.equal(gunzipSync(compressed.rawPayload).toString(), SCRIPT)
  for (const encoding of ['identity', 'gzip;q=0', 'gzipped']) {
    assert.equal((await get(encoding)).headers['content-encoding'], undefined, encoding)
  }
})

test('development mode sends no header that forces https on this machine', async (t) => {
  const app = await buildConsoleApp(t)
  assert.equal((await app.call('GET', '/console/')).headers['strict-transport-security'], undefined)
})

test('Q-10 only the files of the build can be reached, however the path is written', async (t) => {
  const { controller } = await buildConsoleApp(t)
  await controller.http.listen({ port: 0, host: '127.0.0.1' })
  const { port } = controller.http.server.address() as { port: number }
  // Raw requests, since clients resolve dots before they send.
  const get = (path: string) => rawRequest(port, http(`GET ${path}`))
  assert.equal((await get(ASSET)).status, 200)
  const paths = [
    '/console/../secret.js',
    '/console/..%2fsecret.js',
    '/console/%2e%2e/secret.js',
    '/console/%2e%2e%2fsecret.js',
    '/console/..%5csecret.js',
    '/console/..\\secret.js',
    '/console/%252e%252e%252fsecret.js',
    '/console/assets/..%2f..%2fsecret.js',
    '/console/assets%2findex-1a2b3c.js',
    '/console/assets/./index-1a2b3c.js',
    '/console/%00',
    '/console/.stamp',
    '/console/.hidden/app.js',
    '/console/linked.js',
    '/console/secret.js',
    '/console/assets/',
    '/console/assets/unknown.js',
    '/console/index-1a2b3c.css',
    '/console/assets/index-1a2b3c.js.gz',
    '/zac/..%2f',
  ]
  for (const path of paths) {
    const { status, body } = await get(path)
    assert.equal(status, 404, path)
    assert.ok(!body.includes(SECRET) && !body.includes(SCRIPT), path)
  }
})

test('Q-09 source maps are not served, and a missing file reveals nothing internal', async (t) => {
  const app = await buildConsoleApp(t)
  for (const path of [`${ASSET}.map`, '/console/assets/nope.js', '/nowhere']) {
    const reply = await app.call('GET', path)
    assert.equal(reply.status, 404)
    assert.equal(reply.headers['content-type'], 'application/json')
    assert.equal(reply.headers['x-powered-by'], undefined)
    assert.doesNotMatch(reply.text, /node_modules|\.ts|\bat \w+ \(|countersign-console-/)
  }
})

test('a console that is not built returns an explanation', async (t) => {
  const app = await buildConsoleApp(t, { consoleFolder: '/nowhere' })
  const reply = await app.call('GET', '/console/')
  assert.equal(reply.status, 200)
  assert.match(reply.text, /not built/)
})
