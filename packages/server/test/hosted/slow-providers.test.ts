/** An organization with many provider records, whose key endpoints never respond. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readKeySet } from '@countersign/core'
import { mintKey, mintKeySet, mintToken } from '@countersign/testkit'
import { buildApp } from '../http/build-app.ts'

const PROVIDERS = '/identity/v1/identity-providers'
const SELF = '/identity/v1/identities/self'

const recordOf = (name: string) => {
  const issuer = `https://${name}.example`
  return { name, kind: 'oidc', issuer, audience: 'api', jwksUri: `${issuer}/keys`, tokenUrl: `${issuer}/token` }
}

test('F-14 slow providers of one organization do not delay the keys of another', async (t) => {
  const key = mintKey('P-256')
  const keySet = readKeySet(Buffer.from(JSON.stringify(mintKeySet(key))))
  const held = Promise.withResolvers<void>()
  const fetched: string[] = []
  const app = await buildApp(t, {
    fetchJwks: async ({ url }) => {
      fetched.push(url)
      if (url.includes('slow')) await held.promise
      return { keySet, freshForMs: undefined }
    },
  })
  const send = (name: string) => {
    const iat = Math.floor(app.clock.now() / 1000)
    const claims = { iss: `https://${name}.example`, aud: 'api', sub: 'm', azp: 'machine', iat, exp: iat + 600 }
    const authorization = `Bearer ${mintToken({ key, alg: 'ES256', claims })}`
    return app.call('GET', SELF, undefined, { headers: { authorization } })
  }
  const names = Array.from({ length: 20 }, (_, index) => `slow${index}`)
  for (const name of names) assert.equal((await app.admin('POST', PROVIDERS, recordOf(name))).status, 201)
  const waiting = names.map(send)
  const organization = await app.admin('POST', '/identity/v1/organizations', { name: 'Fine', label: 'FINE' })
  const organizationId: string = organization.json.id
  const fine = await app.admin('POST', PROVIDERS, { ...recordOf('fine'), organizationId })
  const account = { name: 'm', organizationId, identityProviderId: fine.json.id, clientId: 'machine' }
  assert.equal((await app.admin('POST', '/identity/v1/api-account-identities', account)).status, 201)
  const reply = await send('fine')
  held.resolve()
  assert.equal(reply.status, 200, reply.text)
  assert.ok(fetched.filter((url) => url.includes('slow')).length < 8 * app.stores.length)
  await Promise.all(waiting)
})

test('F-14 an organization has at most fifty provider records', async (t) => {
  const app = await buildApp(t, {
    fetchJwks: async () => ({ keySet: readKeySet(Buffer.from('{"keys":[]}')), freshForMs: undefined }),
  })
  for (let index = 0; index < 50; index++) {
    assert.equal((await app.admin('POST', PROVIDERS, recordOf(`p${index}`))).status, 201)
  }
  assert.equal((await app.admin('POST', PROVIDERS, recordOf('more'))).status, 400)
  const organization = await app.admin('POST', '/identity/v1/organizations', { name: 'Other', label: 'OTHER' })
  const elsewhere = { ...recordOf('more'), organizationId: organization.json.id }
  assert.equal((await app.admin('POST', PROVIDERS, elsewhere)).status, 201)
  const [first] = (await app.admin('GET', PROVIDERS)).json
  assert.equal((await app.admin('DELETE', `${PROVIDERS}/${first.id}`)).status, 204)
  assert.equal((await app.admin('POST', PROVIDERS, recordOf('more'))).status, 201)
})
