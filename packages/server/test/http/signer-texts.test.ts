import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { createSignerTexts } from '../../src/http/management/ext-jwt-signer-texts.ts'
import { buildApp } from './build-app.ts'
import { create, jwksBody } from './ext-jwt-signers.fixture.ts'

const SIGNERS = 10
/** Each keeps its own texts. */
const COLLECTIONS = 10
/** Keeping all texts with their signers would take twice as much. */
const MAX_BYTES = 50 * 1024 * 1024

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

const usedBytes = (): number => {
  collectGarbage()
  return process.memoryUsage().heapUsed
}

test('R-23 the texts of signers are cached up to a size, whatever their test cases', async (t) => {
  const app = await buildApp(t)
  const claims = {
    iss: 'x',
    many: Array.from({ length: 8_000 }, () => ({})),
    long: ['Ж'.repeat(50_000), 'Ж'.repeat(50_000)],
  }
  const testCases = [{ name: 'a', claims, now: 1_800_000_000, expect: { outcome: 'refused', check: 'issuer' } }]
  const ids: string[] = []
  for (let count = 0; count < SIGNERS; count++) ids.push(await create(app, jwksBody({ testCases })))
  const small = await create(app, jwksBody())
  const texts = createSignerTexts(app.store, () => 'https://controller.example')
  const rowsOf = async (signerIds: readonly string[]) =>
    app.store.db.selectFrom('ext_jwt_signers').select(['id', 'revision']).where('id', 'in', signerIds).execute()
  const rows = await rowsOf(ids)
  const before = usedBytes()
  for (let collection = 0; collection < COLLECTIONS; collection++) {
    assert.equal((await texts.list(rows, `collection-${collection}`)).length, SIGNERS)
  }
  const bytes = usedBytes() - before
  assert.ok(bytes < MAX_BYTES, `${bytes} bytes`)
  const [first, again] = [await texts.find(small, 'collection-0'), await texts.find(small, 'collection-0')]
  assert.equal(first?.signer.id, small)
  assert.equal(again, first, 'it is cached')
})
