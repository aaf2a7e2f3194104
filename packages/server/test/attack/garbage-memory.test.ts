import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { AUDIENCE, ISSUER, setUpProvider } from '../http/provider.fixture.ts'
import { garbageRequest } from './garbage-requests.ts'

const WARM_UP = 4_000
const REQUESTS = 20_000
/** Keeping the text of each token would take twice as much, keeping a parsed token ten times. */
const MAX_BYTES = 6 * 1024 * 1024

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

test('S-12 tokens, kids, issuers and addresses that never repeat leave nothing in memory', async (t) => {
  const dir = mkdtempSync(join(tmpdir(), 'countersign-garbage-'))
  t.after(() => rmSync(dir, { recursive: true, force: true }))
  const config = join(dir, 'settings.yaml')
  const settings = { http: { trustedProxies: ['127.0.0.1'] }, limits: { signerBurst: 0 }, logLevel: 'error' }
  writeFileSync(config, JSON.stringify(settings))
  const { app, key, createSigner } = await setUpProvider(t, { settings: { config } })
  await createSigner({ enrollToTokenEnabled: true })
  const signer = { issuer: ISSUER, audience: AUDIENCE, kid: key.kid }
  const seen = new Set<number>()
  let next = 0
  const sendUntil = async (end: number): Promise<void> => {
    while (next < end) {
      const { method, path, headers, body } = garbageRequest(next++, signer)
      const reply = await app.call(method, path, undefined, body === undefined ? { headers } : { headers, raw: body })
      seen.add(reply.status)
    }
    app.logged.length = 0
  }
  const bytesUsed = (): number => {
    collectGarbage()
    return process.memoryUsage().heapUsed
  }
  await sendUntil(WARM_UP)
  const before = bytesUsed()
  await sendUntil(WARM_UP + REQUESTS)
  const grown = bytesUsed() - before
  assert.ok(grown < MAX_BYTES, `${REQUESTS} requests have left ${grown} bytes`)
  assert.deepEqual([...seen].toSorted(), [400, 401])
})
