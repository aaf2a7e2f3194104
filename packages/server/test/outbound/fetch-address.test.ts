import assert from 'node:assert/strict'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { test } from 'node:test'
import type { AppError } from '@countersign/core'
import { createFakeDns } from '@countersign/testkit'
import { dialTcp } from '../../src/outbound/dial.ts'
import { createDiscoverProvider } from '../../src/outbound/discover-provider.ts'
import { createJwksEndpointPolicy } from '../../src/outbound/jwks-endpoint-policy.ts'
import { createHostResolver } from '../../src/outbound/resolve-host.ts'
import { fromProcessError, toProcessError } from '../../src/process/workers/sent-error.ts'
import { assertFails, createFetch, DEFAULT_SETTINGS, settingsWith, startServer } from './fetch.fixture.ts'

const NEVER = new AbortController().signal

test('G-03 G-07 W-39 refuses a literal loopback address without dialling it, and dials it where a setting allows it', async (t) => {
  const canary = await startServer(t)
  const refusing = createFetch({ settings: settingsWith({ allowedNetworks: [] }) })
  const error = await assertFails(refusing(canary.url()), 'endpoint-refused')
  assert.match(error.message, /jwks\.allowedNetworks/)
  assert.equal(canary.connections, 0)
  assert.equal((await createFetch()(canary.url())).body.toString(), '{"keys":[]}')
  assert.equal(canary.hits, 1)
})

test('G-03 W-38 W-42 refuses a name with a blocked address, and never contacts it', async (t) => {
  const canary = await startServer(t)
  const blocked = [
    '127.0.0.1',
    '::ffff:127.0.0.1',
    '10.0.0.1',
    '169.254.169.254',
    '::ffff:a9fe:a9fe',
    '64:ff9b::7f00:1',
    '0.0.0.0',
    '::1',
    'fe80::1',
    '224.0.0.1',
  ]
  for (const address of blocked) {
    const { lookup } = createFakeDns({ 'idp.test': [[address]] })
    const fetch = createFetch({ settings: settingsWith({ allowedNetworks: [] }), lookup })
    await assertFails(fetch(canary.url('idp.test')), 'address-refused')
  }
  assert.equal(canary.connections, 0)
  const { lookup } = createFakeDns({ 'idp.test': [['127.0.0.1']] })
  await createFetch({ lookup })(canary.url('idp.test'))
  assert.equal(canary.hits, 1)
})

test('the refusal of a private address names the setting that would allow it', async () => {
  const { lookup } = createFakeDns({ 'idp.test': [['10.1.2.3']] })
  const error = await assertFails(createFetch({ lookup })('https://idp.test/jwks'), 'address-refused')
  assert.match(error.message, /10\.1\.2\.3.*jwks\.allowedNetworks/)
})

test('G-31 what an organization sees of a refused address is what it sees of a closed port', async () => {
  const { lookup } = createFakeDns({ 'inside.test': [['10.1.2.3']], 'closed.test': [['127.0.0.1']] })
  const settings = settingsWith({ allowedPorts: [{ from: 1, to: 1 }] })
  const fetch = createFetch({ settings, lookup })
  const seen = async (host: string, isRefused: boolean): Promise<string> => {
    const url = `http://${host}:1/.well-known/openid-configuration`
    const error = await assertFails(fetch(url), isRefused ? 'address-refused' : 'unreachable')
    // Errors of workers are sent to the process that serves the request.
    const sent = fromProcessError(structuredClone(toProcessError(error))) as typeof error
    assert.equal(sent.tenantMessage, error.tenantMessage)
    const discover = createDiscoverProvider(() => Promise.reject(sent), createJwksEndpointPolicy(settings))
    const shown = await discover('organization', `http://${host}:1`, url).catch((thrown: AppError) => thrown)
    return JSON.stringify((shown as AppError).publicCause).replaceAll(host, 'host')
  }
  const inside = await seen('inside.test', true)
  assert.match(inside, /host port 1 could not be reached/)
  assert.equal(inside, await seen('closed.test', false))
})

test('W-39 W-40 G-05 refuses a name when one of its addresses is blocked, and accepts it when none is', async (t) => {
  const canary = await startServer(t)
  const { lookup, queries } = createFakeDns({ 'mixed.test': [['127.0.0.1', '127.0.0.2']] })
  const fetch = (deniedNetworks: string[]) => createFetch({ settings: settingsWith({ deniedNetworks }), lookup })
  const error = await assertFails(fetch(['127.0.0.2/32'])(canary.url('mixed.test')), 'address-refused')
  assert.match(error.message, /jwks\.deniedNetworks/)
  assert.equal(canary.connections, 0)
  await fetch([])(canary.url('mixed.test'))
  assert.equal(canary.hits, 1)
  assert.deepEqual(queries, ['mixed.test', 'mixed.test'])
})

test('G-06 a name that resolves differently the second time is resolved once, and only the checked address is dialled', async (t) => {
  const good = await startServer(t)
  const { lookup, queries } = createFakeDns({ 'rebind.test': [['127.0.0.1'], ['169.254.169.254']] })
  const fetch = createFetch({ lookup })
  await fetch(good.url('rebind.test'))
  assert.deepEqual(queries, ['rebind.test'])
  assert.equal(good.hits, 1)
  await assertFails(fetch(good.url('rebind.test')), 'address-refused')
  assert.equal(good.hits, 1)
})

