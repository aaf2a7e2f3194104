import assert from 'node:assert/strict'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { CREDENTIAL_FILES, type DemoKindName, requestToken, setUpDev } from './dev.fixture.ts'

const LIFE_MS = 3_600_000
/** The verifier's clock skew, and a second more. */
const SKEW_MS = 61_000

for (const kind of Object.keys(CREDENTIAL_FILES) as DemoKindName[]) {
  const title = `S2-5.3 S2-5.4 S2-5.5 S2-5.6 S2-5.7 S2-5.9 from ${CREDENTIAL_FILES[kind]} to networks and self, and again after the token expires`
  test(title, async (t) => {
    t.mock.timers.enable({ apis: ['Date'], now: Date.now() })
    const { app, readCredentials } = await setUpDev(t)
    const file = readCredentials(kind)
    assert.deepEqual(Object.keys(file), ['clientId', 'password', 'authenticationUrl'])
    const call = (path: string, token: string) =>
      app.call('GET', path, undefined, { headers: { authorization: `Bearer ${token}` } })

    const first = await requestToken(kind, file)
    const networks = await call('/core/v3/networks', first)
    assert.equal(networks.status, 200, networks.text)
    assert.equal(networks.json._embedded.networkList[0].status, 'PROVISIONED')
    const self = await call('/identity/v1/identities/self', first)
    assert.deepEqual([self.status, self.json.clientId], [200, file.clientId])

    t.mock.timers.tick(LIFE_MS + SKEW_MS)
    assert.equal((await call('/core/v3/networks', first)).status, 401)
    const second = await requestToken(kind, file)
    assert.notEqual(second, first)
    assert.equal((await call('/core/v3/networks', second)).status, 200)
    assert.equal((await call('/identity/v1/identities/self', second)).json.id, self.json.id)
  })
}

test('S2-5.3 the files and the provider’s state are readable by the owner only, and no secret is stored elsewhere', async (t) => {
  const { folder, app, readCredentials } = await setUpDev(t)
  for (const name of readdirSync(folder)) assert.equal(statSync(join(folder, name)).mode & 0o777, 0o600, name)
  const { readFileSync } = await import('node:fs')
  const state = readFileSync(join(folder, 'local-provider.json'), 'utf8')
  for (const kind of ['cognito', 'auth0', 'oidc'] as const) {
    const { clientId, password } = readCredentials(kind)
    assert.ok(state.includes(clientId))
    assert.ok(!state.includes(password), 'the provider stores a digest')
    assert.ok(!app.logged.join().includes(password))
  }
})

test('S2-5.2 D42 an API account of a local provider gets a client and its credentials once, rotates, and is deleted', async (t) => {
  const { app, provider } = await setUpDev(t)
  const accounts = '/identity/v1/api-account-identities'
  const { json: records } = await app.admin('GET', '/identity/v1/identity-providers')
  assert.deepEqual(records.map(({ kind }: { kind: string }) => kind).sort(), ['auth0', 'cognito', 'oidc'])
  const clients = () => Object.keys(provider.state.current().kept.Client ?? {})
  for (const { id: identityProviderId, kind } of records as { id: string; kind: DemoKindName }[]) {
    const before = clients().length
    const made = await app.admin('POST', accounts, { name: `robot of ${kind}`, identityProviderId })
    assert.equal(made.status, 201, made.text)
    const { id, credentials } = made.json
    assert.equal(clients().length, before + 1)
    const shown = await app.admin('GET', `${accounts}/${id}`)
    assert.equal('credentials' in shown.json, false, 'shown once')
    const self = async (token: string) => {
      const options = { headers: { authorization: `Bearer ${token}` } }
      return (await app.call('GET', '/identity/v1/identities/self', undefined, options)).status
    }
    const token = await requestToken(kind, credentials)
    assert.equal(await self(token), 200)
    const rotated = await app.admin('POST', `${accounts}/${id}/rotate`, {})
    assert.notEqual(rotated.json.credentials.clientId, credentials.clientId)
    assert.equal(await self(await requestToken(kind, rotated.json.credentials)), 200)
    assert.equal(await self(await requestToken(kind, credentials)), 200, 'the old credentials stay valid for a while')
    assert.equal((await app.admin('DELETE', `${accounts}/${id}`)).status, 204)
    assert.equal(clients().length, before)
    assert.equal(await self(token), 401)
  }
})
