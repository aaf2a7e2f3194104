/** A signer manager with many signers, whose key endpoints never respond. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { readKeySet } from '@countersign/core'
import { mintKey, mintKeySet, mintToken } from '@countersign/testkit'
import { until } from '../keyset/fake-time.ts'
import { buildApp } from './build-app.ts'
import { logInWithToken, SIGNERS } from './provider.fixture.ts'

const NAMES = Array.from({ length: 20 }, (_, index) => `slow${index}`)
/** One writer's part of the eight fetches of either priority. */
const SHARE = 2 * 2

async function setUp(t: TestContext) {
  const key = mintKey('P-256')
  const keySet = readKeySet(Buffer.from(JSON.stringify(mintKeySet(key))))
  const held = Promise.withResolvers<void>()
  const fetched = new Set<string>()
  const app = await buildApp(t, {
    fetchJwks: async ({ url }) => {
      fetched.add(url)
      if (url.includes('slow')) await held.promise
      return { keySet, freshForMs: undefined }
    },
  })
  const holder = await app.makeIdentity({ permissions: ['external-jwt-signer'] })
  const createSigner = async (name: string, session: string): Promise<string> => {
    const issuer = `https://${name}.example`
    const body = { name, enabled: true, issuer, audience: 'edge', useExternalId: true, jwksEndpoint: `${issuer}/keys` }
    const reply = await app.call('POST', SIGNERS, body, { session })
    assert.equal(reply.status, 201, reply.text)
    return reply.json.data.id
  }
  const logIn = (name: string) => {
    const iat = Math.floor(app.clock.now() / 1000)
    const claims = { iss: `https://${name}.example`, aud: 'edge', sub: 'alice', iat, exp: iat + 600 }
    return logInWithToken(app, mintToken({ key, alg: 'ES256', claims }))
  }
  const alice = { name: 'alice', type: 'Default', isAdmin: false, externalId: 'alice' }
  assert.equal((await app.admin('POST', '/edge/management/v1/identities', alice)).status, 201)
  const countSlow = (): number => [...fetched].filter((url) => url.includes('slow')).length
  return { app, holder, createSigner, logIn, fetched, countSlow, release: () => held.resolve() }
}

test('F-14 slow signers of one untrusted writer do not delay the keys of others', async (t) => {
  const { app, holder, createSigner, logIn, countSlow, release } = await setUp(t)
  for (const name of NAMES) await createSigner(name, holder.session)
  const waiting = NAMES.map(logIn)
  await createSigner('fine', app.adminSession)
  const reply = await logIn('fine')
  const started = countSlow()
  release()
  assert.equal(reply.status, 200, reply.text)
  assert.ok(started <= SHARE * app.stores.length, `${started} started`)
  await Promise.all(waiting)
})

test('F-14 trusted signers have their own turns, from the moment they are trusted', async (t) => {
  const { app, holder, createSigner, logIn, fetched, countSlow, release } = await setUp(t)
  const ids: string[] = []
  for (const name of NAMES) ids.push(await createSigner(name, holder.session))
  const last = NAMES.length - 1
  assert.ok(!fetched.has(`https://slow${last}.example/keys`))
  assert.equal((await app.admin('POST', `${SIGNERS}/${ids[last]}/trust`)).status, 200)
  await until(() => fetched.has(`https://slow${last}.example/keys`))
  for (const id of ids) assert.equal((await app.admin('POST', `${SIGNERS}/${id}/trust`)).status, 200)
  await until(() => countSlow() > SHARE)
  release()
  assert.equal((await logIn('slow0')).status, 200)
})
