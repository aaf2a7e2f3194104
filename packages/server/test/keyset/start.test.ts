import assert from 'node:assert/strict'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { after, test } from 'node:test'
import { createFakeDns, mintKey, startJwksServer } from '@countersign/testkit'
import { pino } from 'pino'
import { KeySets } from '../../src/keyset/key-sets.ts'
import { type FetchedKeySet, storeKeySet } from '../../src/operations/signer/store-key-set.ts'
import { createFetchDocument } from '../../src/outbound/fetch-document.ts'
import { createJwksEndpointPolicy } from '../../src/outbound/jwks-endpoint-policy.ts'
import { createFetchJwks } from '../../src/outbound/jwks-fetch.ts'
import type { Store } from '../../src/store/store.ts'
import { authority, serverCertificate, settingsWith, tlsOf } from '../outbound/fetch.fixture.ts'
import { until } from './fake-time.ts'
import { closeFileStore, createSigner, useFileStore } from './key-sets.fixture.ts'

after(closeFileStore)

const KEY = mintKey('P-256')
const { lookup } = createFakeDns({ 'idp.test': [['127.0.0.1']], 'hanging.test': [new Promise<string[]>(() => {})] })

/** Key sets with real fetches in real time. */
function startWithRealFetches(store: Store) {
  const settings = settingsWith()
  const fetchJwks = createFetchJwks(createFetchDocument({ settings, lookup }))
  const log = pino({ level: 'silent' })
  const saveKeySet = (keySet: FetchedKeySet) => store.run(storeKeySet, keySet, { actorId: 'system', now: Date.now() })
  const endpoints = createJwksEndpointPolicy(settings)
  const reserveKeyFetch = async () => true
  const openAuthorization = () => ''
  const clock = { now: Date.now }
  return new KeySets({
    store,
    fetchJwks,
    endpoints,
    saveKeySet,
    openAuthorization,
    reserveKeyFetch,
    clock,
    settings,
    log,
  })
}

async function findClosedPort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

test('F-09 S-09 S-11 fifty dead providers and a dead name service delay neither the start nor healthy signers', async (t) => {
  const store = await useFileStore(t)
  const server = await startJwksServer()
  server.publish(KEY)
  t.after(() => server.close())
  const closed = await findClosedPort()
  for (let index = 0; index < 50; index++) {
    const host = index < 40 ? `http://127.0.0.1:${closed}` : 'https://hanging.test'
    await createSigner(store, `dead${index}`, { jwksEndpoint: `${host}/${index}` })
  }
  const fine = await createSigner(store, 'fine', { jwksEndpoint: server.url() })
  const begun = performance.now()
  const keySets = startWithRealFetches(store)
  t.after(() => keySets.stop())
  assert.ok(performance.now() - begun < 1_000, 'the start does not wait')
  assert.equal((await keySets.keyFor(fine, KEY.kid))?.kid, KEY.kid)
  assert.ok(performance.now() - begun < 5_000)
  assert.equal(server.hits, 1)
})

test('keys are fetched over TLS from a provider with a private CA', async (t) => {
  const store = await useFileStore(t)
  const server = await startJwksServer({ tls: tlsOf(serverCertificate(['idp.test'])) })
  t.after(() => server.close())
  server.publish(KEY)
  const keySets = startWithRealFetches(store)
  t.after(() => keySets.stop())
  const signer = await createSigner(store, 'idp', { jwksEndpoint: server.url('idp.test') })
  await until(() => keySets.keyStatus(signer).lastError !== null)
  assert.match(keySets.keyStatus(signer).lastError ?? '', /CA|self-signed/)
  const trusting = { ...signer, jwksCaPem: authority.pem, revision: signer.revision + 1 }
  assert.equal((await keySets.keyFor(trusting, KEY.kid))?.kid, KEY.kid)
  assert.equal(server.hits, 1)
})
