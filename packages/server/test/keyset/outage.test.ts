import assert from 'node:assert/strict'
import { after, type TestContext, test } from 'node:test'
import { mintKey } from '@countersign/testkit'
import { deleteSigner } from '../../src/operations/signer/delete-signer.ts'
import { storeKeySet } from '../../src/operations/signer/store-key-set.ts'
import type { Change, ChangeListener } from '../../src/store/change.ts'
import { findDirectConnection } from '../../src/store/direct-connection.ts'
import { keyEndpoint, type StoredKeySet } from '../../src/store/key-signer.ts'
import type { Store } from '../../src/store/store.ts'
import { failReads } from '../store/mock-reads.ts'
import { createFakeProviders } from './fake-providers.ts'
import { createFakeTime, settle, until } from './fake-time.ts'
import {
  closeFileStore,
  createSigner,
  setUpKeySets,
  setUpSigner,
  startKeySets,
  storedKeys,
  untilStored,
  urlOf,
  useFileStore,
} from './key-sets.fixture.ts'

after(closeFileStore)

const KEY = mintKey('P-256', 'old')
const MINUTE = 60_000
const DAY = 1440 * MINUTE

const at = (name: string) => keyEndpoint(urlOf(name), null)

/** Stores keys as another node does. */
const storeKeys = (store: Store, signerId: string, keySet: StoredKeySet) =>
  store.run(storeKeySet, { signerId, thumbprints: [], ...keySet }, { actorId: 'system', now: keySet.fetchedAt })

test('F-07 with the provider down the last good keys are used for 24 h, with a warning after 5 minutes', async (t) => {
  const { keySets, store, time, warnings, provider, signer } = await setUpSigner(t, [KEY])
  const fetchedAt = time.clock.now()
  await untilStored(store, signer.id, fetchedAt)
  assert.equal(keySets.keyStatus(signer).stale, false)

  provider.fail()
  await assert.rejects(keySets.refresh(signer))
  const { stale, lastError, lastSuccessAt, keys } = keySets.keyStatus(signer)
  assert.equal(stale, true)
  assert.match(lastError ?? '', /HTTP 503/)
  assert.equal(lastSuccessAt, new Date(fetchedAt).toISOString())
  assert.deepEqual(
    keys.map(({ kid }) => kid),
    [KEY.kid],
  )
  assert.equal(keySets.countStale(), 1)

  await time.advance(5 * MINUTE - 1)
  assert.deepEqual(warnings, [])
  await time.advance(1)
  assert.deepEqual(
    warnings.map(({ kind, signerId }) => [kind, signerId]),
    [['provider-down', signer.id]],
  )
  await time.advance(DAY - 5 * MINUTE)
  assert.equal((await keySets.keyFor(signer, KEY.kid))?.kid, KEY.kid)
  await time.advance(1)
  assert.equal(await keySets.keyFor(signer, KEY.kid), undefined)
  assert.match(keySets.keyStatus(signer).warnings.join(), /too old/)
  assert.equal(warnings.length, 1, 'reported once')

  provider.publish([KEY])
  await time.advance(2 * MINUTE)
  assert.equal((await keySets.keyFor(signer, KEY.kid))?.kid, KEY.kid)
  assert.equal(keySets.keyStatus(signer).stale, false)
  assert.equal(keySets.keyStatus(signer).lastError, null)
  assert.equal(keySets.countStale(), 0)
})

test('a provider that recovers within 5 minutes causes no warning', async (t) => {
  const { keySets, time, warnings, provider, signer } = await setUpSigner(t, [KEY])
  provider.fail()
  await assert.rejects(keySets.refresh(signer))
  await time.advance(3 * MINUTE)
  provider.publish([KEY])
  await time.advance(60 * MINUTE)
  assert.deepEqual(warnings, [])
  assert.ok(keySets.keysOf(signer).has(KEY.kid))
})

