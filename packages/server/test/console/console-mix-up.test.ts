import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import { SIGNERS } from '../http/provider.fixture.ts'
import { CLIENT_ID, setUpConsoleLogin } from './scripted-provider.fixture.ts'

/** A server of the attacker: its discovery document names the honest provider, but its own token endpoint. */
async function startAttacker(t: TestContext, honestIssuer: string) {
  const forms: string[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8').on('data', (text: string) => {
      body += text
    })
    request.on('end', () => {
      if (request.method === 'POST') forms.push(body)
      const document = {
        issuer: honestIssuer,
        authorization_endpoint: `${honestIssuer}/auth`,
        token_endpoint: `${url}/token`,
      }
      response.setHeader('content-type', 'application/json').end(JSON.stringify(document))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => server.close())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { url, forms }
}

async function setUp(t: TestContext) {
  const set = await setUpConsoleLogin(t)
  const { app, issuer } = set
  const attacker = await startAttacker(t, issuer)
  const { session } = await app.makeIdentity({ permissions: ['external-jwt-signer'] })
  const asHolder = (method: string, path: string, body?: unknown) => app.call(method, path, body, { session })
  const discovery = `${issuer}/.well-known/openid-configuration`
  const body = (members: Readonly<Record<string, unknown>> = {}) => ({
    name: 'another',
    enabled: true,
    issuer,
    audience: 'another audience',
    jwksEndpoint: 'https://idp.example/jwks',
    clientId: CLIENT_ID,
    openIdConfigurationUrl: discovery,
    ...members,
  })
  return { ...set, attacker, asHolder, body, discovery }
}

const isRefused = ({ status }: { readonly status: number }) => status === 401

test('D60 D55 the code of an honest provider cannot be sent to the discovery document of another', async (t) => {
  const { app, attacker, asHolder, body, begin, createLoginSigner, finishLogin } = await setUp(t)
  await createLoginSigner()
  const evil = { openIdConfigurationUrl: `${attacker.url}/.well-known/openid-configuration` }
  const made = await asHolder('POST', SIGNERS, body(evil))
  if (made.status === 201) {
    const started = await begin(made.json.data.id)
    const parameters = Object.fromEntries(new URL(started.headers.location ?? '', 'https://own.example').searchParams)
    const cookie = [started.headers['set-cookie'] ?? ''].flat()[0]?.split(';', 1)[0] ?? ''
    await finishLogin({ parameters, cookie }, { iss: undefined })
  }
  assert.deepEqual(attacker.forms, [], 'code and verifier')
  assert.ok(isRefused(made), made.text)
  assert.equal((await app.admin('POST', SIGNERS, body(evil))).status, 201, 'an administrator may choose the document')
})

test('D60 a non-administrator uses the discovery document of the issuer, and an issuer of no trusted signer', async (t) => {
  const { app, issuer, asHolder, body, discovery, createLoginSigner } = await setUp(t)
  for (const openIdConfigurationUrl of [`${discovery}/`, `${discovery}?a`, 'https://elsewhere.example/']) {
    assert.ok(isRefused(await asHolder('POST', SIGNERS, body({ openIdConfigurationUrl }))), openIdConfigurationUrl)
  }
  const own = await asHolder('POST', SIGNERS, body())
  assert.equal(own.status, 201, own.text)
  const path = `${SIGNERS}/${own.json.data.id}`
  assert.ok(isRefused(await asHolder('PATCH', path, { openIdConfigurationUrl: 'https://elsewhere.example/' })))
  assert.ok(isRefused(await asHolder('PATCH', path, { issuer: 'https://elsewhere.example' })), 'the document stays')
  assert.equal((await asHolder('PATCH', path, { clientId: 'x' })).status, 200)

  const honest = await createLoginSigner()
  const other = body({ name: 'third', audience: 'third' })
  assert.ok(isRefused(await asHolder('POST', SIGNERS, other)))
  const moved = await asHolder(
    'POST',
    SIGNERS,
    body({ name: 'moved', issuer: 'https://own.example', openIdConfigurationUrl: '' }),
  )
  assert.ok(isRefused(await asHolder('PATCH', `${SIGNERS}/${moved.json.data.id}`, { issuer })))
  assert.equal((await asHolder('PATCH', path, { clientId: 'y' })).status, 200, 'the issuer that it has')
  assert.equal((await asHolder('PATCH', `${SIGNERS}/${honest}`, { clientId: 'y' })).status, 200)
  assert.equal((await asHolder('POST', SIGNERS, other)).status, 201, 'no trusted signer has the issuer now')
  assert.equal((await app.admin('POST', SIGNERS, body({ name: 'fourth', audience: 'fourth' }))).status, 201)
})

test('D60 what an administrator set stays when a non-administrator writes other members', async (t) => {
  const { asHolder, createLoginSigner } = await setUp(t)
  const id = await createLoginSigner({ openIdConfigurationUrl: 'https://elsewhere.example/openid' })
  assert.equal((await asHolder('PATCH', `${SIGNERS}/${id}`, { clientId: 'x' })).status, 200)
  assert.ok(isRefused(await asHolder('PATCH', `${SIGNERS}/${id}`, { issuer: 'https://third.example' })))
})

test('D55 the console begins no login through an untrusted signer', async (t) => {
  const { app, asHolder, body, begin, startLogin, requests } = await setUp(t)
  const { id } = (await asHolder('POST', SIGNERS, body())).json.data
  const refused = await begin(id)
  assert.match(refused.headers.location ?? '', /^\/console\/\?.*why=signer/)
  assert.equal(requests.documents, 0)
  assert.equal((await app.admin('POST', `${SIGNERS}/${id}/trust`)).status, 200)
  await startLogin(id)
})
