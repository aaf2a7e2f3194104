import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { mintKey } from '@countersign/testkit'
import { OutboundError, type OutboundReason } from '../../src/outbound/outbound-error.ts'
import { createFakeProviders } from './fake-providers.ts'
import { closeFileStore, setUpKeySets, setUpSigner, startKeySets, untilStored } from './key-sets.fixture.ts'

after(closeFileStore)

const KEY = mintKey('P-256', 'stored')

test('D58 stored keys of an endpoint that the settings refuse are not used, also when another node stores newer ones', async (t) => {
  const { store, time, signer } = await setUpSigner(t, [KEY])
  await untilStored(store, signer.id, time.clock.now())
  const down = createFakeProviders().fetchJwks
  const allowed = await setUpKeySets(t, { store, time, fetchJwks: down })
  assert.equal((await allowed.keySets.keyFor(signer, KEY.kid))?.kid, KEY.kid)

  const refused = await setUpKeySets(t, { store, time, fetchJwks: down, jwks: { deniedHosts: ['idp.test'] } })
  await refused.keySets.loaded
  assert.equal(await refused.keySets.keyFor(signer, KEY.kid), undefined)
  assert.deepEqual(refused.keySets.keyStatus(signer).keys, [])
})

test('D58 keys are dropped when the addresses of their endpoint are refused, until a fetch is allowed', async (t) => {
  const { store, time, signer } = await setUpSigner(t, [KEY])
  await untilStored(store, signer.id, time.clock.now())
  const providers = createFakeProviders()
  let reason: OutboundReason | undefined = 'timeout'
  const { keySets } = startKeySets({
    store,
    time,
    fetchJwks: async (request) => {
      if (reason) throw new OutboundError(reason, 'not fetched')
      return providers.fetchJwks(request)
    },
  })
  t.after(() => keySets.stop())
  const isUsed = async () => (await keySets.keyFor(signer, KEY.kid)) !== undefined
  const refresh = () => assert.rejects(keySets.refresh(signer))
  assert.equal(await isUsed(), true)
  await refresh()
  assert.equal(await isUsed(), true, 'a provider that is down keeps its keys')

  reason = 'address-refused'
  await time.advance(60_000)
  assert.equal(await isUsed(), false)
  reason = 'timeout'
  await time.advance(600_000)
  assert.equal(await isUsed(), false, 'a later failure does not bring them back')
  reason = undefined
  providers.at(signer.jwksEndpoint ?? '').publish([KEY])
  await time.advance(600_000)
  assert.equal(await isUsed(), true)
})
