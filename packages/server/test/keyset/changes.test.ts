import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { buildVerifySigner, verifyToken } from '@countersign/core'
import { makeTestCertificate, mintKey, mintKeyFrom, mintToken } from '@countersign/testkit'
import { deleteSigner } from '../../src/operations/signer/delete-signer.ts'
import { createFakeTime, START, settle, until } from './fake-time.ts'
import {
  borrowStore,
  closeFileStore,
  createSigner,
  getSigner,
  patchSigner,
  startKeeper,
  startSigner,
  startWorld,
  storedKeys,
  untilStored,
  urlOf,
} from './keeper.fixture.ts'

after(closeFileStore)

const OLD = mintKey('P-256', 'old')
const NEW = mintKey('P-256', 'new')
const DAY = 86_400_000

test('keys are fetched when a signer is created, enabled or loaded, before anybody asks', async (t) => {
  const { keeper, store, providers, time } = await startWorld(t)
  const provider = providers.at(urlOf('idp'))
  provider.publish([OLD])
  const signer = await createSigner(store, 'idp', { enabled: false })
  await settle()
  assert.equal(provider.hits, 0)
  const enabled = await patchSigner(store, signer.id, { enabled: true })
  await until(() => keeper.keysOf(enabled).has(OLD.kid))
  assert.equal(provider.hits, 1)
  providers.at(urlOf('second')).publish([OLD])
  await createSigner(store, 'second')
  await until(() => providers.at(urlOf('second')).hits === 1)
  await untilStored(store, signer.id, time.clock.now())
  const other = startKeeper({ store, time, fetchJwks: providers.fetchJwks })
  t.after(() => other.keeper.stop())
  await until(() => other.keeper.keysOf(enabled).has(OLD.kid))
  await settle()
  assert.equal(provider.hits, 1, 'keys that were stored a moment ago are as good as fetched')
  await time.advance(600_000)
  // Both keepers are due at the same moment, and either may be first.
  await until(() => provider.hits >= 2)
})

test('D13 a disabled signer is no longer fetched for, and enabled again it is', async (t) => {
  const { keeper, store, time, provider, signer } = await startSigner(t, [OLD])
  await untilStored(store, signer.id, time.clock.now())
  const disabled = await patchSigner(store, signer.id, { enabled: false })
  assert.equal(keeper.keysOf(disabled).size, 0)
  assert.equal(await keeper.keyFor(disabled, OLD.kid), undefined)
  assert.deepEqual(keeper.keyStatus(disabled).keys, [])
  await settle()
  await time.advance(3_600_000)
  assert.equal(provider.hits, 1)
  const enabled = await patchSigner(store, signer.id, { enabled: true })
  assert.equal((await keeper.keyFor(enabled, OLD.kid))?.kid, OLD.kid)
})

test('D13 with another endpoint the earlier keys are gone at once, also those that were stored', async (t) => {
  const { keeper, store, providers, time, signer } = await startSigner(t, [OLD])
  await untilStored(store, signer.id, time.clock.now())
  const moved = await patchSigner(store, signer.id, { jwksEndpoint: urlOf('elsewhere') })
  assert.equal(keeper.keysOf(moved).size, 0)
  assert.equal(await keeper.keyFor(moved, OLD.kid), undefined)
  providers.at(urlOf('elsewhere')).publish([NEW])
  await keeper.refresh(moved)
  assert.deepEqual([...keeper.keysOf(moved).keys()], [NEW.kid])
  assert.equal(keeper.keysOf(signer).size, 0, 'nothing for a caller who has not heard of it')
  assert.deepEqual([...keeper.keysOf(moved).keys()], [NEW.kid], 'nor does such a caller turn anything back')
  await until(async () => (await storedKeys(store, signer.id))?.url === urlOf('elsewhere'))
})

test('D13 the answer of an endpoint that the signer has left meanwhile is thrown away', async (t) => {
  const { keeper, store, providers } = await startWorld(t)
  providers.at(urlOf('idp')).publish([OLD])
  const letGo = providers.at(urlOf('idp')).hold()
  const signer = await createSigner(store, 'idp')
  await until(() => providers.running === 1)
  providers.at(urlOf('elsewhere')).publish([NEW])
  const moved = await patchSigner(store, signer.id, { jwksEndpoint: urlOf('elsewhere') })
  assert.equal((await keeper.keyFor(moved, NEW.kid))?.kid, NEW.kid)
  assert.equal(providers.requests[0]?.signal?.aborted, true)
  letGo()
  await settle()
  assert.deepEqual([...keeper.keysOf(moved).keys()], [NEW.kid])
})