test('G-16 G-18 a failed fetch keeps the keys, and only a successful one replaces them', async (t) => {
  const { keySets, store, providers, time } = await setUpKeySets(t)
  const provider = providers.at(urlOf('idp'))
  provider.publish([KEY])
  const signer = await createSigner(store, 'idp')
  const key = await keySets.keyFor(signer, KEY.kid)
  provider.fail()
  await time.advance(30 * MINUTE)
  assert.ok(provider.hits > 10)
  assert.equal(keySets.keysOf(signer).get(KEY.kid), key)
  provider.publish([mintKey('P-256', 'new')])
  await time.advance(2 * MINUTE)
  assert.deepEqual([...keySets.keysOf(signer).keys()], ['P-256-new'])
})

test('F-07 the last good keys survive a restart, and their age counts from the fetch', async (t) => {
  const store = await useFileStore(t)
  const first = createFakeTime()
  const up = createFakeProviders()
  up.at(urlOf('idp')).publish([KEY, mintKey('RSA', 'other')])
  const before = startKeySets({ store, time: first, fetchJwks: up.fetchJwks })
  const signer = await createSigner(store, 'idp')
  const key = await before.keySets.keyFor(signer, KEY.kid)
  await untilStored(store, signer.id, first.clock.now())
  await before.keySets.stop()

  const time = createFakeTime({ start: first.clock.now() + DAY - MINUTE })
  const down = createFakeProviders()
  const { keySets } = startKeySets({ store, time, fetchJwks: down.fetchJwks })
  t.after(() => keySets.stop())
  await keySets.loaded
  assert.equal(keySets.keysOf(signer).get(KEY.kid)?.thumbprint, key?.thumbprint)
  assert.deepEqual([...keySets.keysOf(signer).keys()], [KEY.kid, 'RSA-other'])
  await until(() => down.at(urlOf('idp')).hits === 1)
  await time.advance(MINUTE)
  assert.ok(keySets.keysOf(signer).has(KEY.kid))
  await time.advance(1)
  assert.equal(keySets.keysOf(signer).has(KEY.kid), false)
})

test('a key published once for each of two algorithms is the same after a restart', async (t) => {
  const store = await useFileStore(t)
  const time = createFakeTime()
  const up = createFakeProviders()
  const { jwk } = mintKey('RSA')
  const any = mintKey('RSA', 'any')
  up.at(urlOf('idp')).publish([{ ...jwk, alg: 'RS256' }, { ...jwk, alg: 'PS256' }, { ...KEY.jwk, alg: 'ES256' }, any])
  const before = startKeySets({ store, time, fetchJwks: up.fetchJwks })
  const signer = await createSigner(store, 'idp')
  await before.keySets.keyFor(signer, KEY.kid)
  const summary = (keySets: typeof before.keySets) =>
    [...keySets.keysOf(signer).values()].map(({ kid, alg, algs }) => [kid, alg, algs.toSorted()]).sort()
  const fetched = summary(before.keySets)
  await untilStored(store, signer.id, time.clock.now())
  await before.keySets.stop()
  const { keySets } = startKeySets({ store, time, fetchJwks: createFakeProviders().fetchJwks })
  t.after(() => keySets.stop())
  await keySets.loaded
  assert.equal(fetched.length, 3)
  assert.deepEqual(summary(keySets), fetched)
})

test('keys that another node has confirmed stay in use here, without a notification', async (t) => {
  const { keySets, store, time, provider, signer } = await setUpSigner(t, [KEY])
  await untilStored(store, signer.id, time.clock.now())
  provider.fail()
  await time.advance(DAY - MINUTE)
  const { jwks = '' } = (await storedKeys(store, signer.id)) ?? {}
  await storeKeys(store, signer.id, { ...at('idp'), jwks, fetchedAt: time.clock.now() })
  await time.advance(DAY)
  assert.ok(keySets.keysOf(signer).has(KEY.kid))
  await time.advance(1)
  assert.equal(keySets.keysOf(signer).has(KEY.kid), false)
})

