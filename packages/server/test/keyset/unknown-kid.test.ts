import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { makeTestCertificate, mintKey, mintKeyFrom } from '@countersign/testkit'
import { settle, until } from './fake-time.ts'
import { closeFileStore, createSigner, setUpKeySets, setUpSigner, urlOf } from './key-sets.fixture.ts'

after(closeFileStore)

const OLD = mintKey('P-256', 'old')
const NEW = mintKey('P-256', 'new')

test('W-43 F-06 S-10 the first verifications of a new signer share one fetch, and known kids cause none', async (t) => {
  const { keySets, store, providers } = await setUpKeySets(t)
  const provider = providers.at(urlOf('idp'))
  provider.publish([OLD])
  const signer = await createSigner(store, 'idp')
  const found = await Promise.all(Array.from({ length: 200 }, () => keySets.keyFor(signer, OLD.kid)))
  assert.equal(found.filter((key) => key?.kid === OLD.kid).length, 200)
  assert.equal(provider.hits, 1)
  assert.equal((await keySets.keyFor(signer, OLD.kid))?.kid, OLD.kid)
  assert.deepEqual([...keySets.keysOf(signer).keys()], [OLD.kid])
  assert.equal(provider.hits, 1)
})

test('F-04 W-43 a new key works on its first use, with one fetch', async (t) => {
  const { keySets, provider, signer } = await setUpSigner(t, [OLD])
  provider.publish([OLD, NEW])
  const clients = await Promise.all(Array.from({ length: 1000 }, () => keySets.keyFor(signer, NEW.kid)))
  assert.ok(clients.every((key) => key?.kid === NEW.kid))
  assert.equal(provider.hits, 2)
})

test('D52 F-01 F-03 ten thousand unknown kids cause four fetches, then one in 10 s, and known kids stay available', async (t) => {
  const { keySets, time, provider, signer } = await setUpSigner(t, [OLD])
  const before = provider.hits
  const flood = async () => {
    for (let round = 0; round < 10; round++) {
      const lookups = Array.from({ length: 1000 }, (_, index) => keySets.keyFor(signer, `invented ${round} ${index}`))
      assert.ok((await Promise.all(lookups)).every((key) => key === undefined))
    }
  }
  await flood()
  assert.equal(provider.hits, before + 4)
  assert.equal((await keySets.keyFor(signer, OLD.kid))?.kid, OLD.kid)
  await time.advance(9_999)
  await flood()
  assert.equal(provider.hits, before + 4)
  await time.advance(1)
  await flood()
  assert.equal(provider.hits, before + 5)
})

test('D52 an unknown kid causes one fetch in 10 s, unless the key set changes', async (t) => {
  const { keySets, time, provider, signer } = await setUpSigner(t, [OLD])
  const before = provider.hits
  const look = async (kid: string) => {
    await keySets.keyFor(signer, kid)
    return provider.hits - before
  }
  assert.equal(await look('absent'), 1)
  assert.equal(await look('absent'), 1)
  provider.publish([OLD, NEW])
  assert.equal(await look(NEW.kid), 2)
  assert.equal(await look('absent'), 3)
  await time.advance(9_999)
  assert.equal(await look('absent'), 3)
  await time.advance(1)
  assert.equal(await look('absent'), 4)
})

test('D52 nodes share the budget of a key endpoint', async (t) => {
  const { keySets, store, time, providers, provider, signer } = await setUpSigner(t, [OLD])
  const other = await setUpKeySets(t, { store, time, fetchJwks: providers.fetchJwks })
  await other.keySets.loaded
  const before = provider.hits
  const flood = async () => {
    for (let round = 0; round < 20; round++) {
      const node = round % 2 === 0 ? keySets : other.keySets
      await node.keyFor(signer, `invented ${time.clock.now()} ${round}`)
    }
    return provider.hits - before
  }
  assert.equal(await flood(), 4)
  await time.advance(10_000)
  assert.equal(await flood(), 5)
})

