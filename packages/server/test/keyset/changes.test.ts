import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { buildVerifySigner, verifyToken } from '@countersign/core'
import { makeTestCertificate, mintKey, mintKeyFrom, mintToken } from '@countersign/testkit'
import { deleteSigner } from '../../src/operations/signer/delete-signer.ts'
import { createFakeTime, START, settle, until } from './fake-time.ts'
import {
  closeFileStore,
  createSigner,
  getSigner,
  patchSigner,
  setUpKeySets,
  setUpSigner,
  startKeySets,
  storedKeys,
  untilStored,
  urlOf,
  useFileStore,
} from './key-sets.fixture.ts'

after(closeFileStore)

const OLD = mintKey('P-256', 'old')
const NEW = mintKey('P-256', 'new')
const DAY = 86_400_000

test('keys are fetched when a signer is created, enabled or loaded, before their first use', async (t) => {
  const { keySets, store, providers, time } = await setUpKeySets(t)
  const provider = providers.at(urlOf('idp'))
  provider.publish([OLD])
  const signer = await createSigner(store, 'idp', { enabled: false })
  await settle()
  assert.equal(provider.hits, 0)
  const enabled = await patchSigner(store, signer.id, { enabled: true })
  await until(() => keySets.keysOf(enabled).has(OLD.kid))
  assert.equal(provider.hits, 1)
  providers.at(urlOf('second')).publish([OLD])
  await createSigner(store, 'second')
  await until(() => providers.at(urlOf('second')).hits === 1)
  await untilStored(store, signer.id, time.clock.now())
  const other = startKeySets({ store, time, fetchJwks: providers.fetchJwks })
  t.after(() => other.keySets.stop())
  await until(() => other.keySets.keysOf(enabled).has(OLD.kid))
  await settle()
  assert.equal(provider.hits, 1, 'recently stored keys need no fetch')
  await time.advance(600_000)
  // Both instances are due at the same moment; either may be first.
  await until(() => provider.hits >= 2)
})

test('D13 a disabled signer is no longer fetched for, and enabled again it is', async (t) => {
  const { keySets, store, time, provider, signer } = await setUpSigner(t, [OLD])
  await untilStored(store, signer.id, time.clock.now())
  const disabled = await patchSigner(store, signer.id, { enabled: false })
  assert.equal(keySets.keysOf(disabled).size, 0)
  assert.equal(await keySets.keyFor(disabled, OLD.kid), undefined)
  assert.deepEqual(keySets.keyStatus(disabled).keys, [])
  await settle()
  await time.advance(3_600_000)
  assert.equal(provider.hits, 1)
  const enabled = await patchSigner(store, signer.id, { enabled: true })
  assert.equal((await keySets.keyFor(enabled, OLD.kid))?.kid, OLD.kid)
})

test('D13 a changed endpoint discards the earlier keys at once, also the stored ones', async (t) => {
  const { keySets, store, providers, time, signer } = await setUpSigner(t, [OLD])
  await untilStored(store, signer.id, time.clock.now())
  const moved = await patchSigner(store, signer.id, { jwksEndpoint: urlOf('elsewhere') })
  assert.equal(keySets.keysOf(moved).size, 0)
  assert.equal(await keySets.keyFor(moved, OLD.kid), undefined)
  providers.at(urlOf('elsewhere')).publish([NEW])
  await keySets.refresh(moved)
  assert.deepEqual([...keySets.keysOf(moved).keys()], [NEW.kid])
  assert.equal(keySets.keysOf(signer).size, 0, 'nothing for a caller with the old revision')
  assert.deepEqual([...keySets.keysOf(moved).keys()], [NEW.kid], 'an old revision does not undo the change')
  await until(async () => (await storedKeys(store, signer.id))?.url === urlOf('elsewhere'))
})

test('D13 the response of an endpoint that the signer no longer has is discarded', async (t) => {
  const { keySets, store, providers } = await setUpKeySets(t)
  providers.at(urlOf('idp')).publish([OLD])
  const release = providers.at(urlOf('idp')).hold()
  const signer = await createSigner(store, 'idp')
  await until(() => providers.running === 1)
  providers.at(urlOf('elsewhere')).publish([NEW])
  const moved = await patchSigner(store, signer.id, { jwksEndpoint: urlOf('elsewhere') })
  assert.equal((await keySets.keyFor(moved, NEW.kid))?.kid, NEW.kid)
  assert.equal(providers.requests[0]?.signal?.aborted, true)
  release()
  await settle()
  assert.deepEqual([...keySets.keysOf(moved).keys()], [NEW.kid])
})