test('D13 F-05 a signer whose change cannot be read is not used until it can, and others are', async (t) => {
  const store = await useFileStore(t)
  const listeners: ChangeListener[] = []
  const followed: Store = { ...store, onChange: (listener) => void listeners.push(listener) }
  const publish: ChangeListener = (changes) => {
    for (const listener of listeners) listener(changes)
  }
  const { keySets, time, providers } = await setUpKeySets(t, { store: followed })
  const [idp, other] = [await createSigner(store, 'idp'), await createSigner(store, 'other')]
  for (const { id, name } of [idp, other]) {
    providers.at(urlOf(name)).fail()
    await storeKeys(store, id, { ...at(name), jwks: JSON.stringify({ keys: [KEY.jwk] }), fetchedAt: time.clock.now() })
  }
  publish('everything')
  await keySets.reading(idp)
  assert.ok(keySets.keysOf(idp).has(KEY.kid))

  const withdraw = (name: string, id: string) =>
    storeKeys(store, id, { ...at(name), jwks: '{"keys":[]}', fetchedAt: time.clock.now() + 1 })
  const unavailable = { name: 'AppError', code: 'STORE_UNAVAILABLE' }
  await withdraw('idp', idp.id)
  let allowReads = failReads(store, new Error('the connection is lost'))
  publish([{ entity: 'externalJwtSigners', id: idp.id, action: 'updated' }])
  await assert.rejects(async () => keySets.reading(idp), unavailable)
  await settle()
  await assert.rejects(async () => keySets.reading(idp), unavailable, 'also when nothing is being read')
  await keySets.reading(other)
  allowReads()
  await keySets.reading(idp)
  assert.equal(keySets.keysOf(idp).has(KEY.kid), false)

  assert.ok(keySets.keysOf(other).has(KEY.kid))
  await withdraw('other', other.id)
  allowReads = failReads(store, new Error('the connection is lost'))
  publish('everything')
  await settle()
  for (const signer of [idp, other]) await assert.rejects(async () => keySets.reading(signer), unavailable)
  allowReads()
  await keySets.reading(other)
  assert.equal(keySets.keysOf(other).has(KEY.kid), false)
  await time.advance(5_000)
  for (const signer of [idp, other]) assert.equal(keySets.reading(signer), undefined)
})

/** Ends reads with what the database had when they began, once they are released. */
function holdReads(t: TestContext, { db }: Store) {
  const executor = db.getExecutor()
  const execute = executor.executeQuery.bind(executor)
  const direct = findDirectConnection(db)
  assert.ok(direct)
  const rowsOf = direct.rowsOf.bind(direct)
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  let held = 0
  const hold = async <Rows>(rows: Rows): Promise<Rows> => {
    held++
    await released
    return rows
  }
  t.mock.method(executor, 'executeQuery', async (...query: Parameters<typeof execute>) => hold(await execute(...query)))
  // Like the connection of PostgreSQL.
  t.mock.method(direct, 'rowsOf', async (...query: Parameters<typeof rowsOf>) => hold(await rowsOf(...query)))
  return { release, untilHeld: () => until(() => held > 0) }
}

const updated = (id: string): Change => ({ entity: 'externalJwtSigners', id, action: 'updated' })
const CHANGES_BEFORE: Readonly<Record<string, (ids: readonly string[]) => Parameters<ChangeListener>[0]>> = {
  'the page with it': () => 'everything',
  it: (ids) => ids.map(updated),
}

