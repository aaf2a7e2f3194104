import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { mintKey } from '@countersign/testkit'
import { refreshDelayMs, refreshTiming, retryDelayMs } from '../../src/keyset/refresh-timing.ts'
import { OutboundError } from '../../src/outbound/outbound-error.ts'
import { loadSettings } from '../../src/platform/settings/index.ts'
import { settle, until } from './fake-time.ts'
import {
  closeFileStore,
  createSigner,
  patchSigner,
  setUpKeySets,
  setUpSigner,
  storedKeys,
  untilStored,
  urlOf,
} from './key-sets.fixture.ts'

after(closeFileStore)

const OLD = mintKey('P-256', 'old')
const NEW = mintKey('P-256', 'new')
const MINUTE = 60_000

test('the default limits are the documented ones', () => {
  assert.deepEqual(refreshTiming(loadSettings({ flags: {}, env: {} }).settings.jwks), {
    minRefreshMs: MINUTE,
    maxRefreshMs: 10 * MINUTE,
    unknownKidMs: 10_000,
    maxWaitMs: 6_000,
    maxStaleMs: 24 * 60 * MINUTE,
    staleWarningMs: 5 * MINUTE,
  })
})

test('F-13 whatever a provider says, keys are refreshed after 1 to 10 minutes, with a jitter of 10 % or more', () => {
  const bounds = { minRefreshMs: MINUTE, maxRefreshMs: 10 * MINUTE }
  for (const freshForMs of [undefined, 0, 1, MINUTE, 5 * MINUTE, 10 * MINUTE, 1e15, -5]) {
    const earliest = refreshDelayMs(freshForMs, bounds, 0)
    const latest = refreshDelayMs(freshForMs, bounds, 1)
    assert.ok(earliest >= MINUTE && latest <= 10 * MINUTE, `${freshForMs}: ${earliest} to ${latest}`)
    assert.ok(latest - earliest >= 0.1 * earliest, `${freshForMs}: ${earliest} to ${latest}`)
  }
  assert.equal(refreshDelayMs(5 * MINUTE, bounds, 0), 4 * MINUTE)
  assert.equal(refreshDelayMs(undefined, bounds, 1), 9.6 * MINUTE)
})

test('F-08 failed fetches are retried after 5 s, then less and less often, but at least every 72 s', () => {
  const delays = [1, 2, 3, 4, 5, 6, 1000].map((failures) => retryDelayMs(failures, 0))
  assert.deepEqual(delays, [5_000, 10_000, 20_000, 40_000, 60_000, 60_000, 60_000])
  assert.equal(retryDelayMs(1000, 1), 72_000)
})

test('F-13 the max-age of the provider decides when its keys are fetched again', async (t) => {
  const { time, provider } = await setUpSigner(t, [OLD], { freshForMs: 2 * MINUTE })
  await time.advance(95_000)
  assert.equal(provider.hits, 1)
  await time.advance(25_000)
  assert.equal(provider.hits, 2)
})

test('F-05 a withdrawn key is refused within 10 minutes, and the remaining one is not', async (t) => {
  const { keySets, time, provider, signer } = await setUpSigner(t, [OLD, NEW], {
    freshForMs: 3_600_000,
    random: () => 1,
  })
  provider.publish([NEW], 3_600_000)
  assert.ok(keySets.keysOf(signer).has(OLD.kid))
  await time.advance(10 * MINUTE)
  assert.equal(keySets.keysOf(signer).has(OLD.kid), false)
  assert.equal(await keySets.keyFor(signer, OLD.kid), undefined)
  assert.ok(keySets.keysOf(signer).has(NEW.kid))
})

test('F-05 a withdrawn key is refused at once after an administrator has requested a refresh', async (t) => {
  const { keySets, provider, signer } = await setUpSigner(t, [OLD, NEW])
  provider.publish([NEW])
  await keySets.refresh(signer)
  assert.equal(keySets.keysOf(signer).has(OLD.kid), false)
  assert.ok(keySets.keysOf(signer).has(NEW.kid))
})

test('a refresh does not use the response of an earlier fetch, and concurrent refreshes share one fetch', async (t) => {
  const { keySets, store, providers, time } = await setUpKeySets(t)
  const provider = providers.at(urlOf('idp'))
  const release = provider.hold()
  provider.publish([OLD])
  const signer = await createSigner(store, 'idp')
  await settle()
  assert.equal(provider.hits, 1)
  const refreshes = Array.from({ length: 50 }, () => keySets.refresh(signer))
  await settle()
  assert.equal(provider.hits, 1)
  release()
  await Promise.all(refreshes)
  assert.equal(provider.hits, 2)
  const again = keySets.refresh(signer)
  await settle()
  assert.equal(provider.hits, 2, 'at most once per second')
  await time.advance(1_000)
  await again
  assert.equal(provider.hits, 3)
})

test('a refresh reports why it failed, and is refused for a disabled signer', async (t) => {
  const { keySets, store, providers, time } = await setUpKeySets(t)
  const signer = await createSigner(store, 'idp')
  const isOutboundError = (reason: string) => (error: unknown) => {
    assert.ok(error instanceof OutboundError)
    assert.equal(error.reason, reason)
    return true
  }
  await assert.rejects(keySets.refresh(signer), isOutboundError('status'))
  providers.at(urlOf('idp')).publish([OLD])
  const refreshed = keySets.refresh(signer)
  await time.advance(1_000)
  await refreshed
  const disabled = await patchSigner(store, signer.id, { enabled: false })
  await assert.rejects(keySets.refresh(disabled), isOutboundError('stopped'))
})

