import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readSignerCertificate, thumbprintOf } from '@countersign/core'
import { type MintKey, makeTestCertificate, mintKey, mintKeyFrom, mintKeySet } from '@countersign/testkit'
import { certBody, jwksBody, OLD_SIGNERS, summarize } from './ext-jwt-signers.fixture.ts'
import { OWN_IDENTITY } from './identities.fixture.ts'
import { logInWithToken, SIGNERS, setUpProvider } from './provider.fixture.ts'

const NOT_FETCHED = { jwksEndpoint: null }
const ONE = mintKey('P-256', 'one')
const TWO = mintKey('Ed25519', 'two')

/** A certificate, and its key as tokens name it: by the fingerprint. */
function certified(name: string, notAfter?: Date): { readonly pem: string; readonly key: MintKey } {
  const { privateKey } = mintKey('P-256', name)
  const { pem } = makeTestCertificate({
    keyPair: mintKey('P-256', name),
    commonName: name,
    ...(notAfter && { notAfter }),
  })
  return { pem, key: mintKeyFrom(privateKey, 'P-256', readSignerCertificate(pem).fingerprintSha1) }
}

async function setUp(...args: Parameters<typeof setUpProvider>) {
  const setup = await setUpProvider(...args)
  const { app, token } = setup
  await setup.createIdentity()
  const logIn = (key: MintKey) => logInWithToken(app, token({}, key))
  /** The statuses of a login at every node. */
  const statuses = async (key: MintKey) => {
    const replies: number[] = []
    for (const _ of app.stores) replies.push((await logIn(key)).status)
    return [...new Set(replies)]
  }
  const sessionOf = async (key: MintKey) => (await logIn(key)).json.data.token as string
  const statusOf = async (session: string) => (await app.call('GET', OWN_IDENTITY, undefined, { session })).status
  const patch = async (id: string, body: object) => {
    const reply = await app.admin('PATCH', `${SIGNERS}/${id}`, body)
    assert.equal(reply.status, 200, reply.text)
  }
  const detail = async (id: string) => (await app.admin('GET', `${SIGNERS}/${id}`)).json.data
  return { ...setup, logIn, statuses, sessionOf, statusOf, patch, detail }
}

test('D62 exactly one source of keys is accepted, by every way to save a signer', async (t) => {
  const { app } = await setUp(t)
  const sources: Record<string, unknown> = {
    jwksEndpoint: 'https://idp.example/keys',
    certPem: makeTestCertificate().pem,
    jwks: mintKeySet(ONE),
    certPems: [makeTestCertificate().pem, makeTestCertificate().pem],
    pushedKeys: { maxAgeSeconds: 300 },
  }
  const names = Object.keys(sources)
  const { jwksEndpoint: _, ...without } = jwksBody()
  assert.equal(summarize(await app.admin('POST', SIGNERS, without)), '400 INVALID_FIELD')
  for (const [index, first] of names.entries()) {
    const body = { ...jwksBody(NOT_FETCHED), [first]: sources[first] }
    const created = await app.admin('POST', SIGNERS, body)
    assert.equal(created.status, 201, `${first}: ${created.text}`)
    const path = `${SIGNERS}/${created.json.data.id}`
    for (const second of names.slice(index + 1)) {
      const both = { ...jwksBody(NOT_FETCHED), [first]: sources[first], [second]: sources[second] }
      assert.equal(summarize(await app.admin('POST', SIGNERS, both)), '400 INVALID_FIELD', `${first} ${second}`)
      const patched = await app.admin('PATCH', path, { [second]: sources[second] })
      assert.equal(summarize(patched), '400 INVALID_FIELD', `${first} ${second}`)
    }
    // A client that does not know the new members sends the whole signer back.
    const { name, enabled, issuer, audience, jwksEndpoint, certPem } = (await app.admin('GET', path)).json.data
    const old = { name, enabled, issuer, audience, jwksEndpoint, certPem }
    assert.equal(summarize(await app.admin('PUT', path, old)), '200', first)
    const after = (await app.admin('GET', path)).json.data
    assert.deepEqual(
      names.filter((source) => after[source] !== null),
      [first],
    )
    await app.admin('DELETE', path)
  }
})

