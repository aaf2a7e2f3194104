import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JsonObject } from '../json/json-value.ts'
import { CLIENT_KEY, JKT, NONCE, OTHER_KEY, proofFor, proofsWith } from '../possession/possession.fixture.ts'
import { readProof } from '../possession/read-proof.ts'
import { refuseProof } from '../possession/verify-proof.ts'
import { assertHints, explain, signerOf, tokenOf } from './explain.fixture.ts'
import type { HintKind } from './hint.ts'

const CLAIMS = { iss: 'https://idp.example/a', aud: 'api://countersign' }
const BOUND = tokenOf({ ...CLAIMS, cnf: { jkt: JKT } })

test('C-19 explains each check of a DPoP proof as its own step, with a hint', async () => {
  const cases: readonly (readonly [HintKind, RegExp, Parameters<typeof proofFor>[1], JsonObject?])[] = [
    ['proof-key-mismatch', /another key/, { key: OTHER_KEY }],
    ['proof-method-mismatch', /"GET" \(htm\), and the request had "POST"/, { method: 'GET' }],
    ['proof-url-mismatch', /behind a proxy.*trustedProxies/, { url: 'https://10.0.0.1/edge/client/v1/authenticate' }],
    ['proof-token-mismatch', /SHA-256/, { token: 'other' }],
    ['proof-time-mismatch', /set the clock/, { now: 1 }],
    ['proof-nonce-missing', /has no nonce: repeat/, { nonce: undefined }],
    ['proof-nonce-missing', /not one of the last minutes: repeat/, { nonce: 'old' }],
    ['proof-malformed', /"jti" must be/, { claims: { jti: 7 } }],
  ]
  for (const [kind, text, parts] of cases) {
    const verifying = { proofs: proofsWith({ proof: proofFor(BOUND, parts) }) }
    assert.match(await assertHints(BOUND, [kind], { verifying }), text)
  }
  await assertHints(BOUND, ['proof-missing'])
  const forged = proofFor(BOUND).split('.').slice(0, 2).join('.')
  const unsigned = { proofs: proofsWith({ proof: `${forged}.${Buffer.alloc(64, 1).toString('base64url')}` }) }
  await assertHints(BOUND, ['proof-signature-invalid'], { verifying: unsigned })
  const verifying = { proofs: proofsWith({ proof: proofFor(BOUND) }) }
  await assertHints(BOUND, [], { verifying })
  const { signers } = await explain(BOUND, { verifying })
  assert.deepEqual(
    signers[0]?.checks.filter(({ check }) => check.startsWith('proof') || check === 'possession').map((c) => c.check),
    [
      ...['possession', 'proof', 'proofKey', 'proofMethod', 'proofUrl', 'proofToken', 'proofTime', 'proofNonce'],
      'proofSignature',
    ],
  )
})

test('C-21 C-24 explains a proof and a token that were used before', async () => {
  const proofs = proofsWith({ proof: proofFor(BOUND) })
  const proof = proofs.proofFor('')
  const used = async (state: 'used-here' | 'used-before', tokenSha256: string) => {
    const verdict = await proofs.proofFor(tokenSha256)
    if (verdict.use) verdict.use.state = state
    return verdict
  }
  assert.ok(await proof)
  const replayed = { proofs: { ...proofs, proofFor: (sha: string) => used('used-before', sha) } }
  await assertHints(BOUND, ['proof-replayed'], { verifying: replayed })
  const own = { proofs: { ...proofs, proofFor: (sha: string) => used('used-here', sha) } }
  await assertHints(BOUND, [], { verifying: own })
  const signers = [signerOf({ oneUse: true })]
  const token = tokenOf(CLAIMS)
  await assertHints(token, ['token-used'], { signers, verifying: { wasUsed: async () => true } })
  await assertHints(token, [], { signers, verifying: { wasUsed: async () => false } })
  await assertHints(token, [], { verifying: { wasUsed: async () => true } })
})

test('C-18 C-26 explains what a token is bound to', async () => {
  const certificate = 'a'.repeat(43)
  const token = tokenOf({ ...CLAIMS, cnf: { 'x5t#S256': certificate } })
  await assertHints(token, ['certificate-not-sent'])
  const other = { proofs: proofsWith({ certificate: 'b'.repeat(43) }) }
  await assertHints(token, ['certificate-not-bound'], { verifying: other })
  const verifying = { proofs: proofsWith({ certificate }) }
  await assertHints(token, [], { verifying })
  await assertHints(token, ['possession-missing'], { verifying, signers: [signerOf({ requirePossession: 'dpop' })] })
  await assertHints(token, [], { verifying, signers: [signerOf({ requirePossession: 'mtls' })] })
  await assertHints(tokenOf(CLAIMS), ['token-not-bound'], { verifying: { proofs: proofsWith({ isDpop: true }) } })
})

test('the fixture makes proofs that can be read', () => {
  const reading = readProof(proofFor(BOUND))
  assert.ok(reading.ok && reading.proof.nonce === NONCE)
  assert.equal(CLIENT_KEY.kind, 'P-256')
  assert.equal(refuseProof('proof-missing', null).use, undefined)
})
