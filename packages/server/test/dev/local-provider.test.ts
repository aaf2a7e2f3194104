import assert from 'node:assert/strict'
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { pino } from 'pino'
import { type LocalProvider, startLocalProvider } from '../../src/dev/index.ts'
import type { RegisteredClient } from '../../src/outbound/client-registration.ts'
import { StartupError } from '../../src/platform/startup-error.ts'
import {
  basic,
  buildRealApp,
  CREDENTIAL_FILES,
  type DemoKindName,
  decode,
  get,
  HOSTED_AUDIENCE_URL,
  makeDemoData,
  makeFolder,
  post,
  readCredentials,
  requestToken,
  setUpDev,
  startProvider,
} from './dev.fixture.ts'

const log = pino({ level: 'silent' })
const KINDS = Object.keys(CREDENTIAL_FILES) as DemoKindName[]
const MACHINE = {
  client_name: 'a machine',
  grant_types: ['client_credentials'],
  response_types: [],
  redirect_uris: [],
  token_endpoint_auth_method: 'client_secret_basic',
}

test('the local provider binds to loopback and refuses every other address', async (t) => {
  const folder = makeFolder(t)
  const start = (host: string) =>
    startLocalProvider({ stateFile: join(folder, `${host}.json`), port: 0, defaultPort: 0, host, log })
  for (const host of ['0.0.0.0', '::', '192.0.2.1', '128.0.0.1', '::ffff:0.0.0.0', 'localhost.example']) {
    await assert.rejects(start(host), (error) => error instanceof StartupError && /does not listen/.test(error.message))
  }
  const provider = await start('127.0.0.1')
  assert.equal((await get(provider.addresses.enterprise.jwksUri)).status, 200)
  await provider.close()
})

test('a request under another host name is refused, which stops DNS rebinding', async (t) => {
  const { addresses } = await startProvider(t)
  const { port } = new URL(addresses.base)
  const requestAs = (host: string) =>
    new Promise<number | undefined>((resolve, reject) => {
      request(`${addresses.base}/jwks`, { headers: { host }, agent: false }, (response) => {
        response.resume()
        resolve(response.statusCode)
      })
        .once('error', reject)
        .end()
    })
  for (const name of ['127.0.0.1', 'localhost', '[::1]', 'LOCALHOST'])
    assert.equal(await requestAs(`${name}:${port}`), 200)
  for (const host of [`evil.example:${port}`, 'localhost', `127.0.0.1.evil.example:${port}`]) {
    assert.equal(await requestAs(host), 421, host)
  }
})

test('each issuer describes itself, and its keys contain nothing private', async (t) => {
  const { addresses } = await startProvider(t)
  for (const { issuer, discoveryUrl, jwksUri, tokenUrl } of [
    addresses.userPool,
    addresses.hostedPlatform,
    addresses.enterprise,
  ]) {
    const { json } = await get(discoveryUrl)
    assert.equal(
      discoveryUrl.replace('.well-known/openid-configuration', '').replace(/\/$/, ''),
      issuer.replace(/\/$/, ''),
    )
    assert.deepEqual([json.issuer, json.jwks_uri, json.token_endpoint], [issuer, jwksUri, tokenUrl])
    assert.equal(json.registration_endpoint, addresses.registrationUrl)
    const { json: set } = await get(jwksUri)
    assert.deepEqual(set.keys.map(({ alg }: { alg: string }) => alg).sort(), ['ES256', 'RS256'])
    for (const key of set.keys) {
      assert.equal(key.use, 'sig')
      for (const secret of ['d', 'p', 'q', 'dp', 'dq', 'qi']) assert.equal(secret in key, false, secret)
    }
  }
})

test('clients register with the initial token only (RFC 7591)', async (t) => {
  const { addresses, state } = await startProvider(t)
  const register = (token: string) => registerAt(addresses.registrationUrl, token)
  assert.equal((await register('guessed')).status, 401)
  assert.equal((await register(state.current().registrationToken)).status, 201)
})

