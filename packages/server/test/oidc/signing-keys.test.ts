import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SigningKeys } from '../../src/oidc/signing-keys.ts'
import { createSealing } from '../../src/platform/keys/sealing.ts'
import { buildApp, TEST_SEALING_KEY, type TestApp } from '../http/build-app.ts'
import { claimsOf, OidcClient } from './oidc.fixture.ts'

const DAY_MS = 86_400_000

const kidOf = (token: string): string => JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString()).kid

const keysOf = (app: TestApp, sealingKey: Buffer = TEST_SEALING_KEY) => {
  const { store, clock, settings } = app
  return new SigningKeys({ store, clock, settings, sealing: createSealing(sealingKey) })
}

const publishedBy = async (client: OidcClient): Promise<string[]> =>
  (await client.call('GET', '/oidc/keys')).json.keys.map(({ kid }: { kid: string }) => kid)

test('keys rotate with overlap: published a day before they sign, and until their last token has expired', async (t) => {
  const app = await buildApp(t)
  const client = new OidcClient(app)
  const keys = keysOf(app)
  const first = await client.logIn()
  const [firstKid] = await publishedBy(client)
  assert.equal(kidOf(first.access_token), firstKid)
  await keys.rotate()
  assert.deepEqual(await publishedBy(client), [firstKid], 'not due yet')
  app.clock.advance(29 * DAY_MS)
  await keys.rotate()
  await keys.rotate()
  const published = await publishedBy(client)
  assert.equal(published.length, 2, 'the next one is published')
  app.clock.advance(DAY_MS / 2)
  const before = await client.logIn()
  assert.equal(kidOf(before.access_token), firstKid, 'and does not sign yet')
  app.clock.advance(DAY_MS / 2)
  const after = await client.logIn()
  const nextKid = published.find((kid) => kid !== firstKid)
  assert.equal(kidOf(after.access_token), nextKid)
  assert.equal((await client.refresh(before.refresh_token)).status, 200, 'tokens of the earlier key are good')
  app.clock.advance(3 * DAY_MS)
  await keys.rotate()
  assert.deepEqual(await publishedBy(client), [nextKid], 'the first key is gone with its tokens')
})

test('U-17 the private keys are sealed in the store, and a node with another sealing key signs with its own', async (t) => {
  const app = await buildApp(t)
  const client = new OidcClient(app)
  const { access_token: token } = await client.logIn()
  const rows = await app.store.db.selectFrom('oidc_keys').selectAll().execute()
  assert.equal(rows.length, 1)
  assert.match(rows[0]?.private_key ?? '', /^s1\./)
  assert.doesNotMatch(JSON.stringify(rows), /PRIVATE KEY|"d"/)
  const other = keysOf(app, Buffer.alloc(32, 9))
  const { kid } = await other.signing()
  assert.notEqual(kid, kidOf(token))
  assert.deepEqual((await publishedBy(client)).toSorted(), [kid, kidOf(token)].toSorted(), 'both are published')
  assert.equal((await client.get(token)).status, 200)
})

test('nodes that start together share one key', async (t) => {
  const app = await buildApp(t)
  const all = Array.from({ length: 4 }, () => keysOf(app))
  const kids = await Promise.all(all.map(async (keys) => (await keys.signing()).kid))
  assert.equal(new Set(kids).size, 1)
  assert.equal((await app.store.db.selectFrom('oidc_keys').select('kid').execute()).length, 1)
  assert.equal(kidOf((await new OidcClient(app).logIn()).access_token), kids[0])
})

test('U-14 a token with a changed claim, key or algorithm is refused', async (t) => {
  const app = await buildApp(t)
  const client = new OidcClient(app)
  const { access_token: token } = await client.logIn()
  const [header = '', claims = '', signature = ''] = token.split('.')
  const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const forged = [
    `${header}.${encode({ ...claimsOf(token), z_asid: 'x' })}.${signature}`,
    `${encode({ alg: 'none', kid: kidOf(token), typ: 'JWT' })}.${claims}.`,
    `${encode({ alg: 'HS256', kid: kidOf(token), typ: 'JWT' })}.${claims}.${signature}`,
    `${header}.${claims}.${signature.slice(0, -4)}AAAA`,
  ]
  for (const bad of forged) assert.equal((await client.get(bad)).status, 401)
  assert.equal((await client.get(token)).status, 200)
})