for (const [what, changesOf] of Object.entries(CHANGES_BEFORE)) {
  test(`D13 F-05 a signer that is deleted while ${what} is read does not come back, and others are read`, async (t) => {
    const store = await useFileStore(t)
    const listeners: ChangeListener[] = []
    const followed: Store = { ...store, onChange: (listener) => void listeners.push(listener) }
    const publish: ChangeListener = (changes) => {
      for (const listener of listeners) listener(changes)
    }
    const { keySets, providers } = await setUpKeySets(t, { store: followed })
    await keySets.loaded
    const [gone, other] = [await createSigner(store, 'gone'), await createSigner(store, 'other')]
    for (const name of ['gone', 'other']) providers.at(urlOf(name)).publish([KEY])

    const reads = holdReads(t, store)
    publish(changesOf([gone.id, other.id]))
    await reads.untilHeld()
    await store.run(deleteSigner, { id: gone.id }, { actorId: 'system', now: 2 })
    publish([{ entity: 'externalJwtSigners', id: gone.id, action: 'deleted' }])
    reads.release()
    for (const signer of [gone, other]) await keySets.reading(signer)
    assert.deepEqual(
      [...keySets.providerFacts()].map(([id]) => id),
      [other.id],
    )
  })
}

test('S-15 unreadable stored keys are logged and fetched again; other signers are not affected', async (t) => {
  const store = await useFileStore(t)
  const time = createFakeTime()
  const providers = createFakeProviders()
  const broken = await createSigner(store, 'broken')
  const fine = await createSigner(store, 'fine')
  const fetchedAt = time.clock.now() - MINUTE
  await storeKeys(store, broken.id, { ...at('broken'), jwks: '{"keys":', fetchedAt })
  await storeKeys(store, fine.id, { ...at('fine'), jwks: JSON.stringify({ keys: [KEY.jwk] }), fetchedAt })
  providers.at(urlOf('broken')).publish([KEY])
  const { keySets, logged } = startKeySets({ store, time, fetchJwks: providers.fetchJwks })
  t.after(() => keySets.stop())
  await keySets.loaded
  assert.ok(keySets.keysOf(fine).has(KEY.kid))
  assert.ok(logged.some((line) => line.includes('stored keys') && line.includes(broken.id)))
  assert.equal((await keySets.keyFor(broken, KEY.kid))?.kid, KEY.kid)
})

test('S-08 keys stored while the clock was ahead neither live longer nor block newer ones', async (t) => {
  const store = await useFileStore(t)
  const time = createFakeTime()
  const providers = createFakeProviders()
  const signer = await createSigner(store, 'idp')
  const ahead = time.clock.now() + 3 * DAY
  const jwks = JSON.stringify({ keys: [KEY.jwk] })
  await storeKeys(store, signer.id, { ...at('idp'), jwks, fetchedAt: ahead })
  const { keySets } = startKeySets({ store, time, fetchJwks: providers.fetchJwks })
  t.after(() => keySets.stop())
  await keySets.loaded
  assert.ok(keySets.keysOf(signer).has(KEY.kid))
  providers.at(urlOf('idp')).publish([mintKey('P-256', 'new')])
  await settle()
  await keySets.refresh(signer)
  assert.deepEqual([...keySets.keysOf(signer).keys()], ['P-256-new'])
  await until(async () => (await storedKeys(store, signer.id))?.fetched_at === time.clock.now())
})

test('a store that fails costs only the persistence of the keys', async (t) => {
  const inner = await useFileStore(t)
  const time = createFakeTime()
  const providers = createFakeProviders()
  providers.at(urlOf('idp')).publish([KEY])
  const signer = await createSigner(inner, 'idp')
  let isDown = true
  const store = {
    ...inner,
    onChange: inner.onChange,
    get db() {
      if (isDown) throw new Error('the database is down')
      return inner.db
    },
    run: () => Promise.reject(new Error('the database is down')),
  } as typeof inner
  const { keySets, logged } = startKeySets({ store, time, fetchJwks: providers.fetchJwks })
  t.after(() => keySets.stop())
  assert.equal((await keySets.keyFor(signer, KEY.kid))?.kid, KEY.kid)
  assert.ok(logged.some((line) => line.includes('could not be stored')))
  isDown = false
  await createSigner(inner, 'second')
  await time.advance(5_000)
  await until(() => providers.at(urlOf('second')).hits > 0)
})