/** By a request, and by the start of the controller. */
const REGISTRATIONS: Readonly<Record<string, (provider: LocalProvider) => Promise<RegisteredClient>>> = {
  'a request': async ({ addresses, state }) => {
    const { json } = await registerAt(addresses.registrationUrl, state.current().registrationToken)
    return {
      clientId: json.client_id,
      clientSecret: json.client_secret,
      registrationUri: json.registration_client_uri,
      registrationToken: json.registration_access_token,
    }
  },
  'the start': (provider) => provider.registerMachine(MACHINE.client_name),
}
for (const [by, register] of Object.entries(REGISTRATIONS)) {
  test(`a client that was registered by ${by} gets tokens, and manages itself with its own token (RFC 7592)`, async (t) => {
    const provider = await startProvider(t)
    const { addresses, state } = provider
    const { clientId, clientSecret: password, registrationUri, registrationToken } = await register(provider)
    assert.match(clientId, /^[A-Za-z0-9]{26}$/)
    assert.match(password, /^[A-Za-z0-9]{52}$/)
    const file = { clientId, password }
    const tokenUrls = { cognito: addresses.userPool.tokenUrl, oidc: addresses.enterprise.tokenUrl } as const
    for (const [kind, authenticationUrl] of Object.entries(tokenUrls))
      assert.ok(await requestToken(kind as DemoKindName, { ...file, authenticationUrl }))
    // The stored digest must not work as a password.
    const kept = String(state.current().kept.Client?.[clientId]?.client_secret)
    assert.match(kept, /^sha256:/)
    const form = new URLSearchParams({ grant_type: 'client_credentials' })
    for (const tokenUrl of Object.values(tokenUrls)) {
      const { json: refused } = await post(tokenUrl, form, basic({ ...file, password: kept }))
      assert.equal(refused.error, 'invalid_client')
    }

    const manage = (method: string, token = registrationToken) =>
      fetch(String(registrationUri), { method, headers: { authorization: `Bearer ${token}` } })
    const shown = await manage('GET')
    const { client_secret, client_id } = (await shown.json()) as Record<string, string>
    assert.deepEqual([shown.status, client_id, client_secret], [200, clientId, undefined])
    assert.equal((await manage('DELETE', 'guessed')).status, 401)
    assert.equal((await manage('DELETE')).status, 204)
    const gone = await post(tokenUrls.cognito, form, basic(file))
    assert.deepEqual([gone.status, gone.json], [400, { error: 'invalid_client' }])
  })
}

function registerAt(registrationUrl: string, token: string) {
  return post(registrationUrl, JSON.stringify(MACHINE), {
    'content-type': 'application/json',
    authorization: `Bearer ${token}`,
  })
}

test('keys rotate on demand: tokens of the previous ones stay valid until the next rotation, or end at once', async (t) => {
  const { app, provider, readCredentials: read } = await setUpDev(t)
  const rotate = (query = '', headers = {}) => post(`${provider.addresses.base}/dev/rotate-keys${query}`, '', headers)
  const self = async (token: string) => {
    const options = { headers: { authorization: `Bearer ${token}` } }
    return (await app.call('GET', '/identity/v1/identities/self', undefined, options)).status
  }
  const requestAll = () => Promise.all(KINDS.map((kind) => requestToken(kind, read(kind))))
  const first = await requestAll()
  assert.deepEqual(await Promise.all(first.map(self)), [200, 200, 200])
  assert.equal((await rotate('', { origin: 'https://evil.example' })).status, 403)
  assert.equal((await rotate()).status, 200)
  const second = await requestAll()
  const kids = (tokens: readonly string[]) => new Set(tokens.map((token) => decode(token).header.kid))
  assert.equal(kids(second).size, 1)
  assert.equal(kids([...first, ...second]).size, 2)
  // The controller fetches unknown keys only once in a while.
  app.clock.advance(31_000)
  assert.deepEqual(await Promise.all([...first, ...second].map(self)), [200, 200, 200, 200, 200, 200])
  const dropped = await rotate('?drop=true')
  assert.deepEqual(dropped.json.stillShown, [])
  const { json: set } = await get(provider.addresses.enterprise.jwksUri)
  assert.deepEqual(
    set.keys.map(({ kid }: { kid: string }) => kid),
    dropped.json.signing,
  )
})