test('a change of anything else keeps the keys and fetches nothing', async (t) => {
  const { keeper, store, providers, signer } = await startSigner(t, [OLD])
  const renamed = await patchSigner(store, signer.id, { name: 'another' })
  assert.ok(keeper.keysOf(renamed).has(OLD.kid))
  await settle()
  assert.ok(keeper.keysOf(renamed).has(OLD.kid))
  assert.equal(providers.at(urlOf('idp')).hits, 1)
})

test('a deleted signer is fetched for no more, even when somebody still asks for its keys', async (t) => {
  const { keeper, store, time, provider, signer } = await startSigner(t, [OLD])
  await untilStored(store, signer.id, time.clock.now())
  await store.run(deleteSigner, { id: signer.id }, { actorId: 'system', now: 1 })
  assert.equal(await storedKeys(store, signer.id), undefined)
  await keeper.keyFor(signer, 'late')
  await settle()
  const { hits } = provider
  await time.advance(3_600_000)
  assert.equal(provider.hits, hits)
  assert.equal(await storedKeys(store, signer.id), undefined)
})

test('the CA of a signer goes along with its fetches, and another one makes it fetch again', async (t) => {
  const { keeper, store, providers } = await startWorld(t)
  providers.at(urlOf('idp')).publish([OLD])
  const signer = { ...(await createSigner(store, 'idp')), jwksCaPem: 'the first CA', revision: 2 }
  await keeper.keyFor(signer, OLD.kid)
  assert.equal(providers.requests.at(-1)?.caPem, 'the first CA')
  const changed = { ...signer, jwksCaPem: 'the second CA', revision: 3 }
  await keeper.keyFor(changed, OLD.kid)
  await until(() => providers.requests.at(-1)?.caPem === 'the second CA')
})

test('D11 H-02 the key of a certificate verifies between its dates and at no other time', async (t) => {
  const { keeper, store, providers } = await startWorld(t)
  const certificate = makeTestCertificate({
    notBefore: new Date(START - DAY),
    notAfter: new Date(START + DAY),
  })
  const signer = await createSigner(store, 'static', { certPem: certificate.pem, kid: 'my-key' })
  const key = (await keeper.keyFor(signer, 'my-key')) ?? assert.fail()
  assert.ok(key.keyObject.equals(certificate.publicKey))
  assert.equal(await keeper.keyFor(signer, 'another'), undefined)
  assert.deepEqual([...keeper.keysOf(signer).keys()], ['my-key'])
  await keeper.refresh(signer)
  assert.deepEqual(providers.requests, [])

  const mint = mintKeyFrom(certificate.privateKey, 'P-256', 'my-key')
  const verifier = buildVerifySigner({ id: signer.id, revision: 1, issuer: signer.issuer, audience: 'edge' })
  const verdictAt = async (at: number) => {
    const claims = { iss: signer.issuer, aud: 'edge', sub: 'somebody', iat: at / 1000 - 1, exp: at / 1000 + 60 }
    return (await verifyToken(mintToken({ key: mint, claims }), verifier, keeper.keysOf(signer), at)).accepted
  }
  assert.equal(await verdictAt(START - DAY - 1000), false)
  assert.equal(await verdictAt(START - DAY), true)
  assert.equal(await verdictAt(START + DAY), true)
  assert.equal(await verdictAt(START + DAY + 1000), false)
  const status = keeper.keyStatus(signer)
  assert.equal(status.source, 'certificate')
  assert.deepEqual(status.keys, [{ kid: 'my-key', alg: 'ES256', thumbprint: key.thumbprint }])
})

