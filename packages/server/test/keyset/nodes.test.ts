import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { newId } from '@countersign/core'
import { mintKey } from '@countersign/testkit'
import { deleteSigner } from '../../src/operations/signer/delete-signer.ts'
import { storeKeySet } from '../../src/operations/signer/store-key-set.ts'
import { openPostgresStore } from '../../src/store/postgres/postgres-store.ts'
import { DATABASES, getPostgres, openTestStore, stopPostgres } from '../store/open-test-stores.ts'
import { createFakeProviders } from './fake-providers.ts'
import { createFakeTime, settle, until } from './fake-time.ts'
import { createSigner, patchSigner, startKeySets, storedKeys, urlOf, withDefaults } from './key-sets.fixture.ts'

after(stopPostgres)

const OLD = mintKey('P-256', 'old')
const NEW = mintKey('P-256', 'new')

test('F-07 F-05 a node takes the keys that another has stored, and drops withdrawn ones with it', async (t) => {
  const url = await (await getPostgres()).createDatabase()
  const openNode = async (fetchJwks: ReturnType<typeof createFakeProviders>['fetchJwks']) => {
    const store = await openPostgresStore({ url, nodeId: newId(), now: 1, onWarning: () => {} })
    const time = createFakeTime()
    const { keySets } = startKeySets({ store, time, fetchJwks })
    t.after(async () => {
      await keySets.stop()
      await store.close()
    })
    return { store, time, keySets }
  }
  const up = createFakeProviders()
  const down = createFakeProviders()
  up.at(urlOf('idp')).publish([OLD, NEW])
  const a = await openNode(up.fetchJwks)
  const b = await openNode(down.fetchJwks)
  await withDefaults(a.store)
  const signer = await createSigner(a.store, 'idp')
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
  const url = await (await getPostgres()).createDatabase()
  const providers = createFakeProviders()
  const provider = providers.at(urlOf('idp'))
  provider.publish([OLD])
  const openNode = async (random: number) => {
    const store = await openPostgresStore({ url, nodeId: newId(), now: 1, onWarning: () => {} })
    const time = createFakeTime()
    const { keySets } = startKeySets({ store, time, fetchJwks: providers.fetchJwks, random: () => random })
    t.after(async () => {
      await keySets.stop()
      await store.close()
    })
    return { store, time, keySets }
  }
  const nodes = [await openNode(0.1), await openNode(0.5), await openNode(0.9)] as const
  await withDefaults(nodes[0].store)
  const signer = await createSigner(nodes[0].store, 'idp')
  for (const { keySets } of nodes) await until(() => keySets.keysOf(signer).has(OLD.kid))
  const pass = async (ms: number, of: readonly (typeof nodes)[number][]) => {
    for (let passed = 0; passed < ms; passed += 10_000) {
      for (const { time } of of) await time.advance(10_000)
      // Fetched keys are stored in real time.
      await sleep(5)
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

for (const database of DATABASES) {
  test(`on ${database} stored keys are replaced by newer ones only, and listeners are notified only when they differ`, async (t) => {
    const store = await withDefaults(await openTestStore(t, database))
    const signer = await createSigner(store, 'idp')
    let notified = 0
    store.onChange((changes) => {
      notified += changes === 'everything' ? 0 : changes.filter(({ id }) => id === signer.id).length
    })
    const write = (jwks: string, fetchedAt: number, url = urlOf('idp'), signerId = signer.id) =>
      store.run(storeKeySet, { signerId, url, jwks, fetchedAt }, { actorId: 'system', now: 10_000 })
    assert.equal(await write('one', 100), true)
    assert.equal(notified, 1)
    assert.equal(await write('one', 200), true)
    assert.equal(notified, 1, 'the same keys')
    assert.equal((await storedKeys(store, signer.id))?.fetched_at, 200)
    assert.equal(await write('old', 150), false)
    assert.equal(await write('other', 300, urlOf('elsewhere')), false, 'not the signer’s endpoint')
    assert.equal(await write('other', 300, urlOf('idp'), newId()), false, 'no such signer')
    assert.equal((await storedKeys(store, signer.id))?.jwks, 'one')
    assert.equal(await write('two', 300), true)
    assert.equal(notified, 2)
    await store.run(deleteSigner, { id: signer.id }, { actorId: 'system', now: 1 })
    assert.equal(await storedKeys(store, signer.id), undefined)
    await settle()
  })
}