test('the fetch limit is per key endpoint: a flood at one does not block the new key of another', async (t) => {
  const { keySets, store, providers } = await setUpKeySets(t)
  const providerA = providers.at(urlOf('a'))
  const providerB = providers.at(urlOf('b'))
  providerA.publish([OLD])
  providerB.publish([OLD])
  const a = await createSigner(store, 'a')
  const b = await createSigner(store, 'b')
  await Promise.all([keySets.keyFor(a, OLD.kid), keySets.keyFor(b, OLD.kid)])
  for (let index = 0; index < 10; index++) await keySets.keyFor(a, `invented ${index}`)
  assert.equal(providerB.hits, 1)
  providerA.publish([OLD, NEW])
  providerB.publish([OLD, NEW])
  assert.equal(await keySets.keyFor(a, NEW.kid), undefined)
  assert.equal((await keySets.keyFor(b, NEW.kid))?.kid, NEW.kid)
})

test('D9 two signers that share a kid never see each other’s key', async (t) => {
  const { keySets, store, providers } = await setUpKeySets(t)
  const other = mintKeyFrom(NEW.privateKey, 'P-256', OLD.kid)
  providers.at(urlOf('a')).publish([OLD])
  providers.at(urlOf('b')).publish([other])
  const a = await createSigner(store, 'a')
  const b = await createSigner(store, 'b')
  const [ofA, ofB] = await Promise.all([keySets.keyFor(a, OLD.kid), keySets.keyFor(b, OLD.kid)])
  assert.ok(ofA?.keyObject.equals(OLD.publicKey))
  assert.ok(ofB?.keyObject.equals(NEW.publicKey))
})

test('F-12 kids are compared exactly, whatever they contain', async (t) => {
  const { keySets, store, providers } = await setUpKeySets(t, { jwks: { unknownKidSeconds: 1 } })
  const kids = [
    "a'b",
    'a"b',
    '../../etc/passwd',
    "x'; drop table identities; --",
    'a\u0000b',
    '😀',
    'k'.repeat(4096),
    ' a',
    'A',
    'a\r\nb',
  ]
  const absent = ['__proto__', 'constructor', 'toString', 'a', 'a ', '', 'k'.repeat(4097), '..%2f..%2fetc%2fpasswd']
  providers.at(urlOf('idp')).publish(kids.map((kid) => mintKeyFrom(OLD.privateKey, 'P-256', kid)))
  const signer = await createSigner(store, 'idp')
  for (const kid of kids) assert.equal((await keySets.keyFor(signer, kid))?.kid, kid)
  for (const kid of absent) assert.equal(await keySets.keyFor(signer, kid), undefined, kid)
  const prototype = mintKeyFrom(OLD.privateKey, 'P-256', '__proto__')
  providers.at(urlOf('idp')).publish([prototype])
  await keySets.refresh(signer)
  assert.equal((await keySets.keyFor(signer, '__proto__'))?.kid, '__proto__')
})

test('F-14 a hanging provider delays neither known kids nor other signers', async (t) => {
  const { keySets, store, providers, time } = await setUpKeySets(t)
  providers.at(urlOf('slow')).publish([OLD])
  providers.at(urlOf('fine')).publish([OLD])
  const slow = await createSigner(store, 'slow')
  const fine = await createSigner(store, 'fine')
  await Promise.all([keySets.keyFor(slow, OLD.kid), keySets.keyFor(fine, OLD.kid)])
  const release = providers.at(urlOf('slow')).hold()
  let isResolved = false
  const waiting = keySets.keyFor(slow, NEW.kid).finally(() => {
    isResolved = true
  })
  await until(() => providers.running === 1)
  for (let request = 0; request < 1000; request++) {
    assert.equal((await keySets.keyFor(slow, OLD.kid))?.kid, OLD.kid)
    assert.equal((await keySets.keyFor(fine, OLD.kid))?.kid, OLD.kid)
  }
  providers.at(urlOf('fine')).publish([OLD, NEW])
  assert.equal((await keySets.keyFor(fine, NEW.kid))?.kid, NEW.kid)
  assert.equal(isResolved, false)
  await time.advance(6_000)
  assert.equal(await waiting, undefined)
  release()
})