test('any other change keeps the keys and fetches nothing', async (t) => {
  const { keySets, store, providers, signer } = await setUpSigner(t, [OLD])
  const renamed = await patchSigner(store, signer.id, { name: 'another' })
  assert.ok(keySets.keysOf(renamed).has(OLD.kid))
  await settle()
  assert.ok(keySets.keysOf(renamed).has(OLD.kid))
  assert.equal(providers.at(urlOf('idp')).hits, 1)
})

test('a deleted signer is no longer fetched for, even if its keys are still requested', async (t) => {
  const { keySets, store, time, provider, signer } = await setUpSigner(t, [OLD])
  await untilStored(store, signer.id, time.clock.now())
  await store.run(deleteSigner, { id: signer.id }, { actorId: 'system', now: 1 })
  assert.equal(await storedKeys(store, signer.id), undefined)
  await keySets.keyFor(signer, 'late')
  await settle()
  const { hits } = provider
  await time.advance(3_600_000)
  assert.equal(provider.hits, hits)
  assert.equal(await storedKeys(store, signer.id), undefined)
})

test('the CA of a signer is used for its fetches, and a changed one causes a new fetch', async (t) => {
  const { keySets, store, providers } = await setUpKeySets(t)
  providers.at(urlOf('idp')).publish([OLD])
  const signer = { ...(await createSigner(store, 'idp')), jwksCaPem: 'the first CA', revision: 2 }
  await keySets.keyFor(signer, OLD.kid)
  assert.equal(providers.requests.at(-1)?.caPem, 'the first CA')
  const changed = { ...signer, jwksCaPem: 'the second CA', revision: 3 }
  await keySets.keyFor(changed, OLD.kid)
  await until(() => providers.requests.at(-1)?.caPem === 'the second CA')
})

test('D11 H-02 the key of a certificate verifies only within its validity period', async (t) => {
  const { keySets, store, providers } = await setUpKeySets(t)
  const certificate = makeTestCertificate({
    notBefore: new Date(START - DAY),
    notAfter: new Date(START + DAY),
  })
  const signer = await createSigner(store, 'static', { certPem: certificate.pem, kid: 'my-key' })
  const key = (await keySets.keyFor(signer, 'my-key')) ?? assert.fail()
  assert.ok(key.keyObject.equals(certificate.publicKey))
  assert.equal(await keySets.keyFor(signer, 'another'), undefined)
  assert.deepEqual([...keySets.keysOf(signer).keys()], ['my-key'])
  await keySets.refresh(signer)
  assert.deepEqual(providers.requests, [])

  const mint = mintKeyFrom(certificate.privateKey, 'P-256', 'my-key')
  const verifier = buildVerifySigner({ id: signer.id, revision: 1, issuer: signer.issuer, audience: 'edge' })
  const verdictAt = async (at: number) => {
    const claims = { iss: signer.issuer, aud: 'edge', sub: 'alice', iat: at / 1000 - 1, exp: at / 1000 + 60 }
    return (await verifyToken(mintToken({ key: mint, claims }), verifier, keySets.keysOf(signer), at)).accepted
  }
  assert.equal(await verdictAt(START - DAY - 1000), false)
  assert.equal(await verdictAt(START - DAY), true)
  assert.equal(await verdictAt(START + DAY), true)
  assert.equal(await verdictAt(START + DAY + 1000), false)
  const status = keySets.keyStatus(signer)
  assert.equal(status.source, 'certificate')
  assert.deepEqual(status.keys, [{ kid: 'my-key', alg: 'ES256', thumbprint: key.thumbprint }])
})

