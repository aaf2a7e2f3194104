import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { type TestContext, test } from 'node:test'
import { ControllerClient, CountersignError, Credentials, HostedClient, TokenSource } from '@countersign/sdk'
import { type LocalResponse, startServer } from './local-server.ts'

const UNAVAILABLE = { status: 503, json: { error: { code: 'STORE_UNAVAILABLE', message: 'later' } } }
const BUSY = { status: 429, json: { error: { code: 'SERVER_TOO_MANY_REQUESTS', message: 'later' } } }
const HANG_UP: LocalResponse = (response) => response.destroy()
const SIGNER = { name: 'one', enabled: true, issuer: 'https://id.example', audience: 'edge' }

/** A server that sends these responses in order, and then successful ones. */
async function startFlaky(t: TestContext, ...responses: readonly LocalResponse[]) {
  const server = await startServer(t, (_, count) => responses[count - 1] ?? { json: { data: { id: 'x' }, meta: {} } })
  return { server, client: new ControllerClient({ baseUrl: server.url, session: 's' }) }
}

for (const [name, failure] of Object.entries({ '503': UNAVAILABLE, '429': BUSY, 'no response': HANG_UP })) {
  test(`a read is retried after ${name}, with three attempts at most`, async (t) => {
    const { server, client } = await startFlaky(t, failure, failure)
    assert.equal((await client.signers.get('x')).id, 'x')
    assert.equal(server.seen.length, 3)
    const always = await startFlaky(t, failure, failure, failure)
    await assert.rejects(always.client.signers.get('x'), CountersignError)
    assert.equal(always.server.seen.length, 3)
  })
}

test('a write is retried only after 429', async (t) => {
  for (const failure of [UNAVAILABLE, HANG_UP]) {
    const { server, client } = await startFlaky(t, failure)
    await assert.rejects(client.signers.create(SIGNER), CountersignError)
    assert.equal(server.seen.length, 1)
  }
  const { server, client } = await startFlaky(t, BUSY)
  assert.equal(await client.signers.create(SIGNER), 'x')
  assert.equal(server.seen.length, 2)
})

for (const status of [400, 401, 403, 404, 409, 500, 502, 504]) {
  test(`a ${status} is not retried`, async (t) => {
    const { server, client } = await startFlaky(t, {
      status,
      json: { error: { code: 'SOME', message: 'no', requestId: 'r' } },
    })
    await assert.rejects(client.signers.get('x'), { code: 'SOME', status, requestId: 'r' })
    assert.equal(server.seen.length, 1)
  })
}

test('a short Retry-After is waited for, a long one is reported', async (t) => {
  const short = await startFlaky(t, { ...BUSY, headers: { 'retry-after': '1' } })
  const startedAt = performance.now()
  await short.client.signers.get('x')
  assert.ok(performance.now() - startedAt >= 1000)
  const long = await startFlaky(t, { ...BUSY, headers: { 'retry-after': '300' } })
  await assert.rejects(long.client.signers.get('x'), { status: 429, retryAfterSeconds: 300 })
  assert.equal(long.server.seen.length, 1)
})

test('a response that does not arrive completely in time is aborted', async (t) => {
  const silent = await startServer(t, () => () => {})
  const half = await startServer(t, () => (response) => void response.writeHead(200).write('{"data":'))
  for (const { url } of [silent, half]) {
    const client = new ControllerClient({ baseUrl: url, timeoutMs: 100, retries: 0 })
    await assert.rejects(client.version(), { code: 'NO_ANSWER_IN_TIME', status: 0 })
    await assert.rejects(client.version({ timeoutMs: 50 }), /within 50 ms/)
  }
})

