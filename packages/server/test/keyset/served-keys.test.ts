import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { readKeySet } from '@countersign/core'
import { createTestKeyPair, type MintKey, makeTestCertificate, mintKey, mintKeySet } from '@countersign/testkit'
import { ServedKeys } from '../../src/keyset/served-keys.ts'
import { createSharedJwksFetch } from '../../src/keyset/shared-jwks-fetch.ts'
import { formatKeySet } from '../../src/keyset/stored-key-set.ts'
import type { FetchReason } from '../../src/outbound/jwks-fetch.ts'
import { loadSettings } from '../../src/platform/settings/index.ts'
import { keyEndpoint } from '../../src/store/key-signer.ts'

const DAY_MS = 86_400_000
const keySet = (...keys: MintKey[]) => readKeySet(Buffer.from(JSON.stringify(mintKeySet(...keys))))

test('F-05 keys that were requested before the current ones do not bring a withdrawn key back', () => {
  const [withdrawn, kept] = [mintKey('P-256', 'withdrawn'), mintKey('P-256', 'kept')]
  const endpoint = keyEndpoint('url', null)
  const served = new ServedKeys(endpoint, DAY_MS, () => {})
  const kids = () => [...served.keys(4_000).keys()]
  served.replace(keySet(withdrawn, kept), { at: 1_000, elapsedMs: 1_000 }, 1_000)
  served.adopt({ ...endpoint, jwks: formatKeySet(keySet(kept).keys), fetchedAt: 3_000 }, 3_000)
  assert.equal(served.replace(keySet(withdrawn, kept), { at: 2_000, elapsedMs: 2_000 }, 3_500), undefined)
  assert.deepEqual(kids(), [kept.kid])
  assert.ok(served.replace(keySet(withdrawn, kept), { at: 3_600, elapsedMs: 3_600 }, 3_700))
  assert.deepEqual(kids().toSorted(), [kept.kid, withdrawn.kid], 'what was requested later counts')
})

test('W-80 a key that was published as a certificate has its dates after it was stored, and those of a renewed one', () => {
  const endpoint = keyEndpoint('url', null)
  const keyPair = createTestKeyPair('ec256')
  const published = (year: number, members = {}) => {
    const certificate = makeTestCertificate({ keyPair, notAfter: new Date(`${year}-01-01T00:00:00Z`) })
    return readKeySet({ keys: [{ kid: 'k', x5c: [certificate.der.toString('base64')], ...members }] })
  }
  const fetching = new ServedKeys(endpoint, DAY_MS, () => {})
  const restarted = new ServedKeys(endpoint, DAY_MS, () => {})
  for (const [at, year] of [2021, 2041].entries()) {
    const stored = fetching.replace(published(year, { alg: 'ES256' }), { at, elapsedMs: at }, at) ?? assert.fail()
    restarted.adopt(stored, at)
    for (const served of [fetching, restarted]) {
      const key = served.keys(at).get('k')
      assert.deepEqual([key?.notAfter?.getUTCFullYear(), key?.algs], [year, ['ES256']])
    }
  }
  const [plain] = keySet(mintKey('P-256', 'plain')).keys.values()
  assert.equal(plain?.notAfter, undefined)
})

test('F-05 of what was fetched for other workers, nothing from before an administrator’s refresh is used', async () => {
  let count = 0
  const { jwks } = loadSettings({ flags: {}, env: {} }).settings
  const fetch = createSharedJwksFetch(async () => ({ body: Buffer.from(String(++count)), headers: {} }), jwks)
  const fetchFor = async (why: FetchReason) =>
    Number(
      (
        await fetch({
          owner: '',
          url: 'url',
          caPem: undefined,
          authorization: undefined,
          accept: '',
          mediaTypes: [],
          why,
        })
      ).body.toString(),
    )
  assert.equal(await fetchFor('unknown-kid'), 1)
  assert.equal(await fetchFor('refresh'), 1, 'shared within a second')
  await sleep(5)
  assert.equal(await fetchFor('administrator'), 2)
  assert.equal(await fetchFor('unknown-kid'), 2)
  assert.equal(await fetchFor('refresh'), 2)
})