test('D11 a replaced certificate takes effect at once, and a signer can change from keys to a certificate', async (t) => {
  const { keySets, store, providers, time } = await setUpKeySets(t)
  const first = makeTestCertificate()
  const second = makeTestCertificate()
  const signer = await createSigner(store, 'static', { certPem: first.pem, kid: 'k' })
  assert.ok(keySets.keysOf(signer).get('k')?.keyObject.equals(first.publicKey))
  const changed = await patchSigner(store, signer.id, { certPem: second.pem })
  assert.ok(keySets.keysOf(changed).get('k')?.keyObject.equals(second.publicKey))

  providers.at(urlOf('idp')).publish([OLD])
  const fetching = await createSigner(store, 'idp')
  await keySets.keyFor(fetching, OLD.kid)
  await untilStored(store, fetching.id, time.clock.now())
  const certificate = makeTestCertificate()
  const turned = await patchSigner(store, fetching.id, { jwksEndpoint: '', certPem: certificate.pem, kid: 'c' })
  assert.deepEqual([...keySets.keysOf(turned).keys()], ['c'])
  await settle()
  await time.advance(3_600_000)
  assert.equal(providers.at(urlOf('idp')).hits, 1)
})

test('D11 H-02 the expiry of a certificate is reported 30 days, 7 days and a day ahead, and when it has passed', async (t) => {
  const { store, time, warnings } = await setUpKeySets(t)
  const { pem } = makeTestCertificate({ notBefore: new Date(START), notAfter: new Date(START + 31 * DAY) })
  const signer = await createSigner(store, 'static', { certPem: pem, kid: 'k' })
  await settle()
  const warningsAfter = async (days: number) => {
    await time.advance(days * DAY)
    return warnings.filter(({ kind, signerId }) => kind === 'certificate-ends' && signerId === signer.id).length
  }
  assert.equal(await warningsAfter(0.9), 0)
  assert.equal(await warningsAfter(0.2), 1)
  assert.equal(await warningsAfter(22.5), 1)
  assert.equal(await warningsAfter(0.5), 2)
  assert.equal(await warningsAfter(6), 3)
  assert.equal(await warningsAfter(1), 4)
  await patchSigner(store, signer.id, { name: 'renamed' })
  assert.equal(await warningsAfter(5), 4)
})

test('D18 the status has the kids with algorithm and thumbprint, the last success and the next refresh', async (t) => {
  const { keySets, store, providers, time } = await setUpKeySets(t)
  const rsa = mintKey('RSA')
  providers.at(urlOf('idp')).publish([rsa, { ...OLD.jwk, alg: 'ES256' }])
  const signer = await createSigner(store, 'idp')
  const key = await keySets.keyFor(signer, rsa.kid)
  const status = keySets.keyStatus(signer)
  assert.deepEqual(status, {
    source: 'jwks',
    keys: [
      { kid: rsa.kid, alg: 'RS256', thumbprint: key?.thumbprint },
      { kid: OLD.kid, alg: 'ES256', thumbprint: keySets.keysOf(signer).get(OLD.kid)?.thumbprint },
    ],
    lastSuccessAt: new Date(START).toISOString(),
    lastError: null,
    nextRefreshAt: new Date(START + 528_000).toISOString(),
    stale: false,
    warnings: [],
  })
  await time.advance(28_000)
  assert.equal(keySets.keyStatus(signer).nextRefreshAt, status.nextRefreshAt)
})

test('after a stop nothing is under way, planned or stored', async (t) => {
  const store = await useFileStore(t)
  const time = createFakeTime()
  const setup = await setUpKeySets(t, { store, time })
  setup.providers.at(urlOf('idp')).publish([OLD])
  setup.providers.at(urlOf('held')).publish([OLD])
  const release = setup.providers.at(urlOf('held')).hold()
  const signer = await createSigner(store, 'idp')
  const held = await createSigner(store, 'held')
  await setup.keySets.keyFor(signer, OLD.kid)
  await until(() => setup.providers.running === 1)
  await setup.keySets.stop()
  assert.ok(setup.providers.requests.every(({ signal }) => signal?.aborted))
  assert.ok(await storedKeys(store, signer.id))
  release()
  await settle()
  assert.equal(time.pending, 0)
  // Writes are ordered: a pending write would be stored before this one.
  await createSigner(store, 'later')
  assert.equal(await storedKeys(store, held.id), undefined)
  await settle()
  assert.equal(setup.providers.at(urlOf('later')).hits, 0)
  assert.equal((await getSigner(store, signer.id)).id, signer.id)
})
