import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { createSignerTexts } from '../../src/http/management/ext-jwt-signer-texts.ts'
import { leastBusyShare } from '../attack/busy-share.ts'
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

/** Signers with as many test cases as one may have. */
async function fillTexts(t: TestContext) {
  const app = await buildApp(t)
  const claims = {
    iss: 'x',
    many: Array.from({ length: 8_000 }, () => ({})),
    long: ['Ж'.repeat(50_000), 'Ж'.repeat(50_000)],
  }
  const testCases = [{ name: 'a', claims, now: 1_800_000_000, expect: { outcome: 'refused', check: 'issuer' } }]
  const ids: string[] = []
  for (let count = 0; count < SIGNERS; count++) ids.push(await create(app, jwksBody({ testCases })))
  const texts = createSignerTexts(app.store, () => 'https://controller.example')
  const chosen = app.store.db.selectFrom('ext_jwt_signers').select(['id', 'revision']).where('id', 'in', ids)
  return { app, texts, rows: await chosen.execute() }
}

test('R-23 the texts of signers are cached up to a size, whatever their test cases', async (t) => {
  const { app, texts, rows } = await fillTexts(t)
  const small = await create(app, jwksBody())
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

test('M-16 large signers that are shown at the same time leave others their turns of the event loop', async (t) => {
  const { texts, rows } = await fillTexts(t)
  let collection = 0
  const share = await leastBusyShare(async () => {
    const lists = Array.from({ length: 8 }, () => texts.list(rows, `collection-${collection++}`))
    for (const shown of await Promise.all(lists)) assert.equal(shown.length, SIGNERS)
  })
  assert.ok(share < 2 / 3, `the thread was busy with one turn for ${share} of the time`)
})