test('D62 S1-2.1 a static key set verifies tokens at every node, under both names of the collection', async (t) => {
  const { app, createSigner, statuses, patch, detail, explain, token } = await setUp(t)
  const id = await createSigner({ ...NOT_FETCHED, jwks: mintKeySet(ONE, TWO) })
  assert.deepEqual([await statuses(ONE), await statuses(TWO)], [[200], [200]])
  assert.deepEqual(await statuses(mintKey('P-256', 'other')), [401])
  const { keyStatus, jwks } = await detail(id)
  assert.deepEqual(jwks, mintKeySet(ONE, TWO))
  assert.equal(keyStatus.source, 'static')
  assert.deepEqual(
    keyStatus.keys.map(({ kid, thumbprint }: { kid: string; thumbprint: string }) => [kid, thumbprint]),
    [ONE, TWO].map(({ kid, publicKey }) => [kid, thumbprintOf(publicKey)]),
  )
  assert.equal((await app.admin('GET', `${OLD_SIGNERS}/${id}`)).json.data.jwks.keys.length, 2)
  await patch(id, { jwks: mintKeySet(TWO) })
  assert.deepEqual([await statuses(ONE), await statuses(TWO)], [[401], [200]])
  const explained = await explain(token({}, ONE))
  assert.equal(explained.signers[0].reason, 'kid-unknown')
  assert.equal((await app.admin('POST', `${SIGNERS}/${id}/refresh-keys`)).json.data.keyStatus.lastError, null)
})

test('D62 G-21 G-24 a static key set is judged like a fetched one, and a secret in it is refused', async (t) => {
  const { app, detail } = await setUp(t)
  const weak = mintKeySet({ kid: 'weak', kty: 'RSA', n: Buffer.alloc(128, 0xff).toString('base64url'), e: 'AQAB' })
  const secret = ONE.privateKey.export({ format: 'jwk' })
  const refused: Readonly<Record<string, unknown>> = {
    'a private key': mintKeySet({ ...secret, kid: 'private' }, TWO),
    'a symmetric key': mintKeySet({ kty: 'oct', kid: 'oct', k: 'c2VjcmV0' }, TWO),
    'only a weak key': weak,
    'only a key without kid': { keys: [{ ...ONE.jwk, kid: undefined }] },
    'only an encryption key': mintKeySet({ ...ONE.jwk, use: 'enc' }),
    'two keys with one kid': mintKeySet(ONE, { ...TWO.jwk, kid: ONE.kid }),
    'no key': { keys: [] },
    'seventeen keys': { keys: Array.from({ length: 17 }, (_, index) => ({ ...ONE.jwk, kid: `k${index}` })) },
  }
  for (const [what, jwks] of Object.entries(refused)) {
    const reply = await app.admin('POST', SIGNERS, jwksBody({ ...NOT_FETCHED, jwks }))
    assert.equal(reply.status, 400, what)
    assert.ok(!reply.text.includes(String(secret.d)) && !reply.text.includes('c2VjcmV0'), what)
  }
  assert.ok(!app.logged.join('').includes(String(secret.d)))
  const keys = Array.from({ length: 15 }, (_, index) => ({ ...ONE.jwk, kid: `k${index}` }))
  const accepted = await app.admin(
    'POST',
    SIGNERS,
    jwksBody({ ...NOT_FETCHED, jwks: { keys: [...keys, ...weak.keys] } }),
  )
  assert.equal(accepted.status, 201, accepted.text)
  const { keyStatus } = await detail(accepted.json.data.id)
  assert.equal(keyStatus.keys.length, 15)
  assert.ok(keyStatus.warnings.some((warning: string) => warning.includes('weak')))
})

test('D62 H-01 several certificates overlap during a rotation, each under its fingerprint', async (t) => {
  const { app, createSigner, statuses, patch, detail } = await setUp(t)
  const [old, next, expired] = [certified('old'), certified('next'), certified('gone', new Date('2021-01-01'))]
  const id = await createSigner({ ...NOT_FETCHED, certPems: [old.pem] })
  assert.deepEqual([await statuses(old.key), await statuses(next.key)], [[200], [401]])
  await patch(id, { certPems: [old.pem, next.pem, expired.pem] })
  assert.deepEqual([await statuses(old.key), await statuses(next.key)], [[200], [200]])
  assert.deepEqual(await statuses(expired.key), [401])
  const { keyStatus, certPems, fingerprint } = await detail(id)
  assert.deepEqual([keyStatus.source, certPems.length, fingerprint], ['certificate', 3, null])
  assert.deepEqual(
    keyStatus.keys.map(({ kid }: { kid: string }) => kid),
    [old, next, expired].map(({ key }) => key.kid),
  )
  assert.ok(keyStatus.warnings.some((warning: string) => warning.includes(`${expired.key.kid} expired`)))
  await patch(id, { certPems: [next.pem] })
  assert.deepEqual([await statuses(old.key), await statuses(next.key)], [[401], [200]])
  const other = await app.admin('POST', SIGNERS, certBody({ certPem: next.pem }))
  assert.equal(summarize(other), '400 COULD_NOT_VALIDATE fingerprint', 'a certificate belongs to one signer')
  assert.equal(summarize(await app.admin('POST', SIGNERS, certBody({ certPem: old.pem }))), '201', 'it was given up')
})

