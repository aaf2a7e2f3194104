import assert from 'node:assert/strict'
import { after, type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { newId } from '@countersign/core'
import { makeTestCertificate, mintKey } from '@countersign/testkit'
import { deleteSigner } from '../../src/operations/signer/delete-signer.ts'
import { type FetchedKeySet, storeKeySet } from '../../src/operations/signer/store-key-set.ts'
import { keyEndpoint } from '../../src/store/key-signer.ts'
import { openPostgresStore } from '../../src/store/postgres/postgres-store.ts'
import type { StoredSigner } from '../../src/store/signer-row.ts'
import { DATABASES, getPostgres, openTestStore, stopPostgres } from '../store/open-test-stores.ts'
import { createFakeProviders, type FakeProviders } from './fake-providers.ts'
import { createFakeTime, settle, until } from './fake-time.ts'
import { createSigner, patchSigner, startKeySets, storedKeys, urlOf, withDefaults } from './key-sets.fixture.ts'

after(stopPostgres)

const OLD = mintKey('P-256', 'old')
const NEW = mintKey('P-256', 'new')

/** Returns a function that opens nodes on one new database. */
async function makeOpenNode(t: TestContext) {
  const url = await (await getPostgres()).createDatabase()
  return async ({ fetchJwks }: FakeProviders, random = 0.5) => {
    const store = await openPostgresStore({ url, nodeId: newId(), now: 1, onWarning: () => {} })
    const time = createFakeTime()
    const { keySets } = startKeySets({ store, time, fetchJwks, random: () => random })
    t.after(async () => {
      await keySets.stop()
      await store.close()
    })
    await keySets.loaded
    return { store, time, keySets }
  }
}

type Node = Awaited<ReturnType<Awaited<ReturnType<typeof makeOpenNode>>>>

/** Creates a signer on the first node. Resolves when the others have read it: one that is asked for its keys before would fetch them itself. */
async function createOnFirst([first, ...others]: readonly [Node, ...Node[]], name: string): Promise<StoredSigner> {
  const notified = others.map(({ store }) => {
    return new Promise<void>((resolve) =>
      store.onChange((changes) => {
        if (changes !== 'everything' && changes.some(({ entity }) => entity === 'externalJwtSigners')) resolve()
      }),
    )
  })
  const signer = await createSigner(first.store, name)
  await Promise.all(notified)
  for (const { keySets } of others) await keySets.reading(signer)
  return signer
}

test('F-07 F-05 a node takes the keys that another has stored, and drops withdrawn ones with it', async (t) => {
  const openNode = await makeOpenNode(t)
  const up = createFakeProviders()
  const down = createFakeProviders()
  up.at(urlOf('idp')).publish([OLD, NEW])
  const a = await openNode(up)
  const b = await openNode(down)
  await withDefaults(a.store)
  const signer = await createOnFirst([a, b], 'idp')
  await until(() => b.keySets.keysOf(signer).has(OLD.kid))
  assert.equal(down.at(urlOf('idp')).hits, 0, 'the node that created the signer fetches for both')
  await a.time.advance(2_000)
  up.at(urlOf('idp')).publish([NEW])
  await a.keySets.refresh(signer)
  await until(() => !b.keySets.keysOf(signer).has(OLD.kid))
  assert.ok(b.keySets.keysOf(signer).has(NEW.kid))
  const moved = await patchSigner(a.store, signer.id, { jwksEndpoint: urlOf('elsewhere') })
  assert.equal(b.keySets.keysOf(moved).size, 0)
})

test('the keys of a signer are fetched once for all nodes, and by another node when that one stops', async (t) => {
  const openNode = await makeOpenNode(t)
  const providers = createFakeProviders()
  const provider = providers.at(urlOf('idp'))
  provider.publish([OLD])
  const nodes = [
    await openNode(providers, 0.1),
    await openNode(providers, 0.5),
    await openNode(providers, 0.9),
  ] as const
  await withDefaults(nodes[0].store)
  const signer = await createOnFirst(nodes, 'idp')
  for (const { keySets } of nodes) await until(() => keySets.keysOf(signer).has(OLD.kid))
  const pass = async (ms: number, of: readonly (typeof nodes)[number][]) => {
    for (let passed = 0; passed < ms; passed += 10_000) {
      for (const { time } of of) await time.advance(10_000)
      // Fetched keys are stored in real time.
      await sleep(15)
    }
  }
  await pass(10_000, nodes)
  assert.equal(provider.hits, 1)
  await pass(1_800_000, nodes)
  assert.ok(
    provider.hits >= 3 && provider.hits <= 6,
    `${provider.hits} fetches in half an hour, refreshing every ten minutes`,
  )
  await nodes[0].keySets.stop()
  const before = provider.hits
  await pass(700_000, nodes.slice(1))
  assert.ok(provider.hits > before, 'another node continues')
})

test('D52 a signer that spends the budget of an endpoint on one node does not keep new keys from another node', async (t) => {
  const openNode = await makeOpenNode(t)
  const providers = createFakeProviders()
  const provider = providers.at(urlOf('idp'))
  provider.publish([OLD])
  const [a, b] = [await openNode(providers), await openNode(providers)]
  await withDefaults(a.store)
  const honest = await createSigner(a.store, 'honest', { jwksEndpoint: urlOf('idp') })
  const hostile = await createSigner(a.store, 'hostile', { jwksEndpoint: urlOf('idp') })
  await until(() => b.keySets.keysOf(hostile).has(OLD.kid) && b.keySets.keysOf(honest).has(OLD.kid))
  provider.publish([OLD, NEW])
  for (const { time } of [a, b]) await time.advance(1)
  for (let nth = 0; nth < 8; nth++) await a.keySets.keyFor(hostile, `invented ${nth}`)
  await until(() => b.keySets.keysOf(hostile).has(NEW.kid))
  const before = provider.hits
  assert.equal((await b.keySets.keyFor(honest, NEW.kid))?.kid, NEW.kid)
  assert.equal(provider.hits, before)
})

for (const [how, members] of [
  ['replaced', { jwksCaPem: makeTestCertificate().pem }],
  ['kept', { tags: { team: 'a' } }],
] as const) {
  test(`D55 when the CA of the endpoint is ${how}, stored keys are ${how} with it`, async (t) => {
    const openNode = await makeOpenNode(t)
    const [up, down] = [createFakeProviders(), createFakeProviders()]
    up.at(urlOf('idp')).publish([OLD])
    const a = await openNode(up)
    await withDefaults(a.store)
    const signer = await createSigner(a.store, 'idp', { jwksCaPem: makeTestCertificate().pem })
    await until(() => a.keySets.keysOf(signer).has(OLD.kid))
    await until(async () => (await storedKeys(a.store, signer.id)) !== undefined)
    await a.keySets.stop()
    const changed = await patchSigner(a.store, signer.id, members)
    const b = await openNode(down)
    await b.keySets.loaded
    assert.equal((await b.keySets.keyFor(changed, OLD.kid))?.kid, how === 'kept' ? OLD.kid : undefined)
  })
}

for (const database of DATABASES) {
  test(`on ${database} stored keys are replaced by newer ones only, and listeners are notified only when they differ`, async (t) => {
    const store = await withDefaults(await openTestStore(t, database))
    const signer = await createSigner(store, 'idp')
    let notified = 0
    store.onChange((changes) => {
      notified += changes === 'everything' ? 0 : changes.filter(({ id }) => id === signer.id).length
    })
    const write = (jwks: string, fetchedAt: number, overrides: Partial<FetchedKeySet> = {}) => {
      const keySet = {
        signerId: signer.id,
        ...keyEndpoint(urlOf('idp'), null),
        jwks,
        fetchedAt,
        thumbprints: [],
        ...overrides,
      }
      return store.run(storeKeySet, keySet, { actorId: 'system', now: 10_000 })
    }
    assert.equal(await write('one', 100), 'stored')
    assert.equal(notified, 1)
    assert.equal(await write('one', 200), 'stored')
    assert.equal(notified, 1, 'the same keys')
    assert.equal((await storedKeys(store, signer.id))?.fetched_at, 200)
    assert.equal(await write('old', 150), 'ignored')
    assert.equal(await write('other', 300, { url: urlOf('elsewhere') }), 'ignored', 'not the signer’s endpoint')
    assert.equal(await write('other', 300, { caDigest: 'another' }), 'ignored', 'not the signer’s CA')
    assert.equal(await write('other', 300, { signerId: newId() }), 'ignored', 'no such signer')
    assert.equal((await storedKeys(store, signer.id))?.jwks, 'one')
    assert.equal(await write('two', 300), 'stored')
    assert.equal(notified, 2)
    await store.run(deleteSigner, { id: signer.id }, { actorId: 'system', now: 1 })
    assert.equal(await storedKeys(store, signer.id), undefined)
    await settle()
  })
}