test('G-06 the remote address is checked again after connecting, before a byte is sent', async (t) => {
  let received = 0
  const server = createServer((socket) => {
    socket.on('data', (bytes) => {
      received += bytes.length
    })
    socket.on('error', () => {})
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => server.close())
  const { port } = server.address() as AddressInfo
  const target = { host: 'idp.test', port, addresses: [{ address: '127.0.0.1', family: 4 }] }
  let checked = 0
  const refuseSecondCheck = () => (checked++ === 0 ? undefined : 'no longer allowed')
  await assertFails(dialTcp(target, refuseSecondCheck, NEVER), 'address-refused')
  assert.equal(checked, 2)
  const socket = await dialTcp(target, () => undefined, NEVER)
  assert.equal(socket.remoteAddress, '127.0.0.1')
  socket.destroy()
  assert.equal(received, 0)
})

test('W-40 host lists are checked before DNS, and an allowed host does not make its address allowed', async (t) => {
  const canary = await startServer(t)
  const dns = createFakeDns({ 'a.idp.test': [['127.0.0.1']], 'metadata.idp.test': [['169.254.169.254']] })
  const fetch = (jwks: Parameters<typeof settingsWith>[0]) =>
    createFetch({ settings: settingsWith(jwks), lookup: dns.lookup })
  await assertFails(fetch({ deniedHosts: ['*.idp.test'] })(canary.url('a.idp.test')), 'endpoint-refused')
  await assertFails(fetch({ allowedHosts: ['b.idp.test'] })(canary.url('a.idp.test')), 'endpoint-refused')
  assert.deepEqual(dns.queries, [])
  await fetch({ allowedHosts: ['*.idp.test'] })(canary.url('A.IDP.test.'))
  await assertFails(fetch({ allowedHosts: ['*.idp.test'] })(canary.url('metadata.idp.test')), 'address-refused')
  assert.equal(canary.hits, 1)
})

test('G-01 http is refused unless its host is listed, and other schemes always', async (t) => {
  const server = await startServer(t)
  const error = await assertFails(
    createFetch({ settings: settingsWith({ allowHttp: [] }) })(server.url()),
    'endpoint-refused',
  )
  assert.match(error.message, /jwks\.allowHttp/)
  for (const url of ['file:///etc/passwd', 'ftp://127.0.0.1/', 'data:application/json,{}', 'jwks']) {
    await assertFails(createFetch()(url), 'endpoint-refused')
  }
  assert.equal(server.connections, 0)
  await createFetch({ settings: { ...DEFAULT_SETTINGS, dev: true } })(server.url())
  assert.equal(server.hits, 1)
})

test('S-11 a name that does not exist is a failed fetch, and so is one that takes too long', async () => {
  const endless = new Promise<readonly string[]>(() => {})
  const { lookup } = createFakeDns({ 'slow.test': [endless] })
  await assertFails(createFetch({ lookup })('https://missing.test/jwks'), 'name-not-resolved')
  const error = await assertFails(
    createFetch({ lookup, limits: { connectMs: 50 } })('https://slow.test/jwks'),
    'timeout',
  )
  assert.match(error.message, /0\.05 s/)
})

test('S-11 few names are looked up at a time, and a cancelled caller causes no look-up', async () => {
  const { promise: held, resolve: release } = Promise.withResolvers<readonly string[]>()
  const { lookup, queries } = createFakeDns({ 'a.test': [held], 'b.test': [held], 'c.test': [held], 'd.test': [held] })
  const resolveHost = createHostResolver(lookup)
  const givingUp = new AbortController()
  const work = [
    resolveHost('a.test', { signal: NEVER }),
    resolveHost('b.test', { signal: NEVER }),
    resolveHost('c.test', { signal: givingUp.signal }),
    resolveHost('d.test', { signal: NEVER }),
  ]
  await new Promise(setImmediate)
  assert.deepEqual(queries, ['a.test', 'b.test'])
  givingUp.abort()
  release(['127.0.0.1'])
  const results = await Promise.allSettled(work)
  assert.deepEqual(
    results.map(({ status }) => status),
    ['fulfilled', 'fulfilled', 'rejected', 'fulfilled'],
  )
  assert.deepEqual(queries, ['a.test', 'b.test', 'd.test'])
})

test('G-31 ports that are closed, filtered or use another protocol cause the same error text', async (t) => {
  const closed = createServer()
  await new Promise<void>((resolve) => closed.listen(0, '127.0.0.1', resolve))
  const { port: closedPort } = closed.address() as AddressInfo
  await new Promise((resolve) => closed.close(resolve))
  const otherProtocol = createServer((socket) => void socket.end('SSH-2.0-secret-banner\r\n').on('error', () => {}))
  await new Promise<void>((resolve) => otherProtocol.listen(0, '127.0.0.1', resolve))
  t.after(() => otherProtocol.close())
  const { port: otherPort } = otherProtocol.address() as AddressInfo
  const messages: string[] = []
  for (const port of [closedPort, otherPort]) {
    const error = await assertFails(createFetch()(`https://127.0.0.1:${port}/jwks`), 'unreachable')
    messages.push(error.message.replace(String(port), 'N'))
  }
  assert.equal(messages[0], messages[1])
  assert.equal(messages[0]?.includes('secret'), false)
})