test('after a restart the same credentials, keys and registrations are valid, at the same address', async (t) => {
  const folder = makeFolder(t)
  const app = await buildRealApp(t)
  const first = await startProvider(t, folder)
  await makeDemoData(app, first, folder)
  const files = KINDS.map((kind) => readCredentials(folder, kind))
  const { json: keys } = await get(first.addresses.enterprise.jwksUri)
  await first.close()

  const second = await startProvider(t, folder)
  assert.equal(second.addresses.base, first.addresses.base)
  assert.deepEqual((await get(second.addresses.enterprise.jwksUri)).json, keys)
  for (const [index, kind] of KINDS.entries()) assert.ok(await requestToken(kind, files[index] ?? assert.fail()))
  await makeDemoData(app, second, folder)
  assert.deepEqual(
    KINDS.map((kind) => readCredentials(folder, kind)),
    files,
  )
  const { json: accounts } = await app.admin('GET', '/identity/v1/api-account-identities')
  const { json: records } = await app.admin('GET', '/identity/v1/identity-providers')
  const { json: signers } = await app.admin('GET', '/edge/management/v1/ext-jwt-signers')
  const { json: identities } = await app.admin('GET', '/edge/management/v1/identities')
  assert.deepEqual([accounts.length, records.length, signers.data.length, identities.data.length], [3, 3, 1, 4])
  assert.equal(Object.keys(second.state.current().kept.Client ?? {}).length, 3)
})

test('demo data that an administrator removed is not created again; a lost file is, with new credentials', async (t) => {
  const { app, provider, folder } = await setUpDev(t)
  const accounts = '/identity/v1/api-account-identities'
  const { json: all } = await app.admin('GET', accounts)
  const idOf = (clientId: string) => all.find((one: { clientId: string }) => one.clientId === clientId).id
  const lost = readCredentials(folder, 'cognito')
  const removed = idOf(readCredentials(folder, 'auth0').clientId)
  assert.equal((await app.admin('DELETE', `${accounts}/${removed}`)).status, 204)
  const { json: signers } = await app.admin('GET', '/edge/management/v1/ext-jwt-signers')
  const signer = `/edge/management/v1/ext-jwt-signers/${signers.data[0].id}`
  assert.equal((await app.admin('DELETE', signer)).status, 200)
  const { json: bobs } = await app.admin('GET', '/edge/management/v1/identities?filter=name="bob"')
  assert.equal((await app.admin('DELETE', `/edge/management/v1/identities/${bobs.data[0].id}`)).status, 200)
  rmSync(join(folder, CREDENTIAL_FILES.cognito))

  await makeDemoData(app, provider, folder)
  const { json: now } = await app.admin('GET', accounts)
  assert.equal(now.length, 2)
  assert.equal((await app.admin('GET', signer)).status, 404)
  const { json: left } = await app.admin('GET', '/edge/management/v1/identities?filter=name="bob"')
  assert.deepEqual(left.data, [])
  const fresh = readCredentials(folder, 'cognito')
  assert.notEqual(fresh.clientId, lost.clientId)
  const self = await app.call('GET', '/identity/v1/identities/self', undefined, {
    headers: { authorization: `Bearer ${await requestToken('cognito', fresh)}` },
  })
  assert.deepEqual([self.status, self.json.id], [200, idOf(lost.clientId)], 'the account is the same')
})

test('D49 the hosted platform follows the address of the hosted API, unless an administrator has set another audience', async (t) => {
  const { app, provider, folder } = await setUpDev(t)
  const audiences = async () => {
    const { json } = await app.admin('GET', '/identity/v1/identity-providers')
    return json.find(({ kind }: { kind: string }) => kind === 'auth0')
  }
  assert.equal((await audiences()).audience, HOSTED_AUDIENCE_URL)
  await makeDemoData(app, provider, folder, ['https://127.0.0.1:9999/'])
  const { id, audience } = await audiences()
  assert.equal(audience, 'https://127.0.0.1:9999/')
  await app.admin('PATCH', `/identity/v1/identity-providers/${id}`, { audience: 'https://own.example/' })
  await makeDemoData(app, provider, folder, ['https://127.0.0.1:1111/'])
  assert.equal((await audiences()).audience, 'https://own.example/')
})

test('a hosted API with several addresses accepts tokens for any of them', async (t) => {
  const { app, provider, folder } = await setUpDev(t)
  const named = 'https://gateway.example.net/'
  await makeDemoData(app, provider, folder, [named, HOSTED_AUDIENCE_URL])
  const { clientId: client_id, password: client_secret, authenticationUrl } = readCredentials(folder, 'auth0')
  const requestFor = (audience: string) => {
    const form = { client_id, client_secret, audience, grant_type: 'client_credentials' }
    return post(authenticationUrl, new URLSearchParams(form))
  }
  for (const audience of [named, HOSTED_AUDIENCE_URL]) {
    const { status, json } = await requestFor(audience)
    assert.equal(status, 200, audience)
    const headers = { authorization: `Bearer ${json.access_token}` }
    assert.equal((await app.call('GET', '/identity/v1/identities/self', undefined, { headers })).status, 200)
  }
  assert.equal((await requestFor('https://elsewhere.example/')).status, 403)
})

