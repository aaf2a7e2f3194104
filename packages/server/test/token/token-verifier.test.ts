import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  buildVerifySigner,
  checkInPlace,
  readKeySet,
  SignerIndex,
  type SignerKeys,
  VerifiedTokenCache,
} from '@countersign/core'
import { type MintKey, mintKey, mintKeyFrom, mintKeySet, mintToken } from '@countersign/testkit'
import { UNLIMITED } from '../../src/limits/attempt-limiter.ts'
import { SignerLimiter } from '../../src/limits/signer-limiter.ts'
import { NO_PROOFS } from '../../src/token/request-proofs.ts'
import type { DirectorySigner } from '../../src/token/signer-directory.ts'
import { TokenVerifier } from '../../src/token/token-verifier.ts'

const REQUEST = { method: 'POST', address: '127.0.0.1', proofs: NO_PROOFS }

const ISSUER = 'https://idp.example'
const NOW_MS = 1_800_000_000_000
const keysOf = (key: MintKey): SignerKeys => readKeySet(Buffer.from(JSON.stringify(mintKeySet(key)))).keys
const audiencesOf = (count: number) => Array.from({ length: count }, (_, index) => `api://${index}`)

/** Verifies a token that names `count` signers. `keyOf` is the key of each signer; all have the same kid. */
async function verify(count: number, keyOf: (index: number) => MintKey) {
  const index = new SignerIndex<DirectorySigner>()
  const keys = new Map<string, SignerKeys>()
  for (const [number, audience] of audiencesOf(count).entries()) {
    const id = `signer-${number}`
    const settings = { id, issuer: ISSUER, audience, additionalAudiences: [] }
    const verify = buildVerifySigner({ ...settings, claimsProperty: 'sub', requiredClaims: {}, revision: 1 })
    index.put({ ...settings, stored: { id } as never, verify, signals: undefined })
    // Read anew for each signer, as the key sets of several signers are.
    keys.set(id, keysOf(keyOf(number)))
  }
  let checked = 0
  const verifier = new TokenVerifier({
    directory: { enabled: () => index } as never,
    keys: { reading: () => undefined, keysOf: ({ id }: { id: string }) => keys.get(id) } as never,
    cache: new VerifiedTokenCache(),
    clock: { now: () => NOW_MS },
    limit: new SignerLimiter(UNLIMITED),
    metrics: { tokenVerified: () => {}, tokenFromCache: () => {} },
    checkSignature: (check) => {
      checked++
      return checkInPlace(check)
    },
    isOwnKey: async () => false,
  })
  const claims = { iss: ISSUER, aud: audiencesOf(count), sub: 'alice', exp: NOW_MS / 1000 + 60 }
  const reasons: string[] = []
  const token = mintToken({ key: keyOf(0), claims })
  for await (const { verdict } of verifier.verify(token, REQUEST)) reasons.push(verdict.reason)
  return { checked, reasons }
}

test('R-20 the signature of a token is checked once for a key that several of its signers have', async () => {
  const shared = mintKey('P-521', 'k')
  const { checked, reasons } = await verify(10, () => shared)
  assert.deepEqual([checked, reasons], [1, Array(10).fill('accepted')])
  const other = mintKeyFrom(mintKey('P-521', 'other').privateKey, 'P-521', shared.kid)
  const ofTwo = await verify(4, (index) => (index % 2 === 0 ? shared : other))
  const expected = ['accepted', 'signature-invalid', 'accepted', 'signature-invalid']
  assert.deepEqual([ofTwo.checked, ofTwo.reasons], [2, expected])
})

test('R-20 a token that names more than ten signers is refused without a signature check, and one that names ten is not', async () => {
  const key = mintKey('P-256')
  assert.deepEqual((await verify(10, () => key)).reasons, Array(10).fill('accepted'))
  assert.deepEqual(await verify(11, () => key), { checked: 0, reasons: ['too-many-signers'] })
})