test('a signal aborts a call, a wait for the next attempt, and a list, with its own reason', async (t) => {
  const reason = new Error('enough')
  const silent = await startServer(t, () => () => {})
  const client = new ControllerClient({ baseUrl: silent.url })
  const stop = new AbortController()
  const call = client.version({ signal: stop.signal })
  stop.abort(reason)
  await assert.rejects(call, reason)
  await assert.rejects(client.signers.list({ signal: stop.signal }).next(), reason)
  const busy = await startServer(t, () => ({ ...BUSY, headers: { 'retry-after': '9' } }))
  const waiting = new AbortController()
  const retried = new ControllerClient({ baseUrl: busy.url }).version({ signal: waiting.signal })
  setTimeout(() => waiting.abort(reason), 100)
  await assert.rejects(retried, reason)
})

test('Q-24 a redirect to another host is not followed, whatever credentials the call carries', async (t) => {
  const attacker = await startServer(t, () => ({ json: { data: {}, meta: {}, access_token: 'x' } }))
  for (const status of [301, 302, 303, 307, 308]) {
    const server = await startServer(t, () => ({ status, headers: { location: `${attacker.url}/elsewhere` } }))
    const refused = { code: 'REDIRECTED', status }
    const controller = new ControllerClient({ baseUrl: server.url, session: 's', secondaryToken: 'a.b.c' })
    await assert.rejects(controller.currentIdentity(), refused)
    await assert.rejects(controller.logInWithPassword('admin', 'secret'), refused)
    await assert.rejects(controller.logInWithJwt('a.b.c'), refused)
    await assert.rejects(controller.enrollment.toToken('a.b.c'), refused)
    await assert.rejects(controller.events().next(), refused)
    await assert.rejects(new HostedClient({ baseUrl: server.url, token: 't' }).self(), refused)
    for (const provider of ['cognito', 'auth0', 'oidc'] as const) {
      const authenticationUrl = `${server.url}/token`
      const credentials = new Credentials({ clientId: 'ci', password: 'secret', authenticationUrl, provider })
      await assert.rejects(new TokenSource({ credentials, hostedUrl: server.url }).getToken(), refused)
    }
  }
  assert.deepEqual(attacker.seen, [])
  const honest = await startServer(t, () => ({ json: { data: { id: 'me' }, meta: {} } }))
  assert.equal((await new ControllerClient({ baseUrl: honest.url, session: 's' }).currentIdentity()).id, 'me')
})

test('a response that is not one of the API is reported as such', async (t) => {
  for (const text of ['<html>', '"text"', '{}', '[]', '{"data":']) {
    const { client } = await startFlaky(t, { text })
    await assert.rejects(client.signers.get('x'), { code: 'BAD_ANSWER', status: 200 }, text)
  }
  const { client } = await startFlaky(t, { status: 418, text: '<html>' })
  await assert.rejects(client.signers.get('x'), { code: 'UNKNOWN', status: 418 })
})

test('an unreachable server is reported with a hint', async () => {
  const gone = createServer().listen(0, '127.0.0.1')
  await once(gone, 'listening')
  const { port } = gone.address() as AddressInfo
  await new Promise((resolve) => gone.close(resolve))
  const client = new ControllerClient({ baseUrl: `https://127.0.0.1:${port}`, retries: 0 })
  await assert.rejects(client.version(), (error) => {
    assert.ok(error instanceof CountersignError)
    assert.deepEqual([error.code, error.status, error.hint?.startsWith('nothing listens there')], ['NETWORK', 0, true])
    return true
  })
})

test('a session and a password are sent only over https or to loopback', () => {
  for (const baseUrl of ['http://controller.example', 'controller.example', 'https://user:pw@controller.example']) {
    assert.throws(() => new ControllerClient({ baseUrl }), { code: 'UNSAFE_ADDRESS' })
    assert.throws(() => new HostedClient({ baseUrl, token: 't' }), { code: 'UNSAFE_ADDRESS' })
  }
  assert.equal(
    new ControllerClient({ baseUrl: 'https://controller.example/base/' }).baseUrl,
    'https://controller.example/base',
  )
})
