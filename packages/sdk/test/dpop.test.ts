import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { calculateJwkThumbprint, decodeJwt, EmbeddedJWK, jwtVerify } from 'jose'
import { ControllerClient } from '../src/controller/controller-client.ts'
import { createDpopFetch } from '../src/dpop/dpop-fetch.ts'
import { DpopKey } from '../src/dpop/dpop-key.ts'
import { toBase64Url } from '../src/token/base64.ts'
import { startServer } from './local-server.ts'

const sha256 = (text: string) => createHash('sha256').update(text).digest('base64url')

/** A token that is bound to a key. It is not verified here. */
const tokenFor = (jkt: string) => `x.${toBase64Url(JSON.stringify({ cnf: { jkt } }))}.x`

const session = (token: string) => ({ data: { token, identity: { id: 'i', name: 'n' }, authQueries: [] } })

test('C-19 a proof of the SDK is verified by jose, and names method, URL, token and nonce', async () => {
  const jwk = await DpopKey.generate()
  const key = await DpopKey.from(jwk)
  const url = 'https://controller.example/edge/client/v1/authenticate?method=ext-jwt'
  const proof = await key.prove({ method: 'POST', url, token: 'a token', nonce: 'n', now: 1_700_000_000_000 })
  const { payload, protectedHeader } = await jwtVerify(proof, EmbeddedJWK, {
    typ: 'dpop+jwt',
    currentDate: new Date(1_700_000_000_000),
  })
  const { d, ...publicJwk } = jwk
  assert.deepEqual(protectedHeader.jwk, publicJwk, 'without the private part')
  assert.ok(d.length > 40)
  const { jti, ...claims } = payload
  assert.equal(typeof jti, 'string')
  assert.deepEqual(claims, {
    htm: 'POST',
    htu: 'https://controller.example/edge/client/v1/authenticate',
    iat: 1_700_000_000,
    ath: sha256('a token'),
    nonce: 'n',
  })
  assert.equal(key.thumbprint, await calculateJwkThumbprint(publicJwk))
  assert.equal((await DpopKey.from(jwk)).thumbprint, key.thumbprint)
  for (const other of [{ ...publicJwk }, { ...jwk, crv: 'P-384' }, {}]) {
    await assert.rejects(DpopKey.from(other), { code: 'BAD_CREDENTIALS' })
  }
})

test('C-22 a client with a key sends proofs with bound tokens and sessions, and repeats with the nonce', async (t) => {
  const { url, seen } = await startServer(t, ({ headers }) => {
    const { nonce } = decodeJwt(String(headers.dpop).split(', ')[0] ?? '')
    if (nonce === 'n1') return { json: session('the session') }
    const challenge = 'DPoP error="use_dpop_nonce", algs="ES256"'
    return { status: 401, headers: { 'www-authenticate': challenge, 'dpop-nonce': 'n1' }, json: { error: {} } }
  })
  const key = await DpopKey.from(await DpopKey.generate())
  const client = new ControllerClient({ baseUrl: url, fetch: createDpopFetch(key) })
  const token = tokenFor(key.thumbprint)
  await client.logInWithJwt(token)
  assert.deepEqual(
    seen.map(({ headers }) => [headers.authorization, decodeJwt(String(headers.dpop)).ath]),
    [
      [`DPoP ${token}`, sha256(token)],
      [`DPoP ${token}`, sha256(token)],
    ],
  )
  const [first, second] = seen.map(({ headers }) => decodeJwt(String(headers.dpop)).jti)
  assert.notEqual(first, second)
  await client.currentSession()
  assert.equal(seen.length, 3, 'with the nonce of the last response')
  assert.equal(decodeJwt(String(seen[2]?.headers.dpop)).ath, sha256('the session'))
})

test('a token that is bound to no key, or to another one, is sent as it is, and token requests have a proof', async (t) => {
  const { url, seen } = await startServer(t, ({ body }, count) => {
    if (!body.startsWith('grant_type') || count > 3) return { json: session('s') }
    return { status: 400, headers: { 'dpop-nonce': 'n2' }, json: { error: 'use_dpop_nonce' } }
  })
  const key = await DpopKey.from(await DpopKey.generate())
  const fetch = createDpopFetch(key)
  for (const token of ['opaque', tokenFor('other')]) {
    await fetch(url, { headers: { authorization: `Bearer ${token}` } })
  }
  assert.deepEqual(
    seen.map(({ headers }) => [headers.authorization?.split(' ')[0], headers.dpop]),
    [
      ['Bearer', undefined],
      ['Bearer', undefined],
    ],
  )
  const body = new URLSearchParams({ grant_type: 'client_credentials' })
  const type = { 'content-type': 'application/x-www-form-urlencoded' }
  assert.equal((await fetch(url, { method: 'POST', headers: type, body: String(body) })).status, 200)
  const proofs = seen.slice(2).map(({ headers }) => decodeJwt(String(headers.dpop)))
  assert.deepEqual(
    proofs.map(({ nonce, ath }) => [nonce, ath]),
    [
      [undefined, undefined],
      ['n2', undefined],
    ],
  )
  seen.length = 0
  await fetch(url, { method: 'POST', body })
  const json = { 'content-type': 'application/json' }
  await fetch(url, { method: 'POST', headers: json, body: JSON.stringify({ grant_type: 'client_credentials' }) })
  await fetch(url, { method: 'POST', headers: json, body: JSON.stringify({ username: 'u' }) })
  assert.deepEqual(
    seen.map(({ headers }) => headers.dpop !== undefined),
    [true, true, true, false],
    'the first one is repeated',
  )
})