test('D62 H-03 each of several certificates is checked like a single one', async (t) => {
  const { app } = await setUp(t)
  const good = makeTestCertificate().pem
  const key = mintKey('P-256', 'leaked').privateKey.export({ format: 'pem', type: 'pkcs8' }).toString()
  const save = (certPems: readonly string[]) => app.admin('POST', SIGNERS, jwksBody({ ...NOT_FETCHED, certPems }))
  for (const bad of [key, `${good}${makeTestCertificate().pem}`, 'text', `${good}${key}`]) {
    const reply = await save([makeTestCertificate().pem, bad])
    assert.equal(summarize(reply), '400 INVALID_CERT_PEM certPems')
    assert.ok(!reply.text.includes(key.slice(40, 80)))
  }
  assert.equal(summarize(await save([good, good])), '400 COULD_NOT_VALIDATE certPems')
  assert.equal((await save(Array.from({ length: 9 }, () => makeTestCertificate().pem))).status, 400)
  assert.equal((await save(Array.from({ length: 8 }, () => makeTestCertificate().pem))).status, 201)
})

test('H-11 I-15 a key that is taken away ends the sessions that rest on it, and no others', async (t) => {
  const { createSigner, sessionOf, statusOf, patch } = await setUp(t)
  const [old, next] = [certified('old'), certified('next')]
  const id = await createSigner({ ...NOT_FETCHED, certPems: [old.pem] })
  const first = await sessionOf(old.key)
  await patch(id, { certPems: [old.pem, next.pem] })
  const second = await sessionOf(next.key)
  assert.deepEqual([await statusOf(first), await statusOf(second)], [200, 200])
  await patch(id, { certPems: [next.pem] })
  assert.deepEqual([await statusOf(first), await statusOf(second)], [401, 200])
  await patch(id, { certPems: [old.pem, next.pem] })
  assert.equal(await statusOf(first), 401, 'a key that comes back revives nothing')
  const third = await sessionOf(old.key)
  await patch(id, { certPems: null, jwks: mintKeySet(ONE, TWO) })
  assert.equal(await statusOf(third), 401)
  const [of1, of2] = [await sessionOf(ONE), await sessionOf(TWO)]
  await patch(id, { jwks: mintKeySet(TWO) })
  assert.deepEqual([await statusOf(of1), await statusOf(of2)], [401, 200])
  await patch(id, { jwks: null, jwksEndpoint: 'https://idp.example/jwks' })
  assert.equal(await statusOf(of2), 401)
})

test('I-15 D62 a certificate that moves to certPems keeps its sessions', async (t) => {
  const { createSigner, sessionOf, statusOf, patch } = await setUp(t)
  const [old, next] = [certified('old'), certified('next')]
  const id = await createSigner({ ...NOT_FETCHED, certPem: old.pem })
  const session = await sessionOf(old.key)
  await patch(id, { certPem: '', certPems: [old.pem, next.pem] })
  assert.equal(await statusOf(session), 200)
  await patch(id, { certPem: next.pem, certPems: null })
  assert.equal(await statusOf(session), 401)
})

test('D55 D62 a holder of the permission who changes the keys takes the trust', async (t) => {
  const { app, createSigner, detail } = await setUp(t)
  const { session } = await app.makeIdentity({ permissions: ['external-jwt-signer'] })
  for (const body of [{ jwks: mintKeySet(TWO) }, { pinnedKeyThumbprints: [thumbprintOf(ONE.publicKey)] }]) {
    const id = await createSigner({ ...NOT_FETCHED, name: JSON.stringify(body).slice(0, 20), jwks: mintKeySet(ONE) })
    assert.equal((await detail(id)).trust.state, 'trusted')
    const reply = await app.call('PATCH', `${SIGNERS}/${id}`, body, { session })
    assert.equal(reply.status, 200, reply.text)
    assert.equal((await detail(id)).trust.state, 'untrusted')
    await app.admin('DELETE', `${SIGNERS}/${id}`)
  }
})
