import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readJws } from '../token/read-jws.ts'
import { assertAccepted, assertRefused, KEYS, NOW, NOW_MS, signerWith, tokenWith } from '../token/verify.fixture.ts'
import { verifyToken } from '../token/verify-token.ts'
import { JKT, proofFor, proofsWith } from './possession.fixture.ts'

const CERTIFICATE = 'c'.repeat(43)
const UNBOUND = tokenWith({})
const BY_KEY = tokenWith({ cnf: { jkt: JKT } })
const BY_CERTIFICATE = tokenWith({ cnf: { 'x5t#S256': CERTIFICATE } })
const BY_BOTH = tokenWith({ cnf: { jkt: JKT, 'x5t#S256': CERTIFICATE } })

const provenFor = (token: string) => proofsWith({ proof: proofFor(token), certificate: CERTIFICATE })

test('C-26 a signer refuses tokens that are not bound as it requires', async () => {
  const accepted = { any: [BY_KEY, BY_CERTIFICATE, BY_BOTH], dpop: [BY_KEY, BY_BOTH], mtls: [BY_CERTIFICATE, BY_BOTH] }
  for (const [kind, tokens] of Object.entries(accepted)) {
    const signer = signerWith({ requirePossession: kind as 'any' | 'dpop' | 'mtls' })
    for (const token of [UNBOUND, BY_KEY, BY_CERTIFICATE, BY_BOTH]) {
      const isBound = token !== UNBOUND && token !== BY_CERTIFICATE
      const proofs = isBound ? provenFor(token) : proofsWith({ certificate: CERTIFICATE })
      if (tokens.includes(token)) await assertAccepted(token, { signer, proofs })
      else await assertRefused(token, 'possession-missing', { signer, proofs })
    }
  }
  await assertAccepted(UNBOUND)
})

test('C-17 a token that is bound to a key and a certificate needs both proofs', async () => {
  await assertAccepted(BY_BOTH, { proofs: provenFor(BY_BOTH) })
  await assertRefused(BY_BOTH, 'certificate-not-sent', { proofs: proofsWith({ proof: proofFor(BY_BOTH) }) })
  await assertRefused(BY_BOTH, 'proof-missing', { proofs: proofsWith({ certificate: CERTIFICATE }) })
})

test('C-19 a bound token needs its own proof, also when the signer requires none', async () => {
  await assertAccepted(BY_KEY, { proofs: provenFor(BY_KEY) })
  await assertRefused(BY_KEY, 'proof-missing')
  await assertRefused(BY_KEY, 'proof-token-mismatch', { proofs: proofsWith({ proof: proofFor(UNBOUND) }) })
  await assertRefused(UNBOUND, 'token-not-bound', { proofs: provenFor(UNBOUND) })
  await assertRefused(BY_CERTIFICATE, 'token-not-bound', { proofs: provenFor(BY_CERTIFICATE) })
})

test('C-19 no proof is verified for a token that another check refuses', async () => {
  const proofs = { ...provenFor(BY_KEY), proofFor: () => assert.fail('the proof was verified') }
  const forged = `${BY_KEY.slice(0, BY_KEY.lastIndexOf('.'))}.${Buffer.alloc(64, 1).toString('base64url')}`
  await assertRefused(forged, 'signature-invalid', { proofs })
  await assertRefused(BY_KEY, 'audience-mismatch', { proofs, signer: signerWith({ audience: 'other' }) })
})

async function verified(token: string, signer = signerWith({ oneUse: true })) {
  const verdict = await verifyToken(token, signer, KEYS, NOW_MS, { proofs: proofsWith({}) })
  assert.ok(verdict.accepted)
  return verdict.token
}

test('C-24 a token is the same one when signer, subject and jti are, or what is signed', async () => {
  const digestOf = async (token: string, signer?: ReturnType<typeof signerWith>) =>
    (await verified(token, signer)).tokenUse?.digest
  const first = await digestOf(tokenWith({ jti: 'one' }))
  assert.equal(first, await digestOf(tokenWith({ jti: 'one', more: 'x' })))
  assert.notEqual(first, await digestOf(tokenWith({ jti: 'two' })))
  assert.notEqual(first, await digestOf(tokenWith({ jti: 'one', sub: 'bob' })))
  assert.notEqual(first, await digestOf(tokenWith({ jti: 'one' }), signerWith({ id: 'b', oneUse: true })))
  for (const jti of [undefined, '', 7]) {
    const token = tokenWith({ jti })
    assert.equal(await digestOf(token), await digestOf(twinOf(token)), 'an ECDSA signature has a twin')
    assert.notEqual(await digestOf(token), await digestOf(tokenWith({ jti, more: 'x' })))
  }
  const { tokenUse } = await verified(tokenWith({}))
  assert.equal(tokenUse?.expiresAtMs, (NOW + 600 + 120) * 1000)
  assert.equal((await verified(tokenWith({}), signerWith({}))).tokenUse, undefined)
})

const ORDER = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n

/** The same token with the other valid signature: (r, n - s). */
function twinOf(token: string): string {
  const reading = readJws(token)
  assert.ok(reading.ok)
  const { signature, signingInput } = reading.jws
  const s = BigInt(`0x${signature.subarray(32).toString('hex')}`)
  const twin = Buffer.from((ORDER - s).toString(16).padStart(64, '0'), 'hex')
  return `${signingInput}.${Buffer.concat([signature.subarray(0, 32), twin]).toString('base64url')}`
}