test('fetches under way are bounded over all signers, and a healthy signer does not wait for hanging ones', async (t) => {
  const { keySets, store, providers } = await setUpKeySets(t)
  const releases: (() => void)[] = []
  for (let index = 0; index < 30; index++) {
    providers.at(urlOf(`dead${index}`)).publish([OLD])
    releases.push(providers.at(urlOf(`dead${index}`)).hold())
    await createSigner(store, `dead${index}`)
  }
  await until(() => providers.running === 8)
  providers.at(urlOf('fine')).publish([OLD])
  const fine = await createSigner(store, 'fine')
  await settle()
  assert.equal(providers.at(urlOf('fine')).hits, 0)
  assert.equal((await keySets.keyFor(fine, OLD.kid))?.kid, OLD.kid)
  assert.equal(providers.mostRunning, 9)
  for (const release of releases) release()
  await until(() => providers.requests.length === 31 && providers.running === 0)
  assert.equal(providers.mostRunning, 9)
})

test('F-08 with the provider down and no keys known, it is asked once and then not for 5 s', async (t) => {
  const { keySets, store, providers, time } = await setUpKeySets(t)
  const provider = providers.at(urlOf('idp'))
  const signer = await createSigner(store, 'idp')
  for (let call = 0; call < 20; call++) assert.equal(await keySets.keyFor(signer, OLD.kid), undefined)
  assert.equal(provider.hits, 1)
  provider.publish([OLD])
  await time.advance(4_999)
  assert.equal(await keySets.keyFor(signer, OLD.kid), undefined)
  assert.equal(provider.hits, 1)
  await time.advance(1)
  assert.equal((await keySets.keyFor(signer, OLD.kid))?.kid, OLD.kid)
  assert.equal(provider.hits, 2)
})

test('D52 what is fetched from an endpoint for one signer serves all signers with that endpoint', async (t) => {
  const { keySets, store, time, provider, signer } = await setUpSigner(t, [OLD])
  const others = []
  for (let nth = 0; nth < 8; nth++) {
    const other = await createSigner(store, `other ${nth}`, { jwksEndpoint: signer.jwksEndpoint })
    await keySets.keyFor(other, OLD.kid)
    others.push(other)
  }
  const elsewhere = await createSigner(store, 'elsewhere')
  provider.publish([OLD, NEW])
  await time.advance(1)
  const before = provider.hits
  for (const each of [signer, ...others]) assert.equal((await keySets.keyFor(each, NEW.kid))?.kid, NEW.kid, each.name)
  assert.equal(provider.hits, before + 1)
  assert.equal(keySets.keysOf(elsewhere).size, 0, 'another endpoint')
})

test('D52 a signer that spends the budget of an endpoint does not keep new keys from another', async (t) => {
  const { keySets, store, time, provider, signer } = await setUpSigner(t, [OLD])
  const hostile = await createSigner(store, 'hostile', { jwksEndpoint: signer.jwksEndpoint })
  const spend = async () => {
    for (let nth = 0; nth < 8; nth++) await keySets.keyFor(hostile, `invented ${nth}`)
  }
  await spend()
  provider.publish([OLD, NEW])
  await time.advance(10_000)
  await spend()
  assert.equal((await keySets.keyFor(signer, NEW.kid))?.kid, NEW.kid)
})

test('D52 what was fetched with one CA does not serve a signer with another, nor does it spend its budget', async (t) => {
  const { keySets, store, time, provider, signer } = await setUpSigner(t, [OLD])
  const create = (name: string, members = {}) =>
    createSigner(store, name, { jwksEndpoint: signer.jwksEndpoint, ...members })
  const [twin, other] = [await create('twin'), await create('other', { jwksCaPem: makeTestCertificate().pem })]
  for (const each of [twin, other]) await keySets.keyFor(each, OLD.kid)
  provider.publish([OLD, NEW])
  await time.advance(1)
  for (let nth = 0; nth < 8; nth++) await keySets.keyFor(signer, `invented ${nth}`)
  const before = provider.hits
  assert.equal((await keySets.keyFor(twin, NEW.kid))?.kid, NEW.kid)
  assert.equal(provider.hits, before)
  assert.equal((await keySets.keyFor(other, NEW.kid))?.kid, NEW.kid)
  assert.equal(provider.hits, before + 1)
})