test('a provider that lost its state and starts again at the same address gets its accounts back, with new credentials', async (t) => {
  const { app, provider, folder } = await setUpDev(t)
  const before = KINDS.map((kind) => readCredentials(folder, kind))
  const port = Number(new URL(provider.addresses.base).port)
  await provider.close()
  rmSync(join(folder, 'local-provider.json'))
  const restarted = await startProvider(t, folder, port)
  await makeDemoData(app, restarted, folder)
  const { json: accounts } = await app.admin('GET', '/identity/v1/api-account-identities')
  assert.equal(accounts.length, 3)
  app.clock.advance(31_000)
  for (const [index, kind] of KINDS.entries()) {
    const file = readCredentials(folder, kind)
    assert.notEqual(file.clientId, before[index]?.clientId)
    const self = await app.call('GET', '/identity/v1/identities/self', undefined, {
      headers: { authorization: `Bearer ${await requestToken(kind, file)}` },
    })
    assert.equal(self.status, 200, self.text)
  }
})

test('two providers on one database each have their own signer, records and accounts', async (t) => {
  const { app, folder } = await setUpDev(t)
  const elsewhere = makeFolder(t)
  const other = await startProvider(t, elsewhere)
  await makeDemoData(app, other, elsewhere)
  const { json: signers } = await app.admin('GET', '/edge/management/v1/ext-jwt-signers')
  const { port } = new URL(other.addresses.base)
  const names = signers.data.map(({ name }: { name: string }) => name).sort()
  assert.deepEqual(names, ['local-provider', `local-provider ${port}`])
  for (const directory of [folder, elsewhere]) {
    const self = await app.call('GET', '/identity/v1/identities/self', undefined, {
      headers: { authorization: `Bearer ${await requestToken('oidc', readCredentials(directory, 'oidc'))}` },
    })
    assert.equal(self.status, 200, self.text)
  }
})

test('the port of a data directory is fixed: another one, or one in use, is reported at the start', async (t) => {
  const folder = makeFolder(t)
  const first = await startProvider(t, folder)
  const port = Number(new URL(first.addresses.base).port)
  await first.close()
  const again = await startProvider(t, folder, port)
  assert.equal(again.addresses.base, first.addresses.base)
  await again.close()
  await assert.rejects(startProvider(t, folder, port + 1), /uses port \d+, not \d+/)
  const otherServer = createServer().listen(port, '127.0.0.1')
  t.after(() => otherServer.close())
  await new Promise((resolve) => otherServer.once('listening', resolve))
  await assert.rejects(startProvider(t, folder), /the port is taken/)
})

test('the default port is only a first choice', async (t) => {
  const otherServer = createServer().listen(0, '127.0.0.1')
  t.after(() => otherServer.close())
  await new Promise((resolve) => otherServer.once('listening', resolve))
  const { port: defaultPort } = otherServer.address() as AddressInfo
  const start = () => startLocalProvider({ stateFile: join(makeFolder(t), 'state.json'), port: 0, defaultPort, log })
  const second = await start()
  assert.notEqual(Number(new URL(second.addresses.base).port), defaultPort)
  await second.close()
  await new Promise((resolve) => otherServer.close(resolve))
  const onDefault = await start()
  assert.equal(Number(new URL(onDefault.addresses.base).port), defaultPort)
  await onDefault.close()
})

test('an unreadable state is reported with its file name, and the file is readable by the owner only', async (t) => {
  const folder = makeFolder(t)
  const provider = await startProvider(t, folder)
  await provider.close()
  const path = join(folder, 'local-provider.json')
  assert.equal(statSync(path).mode & 0o777, 0o600)
  const good = readFileSync(path, 'utf8')
  for (const broken of ['', good.slice(0, 100), '[]', '{}']) {
    writeFileSync(path, broken)
    await assert.rejects(
      startProvider(t, folder),
      (error) => error instanceof StartupError && error.message.includes(path),
    )
  }
  writeFileSync(path, good)
  await (await startProvider(t, folder)).close()
})