test('D11 a replaced certificate takes effect at once, and a signer may change from keys to a certificate', async (t) => {
  const { keeper, store, providers, time } = await startWorld(t)
  const first = makeTestCertificate()
  const second = makeTestCertificate()
  const signer = await createSigner(store, 'static', { certPem: first.pem, kid: 'k' })
  assert.ok(keeper.keysOf(signer).get('k')?.keyObject.equals(first.publicKey))
  const changed = await patchSigner(store, signer.id, { certPem: second.pem })
  assert.ok(keeper.keysOf(changed).get('k')?.keyObject.equals(second.publicKey))

  providers.at(urlOf('idp')).publish([OLD])
  const fetching = await createSigner(store, 'idp')
  await keeper.keyFor(fetching, OLD.kid)
  await untilStored(store, fetching.id, time.clock.now())
  const certificate = makeTestCertificate()
  const turned = await patchSigner(store, fetching.id, { jwksEndpoint: '', certPem: certificate.pem, kid: 'c' })
  assert.deepEqual([...keeper.keysOf(turned).keys()], ['c'])
  await settle()
  await time.advance(3_600_000)
  assert.equal(providers.at(urlOf('idp')).hits, 1)
})

test('D11 H-02 the end of a certificate is told 30 days, 7 days and a day ahead, and when it has come', async (t) => {
  const { store, time, warnings } = await startWorld(t)
  const { pem } = makeTestCertificate({ notBefore: new Date(START), notAfter: new Date(START + 31 * DAY) })
  const signer = await createSigner(store, 'static', { certPem: pem, kid: 'k' })
  await settle()
  const told = async (days: number) => {
    await time.advance(days * DAY)
    return warnings.filter(({ kind, signerId }) => kind === 'certificate-ends' && signerId === signer.id).length
  }
  assert.equal(await told(0.9), 0)
  assert.equal(await told(0.2), 1)
  assert.equal(await told(22.5), 1)
  assert.equal(await told(0.5), 2)
  assert.equal(await told(6), 3)
  assert.equal(await told(1), 4)
  await patchSigner(store, signer.id, { name: 'renamed' })
  assert.equal(await told(5), 4)
})

test('D18 the status tells the kids with algorithm and thumbprint, the last success and the next refresh', async (t) => {
  const { keeper, store, providers, time } = await startWorld(t)
  const rsa = mintKey('RSA')
  providers.at(urlOf('idp')).publish([rsa, { ...OLD.jwk, alg: 'ES256' }])
  const signer = await createSigner(store, 'idp')
  const key = await keeper.keyFor(signer, rsa.kid)
  const status = keeper.keyStatus(signer)
  assert.deepEqual(status, {
    source: 'jwks',
    keys: [
      { kid: rsa.kid, alg: 'RS256', thumbprint: key?.thumbprint },
      { kid: OLD.kid, alg: 'ES256', thumbprint: keeper.keysOf(signer).get(OLD.kid)?.thumbprint },
    ],
    lastSuccessAt: new Date(START).toISOString(),
    lastError: null,
    nextRefreshAt: new Date(START + 528_000).toISOString(),
    stale: false,
    warnings: [],
  })
  await time.advance(28_000)
  assert.equal(keeper.keyStatus(signer).nextRefreshAt, status.nextRefreshAt)
})

test('when it is stopped nothing is under way, nothing is planned, and nothing more is stored', async (t) => {
  const store = await borrowStore(t)
  const time = createFakeTime()
  const world = await startWorld(t, { store, time })
  world.providers.at(urlOf('idp')).publish([OLD])
  world.providers.at(urlOf('held')).publish([OLD])
  const letGo = world.providers.at(urlOf('held')).hold()
  const signer = await createSigner(store, 'idp')
  const held = await createSigner(store, 'held')
  await world.keeper.keyFor(signer, OLD.kid)
  await until(() => world.providers.running === 1)
  await world.keeper.stop()
  assert.ok(world.providers.requests.every(({ signal }) => signal?.aborted))
  assert.ok(await storedKeys(store, signer.id))
  letGo()
  await settle()
  assert.equal(time.pending, 0)
  // Writes are made in order: what was to be stored before this is stored after it.
  await createSigner(store, 'later')
  assert.equal(await storedKeys(store, held.id), undefined)
  await settle()
  assert.equal(world.providers.at(urlOf('later')).hits, 0)
  assert.equal((await getSigner(store, signer.id)).id, signer.id)
})
