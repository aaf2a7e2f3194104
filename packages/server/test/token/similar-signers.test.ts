import assert from 'node:assert/strict'
import { test } from 'node:test'
import { buildVerifySigner, checkInPlace, readJws, SignerIndex } from '@countersign/core'
import { mintKey, mintToken } from '@countersign/testkit'
import { pino } from 'pino'
import type { DirectorySigner } from '../../src/token/signer-directory.ts'
import { SimilarSigners } from '../../src/token/similar-signers.ts'
import { storedSigner } from './stored-signer.fixture.ts'

const COUNT = 15_000

const stored = (index: number) =>
  storedSigner(`signer-${index}`, {
    name: `signer ${index}`,
    enabled: true,
    issuer: `https://idp-${index}.example`,
    audience: 'overlay',
    jwksEndpoint: 'https://idp.example/jwks',
  })

const jwsOf = (iss: string) => {
  const reading = readJws(mintToken({ key: mintKey('P-256'), claims: { iss, aud: 'overlay', sub: 'alice' } }))
  assert.ok(reading.ok)
  return reading.jws
}

test('D17 a flood of tokens that name no signer is compared with a bounded number of signers each second', async () => {
  const signers = Array.from({ length: COUNT }, (_, index) => stored(index))
  const index = new SignerIndex<DirectorySigner>()
  for (const signer of signers) {
    const { id, issuer, audience, additionalAudiences } = signer
    const verify = buildVerifySigner(signer)
    index.put({ id, issuer, audience, additionalAudiences, stored: signer, verify, signals: undefined })
  }
  let lists = 0
  let now = 1_700_000_000_000
  const similarSigners = new SimilarSigners({
    store: {} as never,
    directory: {
      enabled: async () => index,
      all: async () => {
        lists++
        return signers
      },
    },
    keys: { keysOf: () => new Map(), keyFor: async () => undefined, unusedKeysOf: () => new Map() } as never,
    clock: { now: () => now },
    log: pino({ level: 'silent' }),
    checkSignature: checkInPlace,
  })
  const similar = jwsOf('https://idp-7.example/')
  const idsOf = async (isLimited: boolean) =>
    (await similarSigners.verify(similar, { isLimited, wasUsed: async () => false }))?.map(({ signer }) => signer.id)
  assert.deepEqual(await idsOf(true), ['signer-7'])
  assert.equal(await idsOf(true), undefined)
  assert.deepEqual(await idsOf(false), ['signer-7'], 'an administrator always gets a result')
  now += 1000
  assert.deepEqual(await idsOf(true), ['signer-7'])
  const before = lists
  const named = await similarSigners.verify(jwsOf('https://idp-7.example'), {
    isLimited: true,
    wasUsed: async () => false,
  })
  assert.equal(named?.[0]?.signer.id, 'signer-7')
  assert.equal(lists, before, 'a token that names a signer needs no list')
})
