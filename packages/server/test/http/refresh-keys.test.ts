import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeTestCertificate, mintKey, mintKeyFrom } from '@countersign/testkit'
import { OutboundError } from '../../src/outbound/outbound-error.ts'
import { summarize } from './ext-jwt-signers.fixture.ts'
import { logInWithToken, SIGNERS, setUpProvider } from './provider.fixture.ts'

const kidsOf = ({ keys }: { keys: readonly { kid: string }[] }): string[] => keys.map(({ kid }) => kid)

test('D18 F-07 refresh-keys fetches the current keys, so that a withdrawn one is refused at once', async (t) => {
  const { app, provider, key, token, createSigner, createIdentity } = await setUpProvider(t)
  const id = await createSigner()
  await createIdentity()
  assert.equal((await logInWithToken(app, token())).status, 200)
  const next = mintKey('P-256', 'next')
  provider.keys = [next]
  assert.equal((await logInWithToken(app, token())).status, 200)
  for (const name of ['ext-jwt-signers', 'external-jwt-signers']) {
    const { status, json } = await app.admin('POST', `/edge/management/v1/${name}/${id}/refresh-keys`)
    assert.equal(status, 200)
    assert.deepEqual([json.data.id, kidsOf(json.data.keyStatus), json.data.keyStatus.lastError], [id, [next.kid], null])
    const detail = (await app.admin('GET', `${SIGNERS}/${id}`)).json.data.keyStatus
    assert.deepEqual(Object.keys(json.data.keyStatus), Object.keys(detail))
  }
  assert.equal((await logInWithToken(app, token({}, key))).status, 401)
  assert.equal((await logInWithToken(app, token({}, next))).status, 200)
})

test('D18 a provider failure is shown in lastError, and the old keys stay in use', async (t) => {
  const { app, provider, key, token, createSigner, createIdentity } = await setUpProvider(t)
  const id = await createSigner()
  await createIdentity()
  assert.equal((await logInWithToken(app, token())).status, 200)
  provider.failure = new OutboundError('status', 'idp.example answered 503', { status: 503 })
  const { status, json } = await app.admin('POST', `${SIGNERS}/${id}/refresh-keys`)
  assert.equal(status, 200)
  const { keyStatus } = json.data
  assert.deepEqual([keyStatus.lastError, keyStatus.stale], ['idp.example answered 503', true])
  assert.deepEqual(kidsOf(keyStatus), [key.kid])
  assert.equal((await logInWithToken(app, token())).status, 200)
  provider.failure = undefined
  const again = (await app.admin('POST', `${SIGNERS}/${id}/refresh-keys`)).json.data.keyStatus
  assert.deepEqual([again.lastError, again.stale], [null, false])
})

test('D18 refresh-keys refuses a disabled signer, does nothing for a certificate, and is 404 for an unknown id', async (t) => {
  const { app, createSigner } = await setUpProvider(t)
  const disabled = await createSigner({ enabled: false })
  const refresh = (id: string) => app.admin('POST', `${SIGNERS}/${id}/refresh-keys`)
  assert.match((await refresh(disabled)).json.data.keyStatus.lastError, /disabled/)
  await app.admin('PATCH', `${SIGNERS}/${disabled}`, { enabled: true })
  assert.equal((await refresh(disabled)).json.data.keyStatus.lastError, null)
  const certPem = makeTestCertificate({ kind: 'ec256', commonName: 'static' }).pem
  const fixed = await createSigner({ name: 'static', audience: 'static', jwksEndpoint: null, certPem })
  const { source, keys, lastError } = (await refresh(fixed)).json.data.keyStatus
  assert.deepEqual([source, keys.length, lastError], ['certificate', 1, null])
  assert.equal(summarize(await refresh('no-such-id')), '404 NOT_FOUND')
})

test('W-80 every node refuses a key whose certificate has expired, and accepts it when that is renewed', async (t) => {
  const { app, provider, token, createSigner, createIdentity } = await setUpProvider(t)
  const key = mintKeyFrom(mintKey('P-256', 'certified').privateKey, 'P-256', 'certified')
  const publish = (year: number): void => {
    const { der } = makeTestCertificate({ keyPair: key, notAfter: new Date(`${year}-01-01T00:00:00Z`) })
    provider.keys = [{ kid: key.kid, x5c: [der.toString('base64')] } as never]
  }
  const statuses = async () => {
    const replies = []
    for (const _ of [...app.stores, ...app.stores]) replies.push(await logInWithToken(app, token({}, key)))
    return new Set(replies.map(({ status }) => status))
  }
  publish(2021)
  const id = await createSigner()
  await createIdentity()
  assert.deepEqual(await statuses(), new Set([401]))
  publish(2090)
  assert.equal((await app.admin('POST', `${SIGNERS}/${id}/refresh-keys`)).status, 200)
  assert.deepEqual(await statuses(), new Set([200]))
})