test('F-10 an empty set counts only when seen again after 60 s, and is reported when first seen', async (t) => {
  const { keySets, store, time, warnings, provider, signer } = await setUpSigner(t, [OLD])
  await untilStored(store, signer.id, time.clock.now())
  provider.publish([])
  await keySets.refresh(signer)
  assert.deepEqual(
    warnings.map(({ kind, signerId }) => [kind, signerId]),
    [['empty-key-set', signer.id]],
  )
  await time.advance(30_000)
  await keySets.refresh(signer)
  assert.ok(keySets.keysOf(signer).has(OLD.kid), 'seen twice, but within 60 s')
  assert.match(keySets.keyStatus(signer).warnings.join(), /without keys/)
  await time.advance(59_999)
  assert.equal(keySets.keysOf(signer).has(OLD.kid), true)
  await time.advance(15_000)
  assert.equal(keySets.keysOf(signer).has(OLD.kid), false)
  assert.equal(warnings.length, 1)
  await until(async () => (await storedKeys(store, signer.id))?.jwks === '{"keys":[]}')
})

test('F-10 an empty set between two good ones is forgotten', async (t) => {
  const { keySets, time, provider, signer } = await setUpSigner(t, [OLD])
  for (const keys of [[], [OLD], []]) {
    provider.publish(keys)
    await keySets.refresh(signer)
    assert.ok(keySets.keysOf(signer).has(OLD.kid))
    await time.advance(50_000)
  }
  assert.ok(keySets.keysOf(signer).has(OLD.kid))
})

test('F-11 one broken key among nine good ones is left out and reported; the nine are used', async (t) => {
  const { keySets, store, providers, warnings } = await setUpKeySets(t)
  const good = Array.from({ length: 9 }, (_, index) => mintKey('Ed25519', `good${index}`))
  const { x: _x, ...broken } = { ...mintKey('Ed25519', 'broken').jwk }
  providers.at(urlOf('idp')).publish([...good.slice(0, 4), broken, ...good.slice(4)])
  const signer = await createSigner(store, 'idp')
  await keySets.keyFor(signer, 'Ed25519-good8')
  assert.equal(keySets.keysOf(signer).size, 9)
  assert.deepEqual(
    warnings.map(({ kind }) => kind),
    ['keys-left-out'],
  )
  assert.match(keySets.keyStatus(signer).warnings.join(), /Ed25519-broken/)
  await keySets.refresh(signer)
  assert.equal(warnings.length, 1, 'reported once')
})

test('G-22 an encryption key is left out and reported once, and is not a warning about the signer', async (t) => {
  const { keySets, store, providers, warnings } = await setUpKeySets(t)
  providers.at(urlOf('idp')).publish([OLD, { ...NEW.jwk, use: 'enc' }])
  const signer = await createSigner(store, 'idp')
  assert.ok(await keySets.keyFor(signer, OLD.kid))
  assert.equal(keySets.keysOf(signer).has(NEW.kid), false)
  await keySets.refresh(signer)
  assert.deepEqual(
    warnings.map(({ kind }) => kind),
    ['keys-left-out'],
  )
  assert.deepEqual(keySets.keyStatus(signer).warnings, [])
})

test('G-21 a published secret is reported, not used and never stored', async (t) => {
  const { keySets, store, providers, time, warnings } = await setUpKeySets(t)
  const secret = NEW.privateKey.export({ format: 'jwk' })
  providers.at(urlOf('idp')).publish([OLD, { ...secret, kid: 'leaked' }])
  const signer = await createSigner(store, 'idp')
  assert.ok(await keySets.keyFor(signer, OLD.kid))
  assert.equal(keySets.keysOf(signer).has('leaked'), false)
  assert.ok(warnings.some(({ kind }) => kind === 'secret-published'))
  await untilStored(store, signer.id, time.clock.now())
  const stored = (await storedKeys(store, signer.id))?.jwks ?? ''
  assert.ok(stored.includes(OLD.kid))
  assert.equal(stored.includes(String(secret.d)), false)
})

test('S-08 a wall clock that jumps neither stops refreshes nor resets the limit for unknown kids', async (t) => {
  const { keySets, time, provider, signer } = await setUpSigner(t, [OLD])
  await keySets.keyFor(signer, 'unknown')
  assert.equal(provider.hits, 2)
  for (const jump of [3_600_000, -7_200_000]) {
    time.jump(jump)
    await keySets.keyFor(signer, 'unknown')
    assert.equal(provider.hits, 2, 'the limit does not depend on the wall clock')
    assert.ok(keySets.keysOf(signer).has(OLD.kid))
  }
  await time.advance(30_000)
  provider.publish([OLD, NEW])
  assert.ok(await keySets.keyFor(signer, NEW.kid))
  // A refresh is planned when the fetched keys have been stored, in real time.
  await until(async () => {
    await time.advance(MINUTE)
    return provider.hits >= 4
  })
})
